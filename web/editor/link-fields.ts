/** Hides the brackets of a new link in the live view, so that only the fields for its text and its address are visible. */
import type { EditorState, Extension } from '@codemirror/state'
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view'
import { slotsIn } from './slots.ts'

const hide = Decoration.replace({})

function bracketsOf(state: EditorState): DecorationSet {
  const now = slotsIn(state)
  const last = now?.slots.at(-1)
  if (now === null || last === undefined) return Decoration.none
  const middle = last.isAddress === true ? [hide.range(last.from - ']('.length, last.from)] : []
  return Decoration.set([hide.range(now.from, now.from + 1), ...middle, hide.range(last.to, now.exit)])
}

export const linkFields: Extension = [
  EditorView.decorations.compute(['doc', 'selection'], bracketsOf),
  EditorView.atomicRanges.of(({ state }) => bracketsOf(state))
]
