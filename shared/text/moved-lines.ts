/**
 * Marks that connect a moved line with its old place. A move deletes a line and inserts its text elsewhere, which is other text for Yjs. If two people
 * move the same line without knowing of each other, nothing else shows that both copies are one line. A mark is four deleted characters: one
 * before the first character of the old line, two with the next clocks before the first character of the new one, and one with the clock after that
 * before the first. Another deleted character ends the old line: people who know of the move write after it, and all others before it. Marks never
 * appear in the text, and every replica finds the same ones. A move of a column rewrites the rows. Each of them then has a mark, although it stays on
 * its line. Another deleted character follows the line break of the last one.
 */
import * as Y from 'yjs'
import { isSameId, itemAt } from './items.ts'

/** The first characters of a line at its old and at its new place. */
export interface MovedLine {
  readonly from: Y.ID
  readonly to: Y.ID
}

/** The most items that are examined on one line and behind one character, the most marks of one change, and the most copies of one line. */
const stepsMax = 1000
const neighborsMax = 50
const marksMax = 500
const copiesMax = 200

/** Returns the text of an item, which Yjs may have discarded if the item is deleted. */
const textOf = ({ content }: Y.Item): string => (content instanceof Y.ContentString ? content.str : '')

/** Whether a transaction inserted an item. */
export const isNew = ({ beforeState }: Y.Transaction, { id }: Y.Item): boolean => id.clock >= (beforeState.get(id.client) ?? 0)

/** Whether an item was visible before a transaction. */
export const wasShown = (transaction: Y.Transaction, item: Y.Item): boolean =>
  item.countable && !isNew(transaction, item) && (!item.deleted || Y.isDeleted(transaction.deleteSet, item.id))

// ——— lines that a transaction deleted and inserted ———

interface Line {
  /** The first character that is neither whitespace nor part of the prefix of a quote. */
  readonly first: Y.ID
  /** The text from this character on. */
  readonly text: string
  /** Whether all of the text is changed. */
  readonly isWhole: boolean
}

interface View {
  readonly isShown: (item: Y.Item) => boolean
  readonly isChanged: (item: Y.Item) => boolean
}

/** Returns the item and the offset at which the line of an item begins. Undefined if the line is too long. */
const beginOf = (item: Y.Item, { isShown }: View): { readonly item: Y.Item; readonly offset: number } | undefined => {
  let first = item
  for (let step = 0; step < stepsMax; step++) {
    const { left } = first
    if (left === null) return { item: first, offset: 0 }
    const end = isShown(left) ? textOf(left).lastIndexOf('\n') : -1
    if (end !== -1) return { item: left, offset: end + 1 }
    first = left
  }
  return undefined
}

/** Returns the lines around a changed item whose first character is changed. Notes the changed items that were examined. */
const changedLines = (item: Y.Item, view: View, seen: Set<Y.Item>): Line[] => {
  const begin = beginOf(item, view)
  const lines: Line[] = []
  if (begin === undefined) return lines
  let [first, text, isBegun, isWhole]: [Y.ID | undefined, string, boolean, boolean] = [undefined, '', false, true]
  let { offset } = begin
  for (let [each, step]: [Y.Item | null, number] = [begin.item, 0]; each !== null && step < stepsMax; each = each.right, offset = 0) {
    const isChanged = view.isChanged(each)
    // The text before the offset may be another changed line.
    if (isChanged && offset === 0) seen.add(each)
    if (!view.isShown(each)) {
      step += 1
      continue
    }
    const parts = textOf(each).slice(offset).split('\n')
    for (const [index, part] of parts.entries()) {
      const blank: number = first === undefined ? (/^[ \t>]*/.exec(part)?.[0].length ?? 0) : 0
      if (blank < part.length) {
        if (first === undefined) [first, isBegun] = [Y.createID(each.id.client, each.id.clock + offset + blank), isChanged]
        text += part.slice(blank)
        isWhole &&= isChanged
      }
      offset += part.length + 1
      if (index === parts.length - 1) break
      if (first !== undefined && isBegun && lines.length < marksMax) lines.push({ first, text, isWhole })
      ;[first, text, isBegun, isWhole] = [undefined, '', false, true]
    }
    if (parts.length > 1) {
      if (!isChanged) return lines
      step = 0
    } else step += 1
  }
  if (first !== undefined && isBegun) lines.push({ first, text, isWhole })
  return lines
}

