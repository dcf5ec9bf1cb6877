/** Pastes cells into a table. */
import type { ChangeSpec, TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { endStep } from '../binding.ts'
import { addCells, content } from '../table-rows.ts'
import { edit, rowAt, tableAt } from '../tables.ts'
import { escapeCell } from './table-text.ts'

/**
 * Writes rows of cells over the cells of the table, starting at the caret or at the first selected cell. Missing rows are added, and missing columns are
 * added to every row. The caret is placed at the end of the last written cell. `make` makes the change.
 */
export function fillCells(
  view: EditorView,
  rows: readonly (readonly string[])[],
  make: (spec: TransactionSpec) => void = (spec) => void edit(view, spec)
): boolean {
  const { state } = view
  const place = state.readOnly ? undefined : tableAt(state, state.selection.main.from)
  const width = Math.max(0, ...rows.map((row) => row.length))
  if (place === undefined || width === 0) return false
  const { first } = place
  // The selected cells may begin at their last column.
  const column = Math.min(place.column, tableAt(state, state.selection.main.to)?.column ?? place.column)
  const { lead, cells } = rowAt(state, first)
  const last = Math.max(place.last, first + 1)
  const columns = Math.max(cells.length, column + width)
  const changes: ChangeSpec[] = []
  // The delimiter row must not change.
  const start = place.row.line.number === first + 1 ? first + 2 : place.row.line.number
  const skips = start === first ? 1 : 0
  const lineOf = (index: number): number => start + index + (index > 0 ? skips : 0)
  const written = new Set(rows.map((_, index) => lineOf(index)))
  // Every other row gets the new columns too, so that no row ends before the head does. The delimiter row consists of dashes.
  for (let number = first; columns > cells.length && number <= last; number++) {
    if (written.has(number)) continue
    const row = rowAt(state, number)
    const filling = number === first + 1 ? '---' : ''
    changes.push(
      ...addCells(
        row,
        Array.from({ length: columns - row.cells.length }, () => filling)
      )
    )
  }
  const added: string[] = []
  rows.forEach((texts, index) => {
    const insertions = Array.from({ length: width }, (_, at) => escapeCell(texts[at] ?? ''))
    if (lineOf(index) > last) {
      const all = Array.from({ length: columns }, (_, at) => insertions[at - column] ?? '')
      added.push(`\n${lead}|${all.map((text) => (text === '' ? '  |' : ` ${text} |`)).join('')}`)
      return
    }
    const row = rowAt(state, lineOf(index))
    insertions.forEach((insert, at) => {
      const cell = row.cells[column + at]
      if (cell !== undefined) changes.push({ ...content(state.doc, cell), insert })
    })
    const more = Array.from({ length: columns - row.cells.length }, (_, at) => insertions[row.cells.length - column + at] ?? '')
    changes.push(...addCells(row, more))
  })
  if (added.length > 0) changes.push({ from: state.doc.line(last).to, insert: added.join('') })
  view.state.facet(endStep)(view)
  make({ changes })
  const end = rowAt(view.state, lineOf(rows.length - 1)).cells[column + width - 1]
  if (end !== undefined) view.dispatch({ selection: { anchor: content(view.state.doc, end).to }, scrollIntoView: true })
  view.state.facet(endStep)(view)
  return true
}
