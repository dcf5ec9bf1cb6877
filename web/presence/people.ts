/** The people present, from the awareness of the connection. The server sets everyone's name, kind, role, hue and mark. */
import type { Awareness } from 'y-protocols/awareness'
import { hueOfName, hues, ownHue } from '../../shared/hues.ts'
import { t } from '../text/t.ts'

/** The state of one page and its person. */
export interface Page {
  /** Client id. */
  readonly id: number
  /** A guest without a name has a number instead. */
  readonly name: string
  readonly nameless: boolean
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** 0–9, an index into the presence colours. */
  readonly hue: number
  /** This page, or another tab of this person. */
  readonly self: boolean
}

/** A person with all their pages. */
export interface Person extends Page {
  /** Client ids of their pages; `id` is the page that shows where they work. */
  readonly pages: readonly number[]
}

interface Marked extends Page {
  /** The same on all pages of one person; absent: only this page is known. */
  readonly mark: string | undefined
}

// The server puts marks into the states of other pages; this page receives its own mark separately.
const ownMarks = new WeakMap<Awareness, string>()

const ownNumbers = new WeakMap<Awareness, number>()

/** Records this person's mark and, for an unnamed guest, their number. */
export function setOwnMark(awareness: Awareness, mark: string, number?: number): void {
  if (ownMarks.get(awareness) === mark && ownNumbers.get(awareness) === number) return
  ownMarks.set(awareness, mark)
  if (number !== undefined) ownNumbers.set(awareness, number)
  awareness.emit('change', [{ added: [], updated: [awareness.clientID], removed: [] }, 'local'])
}

/** The service calls an unnamed guest "Guest", in English. */
const givenName = (name: unknown): string => (typeof name === 'string' && name.trim() !== '' && name !== 'Guest' ? name.slice(0, 80) : '')

const guestName = (number: unknown): string =>
  typeof number === 'number' && Number.isInteger(number) ? t('Guest {number}', { number: String(number) }) : t('Guest')

/** A person's name as the service stores it with their text: it does not tell unnamed guests apart. */
export const plainNameOf = ({ name, nameless }: Pick<Page, 'name' | 'nameless'>): string => (nameless ? t('Guest') : name)

/** The colour that the service gives to a name. A page needs it for itself, because the service sends its state only to the others. */
const hueOfServer = (name: unknown, number: unknown): number =>
  hueOfName(typeof name === 'string' && name.trim() !== '' ? name.trim() : typeof number === 'number' ? `Guest ${number}` : 'Guest')

function pageOf(awareness: Awareness, id: number, state: Record<string, unknown>): Marked | undefined {
  const user = state['user']
  if (typeof user !== 'object' || user === null) return undefined
  const { name, kind, role, hue, person, number } = user as Record<string, unknown>
  const own = ownMarks.get(awareness)
  const mark = id === awareness.clientID ? own : typeof person === 'string' ? person : undefined
  const known = id === awareness.clientID ? ownNumbers.get(awareness) : number
  return {
    id,
    name: givenName(name) || guestName(known),
    nameless: givenName(name) === '',
    kind: kind === 'agent' || kind === 'account' ? kind : 'guest',
    role: typeof role === 'string' ? role : '',
    hue: typeof hue === 'number' && Number.isInteger(hue) ? Math.abs(hue) % hues : hueOfServer(name, known),
    self: id === awareness.clientID || (own !== undefined && mark === own),
    mark
  }
}

/** Identifies a person on all their pages. A guest without a mark is known only by the page. */
const keyOf = ({ id, kind, name, mark }: Marked): string => mark ?? (kind === 'guest' ? String(id) : `${kind} ${name}`)

/** Everyone in the colour of their name. If two people share a colour, the later one by mark gets the next free one, the same on every page and after each reload. */
function apart(list: readonly Marked[]): Marked[] {
  const taken = new Set<number>([ownHue])
  const known = new Map<string, number>()
  return list.map((each) => {
    const key = keyOf(each)
    let hue = known.get(key) ?? each.hue
    if (!known.has(key) && taken.size < hues) while (taken.has(hue)) hue = (hue + 1) % hues
    taken.add(hue)
    known.set(key, hue)
    return { ...each, hue }
  })
}

const marked = (awareness: Awareness): Marked[] => {
  const list = [...awareness.getStates()].flatMap(([id, state]) => pageOf(awareness, id, state) ?? [])
  const markOf = ({ mark = '' }: Marked): string => mark
  const byMark = list.toSorted((one, other) => (markOf(one) === markOf(other) ? one.id - other.id : markOf(one) < markOf(other) ? -1 : 1))
  return apart(byMark).toSorted((one, other) => one.id - other.id)
}

/** Every other page, by client id so that the order is stable. */
export const otherPages = (awareness: Awareness): Page[] => marked(awareness).filter(({ id }) => id !== awareness.clientID)

/** Everyone once, however many pages they have open: this person first, then by client id so that the order is stable. */
export function people(awareness: Awareness): Person[] {
  const states = awareness.getStates()
  const all = new Map<string, Marked[]>()
  for (const page of marked(awareness)) all.set(keyOf(page), [...(all.get(keyOf(page)) ?? []), page])
  const list = [...all.values()].flatMap((pages) => {
    // For this person it is this page; for others, a page with a cursor in the text.
    const shown =
      pages.find(({ id }) => id === awareness.clientID) ?? pages.find(({ id }) => states.get(id)?.['cursor'] != null) ?? pages[0]
    if (shown === undefined) return []
    const { mark: _mark, ...page } = shown
    return [{ ...page, pages: pages.map(({ id }) => id) }]
  })
  return list.toSorted((one, other) => Number(other.self) - Number(one.self))
}
