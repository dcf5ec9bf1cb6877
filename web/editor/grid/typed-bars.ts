/**
 * Bars that a person types in a table. A bar in an empty row begins a row that is typed as Markdown: until the caret leaves the row, each bar moves
 * to the next cell, as if it overwrote the bar of the row. In the live view, every other bar inside a cell is a character of that cell.
 */
import { type ChangeSpec, type EditorState, Prec, StateEffect, StateField, type Extension, type TransactionSpec } from '@codemirror/state'
import { EditorView, keymap, type Command } from '@codemirror/view'
import { runStart } from '../../../shared/text/scan.ts'
import { leaveSlot } from '../slots.ts'
import { content, isDelimiter, type Cell } from '../table-rows.ts'
import { cellBelow, inTable, rowAt, tableAt } from '../tables.ts'

const begun = StateEffect.define<number>()

/** The beginning of the row that is being typed as Markdown. */
const typedRow = StateField.define<number | null>({
  create: () => null,
  update(value, { changes, effects, newDoc, newSelection }) {
    const row = effects.find((effect) => effect.is(begun))?.value ?? (value === null ? null : changes.mapPos(value, 1))
    return row !== null && newDoc.lineAt(row).from === newDoc.lineAt(newSelection.main.head).from ? row : null
  }
})

const isBlank = (state: EditorState, { from, to }: Cell): boolean => state.sliceDoc(from, to).trim() === ''

/** Whether a position follows an odd number of backslashes, so that the next character is escaped. */
function isEscaped(text: string): boolean {
  return (text.length - runStart(text, '\\', text.length)) % 2 === 1
}

/** Returns the change that leaves one space after the text of a cell, or two in an empty cell. */
function tidied(state: EditorState, { from, to }: Cell): ChangeSpec {
  const text = state.sliceDoc(from, to)
  return { from: Math.min(to, from + Math.max(2, text.trimEnd().length + 1)), to }
}

/**
 * Returns the effect of a bar or space that is typed in a row of Markdown: a bar moves the caret, and a space at the beginning of a cell does
 * nothing, because the cell already has it. Undefined if the character is to be inserted.
 */
function signTyped(state: EditorState, at: number, sign: string): TransactionSpec | undefined {
  const { row, column = 0, first = 0 } = (state.readOnly ? undefined : tableAt(state, at)) ?? {}
  const cell = row?.cells[column]
  if (row === undefined || cell === undefined || at < cell.from || at > cell.to || row.line.number <= first + 1) return undefined
  if (state.field(typedRow) === null) {
    const isWhole = row.closed && row.cells.length === rowAt(state, first).cells.length
    if (sign !== '|' || !isWhole || !row.cells.every((each) => isBlank(state, each))) return undefined
    return { selection: { anchor: content(state.doc, row.cells[0] ?? cell).from }, effects: begun.of(row.line.from), scrollIntoView: true }
  }
  if (sign === ' ') return isBlank(state, cell) ? {} : undefined
  if (!isBlank(state, { from: at, to: cell.to }) || isEscaped(state.sliceDoc(cell.from, at))) return undefined
  const changes = state.changes(tidied(state, cell))
  const next = row.cells[column + 1]
  // The last bar closes the row. The caret stays before it, where the live view draws the caret.
  const target = next === undefined ? content(state.doc, cell).to : content(state.doc, next).from
  return { changes, selection: { anchor: changes.mapPos(target, 1) }, scrollIntoView: true, userEvent: 'input.table' }
}

/** In a row that is typed as Markdown, and in the delimiter row, Enter goes to the first cell of the next row. */
const firstCellBelow: Command = inTable((view, { row, first }) => {
  const [cell] = row.cells
  const { state } = view
  const isTyped = state.field(typedRow) !== null || row.line.number === first + 1
  if (!isTyped || cell === undefined || !state.selection.main.empty) return false
  if (leaveSlot(view)) return true
  view.dispatch({ selection: { anchor: cell.from } })
  return cellBelow(view)
})

export const typedRows: Extension = [
  typedRow,
  EditorView.inputHandler.of((view, from, to, text) => {
    const spec = from === to && /^[ |]$/.test(text) ? signTyped(view.state, from, text) : undefined
    if (spec !== undefined) view.dispatch(spec)
    return spec !== undefined
  }),
  Prec.high(keymap.of([{ key: 'Enter', run: firstCellBelow }]))
]

/**
 * Puts a backslash before a bar that is typed inside a cell, even in code, so that the bar is a character of the cell. At either end of a row, a bar
 * stays as typed. The source view does not install this handler.
 */
export const barInCell = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view
  const place = text !== '|' || state.readOnly ? undefined : tableAt(state)
  if (place === undefined) return false
  const { line, lead } = place.row
  const before = line.text.slice(lead.length, from - line.from)
  const isEdge = before.trim() === '' || line.text.slice(to - line.from).trim() === ''
  if (from < line.from || to > line.to || isEdge || isEscaped(before) || isDelimiter(line.text)) return false
  view.dispatch({
    changes: { from, to, insert: '\\|' },
    selection: { anchor: from + 2 },
    scrollIntoView: true,
    userEvent: 'input.type'
  })
  return true
})
