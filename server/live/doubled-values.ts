/**
 * Removes doubled values. Two people can set the same value without knowing of each other: they check off one task, fill one sheet cell, or press the
 * same format. Yjs keeps both insertions, one after the other, such as `[xx]` or `3025`. The last one stays. It is the same for all copies of the
 * text, so several nodes that remove the others agree. Text in which people write words is never touched.
 */
import { type Connection, type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as Y from 'yjs'
import { fencesOf } from '../../shared/fences/fences.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { newItemsOf } from '../../shared/text/moved-lines.ts'
import { tidyActor } from '../domain/rights/caller.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import { createLateFormulas } from './late-formulas.ts'
import { createMovedLines } from './moved-lines.ts'
import { createWriters } from './writers.ts'
import type { ParsedUpdate } from './update-check.ts'

/** Characters that one client inserted next to each other, none of them deleted. */
interface Run {
  readonly first: Y.Item
  readonly last: Y.Item
  readonly text: string
}

/** The most steps from one item to the next, and the most new items that are examined in one transaction. */
const stepsMax = 100
const itemsMax = 1000
/** The longest value, in UTF-16 units. */
const valueUnitsMax = 1000
/** The longest text in which cells of sheets are looked for, in UTF-16 units (measured: at most about 30 ms). In longer text, both values stay. */
const sheetTextUnitsMax = 128 * 1024
/** How long values are removed in one turn of the event loop, in milliseconds. The first one of a turn may take longer. */
const turnMs = 10

const textOf = ({ content }: Y.Item): string => (content instanceof Y.ContentString ? content.str : '')

const continues = (one: Y.Item | null, next: Y.Item | null): boolean =>
  one !== null &&
  next !== null &&
  !one.deleted &&
  !next.deleted &&
  one.id.client === next.id.client &&
  one.id.clock + one.length === next.id.clock

const runOf = (item: Y.Item): Run => {
  let [first, last] = [item, item]
  let text = textOf(item)
  for (let step = 0; step < stepsMax && continues(first.left, first); step++) {
    first = first.left as Y.Item
    text = textOf(first) + text
  }
  for (let step = 0; step < stepsMax && continues(last, last.right); step++) {
    last = last.right as Y.Item
    text += textOf(last)
  }
  return { first, last, text }
}

/** Returns the deleted items on one side of an item, and the next item that is not deleted, which is null at an end of the text. */
const gapFrom = (item: Y.Item, side: 'left' | 'right'): { gone: ReadonlySet<Y.Item>; next: Y.Item | null } | undefined => {
  const gone = new Set<Y.Item>()
  let next = item[side]
  for (; next?.deleted === true; next = next[side]) if (gone.add(next).size > stepsMax) return undefined
  return { gone, next }
}

/**
 * Returns the item next to which the writer of a run inserted it. The writer's own deleted text in between does not count: a person may set a value
 * several times while offline.
 */
const placedBy = (store: Y.Doc['store'], run: Run, side: 'left' | 'right'): Y.Item | null | undefined => {
  const from = side === 'left' ? 'origin' : 'rightOrigin'
  let id = (side === 'left' ? run.first : run.last)[from]
  for (let step = 0; step < stepsMax; step++) {
    if (id === null) return null
    const item = Y.getItem(store, id)
    if (!(item instanceof Y.Item)) return undefined
    if (!item.deleted || item.id.client !== run.first.id.client) return item
    id = item[from]
  }
  return undefined
}

/** Whether the writer of a run inserted it beyond another run, and so did not know of it. `side` is the side on which the other run is. */
const wasBlindTo = (store: Y.Doc['store'], run: Run, other: Run, side: 'left' | 'right'): boolean => {
  const placed = placedBy(store, run, side)
  const beyond = gapFrom(side === 'left' ? other.first : other.last, side)
  return placed !== undefined && beyond !== undefined && (placed === beyond.next || (placed !== null && beyond.gone.has(placed)))
}

/** Returns the run next to another one if their writers did not know of each other. */
const rivalOf = (store: Y.Doc['store'], run: Run, side: 'left' | 'right'): Run | undefined => {
  const next = gapFrom(side === 'left' ? run.first : run.last, side)?.next ?? null
  if (next === null || next.id.client === run.first.id.client) return undefined
  const rival = runOf(next)
  const back = side === 'left' ? 'right' : 'left'
  return wasBlindTo(store, run, rival, side) && wasBlindTo(store, rival, run, back) ? rival : undefined
}

/** Returns the runs that were written at one place by people who did not know of each other, in text order. One run if there is no other. */
const rivals = (store: Y.Doc['store'], item: Y.Item): Run[] => {
  const runs = [runOf(item)]
  for (const side of ['left', 'right'] as const) {
    for (let step = 0; step < stepsMax; step++) {
      const other = rivalOf(store, runs.at(side === 'left' ? 0 : -1) as Run, side)
      if (other === undefined) break
      if (side === 'left') runs.unshift(other)
      else runs.push(other)
    }
  }
  return runs
}

/** Matches the marks of a format, one of which encloses text on each side. */
const formatMark = /^(?:\*{1,3}|_{1,2}|~~|==|`|<\/?[a-z]{1,6}>)$/
/** Matches the marks with which a command begins a line, and the number signs that it adds to a heading. */
const lineMark = /^(?:#{1,6} ?|> |[-*+] (?:\[ \] )?|\d{1,9}[.)] )$/
const taskStart = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[$/

/** Whether the values, which are at `from`–`to` in the text, are alternatives and not parts of one value. */
const areAlternatives = (content: string, from: number, to: number, values: readonly string[]): boolean => {
  if (values.some((value) => value.length > valueUnitsMax || value.includes('\n'))) return false
  const line = content.lastIndexOf('\n', from - 1) + 1
  const before = content.slice(line, from)
  const after = content.slice(to, to + valueUnitsMax).split('\n', 1)[0] ?? ''
  if (values.every((value) => /^[ xX>]$/.test(value))) return taskStart.test(before) && after.startsWith(']')
  const areSame = values.every((value) => value === values[0])
  if (areSame && formatMark.test(values[0] ?? '')) return true
  // People who begin the same empty line type letters.
  if (after.trim() !== '' && /^[ \t>]*#{0,6}$/.test(before) && values.every((value) => lineMark.test(value)))
    return areSame || /^[ \t>]*$/.test(before)
  return isWholeCell(content, from, to)
}

/** Whether a range is all that a cell of a sheet contains. */
const isWholeCell = (content: string, from: number, to: number): boolean => {
  if (content.length > sheetTextUnitsMax || !/(?:```|~~~)[ \t]*sheet/.test(content)) return false
  const fence = fencesOf(content).find((each) => each.kind === 'sheet' && each.bodyFrom <= from && to <= each.bodyTo)
  if (fence === undefined) return false
  const row = parseSheet(fence).rows.find(({ line }) => line.from <= from && to <= line.to)
  const cell = row?.cells.find((each) => each.from <= to && from <= each.to)
  return cell !== undefined && content.slice(cell.from, cell.to).trim() === content.slice(from, to).trim()
}

