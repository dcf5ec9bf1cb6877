/**
 * Keeps the cells that formulas name if a person changed a sheet without a connection, while others inserted, deleted or moved its rows. Both wrote
 * references to the rows that they saw. When the changes of the person arrive, the server finds the rows that each side saw, and rewrites the
 * references to the rows that both see now.
 */
import * as Y from 'yjs'
import type { Edit } from '../../shared/text/diff.ts'
import { fencesOf, type Fence } from '../../shared/fences/fences.ts'
import { type CellPosition, type Change, formulaAfter, positionAfter } from '../../shared/fences/formula/rewrite.ts'
import { type Row } from '../../shared/fences/rows.ts'
import { parseSheet, type Sheet, writtenCell } from '../../shared/fences/sheet.ts'
import { limits } from '../../shared/limits.ts'
import { lastAt } from '../../shared/last-at.ts'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import { copiesOf, movesFrom, wasShown } from '../../shared/text/moved-lines.ts'
import { rowChanges } from './row-changes.ts'
import type { ParsedUpdate } from './update-check.ts'

/** The longest text, in UTF-16 units, and the most items of it, in which rows are looked for. The most merges and sheets that wait. */
const textUnitsMax = 128 * 1024
const itemsMax = 100_000
const waitingMax = 20

/** Matches text that may contain a sheet with a formula. */
const sheetWith = /(?:```|~~~)[ \t]*sheet/

/** A row: its first character, and the line break behind it. A person may rewrite either of them, but not both. */
interface RowIds {
  readonly first: Y.ID
  readonly end: Y.ID | undefined
}

interface View {
  readonly content: string
  idAt(offset: number): Y.ID | undefined
}

/** The rows of a sheet, as the person saw them before the changes of others, and as the others saw them. */
interface LateSheet {
  /** The first character of the fence. */
  readonly mark: Y.ID
  readonly theirs: readonly RowIds[]
  readonly others: readonly RowIds[]
}

interface Late {
  readonly sheets: readonly LateSheet[]
  /** Whether the person wrote a character, or others wrote it without the person's knowledge. */
  readonly writerOf: (id: Y.ID) => 'person' | 'others' | undefined
}

type Clocks = ReadonlyMap<number, number>

const isBelow = (clocks: Clocks, { client, clock }: Y.ID): boolean => clock < (clocks.get(client) ?? 0)
const keyOf = ({ client, clock }: Y.ID): string => `${client} ${clock}`
const startOf = (text: Y.Text): Y.Item | null => (text as unknown as { readonly _start: Y.Item | null })._start

const viewOf = (text: Y.Text, isShown: (item: Y.Item) => boolean): View | undefined => {
  const parts: { readonly at: number; readonly item: Y.Item }[] = []
  let content = ''
  let steps = 0
  for (let item = startOf(text); item !== null; item = item.right) {
    if (++steps > itemsMax) return undefined
    if (!(item.content instanceof Y.ContentString) || !isShown(item)) continue
    parts.push({ at: content.length, item })
    content += item.content.str
  }
  const idAt = (offset: number): Y.ID | undefined => {
    const part = offset < content.length ? parts[lastAt(parts, ({ at }) => at, offset)] : undefined
    return part && Y.createID(part.item.id.client, part.item.id.clock + offset - part.at)
  }
  return { content, idAt }
}

const sheetsIn = (content: string): Sheet[] =>
  content.length > textUnitsMax
    ? []
    : fencesOf(content)
        .filter(({ kind }) => kind === 'sheet')
        .slice(0, limits.sheetsMax)
        .map(parseSheet)

const rowsOf = ({ rows }: Sheet, { idAt }: View): RowIds[] =>
  rows.slice(0, limits.sheetRowsMax).flatMap(({ line }: Row) => {
    const first = idAt(line.from + line.text.length - line.text.trimStart().length)
    return first === undefined ? [] : [{ first, end: idAt(line.to) }]
  })

const markOf = ({ mark }: Fence, { idAt }: View): Y.ID | null => idAt(mark.from) ?? null
const isLive = (item: Y.Item): boolean => !item.deleted && item.countable

/** Sorts rows by the places of their first characters. */
const inOrder = (text: Y.Text, rows: readonly RowIds[]): RowIds[] => {
  const byItem = new Map<Y.Item, RowIds[]>()
  for (const row of rows) {
    const item = text.doc === null ? undefined : itemAt(text.doc.store, row.first)
    if (item !== undefined) byItem.set(item, [...(byItem.get(item) ?? []), row])
  }
  const sorted: RowIds[] = []
  for (let item = startOf(text); item !== null && sorted.length < rows.length; item = item.right)
    sorted.push(...(byItem.get(item) ?? []).toSorted((one, other) => one.first.clock - other.first.clock))
  return sorted
}

/** Returns the rows that a person saw, of whose text the service knows these rows. */
const rowsSeen = (text: Y.Text, store: Y.Doc['store'], now: readonly RowIds[], isKnown: (id: Y.ID) => boolean): RowIds[] => {
  const seen = new Map<string, RowIds>()
  let mayHaveSplit = false
  for (const row of now) {
    const isEndKnown = row.end !== undefined && isKnown(row.end)
    const known = copiesOf(store, row.first).filter(isKnown)
    // Others may have moved the row several times. The person knows only the first moves.
    const place = known.find((id) => !movesFrom(store, id).some(({ to }) => isKnown(to)))
    const isSeen = place !== undefined || (isEndKnown && !mayHaveSplit)
    const first = place ?? row.first
    if (isSeen && (isSameId(first, row.first) || !seen.has(keyOf(first)))) seen.set(keyOf(first), { first, end: row.end })
    // Somebody who presses Enter at the end of a row gives its line break to the next row.
    mayHaveSplit = isKnown(row.first) && !isEndKnown
  }
  return inOrder(text, [...seen.values()])
}

/** Returns the index that each row has now; undefined if it is gone. */
const laterOf = (store: Y.Doc['store'], rows: readonly RowIds[], now: readonly RowIds[]): (number | undefined)[] => {
  const indexes = new Map<string, number>()
  for (const [index, { first }] of now.entries()) for (const id of copiesOf(store, first)) indexes.set(keyOf(id), index)
  const later = rows.map(({ first }) => indexes.get(keyOf(first)))
  const taken = new Set(later)
  return later.map((at, index) => {
    if (at !== undefined) return at
    const end = rows[index]?.end
    const found = end === undefined ? -1 : now.findIndex((row) => row.end !== undefined && isSameId(row.end, end))
    if (found === -1 || taken.has(found)) return undefined
    taken.add(found)
    return found
  })
}

/** The changes of a sheet for formulas of one writer. */
interface Changes {
  readonly changes: readonly Change[]
  /** For each row that exists now, its former index. */
  readonly former: ReadonlyMap<number, number>
}

const changesOf = (store: Y.Doc['store'], rows: readonly RowIds[], now: readonly RowIds[]): Changes => {
  const later = laterOf(store, rows, now)
  const former = new Map(later.flatMap((at, index) => (at === undefined ? [] : [[at, index] as const])))
  return { changes: rowChanges(later, now.length), former }
}

const formulaWith = (
  formula: string,
  { changes }: Changes,
  isOf: (id: string | undefined) => boolean,
  place: CellPosition | undefined
): string => {
  let [text, at] = [formula, place]
  for (const change of changes) {
    text = formulaAfter(text, change, isOf, at)
    at &&= positionAfter(change, at)
  }
  return text
}

interface DocumentText {
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  snapshot(): { readonly content: string }
}

export interface LateFormulas {
  /**
   * Notes an update of a person who has just connected, before it is applied. `vector` is the state vector that the page sent before it received the
   * changes of others.
   */
  note(update: ParsedUpdate, vector: Uint8Array): void
  /** Examines the transaction that applied the update. */
  collect(transaction: Y.Transaction): void
  isWaiting(): boolean
  /** Returns the edits of the formulas. Call it when the copies of moved rows are removed. */
  next(): readonly Edit[]
}

export const createLateFormulas = (openDoc: DocumentText): LateFormulas => {
  const { text, ydoc } = openDoc
  const { store } = ydoc
  const work: Late[] = []
  let known: Clocks | undefined

  const lateOf = (transaction: Y.Transaction, clocks: Clocks): Late | undefined => {
    const { content } = openDoc.snapshot()
    if (content.length > textUnitsMax || !sheetWith.test(content) || !content.includes('=')) return undefined
    const { beforeState, afterState, deleteSet } = transaction
    if (deleteSet.clients.size === 0 && ![...afterState].some(([client, clock]) => clock > (beforeState.get(client) ?? 0))) return undefined
    if (![...beforeState].some(([client, clock]) => clock > (clocks.get(client) ?? 0))) return undefined
    const [before, now] = [viewOf(text, (item) => wasShown(transaction, item)), viewOf(text, isLive)]
    if (before === undefined || now === undefined) return undefined
    const isTheirs = (id: Y.ID): boolean => !isBelow(beforeState, id) && isBelow(afterState, id)
    const former = sheetsIn(before.content)
    const sheets = sheetsIn(now.content).flatMap((sheet): LateSheet[] => {
      const mark = markOf(sheet.fence, now)
      const old = former.find(({ fence }) => isSameId(markOf(fence, before), mark))
      if (mark === null || old === undefined) return []
      const theirs = rowsSeen(text, store, rowsOf(sheet, now), (id) => isBelow(clocks, id) || isTheirs(id))
      return [{ mark, theirs, others: rowsOf(old, before) }]
    })
    const writerOf: Late['writerOf'] = (id) =>
      isTheirs(id) ? 'person' : isBelow(beforeState, id) && !isBelow(clocks, id) ? 'others' : undefined
    return sheets.length === 0 ? undefined : { sheets, writerOf }
  }

  const editsOf = ({ sheets, writerOf }: Late, view: View): Edit[] => {
    const all = sheetsIn(view.content)
    const changed = sheets.flatMap(({ mark, theirs, others }) => {
      const sheet = all.find(({ fence }) => isSameId(markOf(fence, view), mark))
      if (sheet === undefined) return []
      const now = rowsOf(sheet, view)
      return [{ sheet, person: changesOf(store, theirs, now), others: changesOf(store, others, now) }]
    })
    return all.flatMap((sheet) =>
      sheet.rows.slice(0, limits.sheetRowsMax).flatMap(({ cells }, row) =>
        cells.flatMap((cell, column): Edit[] => {
          const id = cell.text.startsWith('=') ? view.idAt(cell.from) : undefined
          const writer = id && writerOf(id)
          if (writer === undefined) return []
          const formula = changed.reduce((now, each) => {
            const { id: name } = each.sheet.fence
            const at = each[writer].former.get(row)
            if (each.sheet !== sheet) return formulaWith(now, each[writer], (named) => named !== undefined && named === name, undefined)
            const place = at === undefined ? undefined : { row: at, column }
            return formulaWith(now, each[writer], (named) => named === undefined || named === name, place)
          }, cell.text)
          return formula === cell.text ? [] : [{ from: cell.from, to: cell.to, insert: writtenCell(sheet, formula, row) }]
        })
      )
    )
  }

  return {
    note(update, vector) {
      const clocks = Y.decodeStateVector(vector)
      // A page that wrote before it had read its own copy of the document saw more than its vector says.
      known = [...update.needs].every(([client, clock]) => clock <= (clocks.get(client) ?? 0)) ? clocks : undefined
    },
    collect(transaction) {
      const late = known && lateOf(transaction, known)
      known = undefined
      if (late !== undefined && work.length < waitingMax) work.push(late)
    },
    isWaiting: () => work.length > 0,
    next() {
      const late = work.shift()
      const view = late && viewOf(text, isLive)
      return late === undefined || view === undefined ? [] : editsOf(late, view)
    }
  }
}
