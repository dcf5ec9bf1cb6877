/** The reason why a document is not shown, and the known facts about a deleted one. */
import { computed, type ReadonlySignal } from '@preact/signals'
import type { Role } from '../../shared/roles.ts'
import { type Refusal, type RefusalKind, refusalOfStatus, type Trashed } from '../client/refusals.ts'
import type { Link } from '../connection/link.ts'
import type { Ended } from '../connection/retry.ts'
import { recentDocuments } from '../device/recent.ts'
import type { Answer } from './answer.ts'

const refusalOfEnd: Readonly<Record<Ended, RefusalKind>> = {
  credential_required: 'private',
  credential_ended: 'ended',
  forbidden: 'forbidden',
  not_found: 'not_found',
  deleted: 'deleted',
  taken_down: 'taken_down',
  disabled: 'forbidden',
  bad_message: 'server_error',
  too_big: 'server_error',
  full: 'server_error'
}

interface RefusalInput {
  readonly id: string
  readonly key: string
  readonly link: Link
  readonly answered: Answer['answered']
  readonly role: ReadonlySignal<Role | null>
  readonly title: ReadonlySignal<string>
  /** Number of changes from this device that the server has not confirmed. */
  readonly unsent: ReadonlySignal<number>
  /** Whether there is text to show. */
  readonly isOpen: ReadonlySignal<boolean>
  /** Whether the text stored on this device has been read. */
  readonly stored: ReadonlySignal<boolean>
  readonly waitedLong: ReadonlySignal<boolean>
}

interface Refusing {
  readonly refusal: ReadonlySignal<Refusal | undefined>
  readonly trashed: ReadonlySignal<Trashed | undefined>
}

export function openRefusal(input: RefusalInput): Refusing {
  const { id, key, link, answered, role, title, unsent, isOpen, stored, waitedLong } = input
  /** The facts about a deleted document. They come from this device if its owner deleted it here, or else from the service. */
  const trashed = computed<Trashed | undefined>(() => {
    const { error } = answered.value
    const noted = recentDocuments.value.find((entry) => entry.id === id)?.trashedUntil ?? 0
    const until = error?.status === 410 ? error.restorableUntil : noted
    if (until <= Date.now()) return undefined
    const isOwn = error?.status === 410 ? error.role === 'owner' : role.value === 'owner'
    return { until, own: isOwn ? { id, key, title: error?.documentTitle || title.value } : undefined }
  })
  const refusal = computed<Refusal | undefined>(() => {
    const isDeleted = link.ended.value === 'deleted'
    // The person who deleted the document no longer sees it. Other people still see the text that was on their page.
    if (isDeleted && unsent.value === 0 && trashed.value?.own !== undefined) return { kind: 'deleted', trashed: trashed.value }
    if (isOpen.value || !stored.value) return undefined
    const { error } = answered.value
    // The service is about to report how long the document can be restored.
    if (isDeleted) return error === undefined && !waitedLong.value ? undefined : { kind: 'deleted', trashed: trashed.value }
    if (link.ended.value !== undefined) return { kind: refusalOfEnd[link.ended.value] }
    if (error === undefined) return undefined
    if (error.status === 410) return { kind: 'deleted', trashed: trashed.value }
    return { kind: refusalOfStatus(error.status, error.code), retryAfterSeconds: error.retryAfterSeconds, requestId: error.requestId }
  })
  return { refusal, trashed }
}
