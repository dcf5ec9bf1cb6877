/** Copies the code of the code block at a position, without its fences. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'

/** Returns the code of the code block around a position, or undefined if there is none. */
export function codeAt(state: EditorState, position: number): string | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    // Code in a quote consists of several parts, with quote marks between them.
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
