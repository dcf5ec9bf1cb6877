/**
 * One open document: its text, storage, connection and rights. Signals; no user interface. `answer.ts` has the service's answer about it,
 * `permission.ts` the rights, `title.ts` the title, and `refusal.ts` why it is not shown. `row.ts` has its row on this device, `unsent.ts`
 * unconfirmed changes, `status.ts` the state of saving, and `leaving.ts` the closing of the page.
 */
import type { LiveMessage } from '../../shared/live-protocol.ts'
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import { pageClientId } from '../../shared/text/client-ids.ts'
import type { Role } from '../../shared/roles.ts'
import type { Chip, Drafts } from '../connection/chip.ts'
import { openLink, type Link } from '../connection/link.ts'
import { askDocument } from './answer.ts'
import { followDeletion } from './deletion.ts'
import { guardLeaving } from './leaving.ts'
import { openPermission } from './permission.ts'
import { openRefusal } from './refusal.ts'
import { forgetRefused, leaveBadLink, noteEnd, noteTrash, noteVisit } from './row.ts'
import { tellStatus, watchOnline } from './status.ts'
import { followTitle } from './title.ts'
import { countUnsent } from './unsent.ts'
import { downloadMarkdown } from '../base/download.ts'
import { keep, type Keep } from '../device/keep.ts'
import { removeFromDevice } from '../device/remove.ts'
import { findRecent, forget } from '../device/recent.ts'
import { accountName, givenName, nameCharsMax } from '../presence/person.ts'
import { setOwnMark } from '../presence/people.ts'
import { keepsMore, mayKeepMore, takeKey } from './keys.ts'
import type { Uploads } from '../uploads/upload.ts'
import { openUploads } from '../uploads/uploads.ts'
import type { Refusal } from '../client/refusals.ts'

export interface Session {
  readonly id: string
  readonly key: string
  readonly text: Y.Text
  readonly link: Link
  readonly keep: Keep
  readonly uploads: Uploads
  readonly role: ReadonlySignal<Role | null>
  readonly canEdit: ReadonlySignal<boolean>
  /** Whether this device stores a link to the document with more rights than the one that was opened; undefined while the service is being asked. */
  readonly hasMoreAccess: ReadonlySignal<boolean | undefined>
  readonly title: ReadonlySignal<string>
  /** The title given to the document; null if its text determines the title. */
  readonly givenTitle: Signal<string | null>
  /** The title set in the front matter of its text, which takes precedence over the given one. */
  readonly setTitle: ReadonlySignal<string | undefined>
  /** Until when the deleted document can be restored, in milliseconds since 1970. */
  readonly restorableUntil: ReadonlySignal<number | undefined>
  /** Whether it already belongs to an account or agent; true until that is known. */
  readonly owned: Signal<boolean>
  readonly chip: ReadonlySignal<Chip>
  /** The typed suggestion that the service does not have yet. */
  readonly drafts: Signal<Drafts>
  readonly unsent: ReadonlySignal<number>
  /** `opening` until there is a text to show, or a reason why not. */
  readonly state: ReadonlySignal<'opening' | 'open' | 'refused'>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  /** Whether the server refused changes of this device. */
  readonly declined: ReadonlySignal<boolean>
  /** Receives the stateless messages of the server, until the returned function is called. */
  onMessage(listener: (message: LiveMessage) => void): () => void
  download(): void
  /** Removes text and link from this device. */
  remove(): Promise<void>
  close(): void
}

/** How long the connection waits for the text stored on this device, in milliseconds: with it, only new changes are sent. */
const keptMsMax = 1000

/** How long the text of a first visit waits for the person's rights, in milliseconds. */
const toldMsMax = 3000

/** Sends a text that was too large again, once enough of it is deleted. */
function followFit(text: Y.Text, fits: () => boolean, link: Link): void {
  let didFit = true
  text.observe(() => {
    if (!didFit && fits() && link.ended.value === 'too_big') link.resume()
    didFit = fits()
  })
}

