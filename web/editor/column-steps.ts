/**
 * Undo and redo of a move of a column in a sheet that somebody else has changed since. A step restores only the rows that it rewrote. Rows that others
 * have added follow the other rows, and cells that others have emptied stay empty.
 */
import * as Y from 'yjs'
import { cellBar, cellsOf, inverse, type Order, orderOf, reordered, type TwoRows } from '../../shared/fences/column-order.ts'
import { itemAt } from '../../shared/text/items.ts'
import type { MovedLine } from '../../shared/text/moved-lines.ts'
import { latestOf } from './restored-copies.ts'
import { isGone, type Step, textOf, without } from './undo-gaps.ts'

type Store = Y.Doc['store']

/** Maximum number of items that are examined in a row. */
const itemsMax = 1000
/** Maximum number of characters that are examined to find whether the author of a row knew of a move. */
const originsMax = 200

/** A row that a step will restore. `old` is its text then, and `young` its text now, at the offset `at`. */
interface RestoredRow extends TwoRows {
  readonly at: number
  /** The characters of `old`. */
  readonly ids: readonly Y.ID[]
}

/** Returns the characters that a step will restore on a line. */
function restoredText(store: Store, from: Y.ID, { deletions, insertions }: Step): { readonly old: string; readonly ids: readonly Y.ID[] } {
  const ids: Y.ID[] = []
  let old = ''
  let offset = from.clock - (itemAt(store, from)?.id.clock ?? 0)
  for (
    let [item, step]: [Y.Item | null, number] = [itemAt(store, from) ?? null, 0];
    item !== null && step < itemsMax;
    item = item.right, offset = 0, step++
  ) {
    if (!isGone(item) && textOf(item).includes('\n')) break
    if (!isGone(item) || !Y.isDeleted(deletions, item.id) || Y.isDeleted(insertions, item.id)) continue
    const text = textOf(item).slice(offset)
    for (let at = 0; at < text.length; at++) ids.push(Y.createID(item.id.client, item.id.clock + offset + at))
    old += text
  }
  return { old, ids }
}

const idAt = (text: Y.Text, at: number): Y.ID | null => Y.createRelativePositionFromTypeIndex(text, at).item

/** Whether the author of a line knew some text: its first character was written next to that text, or next to other characters that were. */
function knows(store: Store, first: Y.ID, known: Step['insertions']): boolean {
  const origins = [first]
  const seen = new Set<Y.Item>()
  for (const id of origins) {
    const item = itemAt(store, id)
    if (item === undefined || seen.has(item)) continue
    if (seen.add(item).size > originsMax) return false
    for (const origin of [item.rightOrigin, item.origin]) {
      if (origin === null) continue
      if (Y.isDeleted(known, origin)) return true
      origins.push(origin)
    }
  }
  return false
}

/** Removes from a step the values of cells that are empty now. */
function leaveEmptied(step: Step, { old, young, ids }: RestoredRow, order: Order): void {
  const now = cellsOf(young)
  let from = 0
  for (const [index, cell] of old.split(cellBar).entries()) {
    const column = index - 1
    const value = cell.trim()
    const begin = from + cell.indexOf(value)
    if (value !== '' && now[order[column] ?? column]?.trim() === '')
      for (const id of ids.slice(begin, begin + value.length)) step.deletions = without(step.deletions, id)
    from += cell.length + 1
  }
}

/** A row of the text, without the prefix of a quote. */
interface Row {
  readonly at: number
  readonly text: string
}

/** Returns the runs of adjacent rows in the text. */
function runsOf(content: string): Row[][] {
  const runs: Row[][] = [[]]
  let at = 0
  for (const line of content.split('\n')) {
    const text = line.replace(/^[ \t>]*/, '')
    if (text.startsWith('|')) runs.at(-1)?.push({ at: at + line.length - text.length, text })
    else if (runs.at(-1)?.length !== 0) runs.push([])
    at += line.length + 1
  }
  return runs
}

/** Returns the item behind which a step will restore other text on the same line before this character. Undefined if it restores none there. */
function beforeRestored(store: Store, first: Y.ID, { deletions, insertions }: Step): Y.Item | undefined {
  const item = itemAt(store, first)
  let left = item?.id.clock === first.clock ? item.left : null
  let isRestored = false
  for (; left !== null && isGone(left); left = left.left)
    isRestored ||= Y.isDeleted(deletions, left.id) && !Y.isDeleted(insertions, left.id)
  return isRestored ? (left ?? undefined) : undefined
}

