/**
 * Escape removes a new link without an address, and keeps its text. So does Backspace in its first field while that is empty. The removal is part of
 * the step that inserted the link, so undo does not restore it. live/link-ends.ts does the same when the person leaves the link.
 */
import { type EditorState, Prec, type Extension, type StateCommand } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { inLastStep } from './binding.ts'
import { slotsIn } from './slots.ts'

const annotations = inLastStep.of(true)

/** Removes the brackets of a new link without an address. */
const takeBack: StateCommand = ({ state, dispatch }) => {
  const { from, exit } = slotsIn(state) ?? { from: 0, exit: 0 }
  if (state.readOnly || !state.sliceDoc(from, exit).endsWith(']()')) return false
  const changes = [
    { from, to: from + 1 },
    { from: exit - ']()'.length, to: exit }
  ]
  dispatch(state.update({ changes, annotations, scrollIntoView: true }))
  return true
}

function isFirstEmpty(state: EditorState): boolean {
  const first = slotsIn(state)?.slots[0]
  return first !== undefined && first.from === first.to && state.selection.main.head === first.from
}

export const emptyLinks: Extension = [
  keymap.of([{ key: 'Escape', run: takeBack }]),
  Prec.high(keymap.of([{ key: 'Backspace', run: (target) => isFirstEmpty(target.state) && takeBack(target) }]))
]