export function openSession(id: string): Session {
  const access = takeKey(id)
  const { key } = access
  const known = findRecent(id)
  const doc = new Y.Doc()
  doc.clientID = pageClientId()
  const text = doc.getText(textRootName)
  const kept = keep(id, doc)
  const { count: unsent, clear: clearUnsent, end: endUnsent } = countUnsent(id, doc, kept)
  const online = watchOnline()
  const late = new Promise((resolve) => setTimeout(resolve, keptMsMax))
  const waitedLong = signal(false)
  setTimeout(() => (waitedLong.value = true), toldMsMax)
  // Offline, the name for which the link of this device was made.
  givenName.value = access.kept === undefined ? (known?.given ?? '') : ''
  const listeners = new Set<(message: LiveMessage) => void>()
  const onEvent = (message: LiveMessage): void => {
    if (message.type === 'role') {
      givenName.value = (message.name ?? '').trim().slice(0, nameCharsMax).toWellFormed()
      accountName.value = message.account ?? ''
    }
    if (message.type === 'event' && message.event.kind === 'doc.renamed') givenTitle.value = message.event.payload.givenTitle ?? null
    if (message.type === 'you') setOwnMark(link.awareness, message.person, message.number)
    for (const listener of listeners) listener(message)
  }
  // At a first visit the device stores nothing worth waiting for.
  const isFirst = known?.received !== true
  const fits = (): boolean => text.length <= limits.contentUnitsMax
  const link = openLink({ id, key, doc, after: isFirst ? Promise.resolve() : Promise.race([kept.ready, late]), fits, onEvent })

  const stored = signal(false)
  void kept.ready.then(() => (stored.value = true))

  const answer = askDocument(id, key, known)
  const { givenTitle, owned, answered } = answer

  const { role, canEdit } = openPermission(id, access, link, answered)

  const hasText = signal(false)
  text.observe(() => (hasText.value = true))
  // At a first visit the rights arrive before the text is shown, unless something is wrong.
  const isTold = computed(() => !isFirst || waitedLong.value || role.value !== null || answered.value.error !== undefined)
  const open = computed(() => isTold.value && (isFirst || stored.value) && (hasText.value || !isFirst || link.connectedBefore.value))

  const durable = computed(() => {
    const { offered, unconfirmed, declined } = link.wire.value
    return link.socket.value === 'synced' && offered && unconfirmed === 0 && !declined
  })
  const declined = computed(() => link.wire.value.declined && unsent.value > 0)
  const { title, setTitle } = followTitle(text, answer)
  const { refusal, trashed } = openRefusal({ id, key, link, answered, role, title, unsent, isOpen: open, stored, waitedLong })

  const uploads = openUploads({ doc: id, key, text, canEdit, connected: computed(() => link.socket.value === 'synced') })

  const page = { id, access, link, role, unsent, refusal, trashed }
  const stops = [
    effect(() => {
      if (durable.value) clearUnsent()
    }),
    noteVisit(page, title, answer)
  ]

  followFit(text, fits, link)

  const deleted = computed(() => link.ended.value === 'deleted')
  stops.push(
    forgetRefused(page),
    followDeletion({ deleted, ask: answer.ask, onRestored: link.resume }),
    noteTrash(page),
    leaveBadLink(page, answered)
  )

  const endNote = noteEnd(id)

  const leaving = guardLeaving(unsent, kept, uploads)

  const drafts = signal<Drafts>('none')
  const said = tellStatus({ link, kept, online, durable, unsent, canEdit, role, drafts })

  return {
    id,
    key,
    text,
    link,
    keep: kept,
    uploads,
    role,
    canEdit,
    hasMoreAccess: computed(() =>
      role.value === null ? (mayKeepMore(access) && refusal.value === undefined ? undefined : false) : keepsMore(access, role.value)
    ),
    title,
    givenTitle,
    setTitle,
    restorableUntil: computed(() => trashed.value?.until),
    owned,
    unsent,
    refusal,
    declined,
    onMessage(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    state: computed(() => (refusal.value !== undefined ? 'refused' : open.value ? 'open' : 'opening')),
    chip: said.shown,
    drafts,
    download() {
      downloadMarkdown(title.value, text.toString())
      leaving.allow(unsent.value)
    },
    async remove() {
      leaving.allow(Infinity)
      forget(id)
      endUnsent()
      await kept.close()
      await removeFromDevice(id)
    },
    close() {
      for (const stop of stops) stop()
      endNote()
      said.stop()
      endUnsent()
      leaving.stop()
      link.close()
      void kept.close()
    }
  }
}
