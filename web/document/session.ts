/** One open document: its text, where it is kept, its connection, and what may be done. Signals; no user interface. */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { headingUnitsMax, type TextTitle, textRootName, titleIn, titleOfText } from '../../shared/names.ts'
import { pageClientId } from '../../shared/text/client-ids.ts'
import { includesRole, type Role } from '../../shared/roles.ts'
import { readDocument, RequestError } from '../api.ts'
import { calmly, chip, type Chip, type Drafts } from '../connection/chip.ts'
import { openLink, type Link } from '../connection/link.ts'
import { type Ended, keepsWriting } from '../connection/retry.ts'
import { readDevice, writeDevice } from '../device.ts'
import { afterPaint } from '../after-paint.ts'
import { beginning } from './beginning.ts'
import { followDeletion } from './deletion.ts'
import { downloadMarkdown } from '../offline/download.ts'
import { keep, type Keep } from '../offline/keep.ts'
import { removeKeptDatabase } from '../offline/remove.ts'
import { findRecent, forget, recentDocuments, remember } from '../recent.ts'
import { accountName, givenName, nameCharsMax } from '../person.ts'
import { setOwnMark } from '../presence/people.ts'
import { keepsMore, mayKeepMore, takeKey, takesOver } from './keys.ts'
import { openUploads, type Uploads } from '../uploads/uploads.ts'
import { t } from '../text/t.ts'
import { refusalOfStatus, type Refusal, type RefusalKind, type Trashed } from '../refused/refusals.ts'

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
  /** What is typed as a suggestion and not at the service yet. */
  readonly drafts: Signal<Drafts>
  readonly unsent: ReadonlySignal<number>
  /** `opening` until there is a text to show, or a reason why not. */
  readonly state: ReadonlySignal<'opening' | 'open' | 'refused'>
  readonly refusal: ReadonlySignal<Refusal | undefined>
  /** Changes of this device that the server would not take. */
  readonly declined: ReadonlySignal<boolean>
  /** Hears the stateless messages of the server, until the answer is called. */
  onMessage(listener: (message: Record<string, unknown>) => void): () => void
  download(): void
  /** Removes text and link from this device. */
  remove(): Promise<void>
  close(): void
}

const refusalOfEnd: Readonly<Record<Ended, RefusalKind>> = {
  credential_required: 'private',
  credential_ended: 'ended',
  forbidden: 'forbidden',
  not_found: 'not_found',
  deleted: 'deleted',
  bad_message: 'server_error',
  too_big: 'server_error',
  full: 'server_error'
}

/** How long the connection waits for the text that is kept on this device, in milliseconds: with it, only what is new is sent. */
const keptMsMax = 1000

/** How long the text of a first visit waits for what one may do with it, in milliseconds. */
const toldMsMax = 3000

