/** Waits for this page's own changes (`unsent.ts`) before a request that replaces text. Loaded later than the session. */
import { effect, type ReadonlySignal } from '@preact/signals'

/** Longest wait of a request for this page's own changes, in milliseconds. */
const sendingMsMax = 5000

/**
 * Resolves when the server has every change from this device, and at the latest after `sendingMsMax`. A request that replaces text waits for it:
 * otherwise the server could treat this person's own last letters as another writer's.
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
