/** The documents known to a person: those opened on this device, and those of the account. This module has no user interface code. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Output } from '../../shared/operations/index.ts'
import type { Role } from '../../shared/roles.ts'
import { RequestError } from '../client/api.ts'
import { findUser } from '../client/documents.ts'
import { isProbablySignedIn, rememberSignedIn } from '../client/signed-in.ts'
import { operation } from '../client/operation.ts'
import { fit } from '../base/match.ts'
import { recentDocuments, type RecentDocument } from '../device/recent.ts'
import { locale, t, term } from '../text/t.ts'
import { noteOwned } from './signed-out.ts'

const listDocuments = operation<'listDocuments'>('GET /api/docs')
const listTrash = operation<'listTrash'>('GET /api/trash')

type Trash = Output<'listTrash'>
type Owned = Output<'listDocuments'>['docs'][number]

export interface Entry {
  readonly id: string
  readonly title: string
  /** When the document was last opened here or changed, whichever is later, in milliseconds since 1970. */
  readonly at: number
  /** Whether `at` is the time of a change, not of a visit. */
  readonly edited: boolean
  readonly role: Role | null
  /** The share key that this device stores, or '' if there is none. */
  readonly key: string
  readonly inAccount: boolean
  readonly onDevice: boolean
  readonly published: boolean
}

/** A document in the trash. */
export interface TrashEntry {
  readonly id: string
  readonly title: string
  readonly key: string
  /** The time until which the document can be restored, in milliseconds since 1970. */
  readonly until: number
}

/** The filters with their labels, which are translated when drawn. */
export const filters = { all: term('All'), mine: term('My own'), shared: term('Shared with me'), published: term('Published') } as const
export type Filter = keyof typeof filters

export const orders = { latest: term('Latest first'), title: term('By title') } as const
export type Order = keyof typeof orders

export interface Library {
  readonly query: Signal<string>
  readonly filter: Signal<Filter>
  readonly order: Signal<Order>
  /** The documents that match the query and the filter, sorted. */
  readonly entries: ReadonlySignal<readonly Entry[]>
  /** Whether the person has no documents at all. */
  readonly isEmpty: ReadonlySignal<boolean>
  /** Whether somebody is signed in. Undefined until known. */
  readonly signedIn: ReadonlySignal<boolean | undefined>
  /** Whether the page should look as if somebody is signed in. Until the server has answered, this is probable and not certain. */
  readonly looksSignedIn: ReadonlySignal<boolean>
  /** Whether the page does not know of any document yet, but an account probably has some. */
  readonly isComing: ReadonlySignal<boolean>
  /** The error if the account's documents could not be loaded. */
  readonly failure: ReadonlySignal<unknown>
  readonly hasMore: ReadonlySignal<boolean>
  /** The person's own documents in the trash, most recently deleted first. */
  readonly trash: ReadonlySignal<readonly TrashEntry[]>
  /** The person's own documents on this device that belong to no account. Empty unless somebody is signed in. */
  readonly unclaimed: ReadonlySignal<readonly Entry[]>
  more(): Promise<void>
  /** Loads the account's documents for the current query, and its trash. */
  load(): Promise<void>
}

/** Returns the address that opens a document. For an owned document, it prevents the use of a stored key, which might grant fewer rights. */
export const addressOf = ({ id, inAccount, key }: Pick<Entry, 'id' | 'inAccount' | 'key'>): string =>
  inAccount && key === '' ? `/d/${id}?key=` : `/d/${id}`

const isOwn = ({ inAccount, role }: Entry): boolean => inAccount || role === 'owner'

const isInTrash = ({ trashedUntil }: RecentDocument): boolean => trashedUntil > Date.now()

/** Returns the person's documents in the trash: those of the account, and those whose owner link this device stores. */
const trashed = (recent: readonly RecentDocument[], owned: Trash['docs']): TrashEntry[] => {
  const all = new Map<string, TrashEntry>()
  for (const { id, title, key, role, trashedUntil: until } of recent)
    if (role === 'owner' && until > Date.now()) all.set(id, { id, title: title || t('Untitled'), key, until })
  // A signed-in owner sends no key. With a key, the lower of the account's role and the key's role would count.
  for (const { id, title, restorableUntil } of owned) all.set(id, { id, title, key: '', until: Date.parse(restorableUntil) })
  return [...all.values()].toSorted((one, other) => other.until - one.until)
}

const passes: Readonly<Record<Filter, (entry: Entry) => boolean>> = {
  all: () => true,
  mine: isOwn,
  shared: (entry) => !isOwn(entry),
  published: ({ published }) => published
}

