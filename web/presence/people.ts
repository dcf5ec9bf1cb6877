/** The people present, read from the awareness of the connection. The server sets everyone's name, kind, role, color and mark. */
import type { Awareness } from 'y-protocols/awareness'
import { hueOfName, hues, ownHue } from '../../shared/hues.ts'
import { t } from '../text/t.ts'
import { guestNumber, ownNumber, personName } from './person.ts'

/** A page and the person who uses it. */
export interface Page {
  /** The awareness client id of the page. */
  readonly id: number
  /** The name of the person. An unnamed guest has a number instead. */
  readonly name: string
  readonly nameless: boolean
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** The color, as an index into the presence colors, 0–9. */
  readonly hue: number
  /** Whether this is the current page or another tab of the same person. */
  readonly self: boolean
}

/** A person with all of their pages. */
export interface Person extends Page {
  /** Client ids of the person's pages. `id` is the page that shows where the person works. */
  readonly pages: readonly number[]
}

interface Marked extends Page {
  /** Identifies the person, with the same value on all of their pages. Undefined if the service has sent none. */
  readonly mark: string | undefined
}

// The server adds marks only to the states of other pages. This page receives its own mark separately.
const ownMarks = new WeakMap<Awareness, string>()
const ownHues = new WeakMap<Awareness, number | undefined>()

/** Records this person's mark, their color and, if they are an unnamed guest, their number. */
export function setOwnMark(awareness: Awareness, mark: string, number?: number, hue?: number): void {
  if (ownMarks.get(awareness) === mark && guestNumber.peek() === number && ownHues.get(awareness) === hue) return
  ownMarks.set(awareness, mark)
  ownHues.set(awareness, hue)
  guestNumber.value = number
  awareness.emit('change', [{ added: [], updated: [awareness.clientID], removed: [] }, 'local'])
}

/** Returns a chosen name, or '' if there is none. The service calls an unnamed guest "Guest", in English. */
const givenName = (name: unknown): string => (typeof name === 'string' && name.trim() !== '' && name !== 'Guest' ? name.slice(0, 80) : '')

const guestName = (number: unknown): string =>
  typeof number === 'number' && Number.isInteger(number) ? t('Guest {number}', { number: String(number) }) : t('Guest')

/**
 * Returns an author's name in the page's language. The service stores an unnamed guest as "Guest 27", or as "guest" if the number is not known. Only
 * this person's own number shows the name that they chose later, because the service does not verify the names of guests.
 */
export const displayName = (stored: string): string => {
  const found = /^guest(?: (\d+))?$/i.exec(stored)
  if (found === null) return stored
  const number = Number(found[1])
  return (number === ownNumber.value && personName.value) || guestName(number)
}

/** Returns a person's name as chats store it. In chats, all unnamed guests share one name. */
export const plainNameOf = ({ name, nameless }: Pick<Page, 'name' | 'nameless'>): string => (nameless ? t('Guest') : name)

/** Returns the color that the service assigns to a name. A page computes its own color until the service sends it. */
const hueOfServer = (name: unknown, number: unknown): number =>
  hueOfName(typeof name === 'string' && name.trim() !== '' ? name.trim() : typeof number === 'number' ? `Guest ${number}` : 'Guest')

function pageOf(awareness: Awareness, id: number, state: Record<string, unknown>): Marked | undefined {
  const user = state['user']
  if (typeof user !== 'object' || user === null) return undefined
  const { name, kind, role, hue: shown, person, number } = user as Record<string, unknown>
  const hue = id === awareness.clientID ? ownHues.get(awareness) : shown
  const own = ownMarks.get(awareness)
  const mark = id === awareness.clientID ? own : typeof person === 'string' ? person : undefined
  const known = id === awareness.clientID ? guestNumber.peek() : number
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

/** Identifies a person across pages. A guest without a mark is identified by the page only. */
const keyOf = ({ id, kind, name, mark }: Marked): string => mark ?? (kind === 'guest' ? String(id) : `${kind} ${name}`)

/**
 * Gives each person a distinct color, starting from the color that the service sent. The service gives people distinct colors, but two nodes may choose
 * the same color at once. If two people share a color, the person whose mark sorts later gets the
 * next free color, which is the same on every page and after each reload.
 */
function apart(list: readonly Marked[]): Marked[] {
  const taken = new Set<number>([ownHue])
  const known = new Map<string, number>()
  const give = (key: string, hue: number): void => {
    taken.add(hue)
    known.set(key, hue)
  }
  // First, everyone whose color is free gets that color. A person whose color is taken must not displace a third person.
  for (const each of list) if (!known.has(keyOf(each)) && !taken.has(each.hue)) give(keyOf(each), each.hue)
  return list.map((each) => {
    const key = keyOf(each)
    let hue = known.get(key) ?? each.hue
    if (!known.has(key) && taken.size < hues) while (taken.has(hue)) hue = (hue + 1) % hues
    give(key, hue)
    return { ...each, hue }
  })
}

const marked = (awareness: Awareness): Marked[] => {
  const list = [...awareness.getStates()].flatMap(([id, state]) => pageOf(awareness, id, state) ?? [])
  const markOf = ({ mark = '' }: Marked): string => mark
  const byMark = list.toSorted((one, other) => (markOf(one) === markOf(other) ? one.id - other.id : markOf(one) < markOf(other) ? -1 : 1))
  return apart(byMark).toSorted((one, other) => one.id - other.id)
}

/** Returns all other pages, sorted by client id so that the order is stable. */
export const otherPages = (awareness: Awareness): Page[] => marked(awareness).filter(({ id }) => id !== awareness.clientID)

/**
 * Returns each person once, however many pages they have open. This person comes first, and the others are sorted by client id, so that the order is
 * stable.
 */
export function people(awareness: Awareness): Person[] {
  const states = awareness.getStates()
  const all = new Map<string, Marked[]>()
  for (const page of marked(awareness)) all.set(keyOf(page), [...(all.get(keyOf(page)) ?? []), page])
  const list = [...all.values()].flatMap((pages) => {
    // This page represents this person. Each other person is represented by a page that has a cursor in the text.
    const shown =
      pages.find(({ id }) => id === awareness.clientID) ?? pages.find(({ id }) => states.get(id)?.['cursor'] != null) ?? pages[0]
    if (shown === undefined) return []
    const { mark: _mark, ...page } = shown
    return [{ ...page, pages: pages.map(({ id }) => id) }]
  })
  return list.toSorted((one, other) => Number(other.self) - Number(one.self))
}
