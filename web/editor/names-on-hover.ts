/** The name at a caret of somebody else shows while the pointer is over it, too: two seconds after a move it is gone, and covers no line. */
import { EditorView } from '@codemirror/view'

/** Pixels at each side of a caret. */
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