const editOf = (openDoc: OpenDocument, item: Y.Item): Edit | undefined => {
  const { ydoc } = openDoc
  const runs = rivals(ydoc.store, item)
  const [first, last] = [runs[0] as Run, runs.at(-1) as Run]
  if (runs.length === 1) return undefined
  const from = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON({ item: first.first.id }), ydoc)?.index
  if (from === undefined) return undefined
  const values = runs.map(({ text }) => text)
  const to = from + values.join('').length
  if (!areAlternatives(openDoc.snapshot().content, from, to, values)) return undefined
  return { from, to: to - last.text.length, insert: '' }
}

/** Returns the new items of a transaction next to which somebody may have inserted other text. */
const newItems = (transaction: Y.Transaction): Y.Item[] => newItemsOf(transaction, itemsMax).filter((item) => !item.deleted)

export interface DoubledValues {
  /**
   * Notes an update. Call it before the update is applied, or in its transaction. `vector` is the state vector that its page sent when it connected, if
   * the update is the first one since.
   */
  note(update: ParsedUpdate, vector?: Uint8Array): void
  stop(): void
}

/** Starts removing doubled values and lines from a document. */
export const watchDoubledValues = (document: Document, openDoc: OpenDocument): DoubledValues => {
  const { store } = document
  const writers = createWriters(store, (writer) => document.hasConnection(writer as Connection))
  const moved = createMovedLines(openDoc, writers)
  const late = createLateFormulas(openDoc)
  const doubled: Y.ID[] = []
  let timer: NodeJS.Timeout | undefined
  /** How long the last removal took, in milliseconds. */
  let took = 0

  const remove = (): void => {
    const start = performance.now()
    timer = undefined
    if (openDoc.failed) return
    do {
      const id = doubled.shift()
      if (id === undefined && !moved.isWaiting() && !late.isWaiting()) break
      const item = id && Y.getItem(store, id)
      const edit = item instanceof Y.Item && !item.deleted ? editOf(openDoc, item) : undefined
      const edits = id !== undefined ? (edit === undefined ? [] : [edit]) : moved.isWaiting() ? moved.next() : late.next()
      if (edits.length > 0) openDoc.apply(edits, tidyActor, false, false)
    } while (performance.now() - start < turnMs)
    took = performance.now() - start
    wait()
  }
  // The server spends at most a twentieth of its time on this, regardless of the number of updates.
  const wait = (): void => {
    if (doubled.length > 0 || moved.isWaiting() || late.isWaiting()) timer ??= setTimeout(remove, took * 20)
  }

  const onTransaction = (transaction: Y.Transaction): void => {
    const { origin } = transaction
    const isPage = isTransactionOrigin(origin) && origin.source === 'connection'
    writers.wrote(isPage && !('several' in origin && origin.several === true) ? origin.connection : 'others', transaction)
    if (!isPage) return
    moved.collect(transaction)
    late.collect(transaction)
    for (const item of newItems(transaction)) {
      if (doubled.length >= stepsMax) break
      if (rivals(store, item).length > 1) doubled.push(item.id)
    }
    wait()
  }
  document.on('afterTransaction', onTransaction)
  return {
    note(update, vector) {
      moved.note(update.deletions)
      if (vector === undefined) return
      writers.arrived(vector)
      late.note(update, vector)
    },
    stop() {
      document.off('afterTransaction', onTransaction)
      clearTimeout(timer)
    }
  }
}
