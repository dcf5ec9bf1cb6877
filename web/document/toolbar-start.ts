/**
 * Scrolls the toolbar of a phone back to its start when words become selected. The button for comments is there, and an earlier use may have left the
 * bar scrolled to its end.
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
