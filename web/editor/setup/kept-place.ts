/** Keeps the text in its place when the live view and the source replace each other. Their lines have different heights. */
import type { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Returns the effects that keep the line of the caret where it is, or else the first visible line. */
export function keptPlace(view: EditorView): StateEffect<unknown>[] {
  const { head } = view.state.selection.main
  const { top, bottom, height } = view.scrollDOM.getBoundingClientRect()
  // A hidden editor has no place.
  if (height === 0) return []
  const caret = view.coordsAtPos(head)
  if (caret === null || caret.top < top || caret.bottom > bottom) return [view.scrollSnapshot()]
  return [EditorView.scrollIntoView(head, { y: 'start', yMargin: caret.top - top })]
}