/** Inserts text directly behind an item. Yjs would insert it behind the deleted text that follows. */
function insertBehind(transaction: Y.Transaction, text: Y.Text, left: Y.Item, content: string): void {
  const { doc } = transaction
  const id = Y.createID(doc.clientID, Y.getState(doc.store, doc.clientID))
  const { right } = left
  new Y.Item(id, left, left.lastId, right, right?.id ?? null, text, null, new Y.ContentString(content)).integrate(transaction, 0)
  // Yjs remembers the offsets of some items.
  text._searchMarker?.splice(0)
}

/** Puts the cells of adjacent rows into another order. Returns the old and the new first character of each row. */
function rewrite(transaction: Y.Transaction, text: Y.Text, rows: readonly Row[], order: Order, step: Step): MovedLine[] {
  const [first, last] = [rows[0], rows.at(-1)]
  const from = rows.map(({ at }) => idAt(text, at))
  if (first === undefined || last === undefined || !from[0]) return []
  const left = beforeRestored(transaction.doc.store, from[0], step)
  const now = rows.map((row) => reordered(row.text, order))
  const length = last.at + last.text.length - first.at
  if (left === undefined) {
    text.delete(first.at, length)
    text.insert(first.at, now.join('\n'))
  } else {
    // With their line breaks, the rows come before the restored one.
    text.delete(first.at, length + 1)
    insertBehind(transaction, text, left, `${now.join('\n')}\n`)
  }
  let at = first.at
  return now.flatMap((row, index) => {
    const [old, to] = [from[index], idAt(text, at)]
    at += row.length + 1
    return old && to ? [{ from: old, to }] : []
  })
}

/** Returns the items that a step will remove. */
function itemsOf(transaction: Y.Transaction, { insertions }: Step): Set<Y.Item | undefined> {
  const items = new Set<Y.Item | undefined>()
  Y.iterateDeletedStructs(transaction, insertions, ({ id }) => void items.add(latestOf(transaction.doc.store, id)?.item))
  return items
}

/** Returns the groups of adjacent rows of a run that a step will neither restore nor remove, and whose authors knew of the step. */
function groupsOf(transaction: Y.Transaction, text: Y.Text, run: readonly Row[], step: Step): Row[][] {
  const { store } = transaction.doc
  const own = itemsOf(transaction, step)
  const groups: Row[][] = [[]]
  for (const row of run) {
    const id = idAt(text, row.at)
    if (id !== null && !own.has(itemAt(store, id)) && knows(store, id, step.insertions)) groups.at(-1)?.push(row)
    else groups.push([])
  }
  return groups
}

/**
 * Prepares the undo or redo of a move of a column, in its transaction. `moves` are the rows that the step will restore: `from` is the first character
 * of the old row, and `to` that of the row that is there. Returns the other rows that it has rewritten.
 */
export function followColumns(transaction: Y.Transaction, step: Step, moves: readonly MovedLine[]): MovedLine[] {
  const { doc } = transaction
  const text = moves[0] && itemAt(doc.store, moves[0].to)?.parent
  if (!(text instanceof Y.Text)) return []
  const runs = runsOf(text.toString())
  const rows = new Map(runs.flat().map((row) => [row.at, row]))
  const restored = new Map<number, RestoredRow>()
  for (const { from, to } of moves) {
    const at = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON({ item: to }), doc)?.index ?? -1
    const row = rows.get(at)
    if (row !== undefined) restored.set(at, { at, young: row.text, ...restoredText(doc.store, from, step) })
  }
  return runs.toReversed().flatMap((run) => {
    const own = run.flatMap(({ at }) => restored.get(at) ?? [])
    const order = orderOf(own)
    if (!order.some((to, from) => to !== from)) return []
    for (const row of own) leaveEmptied(step, row, order)
    const groups = groupsOf(transaction, text, run, step)
    return groups.toReversed().flatMap((group) => rewrite(transaction, text, group, inverse(order), step))
  })
}