const compare: Readonly<Record<Order, (one: Entry, other: Entry) => number>> = {
  latest: (one, other) => other.at - one.at,
  title: (one, other) => one.title.localeCompare(other.title, locale, { sensitivity: 'base', numeric: true })
}

const merged = (recent: readonly RecentDocument[], owned: readonly Owned[]): Entry[] => {
  const all = new Map<string, Entry>()
  for (const { id, title, role, key, openedAt, published } of recent)
    all.set(id, { id, title: title || t('Untitled'), at: openedAt, edited: false, role, key, inAccount: false, onDevice: true, published })
  for (const { id, title, updatedAt, published } of owned) {
    const here = all.get(id)
    const [openedAt, editedAt] = [here?.at ?? 0, Date.parse(updatedAt)]
    const [at, edited] = [Math.max(openedAt, editedAt), editedAt >= openedAt]
    all.set(id, { id, title, at, edited, role: 'owner', key: here?.key ?? '', inAccount: true, onDevice: here !== undefined, published })
  }
  return [...all.values()]
}

export function openLibrary(): Library {
  const query = signal('')
  const filter = signal<Filter>('all')
  const order = signal<Order>('latest')
  const owned = signal<readonly Owned[]>([])
  /** The query that produced `owned`. The service also searches the text of documents. */
  const found = signal('')
  const next = signal<string | null>(null)
  const signedIn = signal<boolean | undefined>(undefined)
  const looksSignedIn = computed(() => signedIn.value ?? isProbablySignedIn())
  const failure = signal<unknown>(undefined)
  const ownTrash = signal<Trash['docs']>([])
  let asked = 0

  const trash = computed(() => trashed(recentDocuments.value, ownTrash.value))
  const all = computed(() => {
    const gone = new Set(trash.value.map(({ id }) => id))
    return merged(
      recentDocuments.value.filter((entry) => !isInTrash(entry)),
      owned.value
    ).filter(({ id }) => !gone.has(id))
  })
  const entries = computed(() => {
    const wanted = query.value.trim()
    const answered = new Set(found.value === wanted ? owned.value.map(({ id }) => id) : [])
    return all.value
      .filter((entry) => passes[filter.value](entry) && (wanted === '' || answered.has(entry.id) || fit(wanted, entry.title) > 0))
      .toSorted(compare[order.value])
  })

  const note = (isSignedIn: boolean): void => {
    signedIn.value = isSignedIn
    rememberSignedIn(isSignedIn)
  }
  const read = async (before: string | null): Promise<void> => {
    asked += 1
    const mine = asked
    const wanted = query.peek().trim()
    const fields = { sort: 'updated' as const, ...(wanted !== '' && { query: wanted.slice(0, 200) }), ...(before !== null && { before }) }
    try {
      // Without an account, this request would log an error in the console on every visit.
      if (signedIn.peek() !== true && (await findUser()) === null) {
        note(false)
        failure.value = undefined
        return
      }
      const [{ docs, nextBefore }, { docs: deleted }] = await Promise.all([listDocuments({}, fields), listTrash({}, { limit: 200 })])
      // The query has since changed.
      if (mine !== asked) return
      owned.value = before === null ? docs : [...owned.value, ...docs]
      ownTrash.value = deleted
      found.value = wanted
      next.value = nextBefore
      note(true)
      noteOwned(recentDocuments.peek(), new Set([...docs, ...deleted].map(({ id }) => id)))
      failure.value = undefined
    } catch (error) {
      if (mine !== asked) return
      if (error instanceof RequestError && error.status === 401) note(false)
      else failure.value = error
    }
  }

  return {
    query,
    filter,
    order,
    entries,
    isEmpty: computed(() => all.value.length === 0 && query.value.trim() === ''),
    signedIn,
    looksSignedIn,
    isComing: computed(() => signedIn.value === undefined && looksSignedIn.value && failure.value === undefined && all.value.length === 0),
    failure,
    hasMore: computed(() => next.value !== null),
    trash,
    unclaimed: computed(() => {
      // The account's loaded documents are only those that match the query. This device remembers the others.
      const claimed = new Set(recentDocuments.value.filter(({ inAccount }) => inAccount === true).map(({ id }) => id))
      const isUnclaimed = ({ id, role, inAccount, key }: Entry): boolean => role === 'owner' && !inAccount && key !== '' && !claimed.has(id)
      return signedIn.value === true ? all.value.filter(isUnclaimed) : []
    }),
    more: () => read(next.peek()),
    load: () => read(null)
  }
}
