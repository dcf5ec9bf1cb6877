/** Where the text is code, it is left as it is typed. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

const blocks = new Set(['FencedCode', 'CodeBlock', 'HTMLBlock', 'CommentBlock'])
const isCode = ({ name }: SyntaxNode): boolean => name === 'InlineCode' || blocks.has(name)

/** The code of a block or of a line that a position is in or right behind. */
export function codeNode(state: EditorState, position: number): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (isCode(node)) return node
  return undefined
}

/** Whether a position is in code, of a block or of a line. */
export const isInCode = (state: EditorState, position: number): boolean => codeNode(state, position) !== undefined

/** The kind of code that the whole selection lies in: `span` between backticks, `block` in a block of its own. */
export type CodeAround = 'span' | 'block'

export function codeAround(state: EditorState): CodeAround | undefined {
  const { from, to } = state.selection.main
  const node = codeNode(state, to)
  if (node === undefined || from < node.from) return undefined
  if (node.name !== 'InlineCode') return 'block'
  // Next to its marks one writes words again.
  return from > node.from && to < node.to ? 'span' : undefined
}
