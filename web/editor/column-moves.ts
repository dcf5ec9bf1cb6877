/**
 * Draws the carets, selections and handles at their places when the column moves. The margin for cards moves the column without changing any size, so
 * CodeMirror does not notice.
 */
import { ViewPlugin, type EditorView } from '@codemirror/view'

/** The part of CodeMirror's view that remembers the width of the text. If the width differs, CodeMirror reports a new geometry to all plugins. */
interface Measured {
  readonly viewState: { contentDOMWidth: number }
}

export const columnMoves = ViewPlugin.define((view: EditorView) => {
  const observer = new MutationObserver(() => {
    ;(view as unknown as Measured).viewState.contentDOMWidth = 0
    view.requestMeasure()
  })
  const paper = view.dom.parentElement
  if (paper !== null) observer.observe(paper, { attributeFilter: ['class'] })
  return { destroy: () => observer.disconnect() }
})
