/**
 * One open document: its text, where it is kept, its connection, and what may be done. Signals; no user interface. The answer of the service
 * about it is in `answer.ts`, what one may do in `permission.ts`, its title in `title.ts`, why it is not shown in `refusal.ts`, its row on
 * this device in `row.ts`, unconfirmed changes in `unsent.ts`, the state of saving in `status.ts`, leaving the page in `leaving.ts`.
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
import { forgetRefused, leaveBadLink, noteTrash, noteVisit } from './row.ts'
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
  /** Whether this device keeps a link to the document that may do more than the one that was opened; undefined: it may, that is asked. */
  readonly hasMoreAccess: ReadonlySignal<boolean | undefined>
  readonly title: ReadonlySignal<string>
  /** The title that the document was given; null: it is called as its text says. */
  readonly givenTitle: Signal<string | null>
  /** The title that the front matter of its text sets, which comes before the given one. */
  readonly setTitle: ReadonlySignal<string | undefined>
  /** Until when the deleted document can be restored, in milliseconds since 1970. */
  readonly restorableUntil: ReadonlySignal<number | undefined>
  /** Whether it belongs to an account or agent already; true until that is known. */
  readonly owned: Signal<boolean>
  readonly chip: ReadonlySignal<Chip>
  /** The suggestion that is typed and not at the service yet. */
  readonly drafts: Signal<Drafts>
  readonly unsent: ReadonlySignal<number>
  /** `opening` until there is a text to show, or a reason why not. */
  readonly state: ReadonlySignal<'opening' | 'open' | 'refused'>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  /** Changes of this device that the server would not take. */
  readonly declined: ReadonlySignal<boolean>
  /** Hears the stateless messages of the server, until the answer is called. */
  onMessage(listener: (message: LiveMessage) => void): () => void
  download(): void
  /** Removes text and link from this device. */
  remove(): Promise<void>
  close(): void
}

/** How long the connection waits for the text that is kept on this device, in milliseconds: with it, only what is new is sent. */
const keptMsMax = 1000

/** How long the text of a first visit waits for what one may do with it, in milliseconds. */
const toldMsMax = 3000

/** Sends a text again that was too large, once enough of it is deleted. */
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
  // Offline, the name that the link of this device was made for.
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
  // At a first visit the device holds nothing that is worth waiting for.
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
  // At a first visit what one may do is told before the text is there, unless something is wrong.
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
      said.stop()
      endUnsent()
      leaving.stop()
      link.close()
      void kept.close()
    }
  }
}