const linesOf = (items: readonly Y.Item[], view: View): Line[] => {
  const seen = new Set<Y.Item>()
  return items.flatMap((item) => (seen.has(item) ? [] : changedLines(item, view, seen)))
}

/** Returns the new items of a transaction, at most `countMax`. */
export const newItemsOf = ({ beforeState, afterState, doc }: Y.Transaction, countMax: number): Y.Item[] => {
  const found: Y.Item[] = []
  for (const [client, end] of afterState) {
    const before = beforeState.get(client) ?? 0
    if (before === end) continue
    const structs = doc.store.clients.get(client) ?? []
    for (let at = Y.findIndexSS(structs, before); at < structs.length && found.length < countMax; at++) {
      const item = structs[at]
      if (item instanceof Y.Item) found.push(item)
    }
  }
  return found
}

/** Returns the lines whose first character a transaction inserted. Call it before Yjs merges the items of the transaction. */
const insertedLines = (transaction: Y.Transaction, items: readonly Y.Item[]): Line[] =>
  linesOf(
    items.filter((item) => !item.deleted && item.countable),
    { isShown: (item) => !item.deleted && item.countable, isChanged: (item) => isNew(transaction, item) }
  )

/** Returns the lines whose first character a transaction deleted. Call it before Yjs discards their text. */
export const deletedLines = (transaction: Y.Transaction): Line[] => {
  const items: Y.Item[] = []
  Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => {
    if (struct instanceof Y.Item && items.length < marksMax && wasShown(transaction, struct)) items.push(struct)
  })
  return linesOf(items, { isShown: (item) => wasShown(transaction, item), isChanged: ({ deleted }) => deleted })
}

/** Matches the marker of a card or list item, which a move may change. */
export const itemMarker = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX>]*\](?:[ \t]+|$))?/

/** Returns the part of a line that a move does not change: without the marker of an item, and without formulas, which a move may adjust. */
export const wordsOf = (text: string): string =>
  text
    .replace(itemMarker, '- ')
    .split('|')
    .map((cell) => (cell.trim().startsWith('=') ? '=' : cell.trim()))
    .join('|')

/** Returns the next line break that exists behind a character; undefined at the end of the text. */
const breakBehind = (store: Y.Doc['store'], first: Y.ID): Y.ID | undefined => {
  let item: Y.Item | null = itemAt(store, first) ?? null
  for (let step = 0; item !== null && step < stepsMax; item = item.right, step++) {
    const at = item.deleted ? -1 : textOf(item).indexOf('\n')
    if (at !== -1) return Y.createID(item.id.client, item.id.clock + at)
  }
  return undefined
}

/** Whether a move has rewritten a line at its place, as a move of a column does. */
export const isRewrite = (store: Y.Doc['store'], { from, to }: MovedLine): boolean => {
  const end = breakBehind(store, from)
  return end !== undefined && isSameId(end, breakBehind(store, to) ?? null)
}

/** Returns a key that is the same before and after a move of columns in a row, as long as the row stays on its line. */
const rowOf = (store: Y.Doc['store'], { first, text }: Line): string | undefined => {
  const end = text.startsWith('|') ? breakBehind(store, first) : undefined
  const cells = wordsOf(text).split('|')
  return (
    end &&
    `${end.client} ${end.clock} ${cells
      .filter((cell) => cell !== '')
      .toSorted()
      .join('|')}`
  )
}

/** Pairs lines with the same key, in their order, and removes them from both sets. */
const pairsOf = (old: Set<Line>, young: Set<Line>, keyOf: (line: Line) => string | undefined): MovedLine[] => {
  const byKey = new Map<string | undefined, Line[]>()
  for (const line of old) {
    const key = keyOf(line)
    byKey.set(key, [...(byKey.get(key) ?? []), line])
  }
  return [...young].flatMap((line) => {
    const key = keyOf(line)
    const found = key === undefined ? undefined : byKey.get(key)?.shift()
    if (found === undefined) return []
    old.delete(found)
    young.delete(line)
    return [{ from: found.first, to: line.first }]
  })
}

/** Returns the lines that a transaction deleted and inserted again elsewhere, and the rows whose cells it put into another order. */
export const movedLines = (transaction: Y.Transaction): MovedLine[] => {
  const items = newItemsOf(transaction, marksMax)
  if (transaction.deleteSet.clients.size === 0 || !items.some((item) => /\S/.test(textOf(item)))) return []
  const old = new Set(deletedLines(transaction).filter(({ isWhole }) => isWhole))
  if (old.size === 0) return []
  const young = new Set(insertedLines(transaction, items).filter(({ isWhole }) => isWhole))
  const rows = pairsOf(old, young, (line) => rowOf(transaction.doc.store, line))
  return [...rows, ...pairsOf(old, young, ({ text }) => wordsOf(text))]
}

