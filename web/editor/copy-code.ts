/** Copies the code of the block at a position, without its fences. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'

/** Returns the code of the block around a position; undefined outside of blocks of code. */
export function codeAt(state: EditorState, position: number): string | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    // Quoted code is in several pieces, with quote marks between them.
    if (node.name === 'FencedCode')
      return node
        .getChildren('CodeText')
        .map(({ from, to }) => state.sliceDoc(from, to))
        .join('')
  return undefined
}

export function copyCode({ state }: EditorView, position: number): boolean {
  const code = codeAt(state, position)
  if (code !== undefined) void copyText(code, t('Code'))
  return code !== undefined
}
