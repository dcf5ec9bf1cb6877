/** Finds the positions of table cells on the screen, and positions of the text in them. */
import { findClusterBreak } from '@codemirror/state'
import { RectangleMarker, type EditorView, type Rect } from '@codemirror/view'
import { content, rowOf, type Cell } from './table-rows.ts'

interface Point {
  readonly x: number
  readonly y: number
}

export interface ShownCell {
  readonly element: HTMLElement
  /** The range of the cell's text. */
  readonly content: Cell
  /** Whether the cell is missing from its row. */
  readonly lacking: boolean
  readonly column: number
}

/** Returns the element of the cell at a position. Null if the position is not in a table shown as a grid. */
export function cellElement(view: EditorView, position: number): HTMLElement | null {
  const { node, offset } = view.domAtPos(position, 1)
  const inside = node instanceof Element ? (node.childNodes[offset] ?? node) : node
  const element = inside instanceof Element ? inside : inside.parentElement
  return element?.closest<HTMLElement>('.md-cell') ?? null
}

/** Returns the cell that contains an element. */
export function cellOf(view: EditorView, target: EventTarget | null): ShownCell | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>('.md-cell') : null
  const line = element?.closest<HTMLElement>('.md-grid-row')
  if (element === null || line == null || !view.contentDOM.contains(line)) return undefined
  const row = rowOf(view.state.doc.lineAt(view.posAtDOM(line)))
  const column = [...line.querySelectorAll(':scope > .md-cell')].indexOf(element)
  const cell = row.cells[column]
  if (cell === undefined) return { element, content: { from: row.line.to, to: row.line.to }, lacking: true, column }
  return { element, content: content(view.state.doc, cell), lacking: false, column }
}

/** Returns the rectangles of a range of text within one cell, one for each line. */
function rectsOf(view: EditorView, from: number, to: number): DOMRect[] {
  const range = document.createRange()
  const [start, end] = [view.domAtPos(from, 1), view.domAtPos(to, -1)]
  range.setStart(start.node, start.offset)
  range.setEnd(end.node, end.offset)
  return [...range.getClientRects()].filter(({ width }) => width > 0)
}

/** Returns the first place for which `isPast` returns true, by binary search. */
function firstOf(places: number, isPast: (place: number) => boolean): number {
  let [low, high] = [0, places]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isPast(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns the position in a cell that is nearest to a point of the window. CodeMirror's own search covers the entire line and assumes that its text
 * runs only from left to right and down.
 */
export function placeInCell(view: EditorView, { content: { from, to } }: ShownCell, { x, y }: Point): number {
  const text = view.state.sliceDoc(from, to)
  const places = [0]
  for (let at = 0; at < text.length;) places.push((at = findClusterBreak(text, at)))
  const coordsOf = (index: number): Rect | null => view.coordsAtPos(from + (places[index] ?? text.length), index === 0 ? 1 : -1)
  // Finds the line of the cell at the height of the point, or else the last line.
  const begin = Math.min(
    firstOf(places.length, (index) => (coordsOf(index)?.bottom ?? 0) > y),
    places.length - 1
  )
  const line = coordsOf(firstOf(places.length, (index) => (coordsOf(index)?.bottom ?? 0) >= (coordsOf(begin)?.bottom ?? 0) - 2))
  if (line === null) return from
  const start = firstOf(places.length, (index) => (coordsOf(index)?.bottom ?? 0) >= line.bottom - 2)
  let best = { index: start, distance: Infinity }
  for (let index = start; index < places.length; index++) {
    const coords = coordsOf(index)
    if (coords === null) continue
    if (coords.top > line.bottom - 2) break
    const distance = Math.abs(coords.left - x)
    // Next to hidden marks, several positions have the same coordinates. The outermost of them is preferred.
    if (distance < best.distance || (distance === best.distance && x >= coords.left)) best = { index, distance }
  }
  return from + (places[best.index] ?? 0)
}

/** Returns the background of a selection within one cell. Undefined for any other selection. */
export function markersInCell(view: EditorView, from: number, to: number, name: string): RectangleMarker[] | undefined {
  if (from < view.viewport.from || to > view.viewport.to) return undefined
  const cell = cellElement(view, from)
  if (cell === null || cell !== cellElement(view, to)) return undefined
  const outer = view.scrollDOM.getBoundingClientRect()
  const clip = cell.closest('.md-table-scroll')?.getBoundingClientRect() ?? outer
  return rectsOf(view, from, to).flatMap(({ left, right, top, height }) => {
    const [start, end] = [Math.max(left, clip.left), Math.min(right, clip.right)]
    if (start >= end) return []
    const x = start - outer.left + view.scrollDOM.scrollLeft
    return [new RectangleMarker(name, x, top - outer.top + view.scrollDOM.scrollTop, end - start, height)]
  })
}
