/** Notices of changes in a component, with a button that undoes the change. A notice disappears if its change is undone in another way. */
import { Compartment, StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { effect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { lastStepOf, undoIn } from '../editor/undo.ts'
import { t } from '../text/t.ts'
import { dropToast, toast } from '../ui/toast.tsx'

/** How long a notice offers to undo a change, in milliseconds. */
export const noticeMs = 10_000

/** Removes the last notice that offers to undo a change. */
const watching = new Compartment()

/** Shows a notice about the last change of this page, with a button that undoes this change. The next change removes the notice. */
export function offerUndo(view: EditorView, text: string): void {
  // The button undoes the newest step, so it must not outlast a newer step.
  const steps = lastStepOf(view)
  const watch = EditorView.updateListener.of(() => {
    if (lastStepOf(view) !== steps) dropToast(text)
  })
  const isFirst = watching.get(view.state) === undefined
  view.dispatch({ effects: isFirst ? StateEffect.appendConfig.of(watching.of(watch)) : watching.reconfigure(watch) })
  const run = (): void => {
    undoIn(view)
    toast(t('Undone'))
  }
  toast(text, { name: t('Undo'), run, milliseconds: noticeMs })
}

export interface Notices {
  /** Calls `show` with the words of a notice. It waits until the component has described its change, which happens right after the change. */
  tell(words: () => string, show: (text: string) => void): void
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
    tell(words, show) {
      said.value = ''
      queueMicrotask(() => {
        told = words()
        show(told)
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
