/** The state of saving and of the connection, which the chip of an open document shows. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { includesRole, type Role } from '../../shared/roles.ts'
import { calmly, chip, type Drafts } from '../connection/chip.ts'
import type { Link } from '../connection/link.ts'
import type { Keep } from '../device/keep.ts'

interface StatusInput {
  readonly link: Link
  readonly kept: Keep
  readonly online: ReadonlySignal<boolean>
  /** Whether every change that this page knows of is on the server's disk. */
  readonly durable: ReadonlySignal<boolean>
  /** Number of changes from this device that the server has not confirmed. */
  readonly unsent: ReadonlySignal<number>
  readonly canEdit: ReadonlySignal<boolean>
  readonly role: ReadonlySignal<Role | null>
  readonly drafts: ReadonlySignal<Drafts>
}

/** Returns whether the browser reports a network, and keeps the value up to date. */
export function watchOnline(): Signal<boolean> {
  const online = signal(navigator.onLine)
  addEventListener('online', () => (online.value = true))
  addEventListener('offline', () => (online.value = false))
  return online
}

export const tellStatus = ({ link, kept, online, durable, unsent, canEdit, role, drafts }: StatusInput): ReturnType<typeof calmly> =>
  calmly(
    computed(() =>
      chip({
        socket: link.socket.value,
        online: online.value,
        unheard: link.unheard.value,
        durable: durable.value,
        unsent: unsent.value,
        unwritten: kept.unwritten.value,
        kept: kept.state.value !== 'lost',
        canEdit: canEdit.value,
        drafts: drafts.value,
        annotations: includesRole(role.value, 'suggest') ? 'suggestions' : includesRole(role.value, 'comment') ? 'comments' : undefined,
        ended: link.ended.value,
        connectedBefore: link.connectedBefore.value
      })
    )
  )
