/** Counts the changes from this device that the server has not confirmed, and stores their number for the next visit. */
import { signal, type Signal } from '@preact/signals'
import type * as Y from 'yjs'
import { afterPaint } from '../base/after-paint.ts'
import type { Keep } from '../device/keep.ts'
import { documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

export interface Unsent {
  /** Number of unconfirmed changes from this device, as far as this page knows them. */
  readonly count: Signal<number>
  /** Called when the server has everything from this page. */
  clear(): void
  /** Stores the number for the last time. */
  end(): void
}

/**
 * Counts changes until the server has them. It still counts changes that the device stores after a reload. The stored number covers all pages of this
 * device.
 */
export function countUnsent(id: string, doc: Y.Doc, kept: Keep): Unsent {
  const storageKey = documentValue('unsent', id)
  const stored = (): number => Number(readDevice(storageKey)) || 0
  const store = (count: number): void => writeDevice(storageKey, count > 0 ? String(count) : null)
  const count = signal(stored())
  let ofThisPage = count.value
  /** Number of changes that the device does not store, unless its database opens late. */
  let unkept = 0
  /** The difference that has not been added to the stored number. */
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
    if (kept.state.value === 'lost') unkept += 1
    else take(1)
  }
  const take = (more: number): void => {
    ofThisPage += more
    if (more > 0) owe(more)
  }
  const stop = kept.state.subscribe((state) => {
    if (state !== 'kept') return
    take(unkept)
    unkept = 0
  })
  doc.on('update', countUp)
  return {
    count,
    clear() {
      if (ofThisPage > 0) owe(-ofThisPage)
      ofThisPage = 0
      unkept = 0
      count.value = 0
    },
    end() {
      stop()
      settle()
      removeEventListener('pagehide', settle)
      doc.off('update', countUp)
    }
  }
}