/** Returns the deleted character that a character restores, if undo has restored it. */
export const restoredBy = (store: Y.Doc['store'], id: Y.ID): Y.ID | undefined => {
  let item = itemAt(store, id)
  // Yjs restores an item directly before its original. A mark may have split it since.
  for (let step = 0; item !== undefined && step < stepsMax; step++) {
    const { origin, rightOrigin } = item
    if (origin?.client !== item.id.client || origin.clock !== item.id.clock - 1) break
    const left = itemAt(store, origin)
    if (left === undefined || !isSameId(left.rightOrigin, rightOrigin)) break
    item = left
  }
  if (item === undefined || item.rightOrigin === null) return undefined
  const { client, clock } = item.rightOrigin
  return Y.createID(client, clock + id.clock - item.id.clock)
}

/** Returns the lines that an undo or redo restored, each with the deleted line that it restores. */
export const restoredLines = (transaction: Y.Transaction): MovedLine[] => {
  const { store } = transaction.doc
  return insertedLines(transaction, newItemsOf(transaction, marksMax)).flatMap(({ first }) => {
    const from = restoredBy(store, first)
    const old = from && itemAt(store, from)
    if (from === undefined || old === undefined || old.redone === null) return []
    return isSameId(Y.createID(old.redone.client, old.redone.clock + from.clock - old.id.clock), first) ? [{ from, to: first }] : []
  })
}

// ——— marks ———

/** Begins an item at a character. */
const splitAt = (transaction: Y.Transaction, { client, clock }: Y.ID): void => {
  const found = itemAt(transaction.doc.store, Y.createID(client, clock))
  if (found === undefined || found.id.clock === clock) return
  // Yjs splits an item at the ends of a range. The line itself stays in one piece, so that undo restores it in one piece.
  const range = Y.createDeleteSet()
  range.clients.set(client, [{ clock, len: found.id.clock + found.length - clock }])
  Y.iterateDeletedStructs(transaction, range, () => undefined)
}

/** Inserts characters between two items and deletes them. */
export const putBetween = (transaction: Y.Transaction, text: Y.Text, left: Y.Item | null, right: Y.Item | null, length: number): Y.ID => {
  const { doc } = transaction
  const id = Y.createID(doc.clientID, Y.getState(doc.store, doc.clientID))
  const content = new Y.ContentString('-'.repeat(length))
  const item = new Y.Item(id, left, left?.lastId ?? null, right, right?.id ?? null, text, null, content)
  item.integrate(transaction, 0)
  item.delete(transaction)
  return id
}

/** Inserts characters before another one and deletes them. */
export const putMark = (transaction: Y.Transaction, text: Y.Text, before: Y.ID, length: number): Y.ID | undefined => {
  splitAt(transaction, before)
  const right = itemAt(transaction.doc.store, before)
  return right && putBetween(transaction, text, right.left, right, length)
}

/** Ends a line that a transaction deleted with a deleted character. */
const putEnd = (transaction: Y.Transaction, text: Y.Text, first: Y.ID): void => {
  const { store } = transaction.doc
  let last: Y.ID | undefined
  let offset = first.clock - (itemAt(store, first)?.id.clock ?? 0)
  for (
    let [item, step]: [Y.Item | null, number] = [itemAt(store, first) ?? null, 0];
    item !== null && step < stepsMax;
    item = item.right, step++
  ) {
    const end = wasShown(transaction, item) ? textOf(item).indexOf('\n', offset) : -1
    const until = end === -1 ? item.length : end
    if (wasShown(transaction, item) && until > offset) last = Y.createID(item.id.client, item.id.clock + until - 1)
    if (end !== -1) break
    offset = 0
  }
  if (last === undefined) return
  splitAt(transaction, Y.createID(last.client, last.clock + 1))
  const left = itemAt(store, last)
  if (left !== undefined) putBetween(transaction, text, left, left.right, 1)
}

/**
 * Marks the end of a row that was rewritten at its place, unless another such row follows. If people know of the move, they add a row behind
 * this character.
 */
