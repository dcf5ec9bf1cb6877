/** Removes the inline formats of the selected text. Links, headings and lists stay, as in Google Docs. It loads with the editor extras. */
import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { toggleMarker } from './commands-inline.ts'

/** The formats and their marks. */
const formats = [
  ['StrongEmphasis', '**'],
  ['Emphasis', '*'],
  ['Strikethrough', '~~'],
  ['Highlight', '==']
] as const

/** Longest time for parsing the selected text, in milliseconds. */
const parseMs = 1000

/** Returns the nodes of a format that the selection touches. */
function nodesOf(state: EditorState, name: string): SyntaxNode[] {
  const { from, to } = state.selection.main
  const found: SyntaxNode[] = []
  ensureSyntaxTree(state, to, parseMs)?.iterate({
    from,
    to,
    enter({ node }) {
      if (node.name === name && node.from < to && node.to > from) found.push(node)
    }
  })
  return found
}

export const clearFormats: Command = (view) => {
  if (view.state.readOnly || view.state.selection.main.empty) return false
  for (const [name, marker] of formats)
    // If only a part of the text has a format, the first press adds it everywhere, and the second one removes it.
    for (let press = 0; press < 2 && nodesOf(view.state, name).length > 0; press++) toggleMarker(marker)(view)
  const changes = nodesOf(view.state, 'InlineCode').flatMap((code) => code.getChildren('CodeMark').map(({ from, to }) => ({ from, to })))
  if (changes.length > 0) view.dispatch({ changes, userEvent: 'input.format' })
  return true
}
