/** Notices of changes in a component, with a button that undoes the change. A notice disappears if its change is undone in another way. */
import type { EditorView } from '@codemirror/view'
import { effect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { undoIn } from '../editor/undo.ts'
import { t } from '../text/t.ts'
import { dropToast, toast } from '../ui/toast.tsx'

/** How long a notice offers to undo a change, in milliseconds. */
const noticeMs = 10_000

/** Returns the button of a notice about the last change of this page. It undoes the change. */
export const undoStep = (view: EditorView): { readonly name: string; readonly run: () => void; readonly milliseconds: number } => ({
  name: t('Undo'),
  run() {
    undoIn(view)
    toast(t('Undone'))
  },
  milliseconds: noticeMs
})

export interface Notices {
  /** Shows a notice. It waits until the component has described its change, which happens right after the change. */
  tell(words: () => string, name: string, run: () => void): void
  /** Removes the notice of a change when the component's text is the same as before the change. */
  dropOnceUndone(before: Fence): void
}

/** Returns the text without blank lines, because the service removes empty lines that a deletion left. */
const linesOf = ({ lines }: Fence): string => lines.flatMap(({ text }) => (text.trim() === '' ? [] : [text.trimEnd()])).join('\n')

/** Calls `run` once a change to a fence has been undone. Returns a function that stops waiting. */
export function whenUndone(fence: ReadonlySignal<Fence>, before: Fence, run: () => void): () => void {
  const text = linesOf(before)
  // In the reading view, a change appears slightly later.
  let isChanged = false
  let isOver = false
  const end = effect(() => {
    const isSame = linesOf(fence.value) === text
    if (isSame && isChanged && !isOver) {
      isOver = true
      run()
    }
    isChanged ||= !isSame
  })
  return end
}

export function createNotices(fence: ReadonlySignal<Fence>, said: Signal<string>): Notices {
  /** The text of the last notice, or undefined if the component's own announcement was used. */
  let told: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = (): void => undefined
  return {
    tell(words, name, run) {
      said.value = ''
      queueMicrotask(() => {
        told = words()
        toast(told, { name, run, milliseconds: noticeMs })
        // The notice already announces the text.
        said.value = ''
      })
    },
    dropOnceUndone(before) {
      clearTimeout(timer)
      stop()
      told = undefined
      stop = whenUndone(fence, before, () => dropToast(told ?? said.peek()))
      timer = setTimeout(stop, noticeMs)
    }
  }
}
