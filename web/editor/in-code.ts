/** Finds code in the text. Typing in code has no automatic effects. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'

const blocks = new Set(['FencedCode', 'CodeBlock', 'HTMLBlock', 'CommentBlock'])
const isCode = ({ name }: SyntaxNode): boolean => name === 'InlineCode' || blocks.has(name)

/** Returns the code block or code span that contains a position or ends there. */
export function codeNode(state: EditorState, position: number): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (isCode(node)) return node
  return undefined
}

/** Whether a position is in a code block or code span. */
export const isInCode = (state: EditorState, position: number): boolean => codeNode(state, position) !== undefined

/** The kind of code around the entire selection: `span` for code between backticks, `block` for a code block. */
export type CodeAround = 'span' | 'block'

export function codeAround(state: EditorState): CodeAround | undefined {
  const { from, to } = state.selection.main
  const node = codeNode(state, to)
  if (node === undefined || from < node.from) return undefined
  if (node.name !== 'InlineCode') return 'block'
  // Text that is typed directly next to the marks of a code span, but outside it, is ordinary text.
  return from > node.from && to < node.to ? 'span' : undefined
}
