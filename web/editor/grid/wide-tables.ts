/** Tables of the live view that are wider than the text: they are scrolled within themselves, and follow the cursor. */
import type { Extension, Range } from '@codemirror/state'
import { BlockWrapper, EditorView, ViewPlugin } from '@codemirror/view'

// Browsers let Tab stop at what scrolls. This belongs to the text, which is one stop: that it can be written in says how keys reach it.
const wrapper = BlockWrapper.create({
  tagName: 'div',
  attributes: { class: 'md-table-scroll', tabindex: '-1', contenteditable: 'true' }
})

export const tableWrapper = (from: number, to: number): Range<BlockWrapper> => wrapper.range(from, to)

const tableAt = (view: EditorView, position: number): HTMLElement | null => {
  const { node } = view.domAtPos(position)
  return (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('.md-table-scroll') ?? null
}

/** Room that is left next to the cursor, in pixels. */
const besideCursor = 24

function follow(view: EditorView): void {
  const { head } = view.state.selection.main
  const [table, cursor] = [tableAt(view, head), view.coordsAtPos(head)]
  if (table === null || cursor === null) return
  const { left, right } = table.getBoundingClientRect()
  if (cursor.left < left + besideCursor) table.scrollLeft -= left + besideCursor - cursor.left
  else if (cursor.right > right - besideCursor) table.scrollLeft += cursor.right - right + besideCursor
}

// The editor scrolls itself alone: what is scrolled within it is brought to the cursor here.
const followCursor = EditorView.scrollHandler.of((view) => {
  view.requestMeasure({ key: follow, read: () => follow(view) })
  return false
})

// Cursors and selections are drawn next to the text: they are drawn again where it went.
const redraw = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView
    #frame = 0
    readonly #scrolled = (): void => {
      cancelAnimationFrame(this.#frame)
      this.#frame = requestAnimationFrame(() => this.#view.dispatch({ selection: this.#view.state.selection }))
    }

    constructor(view: EditorView) {
      this.#view = view
      // Scrolling does not bubble.
      view.contentDOM.addEventListener('scroll', this.#scrolled, true)
    }

    destroy(): void {
      this.#view.contentDOM.removeEventListener('scroll', this.#scrolled, true)
      cancelAnimationFrame(this.#frame)
    }
  }
)

export const wideTables: Extension = [followCursor, redraw]
