/** Selects a picture that a person adds above other text, as a separate block. A line for the caret would leave a gap of three lines between the two. */
import { EditorState, type Extension, type Transaction, type TransactionSpec } from '@codemirror/state'
import { kindOfAddress } from '../../../shared/media-types.ts'

const isBlank = (text: string): boolean => /^[ \t>]*$/.test(text)

/** Returns the change that removes the line for the caret again, and selects the picture. Undefined if the picture is not followed by other text. */
function pictureSelected(transaction: Transaction): TransactionSpec | undefined {
  if (!transaction.isUserEvent('input.upload') || transaction.selection === undefined) return undefined
  const { state } = transaction
  const { doc } = state
  const line = doc.lineAt(state.selection.main.head)
  if (line.number < 3 || line.number > doc.lines - 2) return undefined
  const [picture, above, below, next] = [-2, -1, 1, 2].map((step) => doc.line(line.number + step))
  if (picture === undefined || above === undefined || below === undefined || next === undefined || isBlank(next.text)) return undefined
  if (![line, above, below].every(({ text }) => isBlank(text))) return undefined
  const from = picture.from + picture.text.search(/[^ \t>]/)
  const written = doc.sliceString(from, picture.to)
  const address = written.slice(written.lastIndexOf('(') + 1, -1)
  // Typed text would replace a selected file or film.
  if (!/^!\[.*\)$/.test(written) || (kindOfAddress(address) ?? 'image') !== 'image') return undefined
  return {
    changes: { from: picture.to, to: line.to },
    selection: { anchor: from, head: picture.to },
    scrollIntoView: true,
    sequential: true
  }
}

export const droppedPicture: Extension = EditorState.transactionFilter.of((transaction) => {
  const selected = pictureSelected(transaction)
  return selected === undefined ? transaction : [transaction, selected]
})
