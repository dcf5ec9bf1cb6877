/**
 * On a phone, scrolls the toolbar back to its start when the person selects words. The comment button is there, and the bar may still be scrolled to
 * its end from earlier use.
 */
import type { Editor } from '../editor/setup/editor.ts'

/** Starts watching the selection. Returns a function that stops it. */
export function toolbarStart({ view }: Editor): () => void {
  let had = false
  const changed = (): void => {
    const has = view.hasFocus && document.getSelection()?.isCollapsed === false
    // A command that keeps the words selected, such as indenting, also keeps its button in place.
    if (has && !had) document.querySelector('.toolbar')?.scrollTo({ left: 0 })
    had = has
  }
  document.addEventListener('selectionchange', changed)
  return () => document.removeEventListener('selectionchange', changed)
}
