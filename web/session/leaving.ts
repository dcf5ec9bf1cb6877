/** Asks before the person leaves the page, if leaving would lose something. The device sends its stored changes at the next visit. */
import type { ReadonlySignal } from '@preact/signals'
import type { Keep } from '../device/keep.ts'
import type { Uploads } from '../uploads/upload.ts'

interface Leaving {
  /** Allows leaving with this many unconfirmed changes, because they are stored elsewhere. `Infinity` allows leaving with all of them. */
  allow(changes: number): void
  stop(): void
}

export function guardLeaving(unsent: ReadonlySignal<number>, kept: Keep, uploads: Uploads): Leaving {
  let safe = 0
  const guard = (event: BeforeUnloadEvent): void => {
    const lost = unsent.value > safe && !kept.outlivesPage()
    if (lost || (uploads.onlyHere.value > 0 && safe !== Infinity)) event.preventDefault()
  }
  addEventListener('beforeunload', guard)
  return {
    allow(changes) {
      safe = changes
    },
    stop() {
      removeEventListener('beforeunload', guard)
    }
  }
}
