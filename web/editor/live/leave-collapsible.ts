/** Enter on the empty last line of collapsible text leaves the text, as on an empty line of a quote. */
import { Prec, type EditorState, type TransactionSpec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { collapsiblesOf, type Collapsible } from '../collapsible-parts.ts'
import { isHtml } from './collapsible.ts'

/** Returns the innermost collapsible text in which a line is below the summary and above the closing tag. */
const around = (state: EditorState, at: number): Collapsible | undefined =>
  collapsiblesOf(state).findLast((part) => part.summaryEnd < at && part.closing.from > at && isHtml(state, part))

/** Returns the text to insert after a closing tag, so that the caret is on an empty line below a blank line. */
function lineBelow({ doc }: EditorState, closingEnd: number): { readonly insert: string; readonly isFollowed: boolean } {
  const isFollowed = doc.sliceString(closingEnd).trim() !== ''
  if (!isFollowed) return { insert: '\n'.repeat(Math.max(0, 2 - (doc.length - closingEnd))), isFollowed }
  return { insert: doc.line(doc.lineAt(closingEnd).number + 1).text.trim() === '' ? '\n\n' : '\n\n\n', isFollowed }
}

/** Returns the transaction that moves the empty line at the caret below the collapsible text. Undefined if the caret is not in such a line. */
export function leftCollapsible(state: EditorState): TransactionSpec | undefined {
  const { doc, readOnly, selection } = state
  const { head, empty } = selection.main
  const line = doc.lineAt(head)
  if (readOnly || !empty || line.text.trim() !== '') return undefined
  const part = around(state, head)
  if (part === undefined || doc.sliceString(head, part.closing.from).trim() !== '') return undefined
  const { summaryEnd, closing, closingEnd } = part
  const last = summaryEnd + doc.sliceString(summaryEnd, head).trimEnd().length
  // A blank line above the closing tag keeps the tag apart from the text.
  const isSpare = doc.lineAt(closing.from).number - doc.lineAt(last).number > 2
  const { insert, isFollowed } = lineBelow(state, closingEnd)
  const removed = isSpare ? { from: line.from - 1, to: line.to } : { from: head, to: head }
  return {
    changes: [removed, { from: isFollowed ? closingEnd : doc.length, insert }],
    selection: { anchor: closingEnd - (removed.to - removed.from) + 2 },
    scrollIntoView: true,
    userEvent: 'input'
  }
}

export const leaveCollapsible = Prec.high(
  keymap.of([
    {
      key: 'Enter',
      run: (view) => {
        const left = leftCollapsible(view.state)
        if (left !== undefined) view.dispatch(left)
        return left !== undefined
      }
    }
  ])
)
