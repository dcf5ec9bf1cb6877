/** Shows the text at the first change after a version has been restored. */
import { EditorView } from '@codemirror/view'
import type { View } from '../view/view.ts'
import { textMap } from '../editor/binding.ts'

/** Longest wait for the restored text, in milliseconds. */
const waitMs = 10_000

/** Returns the offset at which two texts begin to differ, in UTF-16 units. Undefined if they are equal. */
export function firstDifference(before: string, after: string): number | undefined {
  if (before === after) return undefined
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  return at
}

/** Waits until the text differs from `before`. Then it puts the caret where the difference begins and scrolls there. */
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
  // The editor receives the change in the same task, so the page waits until the task has ended.
  const heard = (): void => queueMicrotask(show)
  const timer = setTimeout(() => stop(), waitMs)
  const stop = (): void => {
    clearTimeout(timer)
    text.unobserve(heard)
  }
  text.observe(heard)
  show()
}
