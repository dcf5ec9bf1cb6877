/**
 * Keeps tables whole when text is pasted, dropped, replaced or completed in the live view. Line breaks and bars would end the cell, so they are
 * escaped. A selection that begins or ends in a table loses only words, and selected cells are changed without the cells between them.
 */
import { type ChangeSpec, EditorSelection, EditorState, type Extension, Transaction, type TransactionSpec } from '@codemirror/state'
import { chosenCells, chosenRows } from '../chosen-cells.ts'
import { content, isDelimiter } from '../table-rows.ts'
import { tableAt } from '../tables.ts'
import { keptIn } from './grids.ts'

/** The events of insertions. An `input` alone is a line break of the Enter key, or a command. */
const insertion = /^(?:input(?:\.(?:complete|drop|paste|replace|type)\b.*)?|move\.drop)$/

/** Returns text as it is written in a cell, between the text `before` it and the character `after` it. Spaces at its ends stay. */
export function inCell(text: string, before: string, after: string): string {
  const line = text.replaceAll(/\s+/g, (space, at: number) =>
    space.includes('\n') ? (at > 0 && at + space.length < text.length ? '<br>' : '') : space
  )
  // A backslash escapes the next character, also across the edges of the text.
  const all = (before + line).replaceAll(/\\[^]|\|/g, (sign) => (sign === '|' ? '\\|' : sign))
  return all.slice(before.length) + (after === '|' && all.endsWith('\\') ? ' ' : '')
}

interface Place {
  readonly at: number
  /** The text of the cell before the position. */
  readonly before: string
  /** The end of the cell. */
  readonly end: number
}

/** Returns the position in a cell that is nearest to `position`. Undefined outside the cells of a table. */
function placeOf(state: EditorState, position: number): Place | undefined {
  const { row, column = 0 } = tableAt(state, position) ?? {}
  const cell = row?.cells[column]
  if (cell === undefined || isDelimiter(row?.line.text ?? '')) return undefined
  const { from, to } = content(state.doc, cell)
  const at = position < cell.from ? from : position > cell.to ? to : position
  return { at, before: state.sliceDoc(cell.from, at), end: cell.to }
}

interface Kept {
  readonly at: number
  readonly insert: string
  readonly changes: readonly ChangeSpec[]
  /** Whether these are not the changes that were given. */
  readonly isOther: boolean
}

/** Returns the changes that take the place of one change. `isFree`: the text can contain line breaks and bars. */
function keeping(state: EditorState, from: number, to: number, text: string, isFree: boolean): Kept {
  const kept = state.selection.ranges.some((range) => from < to && range.from === from && range.to === to) ? keptIn(state, from, to) : []
  const isCut = kept.length > 0
  const found = isCut || isFree ? placeOf(state, from) : undefined
  const place = isCut || from === to || (found?.at === from && to <= found.end) ? found : undefined
  const at = place?.at ?? from
  const insert = place === undefined ? text : inCell(text, place.before, state.sliceDoc(isCut ? at : to, to + 1))
  const ends = [from, ...kept, to]
  const removed = ends.flatMap((start, index) => {
    const end = ends[index + 1] ?? 0
    return index % 2 === 0 && start < end ? [{ from: start, to: end }] : []
  })
  return { at, insert, changes: [{ from: at, insert }, ...removed], isOther: isCut || at !== from || insert !== text }
}

/**
 * Returns the transaction that applies to the selected cells, if the given one deletes or replaces the selection. Between the first and the last of these
 * cells, the text also contains cells that are not selected. A single value that is pasted fills all selected cells.
 */
function overCells({ startState, changes, effects }: Transaction, userEvent: string): TransactionSpec | undefined {
  const chosen = userEvent === 'delete.cells' ? undefined : chosenCells(startState)
  if (chosen === undefined) return undefined
  const { main } = startState.selection
  const isDeletion = userEvent.startsWith('delete')
  let text = ''
  let isOver = true
  changes.iterChanges((from, to, _from, _to, inserted) => {
    text += inserted.toString()
    if (isDeletion ? from < main.from || to > main.to : from !== main.from || to !== main.to) isOver = false
  })
  if (!isOver) return undefined
  const cells = chosenRows(startState, chosen).flat()
  const insert = inCell(text.trim(), '', '')
  const isPasted = userEvent.startsWith('input.paste')
  return {
    changes: cells.map((cell, index) => ({ ...cell, insert: index === 0 || isPasted ? insert : '' })),
    ...(!isDeletion && !isPasted && { selection: { anchor: (cells[0]?.from ?? 0) + insert.length } }),
    effects,
    scrollIntoView: true,
    userEvent
  }
}

/** Returns the transaction that keeps the tables whole. Undefined if the given one does. */
export function keptWhole(transaction: Transaction): TransactionSpec | undefined {
  const { startState, changes, selection, effects, scrollIntoView } = transaction
  const userEvent = transaction.annotation(Transaction.userEvent) ?? ''
  const isDeletion = userEvent.startsWith('delete')
  if (!isDeletion && !insertion.test(userEvent)) return undefined
  const cells = overCells(transaction, userEvent)
  if (isDeletion || cells !== undefined) return cells
  const parts: (Kept & { readonly from: number; readonly to: number })[] = []
  changes.iterChanges((fromA, toA, from, to, inserted) => {
    const text = inserted.toString()
    // The editor handles a typed bar itself.
    const isFree = userEvent.startsWith('input.type') ? text.length > 1 && /[|\n]/.test(text) : userEvent !== 'input'
    parts.push({ from, to, ...keeping(startState, fromA, toA, text, isFree && text !== '') })
  })
  if (!parts.some(({ isOther }) => isOther)) return undefined
  const whole = startState.changes(parts.map((part) => part.changes))
  const moved = (position: number): number => {
    const part = parts.find(({ from, to }) => position >= from && position <= to)
    if (part === undefined) return whole.mapPos(changes.invertedDesc.mapPos(position))
    const start = whole.mapPos(part.at, -1)
    return position === part.from && selection?.main.empty === false ? start : start + part.insert.length
  }
  const ranges = selection?.ranges.map(({ anchor, head }) => EditorSelection.range(moved(anchor), moved(head)))
  return {
    changes: whole,
    ...(ranges && { selection: EditorSelection.create(ranges, selection?.mainIndex) }),
    effects,
    scrollIntoView,
    userEvent
  }
}

export const keepCells: Extension = EditorState.transactionFilter.of((transaction) =>
  transaction.docChanged ? (keptWhole(transaction) ?? transaction) : transaction
)
