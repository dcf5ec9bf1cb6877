/**
 * Keeps the text where it is while a panel covers its top. The text gets as much space above it as the panel needs, and scrolls by as much, so a person
 * can scroll to the first line.
 */
import { EditorView } from '@codemirror/view'

/** Follows the height of a panel. Returns a function that removes the space again. */
export function coverTop(view: EditorView, panel: HTMLElement): () => void {
  let height = 0
  const makeSpace = (now: number): void => {
    const { scrollDOM } = view
    const top = scrollDOM.scrollTop + now - height
    height = now
    view.dom.style.setProperty('--find-height', `${now}px`)
    scrollDOM.scrollTop = top
    view.requestMeasure()
  }
  // Reports a new height before the browser paints it.
  const sizes = new ResizeObserver(() => {
    if (panel.offsetHeight === height) return
    makeSpace(panel.offsetHeight)
    const { main } = view.state.selection
    const match = main.empty ? null : view.coordsAtPos(main.from)
    // A match that the panel would cover comes into view.
    const { bottom, left } = panel.getBoundingClientRect()
    if (match !== null && match.top < bottom && match.right > left) view.dispatch({ effects: EditorView.scrollIntoView(main) })
  })
  sizes.observe(panel)
  return () => {
    sizes.disconnect()
    makeSpace(0)
  }
}
