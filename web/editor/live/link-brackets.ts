/** Escapes square brackets that a person types into the text of a link or a picture. Unescaped, they would end the link, or begin another one. */
import { type EditorState, type Extension, Prec } from '@codemirror/state'
import { type Command, EditorView, keymap } from '@codemirror/view'
import { isInCode } from '../in-code.ts'
import { slotsIn } from '../slots.ts'
import { linkAt } from './link-at.ts'
import { pictureAt } from './picture-at.ts'

/** Whether a position is in the text of a link or a picture. */
function isInText(state: EditorState, at: number): boolean {
  const holds = ({ from, to }: { readonly from: number; readonly to: number }): boolean => from <= at && at <= to
  const slot = slotsIn(state)?.slots.find(holds)
  if (slot !== undefined) return slot.isAddress !== true
  const text = linkAt(state, at)?.words ?? pictureAt(state, at)?.written
  return text !== undefined && holds(text) && !isInCode(state, at)
}

const typed = EditorView.inputHandler.of((view, from, to, text) => {
  const { state, composing } = view
  const isBracket = /^[[\]]$/.test(text) && state.sliceDoc(from - 1, from) !== '\\'
  if (!isBracket || composing || !isInText(state, from) || !isInText(state, to)) return false
  view.dispatch({
    changes: { from, to, insert: `\\${text}` },
    selection: { anchor: from + 2 },
    scrollIntoView: true,
    userEvent: 'input.type'
  })
  return true
})

/** Deletes a bracket together with its backslash. The backslash alone would escape the end of the text. */
const deleteBoth: Command = (view) => {
  const { state } = view
  const { head: to, empty } = state.selection.main
  const from = to - 2
  if (state.readOnly || !empty || !/^\\[[\]]$/.test(state.sliceDoc(from, to)) || !isInText(state, to)) return false
  view.dispatch({ changes: { from, to }, scrollIntoView: true, userEvent: 'delete.backward' })
  return true
}

export const linkBrackets: Extension = [typed, Prec.high(keymap.of([{ key: 'Backspace', run: deleteBoth }]))]
