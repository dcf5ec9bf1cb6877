/** Backspace after an emoji of several code points deletes all of it, as in other programs. CodeMirror would delete only its last part. */
import { findClusterBreak, Prec } from '@codemirror/state'
import { keymap, type Command } from '@codemirror/view'

/** Matches an emoji, alone or joined with others, and the frame of a keycap. */
const emoji = /\p{Extended_Pictographic}|\u20E3/u

const deleteWhole: Command = ({ state, dispatch }) => {
  const { main, ranges } = state.selection
  if (state.readOnly || ranges.length > 1 || !main.empty) return false
  const line = state.doc.lineAt(main.head)
  const from = line.from + findClusterBreak(line.text, main.head - line.from, false)
  if (!emoji.test(state.sliceDoc(from, main.head))) return false
  dispatch(state.update({ changes: { from, to: main.head }, scrollIntoView: true, userEvent: 'delete.backward' }))
  return true
}

export const wholeEmoji = Prec.high(keymap.of([{ key: 'Backspace', run: deleteWhole, shift: deleteWhole }]))
