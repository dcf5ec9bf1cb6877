/** The reason for a rejection while somebody types it. It survives a reload of this tab, but not closing the tab. */
import { effect, signal, type Signal } from '@preact/signals'
import { documentValue } from '../../device/device.ts'
import { tabStorage } from '../../device/values.ts'

/** The suggestion that is being rejected, and the reason typed so far. */
export interface Rejecting {
  readonly id: string
  readonly reason: Signal<string>
}

interface StoredReason {
  readonly id: string
  readonly reason: string
}

const isStoredReason = (value: unknown): value is StoredReason =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<StoredReason>).id === 'string' &&
  typeof (value as Partial<StoredReason>).reason === 'string'

/** Reads the stored value. A browser may refuse storage at any time, and the stored value may be anything. */
const read = (storage: () => Storage, name: string): StoredReason | undefined => {
  try {
    const value: unknown = JSON.parse(storage().getItem(name) ?? 'null')
    return isStoredReason(value) ? value : undefined
  } catch {
    return undefined
  }
}

const write = (storage: () => Storage, name: string, kept: StoredReason | undefined): void => {
  try {
    if (kept === undefined) storage().removeItem(name)
    else storage().setItem(name, JSON.stringify(kept))
  } catch {
    // Without storage, only this page has the reason.
  }
}

/** Returns the reason that somebody was typing before a reload, if there is one, and stores later typing. `close` stops storing it. */
export function openRejecting(doc: string, storage = tabStorage): { readonly rejecting: Signal<Rejecting | undefined>; close(): void } {
  const name = documentValue('reason', doc)
  const kept = read(storage, name)
  const rejecting = signal<Rejecting | undefined>(kept && { id: kept.id, reason: signal(kept.reason) })
  const close = effect(() => {
    const { id = '', reason } = rejecting.value ?? {}
    const typed = reason?.value ?? ''
    write(storage, name, typed === '' ? undefined : { id, reason: typed })
  })
  return { rejecting, close }
}
