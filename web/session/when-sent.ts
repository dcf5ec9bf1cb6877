/** Delays a request that replaces text until the server has the changes of this device (`unsent.ts`), or `sendingMsMax` has passed. */
import { effect, type ReadonlySignal } from '@preact/signals'

/** Longest delay of a request, in milliseconds. */
const sendingMsMax = 5000

/**
 * Resolves when the server has every change from this device, or after `sendingMsMax`. Without this delay, the server could treat the
 * last letters that this person typed as letters of another writer.
 */
export function whenSent(unsent: ReadonlySignal<number>): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(() => end(), sendingMsMax)
    // The effect may end during its first run, before `stop` has a value.
    const stop = effect(() => {
      if (unsent.value === 0) queueMicrotask(end)
    })
  })
}
