/**
 * One open document: its text, storage, connection and rights. It exposes signals and has no user interface code. `answer.ts` has the service's
 * answer about the document, `permission.ts` the rights, `title.ts` the title, and `refusal.ts` the reason why it is not shown. `row.ts` has its row
 * on this device, `unsent.ts` the unconfirmed changes, `status.ts` the state of saving, and `leaving.ts` the closing of the page.
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
import { accountName, formerNames, givenName, nameUnitsMax } from '../presence/person.ts'
import { setOwnMark } from '../presence/people.ts'
import { keepsMore, mayKeepMore, takeKey } from './keys.ts'
import { dayWords } from '../text/when.ts'
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
  /** When the link expires, in milliseconds since 1970. It is `Infinity` if it never does, and undefined until the server has said so. */
  readonly linkEnd: ReadonlySignal<number | undefined>
  /** Whether this device stores a link with more rights than the one that opened the document. Undefined while the page is asking the service. */
  readonly hasMoreAccess: ReadonlySignal<boolean | undefined>
  /** Whether this device stores another link than the one that opened the document. */
  readonly hasOtherLink: boolean
  readonly title: ReadonlySignal<string>
  /** The title that the owner gave the document. Null if the title comes from its text. */
  readonly givenTitle: Signal<string | null>
  /** The title in the front matter of the text. It takes precedence over the given title. */
  readonly setTitle: ReadonlySignal<string | undefined>
  /** The day until which the deleted document can be restored, in words. */
  readonly restorableUntil: ReadonlySignal<string | undefined>
  /** Whether the document belongs to an account or agent. True until that is known. */
  readonly owned: Signal<boolean>
  readonly chip: ReadonlySignal<Chip>
  /** The state of typed suggestions that the service does not have yet. */
  readonly drafts: Signal<Drafts>
  readonly unsent: ReadonlySignal<number>
  /** `opening` until there is text to show, or a reason why it cannot be shown. */
  readonly state: ReadonlySignal<'opening' | 'open' | 'refused'>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  /** Whether the server has refused changes from this device, and they cannot become suggestions. */
  readonly declined: ReadonlySignal<boolean>
  /** Calls a listener with the stateless messages of the server. Returns a function that removes the listener. */
  onMessage(listener: (message: LiveMessage) => void): () => void
  /** Downloads the text with `save`, by default as a Markdown file. The person may then leave the page, even if changes are not saved. */
  download(save?: (title: string) => void): void
  /** Removes the text and the link of the document from this device. */
  remove(): Promise<void>
  close(): void
}

/** How long the connection waits for the text stored on this device, in milliseconds. With that text, only new changes are sent. */
const keptMsMax = 1000

/** How long the text waits for the person's rights on a first visit, in milliseconds. */
const toldMsMax = 3000

/** Sends text that was too large again once enough of it has been deleted. */
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
  // While the page is offline, the name that this device's link was made for applies.
  givenName.value = access.kept === undefined ? (known?.given ?? '') : ''
  const listeners = new Set<(message: LiveMessage) => void>()
  const linkEnd = signal<number | undefined>(undefined)
  const onEvent = (message: LiveMessage): void => {
    if (message.type === 'role') {
      linkEnd.value = message.expiresAt === undefined ? Infinity : Date.parse(message.expiresAt)
      givenName.value = (message.name ?? '').trim().slice(0, nameUnitsMax).toWellFormed()
      accountName.value = message.account ?? ''
      formerNames.value = message.formerNames ?? []
    }
    if (message.type === 'event' && message.event.kind === 'doc.renamed') givenTitle.value = message.event.payload.givenTitle ?? null
    if (message.type === 'you') setOwnMark(link.awareness, message.person, message.number, message.hue)
    for (const listener of listeners) listener(message)
  }
  // On a first visit, this device stores nothing worth waiting for.
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
  // On a first visit, the text is shown only after the rights have arrived, unless that takes too long.
  const isRoleKnown = computed(() => !isFirst || waitedLong.value || role.value !== null || answered.value.error !== undefined)
  const open = computed(() => isRoleKnown.value && (isFirst || stored.value) && (hasText.value || !isFirst || link.connectedBefore.value))

  const durable = computed(() => {
    const { offered, unconfirmed, declined } = link.wire.value
    return link.socket.value === 'synced' && offered && unconfirmed === 0 && !declined
  })
  // The edits of a person who may suggest become suggestions (web/review/annotations/refused-edits.ts).
  const declined = computed(() => link.wire.value.declined && unsent.value > 0 && role.value !== 'suggest')
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
    linkEnd,
    hasMoreAccess: computed(() =>
      role.value === null ? (mayKeepMore(access) && refusal.value === undefined ? undefined : false) : keepsMore(access, role.value)
    ),
    hasOtherLink: access.kept !== undefined,
    title,
    givenTitle,
    setTitle,
    restorableUntil: computed(() => trashed.value && dayWords(trashed.value.until)),
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
    download(save = (name) => downloadMarkdown(name, text.toString())) {
      save(title.value)
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
