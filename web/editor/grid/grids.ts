/** Editing tables in the live view: the pointer, the selection of cells, and the protection of the bars. */
import { EditorSelection, EditorState, Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap, layer, type Command, type MouseSelectionStyle } from '@codemirror/view'
import { addCells, content, rowOf } from '../table-rows.ts'
import { tableAt } from '../tables.ts'
import { chosenCells, chosenRows, emptied } from '../chosen-cells.ts'
import { cellOf, markersInCell, placeInCell, type ShownCell } from '../table-geometry.ts'
import { toEdge, vertical } from './moving.ts'

/** Adds a cell that is missing from its row when a person enters the cell. */
function fillUp(view: EditorView, { content: { from }, column }: ShownCell): boolean {
  if (view.state.readOnly) return false
  const row = rowOf(view.state.doc.lineAt(from))
  view.dispatch({
    changes: addCells(
      row,
      Array.from({ length: column + 1 - row.cells.length }, () => '')
    ),
    userEvent: 'input.table'
  })
  const cell = rowOf(view.state.doc.lineAt(from)).cells[column]
  if (cell !== undefined) view.dispatch({ selection: { anchor: content(view.state.doc, cell).from }, userEvent: 'select.pointer' })
  return true
}

/** Treats a press anywhere in a cell as a press in the cell's text. Dragging first selects text, and then cells. */
export function pressed(view: EditorView, event: MouseEvent): MouseSelectionStyle | null {
  if (event.button !== 0 || event.altKey || event.ctrlKey || event.metaKey) return null
  const cell = cellOf(view, event.target)
  if (cell === undefined || (cell.lacking && !fillUp(view, cell))) return null
  let start = cell.lacking ? view.state.selection.main.head : placeInCell(view, cell, { x: event.clientX, y: event.clientY })
  let whole = cell.lacking ? { from: start, to: start } : cell.content
  const at = (current: MouseEvent): number => {
    const point = { x: current.clientX, y: current.clientY }
    const under = cellOf(view, document.elementFromPoint(point.x, point.y))
    return under === undefined || under.lacking ? view.posAtCoords(point, false) : placeInCell(view, under, point)
  }
  return {
    get(current, extend) {
      const head = current === event ? start : at(current)
      if (extend) return EditorSelection.single(view.state.selection.main.anchor, head)
      if (event.detail >= 3) return EditorSelection.single(whole.from, whole.to)
      if (event.detail === 2) {
        const word = view.state.wordAt(start)
        if (word !== null && head >= whole.from && head <= whole.to) {
          const from = Math.max(whole.from, Math.min(word.from, head))
          return EditorSelection.single(from, Math.min(whole.to, Math.max(word.to, head)))
        }
      }
      return EditorSelection.single(start, head)
    },
    update({ docChanged, changes }) {
      if (!docChanged) return
      start = changes.mapPos(start)
      whole = { from: changes.mapPos(whole.from), to: changes.mapPos(whole.to) }
    }
  }
}

/** Empties the selected cells. */
export const clearCells: Command = (view) => {
  const chosen = view.state.readOnly ? undefined : chosenCells(view.state)
  if (chosen === undefined) return false
  const { changes } = emptied(view.state, chosen)
  view.dispatch({ changes, userEvent: 'delete.cells', scrollIntoView: true })
  return true
}

/** Handles typing while cells are selected: the typed text is inserted into the first of them. */
function typeOverCells(view: EditorView, text: string): boolean {
  const chosen = view.state.readOnly ? undefined : chosenCells(view.state)
  if (chosen === undefined) return false
  const { changes, at } = emptied(view.state, chosen, text === '|' ? '\\|' : text)
  view.dispatch({ changes, selection: { anchor: at }, userEvent: 'input.table', scrollIntoView: true })
  return true
}

const cells = EditorView.domEventHandlers({
  // CodeMirror leaves taps to the browser. The browser focuses the scroll container of the table first, and then the text, with its previous caret.
  click(event, view) {
    if (!('pointerType' in event) || event.pointerType !== 'touch') return false
    const tapped = pressed(view, event)?.get(event, false, false)
    if (tapped !== undefined) view.dispatch({ selection: tapped, userEvent: 'select.pointer' })
    return false
  },
  // A composition must take place in one cell.
  compositionstart(_event, view) {
    const chosen = chosenCells(view.state)
    const first = chosen === undefined ? undefined : chosenRows(view.state, chosen)[0]?.[0]
    if (first !== undefined) view.dispatch({ selection: { anchor: first.from, head: first.to } })
    return false
  },
  // The browser's own handling would join the rows.
  beforeinput: ({ inputType, data }, view) => inputType === 'insertText' && data !== null && typeOverCells(view, data)
})

