/** Makes tables in the live view scroll horizontally if they are wider than the text. A table scrolls to follow the caret. */
import type { Extension, Range } from '@codemirror/state'
import { BlockWrapper, EditorView, ViewPlugin } from '@codemirror/view'

// Browsers make scroll containers Tab stops, but the entire text is a single stop, so the containers have a `tabindex` of -1. `contenteditable` tells
// accessibility checks that the keyboard can still reach them.
const wrapper = BlockWrapper.create({
  tagName: 'div',
  attributes: { class: 'md-table-scroll', tabindex: '-1', contenteditable: 'true' }
})

export const tableWrapper = (from: number, to: number): Range<BlockWrapper> => wrapper.range(from, to)

const tableAt = (view: EditorView, position: number): HTMLElement | null => {
  const { node } = view.domAtPos(position)
  return (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('.md-table-scroll') ?? null
}

/** Space kept free next to the caret, in pixels. */
const besideCursor = 24

function follow(view: EditorView): void {
  const { head } = view.state.selection.main
  const [table, cursor] = [tableAt(view, head), view.coordsAtPos(head)]
  if (table === null || cursor === null) return
  const { left, right } = table.getBoundingClientRect()
  if (cursor.left < left + besideCursor) table.scrollLeft -= left + besideCursor - cursor.left
  else if (cursor.right > right - besideCursor) table.scrollLeft += cursor.right - right + besideCursor
}

// CodeMirror scrolls only the editor. This handler also scrolls the table to the caret.
const followCursor = EditorView.scrollHandler.of((view) => {
  view.requestMeasure({ key: follow, read: () => follow(view) })
  return false
})

// Cursors and selections are drawn in layers next to the text, so they must be redrawn after scrolling.
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
      // Scroll events do not bubble.
      view.contentDOM.addEventListener('scroll', this.#scrolled, true)
    }

    destroy(): void {
      this.#view.contentDOM.removeEventListener('scroll', this.#scrolled, true)
      cancelAnimationFrame(this.#frame)
    }
  }
)

export const wideTables: Extension = [followCursor, redraw]
