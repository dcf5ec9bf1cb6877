/** Notices of what was done in a component, with the way back. A notice goes when its change was taken back otherwise. */
import { effect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { dropToast, toast } from '../ui/toast.tsx'

/** How long a change can be taken back from its notice, in milliseconds. */
const noticeMs = 10_000

export interface Notices {
  /** Shows a notice; what the component says of its change comes right after the change. */
  tell(words: () => string, name: string, run: () => void): void
  /** Takes the notice of a change away once the component reads as before it. */
  dropOnceUndone(before: Fence): void
}

/** The lines that say something: the service removes empty ones that a deletion left. */
const linesOf = ({ lines }: Fence): string => lines.flatMap(({ text }) => (text.trim() === '' ? [] : [text.trimEnd()])).join('\n')

/** Calls `run` once a fence reads as before a change, after it read otherwise. Answers how to stop waiting for that. */
export function whenUndone(fence: ReadonlySignal<Fence>, before: Fence, run: () => void): () => void {
  const text = linesOf(before)
  // The reading view shows a change a moment later.
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
  /** The words of the last notice; undefined: those that the component said. */
  let told: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = (): void => undefined
  return {
    tell(words, name, run) {
      said.value = ''
      queueMicrotask(() => {
        told = words()
        toast(told, { name, run, milliseconds: noticeMs })
        // Once is enough.
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