/** Returns the ranges between two positions of a table that are not cell text. Spaces before the caret in a cell are text. */
function structure(state: EditorState, first: number, last: number, from: number, to: number): number[] {
  const { doc, selection } = state
  const { head } = selection.main
  const found: number[] = []
  let at = Math.max(from, doc.line(first).from)
  const end = Math.min(to, doc.line(last).to)
  for (let number = doc.lineAt(at).number; number <= last && doc.line(number).from <= end; number++) {
    if (number === first + 1) continue
    for (const cell of rowOf(doc.line(number)).cells) {
      const text = content(doc, cell)
      const start = Math.min(text.from, end)
      if (at < start) found.push(at, start)
      at = Math.max(at, head <= cell.to ? Math.max(text.to, head) : text.to)
    }
  }
  if (at < end) found.push(at, end)
  return found
}

/**
 * Returns the ranges that stay if a range is deleted, as the two ends of each, in order. A deletion removes cell text or entire tables, but never a bar
 * or the end of a row, because that would break the table.
 */
export function keptIn(state: EditorState, from: number, to: number): number[] {
  const { doc } = state
  const kept: number[] = []
  const [above, below] = [tableAt(state, from), tableAt(state, to)]
  const line = doc.lineAt(from)
  const table = line.text === '' && line.number > 1 && to < doc.length ? tableAt(state, line.from - 1) : undefined
  if (table !== undefined && above === undefined && doc.lineAt(to).to > to) kept.push(from, from + 1)
  const tables = below?.first === above?.first ? [above] : [above, below]
  for (const place of tables) {
    if (place === undefined) continue
    const [start, end] = [doc.line(place.first).from, doc.line(place.last).to]
    // The deletion covers the entire table or only touches it.
    if ((from <= start && to >= end) || to < start || from > end) continue
    // Text above or below a table must not become a row, and the table must not become part of a paragraph.
    if (from < start && (to > start || doc.lineAt(from).from < from)) kept.push(from + state.sliceDoc(from, start).trimEnd().length, start)
    if (to > start && from < end) kept.push(...structure(state, place.first, place.last, from, to))
    if (to > end && (from < end || (to < doc.length && state.sliceDoc(to, to + 1) !== '\n')))
      kept.push(end, to - state.sliceDoc(end, to).trimStart().length)
  }
  return kept
}

const keepBars = EditorState.changeFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.startState.readOnly || !transaction.isUserEvent('delete')) return true
  const kept: number[] = []
  transaction.changes.iterChangedRanges((from, to) => {
    if (from < to) kept.push(...keptIn(transaction.startState, from, to))
  })
  return kept.length === 0 ? true : kept
})

/** If the entire deletion is dropped, the caret must not move either. */
const keepCursor = EditorState.transactionFilter.of((transaction) =>
  transaction.isUserEvent('delete') && !transaction.docChanged && transaction.selection !== undefined ? [] : transaction
)

/** Draws the selection within a cell. The editor's own drawing would cover entire lines. */
const ownSelection = layer({
  above: false,
  class: 'md-cell-selections',
  update: ({ docChanged, selectionSet, geometryChanged, viewportChanged }) =>
    docChanged || selectionSet || geometryChanged || viewportChanged,
  markers(view) {
    const { main } = view.state.selection
    return main.empty ? [] : (markersInCell(view, main.from, main.to, 'own-selection') ?? [])
  }
})

const within = EditorView.editorAttributes.of((view) => {
  const { main } = view.state.selection
  const place = main.empty ? undefined : tableAt(view.state, main.from)
  if (place === undefined) return null
  const other = tableAt(view.state, main.to)
  return other?.first === place.first ? { class: 'md-in-grid' } : null
})

export const grids: Extension = [
  EditorView.mouseSelectionStyle.of(pressed),
  Prec.high(
    keymap.of([
      { key: 'ArrowUp', run: vertical(-1, false), shift: vertical(-1, true) },
      { key: 'ArrowDown', run: vertical(1, false), shift: vertical(1, true) },
      { key: 'Home', mac: 'Cmd-ArrowLeft', run: toEdge(false, false), shift: toEdge(false, true) },
      { key: 'End', mac: 'Cmd-ArrowRight', run: toEdge(true, false), shift: toEdge(true, true) },
      { key: 'Backspace', run: clearCells },
      { key: 'Delete', run: clearCells }
    ])
  ),
  cells,
  keepBars,
  keepCursor,
  ownSelection,
  within
]
