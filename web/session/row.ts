/**
 * The row of an open document in this device's list. A row is added while the document is open, removed if its link never opened the document, and
 * moved to the trash if the document was deleted elsewhere. Each function starts an effect and returns a function that stops it.
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
  /** Number of changes from this device that the server has not confirmed. */
  readonly unsent: ReadonlySignal<number>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  readonly trashed: ReadonlySignal<Trashed | undefined>
}

type Stop = ReturnType<typeof effect>

/** Records the document once the page has connected. */
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

/** Records when the page was last visible, because a page may stay open for a long time. */
export const noteEnd = (id: string): (() => void) => {
  const note = (): void => {
    if (document.hidden) noteOpen(id)
  }
  document.addEventListener('visibilitychange', note)
  return () => document.removeEventListener('visibilitychange', note)
}

/** Removes a link that never opened the document. The list then has no row for it, and no page tries its key again. */
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

/** Moves a document that was deleted elsewhere from the list to the trash. */
export const noteTrash = ({ id, link, trashed }: OpenPage): Stop =>
  effect(() => {
    const found = trashed.value
    const known = findRecent(id)
    if (found?.own !== undefined && link.ended.value === 'deleted' && known !== undefined && known.trashedUntil !== found.until)
      remember(id, { trashedUntil: found.until, role: 'owner' })
  })

/**
 * Opens the document with the link stored on this device if the link in the address is invalid. If that link ends while the document is open, the
 * person may be writing, so a notice offers the other link instead (web/document/ended-notice.tsx).
 */
export const leaveBadLink = ({ id, access, link, unsent }: OpenPage, answered: Answer['answered']): Stop => {
  const badLink = computed(() => {
    const { error } = answered.value
    const refused = link.ended.value === 'credential_ended' || link.ended.value === 'not_found' || link.ended.value === 'forbidden'
    return access.kept !== undefined && (refused || error?.status === 401 || error?.status === 404)
  })
  return effect(() => {
    if (badLink.value && unsent.value === 0 && !link.connectedBefore.peek()) location.replace(`/d/${id}`)
  })
}
