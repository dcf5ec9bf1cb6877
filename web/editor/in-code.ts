/** Where the text is code, it is left as it is typed. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

const code = new Set(['FencedCode', 'CodeBlock', 'InlineCode', 'HTMLBlock', 'CommentBlock'])

/** Whether a position is in code, of a block or of a line. */
export function isInCode(state: EditorState, position: number): boolean {
  for (let node = syntaxTree(state).resolveInner(position, -1); ;) {
    if (code.has(node.name)) return true
    if (node.parent === null) return false
    node = node.parent
  }
}
