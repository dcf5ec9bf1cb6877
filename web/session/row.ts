/**
 * The row of an open document in the list of this device: added while it is open, removed if its link never opened it, moved to the trash if it was
 * deleted elsewhere. Each function starts an effect and returns a function that stops it.
 */
import { computed, effect, type ReadonlySignal } from '@preact/signals'
import type { Role } from '../../shared/roles.ts'
import type { Refusal, Trashed } from '../client/refusals.ts'
import type { Link } from '../connection/link.ts'
import { findRecent, forget, noteOpen, remember } from '../device/recent.ts'
import { givenName } from '../presence/person.ts'
import type { Answer } from './answer.ts'
import { type Access, takesOver } from './keys.ts'

interface OpenPage {
  readonly id: string
  readonly access: Access
  readonly link: Link
  readonly role: ReadonlySignal<Role | null>
  /** Changes of this device that the server has not confirmed. */
  readonly unsent: ReadonlySignal<number>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  readonly trashed: ReadonlySignal<Trashed | undefined>
}

type Stop = ReturnType<typeof effect>

/** Records the document, from the first connection on. */
export const noteVisit = ({ id, access, link, role }: OpenPage, title: ReadonlySignal<string>, { givenTitle, published }: Answer): Stop =>
  effect(() => {
    if (!link.connectedBefore.value) return
    const mine = takesOver(access, role.value) ? { role: role.value, key: access.key, given: givenName.value } : {}
    remember(id, {
      title: title.value,
      givenTitle: givenTitle.value ?? '',
      ...mine,
      received: true,
      published: published.value,
      openedAt: Date.now(),
      ...(link.ended.value === undefined && { trashedUntil: 0 })
    })
  })

/** Notes when the page was last looked at: at its end, too, and not only when it was opened. */
export const noteEnd = (id: string): (() => void) => {
  const note = (): void => {
    if (document.hidden) noteOpen(id)
  }
  document.addEventListener('visibilitychange', note)
  return () => document.removeEventListener('visibilitychange', note)
}

/** A link that never opened the document leaves no trace: no row on the first page, and no key that would be tried again. */
export const forgetRefused = ({ id, access, unsent, refusal, trashed }: OpenPage): Stop => {
  const wasNever = computed(() => access.kept === undefined && findRecent(id)?.received !== true)
  const noGood = computed(
    () =>
      refusal.value?.kind === 'ended' ||
      refusal.value?.kind === 'not_found' ||
      (refusal.value?.kind === 'deleted' && trashed.value?.own === undefined)
  )
  return effect(() => {
    if (noGood.value && wasNever.value && unsent.value === 0) forget(id)
  })
}

/** Deleted elsewhere: it moves from the list of this device to its trash. */
export const noteTrash = ({ id, link, trashed }: OpenPage): Stop =>
  effect(() => {
    const found = trashed.value
    const known = findRecent(id)
    if (found?.own !== undefined && link.ended.value === 'deleted' && known !== undefined && known.trashedUntil !== found.until)
      remember(id, { trashedUntil: found.until, role: 'owner' })
  })

/** The link in the address is invalid; the one stored on this device may be valid. */
export const leaveBadLink = ({ id, access, link, unsent }: OpenPage, answered: Answer['answered']): Stop => {
  const badLink = computed(() => {
    const { error } = answered.value
    const refused = link.ended.value === 'credential_ended' || link.ended.value === 'not_found' || link.ended.value === 'forbidden'
    return access.kept !== undefined && (refused || error?.status === 401 || error?.status === 404)
  })
  return effect(() => {
    if (badLink.value && unsent.value === 0) location.replace(`/d/${id}`)
  })
}
