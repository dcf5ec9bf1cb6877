/** The text after a version was restored: at the first passage that changed. */
import { EditorView } from '@codemirror/view'
import type { View } from '../view/view.ts'
import { textMap } from '../editor/binding.ts'

/** So long the restored text is waited for, in milliseconds. */
const waitMs = 10_000

/** Where two texts begin to differ, in UTF-16 units; undefined: nowhere. */
export function firstDifference(before: string, after: string): number | undefined {
  if (before === after) return undefined
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  return at
}

/** Puts the caret where the text begins to differ from `before`, and brings it into view, as soon as it does. */
export function showChange({ session: { text }, editor, mode }: View, before: string): void {
  const show = (): void => {
    const at = firstDifference(before, text.toString())
    if (at === undefined) return
    stop()
    const view = editor.value?.view
    if (view === undefined || mode.peek() === 'read') return
    const anchor = Math.min(view.state.facet(textMap).shown(at), view.state.doc.length)
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    view.focus()
  }
  // The editor hears of the change at the same time.
  const heard = (): void => queueMicrotask(show)
  const timer = setTimeout(() => stop(), waitMs)
  const stop = (): void => {
    clearTimeout(timer)
    text.unobserve(heard)
  }
  text.observe(heard)
  show()
}
