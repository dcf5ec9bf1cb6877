/**
 * Begins a new selection when a person presses on selected cells. The browser would move their text, with the text of cells between them. Also returns
 * the focus to the text.
 */
import { Prec, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { chosenCells } from '../chosen-cells.ts'
import { pressed } from './grids.ts'

/** A drag of text focuses the scroll container of the table, and keeps the focus there if nothing accepts the text. */
function refocus(_event: Event, view: EditorView): void {
  if (document.activeElement?.matches('.md-table-scroll') === true) view.focus()
}

export const pressCells: Extension = [
  Prec.high(
    EditorView.mouseSelectionStyle.of((view, event) => {
      const style = event.shiftKey || chosenCells(view.state) === undefined ? null : pressed(view, event)
      // CodeMirror leaves a press on the selection to the browser, so the selection ends before CodeMirror looks at it.
      if (style !== null) view.dispatch({ selection: style.get(event, false, false), userEvent: 'select.pointer' })
      return style
    })
  ),
  EditorView.domEventHandlers({
    // A press with another key held down keeps the selection.
    dragstart: (_event, view) => chosenCells(view.state) !== undefined,
    dragend: refocus
  })
]
