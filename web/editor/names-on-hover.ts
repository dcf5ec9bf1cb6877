/**
 * Shows the name of another person's cursor while the pointer is over the cursor. After a move, a name is visible for only two seconds, so that it
 * does not cover the text.
 */
import { EditorView } from '@codemirror/view'

/** Distance from a cursor within which the pointer counts as being over it, in pixels. */
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
