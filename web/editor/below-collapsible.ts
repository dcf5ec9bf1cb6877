/** Prevents text that is typed below collapsible text from becoming HTML. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Line, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Whether a line is the closing tag of collapsible text. Markdown reads the lines below it as HTML until a blank line. */
export const isClosingTag = (state: EditorState, { from, text }: Line): boolean =>
  /^<\/details>\s*$/i.test(text) && syntaxTree(state).resolveInner(from, 1).name === 'HTMLBlock'

/**
 * Text that is typed on the empty line below collapsible text, or after its closing tag, is inserted below the tag between blank lines, unless it
 * begins a tag.
 */
export function belowTag(state: EditorState, at: number, text: string): TransactionSpec | undefined {
  const { doc } = state
  const line = doc.lineAt(at)
  const isBelow = line.text === '' && line.number > 1
  const isBehind = at === line.to && isClosingTag(state, isBelow ? doc.line(line.number - 1) : line)
  if (state.readOnly || !isBehind || /^[<\s]/.test(text)) return undefined
  const isFollowed = line.number < doc.lines && doc.line(line.number + 1).text.trim() !== ''
  const lead = isBelow ? '\n' : '\n\n'
  return {
    changes: { from: at, insert: `${lead}${text}${isFollowed ? '\n' : ''}` },
    selection: { anchor: at + lead.length + text.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

export const belowCollapsible = EditorView.inputHandler.of((view, from, to, text) => {
  const written = from === to && !view.composing ? belowTag(view.state, from, text) : undefined
  if (written !== undefined) view.dispatch(written)
  return written !== undefined
})
