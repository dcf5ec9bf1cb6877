/** Makes text that is typed between two blocks a paragraph of its own. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { frontMatterEnd } from './front-matter.ts'

/** Whether a node with such a name ends at a position or contains it. */
function isIn(state: EditorState, position: number, names: RegExp): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (names.test(node.name)) return true
  return false
}

/**
 * Text that is typed on an empty line gets a blank line before it directly below a list or a quote, and one after it directly above other text. Below
 * a paragraph, it continues the paragraph. The marker of an item or a quote continues the block above.
 */
export function asParagraph(state: EditorState, at: number, text: string): TransactionSpec | undefined {
  const { doc } = state
  const line = doc.lineAt(at)
  // Blank lines also occur within code, formulas and HTML.
  const isBetween = /Document|List|Blockquote/.test(syntaxTree(state).resolveInner(at).name)
  if (state.readOnly || line.text !== '' || /^[\s>*+-]/.test(text) || !isBetween || at < frontMatterEnd(doc)) return undefined
  const isAt = (number: number, names: RegExp): boolean => {
    if (number < 1 || number > doc.lines) return false
    const { from, text: words } = doc.line(number)
    return words.trim() !== '' && isIn(state, from + words.trimEnd().length, names)
  }
  const isBelow = isAt(line.number - 1, /ListItem|Blockquote/)
  const isAbove = (isBelow || !isAt(line.number - 1, /Paragraph/)) && isAt(line.number + 1, /Paragraph|ListItem|Blockquote|Table/)
  if (!isBelow && !isAbove) return undefined
  const lead = isBelow ? '\n' : ''
  return {
    changes: { from: at, insert: `${lead}${text}${isAbove ? '\n' : ''}` },
    selection: { anchor: at + lead.length + text.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

export const ownParagraph = EditorView.inputHandler.of((view, from, to, text) => {
  const written = from === to && !view.composing ? asParagraph(view.state, from, text) : undefined
  if (written !== undefined) view.dispatch(written)
  return written !== undefined
})
