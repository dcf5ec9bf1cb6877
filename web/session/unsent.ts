/** How many changes of this device the server has not confirmed: counted on this page, and noted on the device for the next visit. */
import { signal, type Signal } from '@preact/signals'
import type * as Y from 'yjs'
import { afterPaint } from '../base/after-paint.ts'
import type { Keep } from '../device/keep.ts'
import { documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

export interface Unsent {
  /** Changes of this device that the server has not confirmed, as far as this page has them. */
  readonly count: Signal<number>
  /** All that this page has is at the server. */
  clear(): void
  /** Notes what is owed, and no more from then on. */
  end(): void
}

/**
 * Counts changes until the server has them; those that the device keeps, across reloads. The stored number is of all pages of this device
 * together.
 */
export function countUnsent(id: string, doc: Y.Doc, kept: Keep): Unsent {
  const storageKey = documentValue('unsent', id)
  const stored = (): number => Number(readDevice(storageKey)) || 0
  const store = (count: number): void => writeDevice(storageKey, count > 0 ? String(count) : null)
  const count = signal(stored())
  let ofThisPage = count.value
  /** By how much the stored number is behind. */
  let owed = 0
  let planned = false
  const settle = (): void => {
    planned = false
    if (owed !== 0) store(stored() + owed)
    owed = 0
  }
  const owe = (more: number): void => {
    owed += more
    if (planned) return
    planned = true
    afterPaint(settle)
  }
  addEventListener('pagehide', settle)
  const countUp = (_update: Uint8Array, _origin: unknown, _doc: Y.Doc, transaction: Y.Transaction): void => {
    if (!transaction.local) return
    count.value += 1
    if (kept.state.value === 'lost') return
    ofThisPage += 1
    owe(1)
  }
  doc.on('update', countUp)
  return {
    count,
    clear() {
      if (ofThisPage > 0) owe(-ofThisPage)
      ofThisPage = 0
      count.value = 0
    },
    end() {
      settle()
      removeEventListener('pagehide', settle)
      doc.off('update', countUp)
    }
  }
}
