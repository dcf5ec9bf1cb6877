/** Joins a closing fence that a person types with the one that the block already has. */
import { EditorView } from '@codemirror/view'
import { codeNode } from './in-code.ts'

/**
 * If a typed character completes a closing fence directly above the block's own, the caret moves to the end of the block's fence, and nothing is
 * inserted. The typed fence may have the indentation of the code above, which Enter has added.
 */
export const closingFences = EditorView.inputHandler.of((view, from, to, text) => {
  const { doc } = view.state
  const line = doc.lineAt(from)
  if (from !== to || from !== line.to || !/^[`~]$/.test(text) || line.number === doc.lines) return false
  const below = doc.line(line.number + 1)
  const [, lead = '', run] = /^([ \t>]*)([`~]+)$/.exec(below.text) ?? []
  const isFence = line.text.startsWith(lead) && (line.text + text).slice(lead.length).trimStart() === run
  if (!isFence || codeNode(view.state, from)?.to !== below.to) return false
  const change = { from: line.from, to: below.from }
  view.dispatch({ changes: change, selection: { anchor: line.from + below.length }, scrollIntoView: true, userEvent: 'input' })
  return true
})
