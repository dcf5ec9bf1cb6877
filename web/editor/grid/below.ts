/** What is written below a table is no row of it. */
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

/** What is typed on the empty line below a table has blank lines around it, unless it begins a row. */
export function belowRows(state: EditorState, at: number, text: string): TransactionSpec | undefined {
  const line = state.doc.lineAt(at)
  const above = line.number > 1 ? state.doc.line(line.number - 1) : line
  if (state.readOnly || line.text !== '' || /^[|\s]/.test(text) || tableAt(state, above.from) === undefined) return undefined
  const isFollowed = line.number < state.doc.lines && state.doc.line(line.number + 1).text.trim() !== ''
  return {
    changes: { from: at, insert: `\n${text}${isFollowed ? '\n' : ''}` },
    selection: { anchor: at + 1 + text.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

export const typeBelow = EditorView.inputHandler.of((view, from, to, text) => {
  const written = from === to && !view.composing ? belowRows(view.state, from, text) : undefined
  if (written !== undefined) view.dispatch(written)
  return written !== undefined
})
