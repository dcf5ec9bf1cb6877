/** Notices of changes in a component, with a button to undo them. A notice disappears when its change is undone in another way. */
import { effect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import { dropToast, toast } from '../ui/toast.tsx'

/** How long a change can be taken back from its notice, in milliseconds. */
const noticeMs = 10_000

export interface Notices {
  /** Shows a notice. The component describes its change right after the change. */
  tell(words: () => string, name: string, run: () => void): void
  /** Removes the notice of a change once the component reads as before. */
  dropOnceUndone(before: Fence): void
}

/** Returns the nonblank lines: the service removes empty ones that a deletion left. */
const linesOf = ({ lines }: Fence): string => lines.flatMap(({ text }) => (text.trim() === '' ? [] : [text.trimEnd()])).join('\n')

/** Calls `run` once a fence reads as before a change, after it read differently. Returns a function that stops waiting. */
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
  /** The text of the last notice; undefined for the component's own. */
  let told: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = (): void => undefined
  return {
    tell(words, name, run) {
      said.value = ''
      queueMicrotask(() => {
        told = words()
        toast(told, { name, run, milliseconds: noticeMs })
        // Announced only once.
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