const putRowEnd = (transaction: Y.Transaction, text: Y.Text, to: Y.ID): void => {
  const { store } = transaction.doc
  const end = breakBehind(store, to)
  if (end === undefined) return
  splitAt(transaction, Y.createID(end.client, end.clock + 1))
  let left = itemAt(store, end)
  const isGone = (item: Y.Item | null | undefined): item is Y.Item => item instanceof Y.Item && (item.deleted || !item.countable)
  while (isGone(left?.right)) left = left.right
  if (left !== undefined && !(left.right !== null && isNew(transaction, left.right))) putBetween(transaction, text, left, left.right, 1)
}

/**
 * Adds marks to a local transaction at the event `beforeObserverCalls`, so that others receive a move and its mark together. For undo, the marks were
 * inserted and deleted by one step, so they are never restored.
 */
export const markMoves = (transaction: Y.Transaction, text: Y.Text, moves: readonly MovedLine[]): void => {
  const { store, clientID } = transaction.doc
  // A single row may also return to its line.
  const isColumn = moves.length > 1 && moves.every((move) => isRewrite(store, move))
  for (const { from, to } of moves.slice(0, marksMax)) {
    if (itemAt(store, from) === undefined || itemAt(store, to) === undefined) continue
    const half = putMark(transaction, text, from, 1)
    putMark(transaction, text, to, 2)
    // Otherwise, Yjs could merge the second half with the next text of this client, and other text could look like a mark.
    if (half !== undefined) putMark(transaction, text, half, 1)
    putEnd(transaction, text, from)
    if (isColumn) putRowEnd(transaction, text, to)
  }
  transaction.afterState.set(clientID, Y.getState(store, clientID))
}

/**
 * Returns the move to which the second half of a mark belongs; undefined if the item is none. The character with the clock behind it is before the
 * first half. Other deleted text of the person, such as a former value of a cell, could look like the halves of a mark.
 */
export const moveOf = (store: Y.Doc['store'], item: Y.Item): MovedLine | undefined => {
  const { deleted, length, rightOrigin: to } = item
  if (!deleted || length !== 2 || to === null) return undefined
  const { client, clock } = item.id
  const halfId = Y.createID(client, clock - 1)
  const from = itemAt(store, halfId)?.rightOrigin
  const next = itemAt(store, Y.createID(client, clock + 2))
  return from && next && isSameId(next.rightOrigin, halfId) ? { from, to } : undefined
}

/** Returns the moves from and to a line that begins with this character. */
const movesAt = (store: Y.Doc['store'], first: Y.ID): MovedLine[] => {
  const found: MovedLine[] = []
  const begin = itemAt(store, first)
  if (begin === undefined || begin.id.clock !== first.clock) return found
  for (let [item, step] = [begin.left, 0]; item !== null && step < neighborsMax; item = item.left, step++) {
    if (!item.deleted || !isSameId(item.rightOrigin, first)) continue
    const next = itemAt(store, Y.createID(item.id.client, item.id.clock + item.length))
    for (const move of [moveOf(store, item), next && moveOf(store, next)])
      if (move !== undefined && (isSameId(move.from, first) || isSameId(move.to, first))) found.push(move)
  }
  return found
}

/** Returns the first characters of all copies of a line, which moves have made: also of those that are deleted. */
export const copiesOf = (store: Y.Doc['store'], first: Y.ID): Y.ID[] => {
  const key = ({ client, clock }: Y.ID): string => `${client} ${clock}`
  const copies = new Map([[key(first), first]])
  for (const each of copies.values()) {
    if (copies.size >= copiesMax) break
    for (const { from, to } of movesAt(store, each)) for (const id of [from, to]) copies.set(key(id), copies.get(key(id)) ?? id)
  }
  return [...copies.values()]
}

/** Returns the moves whose old line begins with this character. */
export const movesFrom = (store: Y.Doc['store'], first: Y.ID): MovedLine[] =>
  movesAt(store, first).filter(({ from }) => isSameId(from, first))

/** Whether a line that begins with this character is a row whose cells are in another order than before, on the same line. */
export const isRewritten = (store: Y.Doc['store'], first: Y.ID): boolean =>
  movesAt(store, first).some((move) => isSameId(move.to, first) && isRewrite(store, move))

/** Whether a move or an undo brought a line that begins with this character. */
export const hasArrived = (store: Y.Doc['store'], first: Y.ID): boolean => movesAt(store, first).some(({ to }) => isSameId(to, first))