interface Unsent {
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
function countUnsent(id: string, doc: Y.Doc, kept: Keep): Unsent {
  const storageKey = `agmd.unsent.${id}`
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

function watchOnline(): Signal<boolean> {
  const online = signal(navigator.onLine)
  addEventListener('online', () => (online.value = true))
  addEventListener('offline', () => (online.value = false))
  return online
}

/** The title that an event gives the document, null to follow the text; undefined: it is another event. */
function renamedTo(event: unknown): string | null | undefined {
  if (typeof event !== 'object' || event === null) return undefined
  const { type, payload } = event as { readonly type?: unknown; readonly payload?: { readonly givenTitle?: unknown } }
  if (type !== 'doc.renamed') return undefined
  return typeof payload?.givenTitle === 'string' ? payload.givenTitle : null
}

/** The parts of a title that the text gives, read at most every 300 ms. */
function followTitles(text: Y.Text): ReadonlySignal<TextTitle> {
  const titles = signal<TextTitle>({ set: undefined, heading: undefined, line: undefined })
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = (): void => {
    timer = undefined
    titles.value = titleIn(beginning(text, headingUnitsMax))
  }
  text.observe(() => (timer ??= setTimeout(read, 300)))
  return titles
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
  const listeners = new Set<(message: Record<string, unknown>) => void>()
  const onEvent = (message: Record<string, unknown>): void => {
    const { type, name, account, person, number } = message
    if (type === 'role') {
      givenName.value = typeof name === 'string' ? name.trim().slice(0, nameCharsMax).toWellFormed() : ''
      accountName.value = typeof account === 'string' ? account : ''
    }
    const renamed = type === 'event' ? renamedTo(message['event']) : undefined
    if (renamed !== undefined) givenTitle.value = renamed
    if (type === 'you' && typeof person === 'string') setOwnMark(link.awareness, person, typeof number === 'number' ? number : undefined)
    for (const listener of listeners) listener(message)
  }
  // Of a first visit the device keeps nothing that it would be worth to wait for.
  const isFirst = known?.received !== true
  const fits = (): boolean => text.length <= limits.contentUnitsMax
  const link = openLink({ id, key, doc, after: isFirst ? Promise.resolve() : Promise.race([kept.ready, late]), fits, onEvent })

  const stored = signal(false)
  void kept.ready.then(() => (stored.value = true))

  // What it was called when it was seen last, until its text is there.
  const called = signal(known?.title ?? '')
  const givenTitle = signal<string | null>(known?.givenTitle || null)
  const owned = signal(true)
  const published = signal(known?.published ?? false)
  const answered = signal<{ role?: Role; error?: RequestError }>({})
  const askAbout = async (): Promise<boolean> => {
    try {
      const answer = await readDocument(id, key)
      batch(() => {
        called.value = answer.title
        givenTitle.value = answer.givenTitle
        owned.value = answer.owner.kind !== 'anonymous'
        published.value = answer.published
        answered.value = { role: answer.effectiveRole ?? answer.role }
      })
      return true
    } catch (error) {
      answered.value = error instanceof RequestError ? { error } : {}
      return false
    }
  }
  void askAbout()

  const role = computed<Role | null>(
    () => link.role.value ?? answered.value.role ?? (access.kept === undefined ? findRecent(id)?.role : undefined) ?? null
  )
  // Offline, what was known last holds; the server has the last word in any case.
  // Of a text that is too large some may be deleted, and then it is sent again.
  const mayWrite = computed(() => link.ended.value === undefined || keepsWriting(link.ended.value))
  const canEdit = computed(() => mayWrite.value && (link.canWrite.value ?? includesRole(role.value, 'edit')))

  const hasText = signal(false)
  text.observe(() => (hasText.value = true))
  // At a first visit what one may do is told before the text is there, unless something is wrong.
  const isTold = computed(() => !isFirst || waitedLong.value || role.value !== null || answered.value.error !== undefined)
  const open = computed(() => isTold.value && (isFirst || stored.value) && (hasText.value || !isFirst || link.connectedBefore.value))

  /** What is known of a deleted document: from this device, where its owner deleted it, or from the service. */
  const trashed = computed<Trashed | undefined>(() => {
    const { error } = answered.value
    const noted = recentDocuments.value.find((entry) => entry.id === id)?.trashedUntil ?? 0
    const until = error?.status === 410 ? error.restorableUntil : noted
    if (until <= Date.now()) return undefined
    const isOwn = error?.status === 410 ? error.role === 'owner' : role.value === 'owner'
    return { until, own: isOwn ? { id, key, title: title.value } : undefined }
  })
  const refusal = computed<Refusal | undefined>(() => {
    const isDeleted = link.ended.value === 'deleted'
    // Who deleted it does not go on looking at it. Others keep what they saw.
    if (isDeleted && unsent.value === 0 && trashed.value?.own !== undefined) return { kind: 'deleted', trashed: trashed.value }
    if (open.value || !stored.value) return undefined
    const { error } = answered.value
    // The service tells until when it can be restored.
    if (isDeleted) return error === undefined && !waitedLong.value ? undefined : { kind: 'deleted', trashed: trashed.value }
    if (link.ended.value !== undefined) return { kind: refusalOfEnd[link.ended.value] }
    if (error === undefined) return undefined
    if (error.status === 410) return { kind: 'deleted', trashed: trashed.value }
    return { kind: refusalOfStatus(error.status, error.code), retryAfterSeconds: error.retryAfterSeconds, requestId: error.requestId }
  })

  const durable = computed(() => {
    const { offered, unconfirmed, declined } = link.wire.value
    return link.socket.value === 'synced' && offered && unconfirmed === 0 && !declined
  })
  const declined = computed(() => link.wire.value.declined && unsent.value > 0)
  const titles = followTitles(text)
  const title = computed(() => {
    const before = called.value === 'Untitled' ? '' : called.value
    return titleOfText(titles.value, givenTitle.value) ?? (before || t('Untitled'))
  })

  const uploads = openUploads({ doc: id, key, text, canEdit, connected: computed(() => link.socket.value === 'synced') })

  const stops = [
    effect(() => {
      if (durable.value) clearUnsent()
    }),
    effect(() => {
      if (!link.connectedBefore.value) return
      const mine = takesOver(access, role.value) ? { role: role.value, key, given: givenName.value } : {}
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
  ]

  let didFit = true
  text.observe(() => {
    if (!didFit && fits() && link.ended.value === 'too_big') link.resume()
    didFit = fits()
  })

  // A link that never opened the document leaves nothing behind: neither a row on the first page, nor a key that would be tried again.
  const wasNever = computed(() => access.kept === undefined && findRecent(id)?.received !== true)
  const noGood = computed(
    () =>
      refusal.value?.kind === 'ended' ||
      refusal.value?.kind === 'not_found' ||
      (refusal.value?.kind === 'deleted' && trashed.value?.own === undefined)
  )
  stops.push(
    effect(() => {
      if (noGood.value && wasNever.value && unsent.value === 0) forget(id)
    })
  )

  const deleted = computed(() => link.ended.value === 'deleted')
  stops.push(followDeletion({ deleted, ask: askAbout, onRestored: link.resume }))

  // Deleted elsewhere: it goes from the list of this device to its trash.
  stops.push(
    effect(() => {
      const found = trashed.value
      const known = findRecent(id)
      if (found?.own !== undefined && link.ended.value === 'deleted' && known !== undefined && known.trashedUntil !== found.until)
        remember(id, { trashedUntil: found.until, role: 'owner' })
    })
  )

  // The link in the address is no good: the one that this device keeps may be.
  const badLink = computed(() => {
    const { error } = answered.value
    const refused = link.ended.value === 'credential_ended' || link.ended.value === 'not_found' || link.ended.value === 'forbidden'
    return access.kept !== undefined && (refused || error?.status === 401 || error?.status === 404)
  })
  stops.push(
    effect(() => {
      if (badLink.value && unsent.value === 0) location.replace(`/d/${id}`)
    })
  )

  // Only where leaving would lose something: what is kept on this device is sent at the next visit.
  let safe = 0
  const guard = (event: BeforeUnloadEvent): void => {
    const lost = unsent.value > safe && !kept.outlivesPage()
    if (lost || (uploads.onlyHere.value > 0 && safe !== Infinity)) event.preventDefault()
  }
  addEventListener('beforeunload', guard)

  const drafts = signal<Drafts>('none')
  const said = calmly(
    computed(() =>
      chip({
        socket: link.socket.value,
        online: online.value,
        durable: durable.value,
        unsent: unsent.value,
        unwritten: kept.unwritten.value,
        kept: kept.state.value !== 'lost',
        canEdit: canEdit.value,
        drafts: drafts.value,
        remarks: includesRole(role.value, 'suggest') ? 'suggestions' : includesRole(role.value, 'comment') ? 'comments' : undefined,
        ended: link.ended.value,
        connectedBefore: link.connectedBefore.value
      })
    )
  )

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
    setTitle: computed(() => titles.value.set),
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
      safe = unsent.value
    },
    async remove() {
      safe = Infinity
      forget(id)
      endUnsent()
      await kept.close()
      await removeKeptDatabase(id)
    },
    close() {
      for (const stop of stops) stop()
      said.stop()
      endUnsent()
      removeEventListener('beforeunload', guard)
      link.close()
      void kept.close()
    }
  }
}
