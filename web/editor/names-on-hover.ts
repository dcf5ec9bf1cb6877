/**
 * Shows the name of another person's cursor while the pointer is over it: after a move the name disappears within two seconds, so that it covers no
 * line.
 */
import { EditorView } from '@codemirror/view'

/** Pixels on each side of a cursor. */
const near = 4

function show(view: EditorView, x: number, y: number): void {
  for (const caret of view.scrollDOM.querySelectorAll('.remote-caret')) {
    const { left, right, top, bottom } = caret.getBoundingClientRect()
    caret.classList.toggle('hovered', x >= left - near && x <= right + near && y >= top && y <= bottom)
  }
}

export const namesOnHover = EditorView.domEventHandlers({
  mousemove: ({ clientX, clientY }, view) => show(view, clientX, clientY),
  mouseleave: (_event, view) => show(view, -1, -1)
})
