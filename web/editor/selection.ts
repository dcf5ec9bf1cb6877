/**
 * Draws the person's own selection no wider than the text. CodeMirror draws its middle lines as wide as the editor. That drawing is hidden
 * (style/editor.css), and this module moves its open sides to the edges of the column.
 */
import type { Extension } from '@codemirror/state'
import { type EditorView, layer, RectangleMarker } from '@codemirror/view'

/** The left and right edges of a rectangle, in layer coordinates. */
interface Sides {
  readonly left: number
  readonly right: number
}

const insideOf = (element: Element, { left, right }: Sides): Sides => {
  const { paddingLeft, paddingRight } = getComputedStyle(element)
  return { left: left + parseFloat(paddingLeft), right: right - parseFloat(paddingRight) }
}

/** Returns the sides of the entire editor, and of the text column in it. */
function sides(view: EditorView): { readonly open: Sides; readonly column: Sides } {
  const outer = view.scrollDOM.getBoundingClientRect()
  const { left, right } = view.contentDOM.getBoundingClientRect()
  const shift = view.scrollDOM.scrollLeft - outer.left
  const whole = { left: left + shift, right: right + shift }
  // CodeMirror computes the open sides of a selection from the first line.
  const line = view.contentDOM.querySelector('.cm-line')
  if (line === null) return { open: whole, column: insideOf(view.contentDOM, whole) }
  const { paddingLeft, paddingRight, textIndent } = getComputedStyle(line)
  const open = {
    left: whole.left + parseInt(paddingLeft, 10) + Math.min(0, parseInt(textIndent, 10)),
    right: whole.right - parseInt(paddingRight, 10)
  }
  return { open, column: insideOf(view.contentDOM, whole) }
}

const isNear = (one: number, other: number): boolean => Math.abs(one - other) < 0.6

/**
 * Returns the rectangles of a selection, with their open sides moved to the edges of the column. Rectangles of marks that hang next to the column do
 * not change.
 */
export function withinColumn(view: EditorView, rectangles: readonly RectangleMarker[], name: string): RectangleMarker[] {
  if (rectangles.length === 0) return []
  const { open, column } = sides(view)
  return rectangles.flatMap(({ left, top, width, height }) => {
    const end = left + (width ?? 0)
    const from = isNear(left, open.left) ? column.left : left
    const to = Math.min(isNear(end, open.right) ? column.right : end, column.right)
    return from < to ? [new RectangleMarker(name, from, top, to - from, height)] : []
  })
}

// These systems draw a touch selection and its handles themselves.
const drawsItself = /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 2)

const className = 'own-selection'

export const ownSelection: Extension = layer({
  above: false,
  class: 'own-selections',
  update: ({ docChanged, selectionSet, viewportChanged, geometryChanged }) =>
    docChanged || selectionSet || viewportChanged || geometryChanged,
  markers: (view) =>
    view.state.selection.ranges
      .filter((range) => !range.empty && !(drawsItself && range === view.state.selection.main))
      .flatMap((range) => withinColumn(view, RectangleMarker.forRange(view, className, range), className))
})
