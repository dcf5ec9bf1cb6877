/** A press below a table that ends the text: what is written there is no row of it. */
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tableAt } from '../tables.ts'

/** Puts the caret behind a blank line below a table that ends the text: without it, the next line is a row. */
export function belowTable(state: EditorState): TransactionSpec | undefined {
  const { doc } = state
  const last = doc.line(doc.lines)
  const isBlank = last.text === '' && doc.lines > 1
  const above = isBlank ? doc.line(doc.lines - 1) : last
  if (state.readOnly || tableAt(state, above.from) === undefined) return undefined
  const insert = isBlank ? '\n' : '\n\n'
  const selection = { anchor: doc.length + insert.length }
  return { changes: { from: doc.length, insert }, selection, scrollIntoView: true, userEvent: 'input' }
}

export const pressBelow = EditorView.domEventHandlers({
  mousedown(event, view) {
    if (event.button !== 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false
    if (event.clientY <= view.documentTop + view.lineBlockAt(view.state.doc.length).bottom) return false
    const below = belowTable(view.state)
    if (below === undefined) return false
    event.preventDefault()
    view.focus()
    view.dispatch(below)
    return true
  }
})
