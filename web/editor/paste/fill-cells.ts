/** Pastes cells into a table. */
import type { ChangeSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { endStep } from '../binding.ts'
import { addCells, content } from '../table-rows.ts'
import { edit, rowAt, tableAt } from '../tables.ts'
import { escapeCell } from './table-text.ts'

/**
 * Writes rows of cells over the cells of the table, starting at the cell where the selection begins. Missing rows and columns are added. The cursor
 * goes to the end of the last written cell.
 */
export function fillCells(view: EditorView, rows: readonly (readonly string[])[]): boolean {
  const { state } = view
  const place = state.readOnly ? undefined : tableAt(state, state.selection.main.from)
  const width = Math.max(0, ...rows.map((row) => row.length))
  if (place === undefined || width === 0) return false
  const { first, column } = place
  const { lead, cells } = rowAt(state, first)
  const last = Math.max(place.last, first + 1)
  const columns = Math.max(cells.length, column + width)
  const changes: ChangeSpec[] = []
  // The delimiter row must stay as it is.
  const start = place.row.line.number === first + 1 ? first + 2 : place.row.line.number
  const skips = start === first ? 1 : 0
  const lineOf = (index: number): number => start + index + (index > 0 ? skips : 0)
  if (start !== first)
    changes.push(
      ...addCells(
        rowAt(state, first),
        Array.from({ length: columns - cells.length }, () => '')
      )
    )
  const delimiter = rowAt(state, first + 1)
  changes.push(
    ...addCells(
      delimiter,
      Array.from({ length: columns - delimiter.cells.length }, () => '---')
    )
  )
  const added: string[] = []
  rows.forEach((texts, index) => {
    const written = Array.from({ length: width }, (_, at) => escapeCell(texts[at] ?? ''))
    if (lineOf(index) > last) {
      const all = Array.from({ length: columns }, (_, at) => written[at - column] ?? '')
      added.push(`\n${lead}|${all.map((text) => (text === '' ? '  |' : ` ${text} |`)).join('')}`)
      return
    }
    const row = rowAt(state, lineOf(index))
    written.forEach((insert, at) => {
      const cell = row.cells[column + at]
      if (cell !== undefined) changes.push({ ...content(state.doc, cell), insert })
    })
    const more = Array.from({ length: column + width - row.cells.length }, (_, at) => written[row.cells.length - column + at] ?? '')
    changes.push(...addCells(row, more))
  })
  if (added.length > 0) changes.push({ from: state.doc.line(last).to, insert: added.join('') })
  view.state.facet(endStep)(view)
  edit(view, { changes, userEvent: 'input.paste' })
  const end = rowAt(view.state, lineOf(rows.length - 1)).cells[column + width - 1]
  if (end !== undefined) view.dispatch({ selection: { anchor: content(view.state.doc, end).to }, scrollIntoView: true })
  view.state.facet(endStep)(view)
  return true
}
