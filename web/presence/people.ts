/** The people who are here, from the awareness of the connection. The server sets name, kind, role, hue and mark of everyone. */
import type { Awareness } from 'y-protocols/awareness'
import { hueOfName, hues } from '../../shared/hues.ts'
import { t } from '../text/t.ts'

/** One page's state of its person. */
export interface Page {
  /** Client id. */
  readonly id: number
  /** A guest who gave none is told apart by a number. */
  readonly name: string
  readonly nameless: boolean
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** 0–9, into the presence colours. */
  readonly hue: number
  /** This page, or another tab of this person. */
  readonly self: boolean
}

/** Somebody with all their pages. */
export interface Person extends Page {
  /** Client ids of their pages; `id` is the one that shows where they work. */
  readonly pages: readonly number[]
}

interface Marked extends Page {
  /** Common to all pages of one person; absent: the page is all that is known. */
  readonly mark: string | undefined
}

// The server marks the pages of others in their states; the mark of one's own comes by itself.
const ownMarks = new WeakMap<Awareness, string>()

const ownNumbers = new WeakMap<Awareness, number>()

/** Notes how the server marks the pages of this person, and by which number it knows a guest without a name. */
export function setOwnMark(awareness: Awareness, mark: string, number?: number): void {
  if (ownMarks.get(awareness) === mark && ownNumbers.get(awareness) === number) return
  ownMarks.set(awareness, mark)
  if (number !== undefined) ownNumbers.set(awareness, number)
  awareness.emit('change', [{ added: [], updated: [awareness.clientID], removed: [] }, 'local'])
}

/** The service names a guest without a name in English. */
const givenName = (name: unknown): string => (typeof name === 'string' && name.trim() !== '' && name !== 'Guest' ? name.slice(0, 80) : '')

const guestName = (number: unknown): string =>
  typeof number === 'number' && Number.isInteger(number) ? t('Guest {number}', { number: String(number) }) : t('Guest')

/** The name of somebody in what they write: guests without a name all the same, as the service stores it. */
export const plainNameOf = ({ name, nameless }: Pick<Page, 'name' | 'nameless'>): string => (nameless ? t('Guest') : name)

/** The colour that the service gives to a name: what this page says of itself comes back to the others alone. */
const hueOfServer = (name: unknown): number => hueOfName(typeof name === 'string' && name.trim() !== '' ? name.trim() : 'Guest')

function pageOf(awareness: Awareness, id: number, state: Record<string, unknown>): Marked | undefined {
  const user = state['user']
  if (typeof user !== 'object' || user === null) return undefined
  const { name, kind, role, hue, person, number } = user as Record<string, unknown>
  const own = ownMarks.get(awareness)
  const mark = id === awareness.clientID ? own : typeof person === 'string' ? person : undefined
  return {
    id,
    name: givenName(name) || guestName(id === awareness.clientID ? ownNumbers.get(awareness) : number),
    nameless: givenName(name) === '',
    kind: kind === 'agent' || kind === 'account' ? kind : 'guest',
    role: typeof role === 'string' ? role : '',
    hue: typeof hue === 'number' && Number.isInteger(hue) ? Math.abs(hue) % hues : hueOfServer(name),
    self: id === awareness.clientID || (own !== undefined && mark === own),
    mark
  }
}

/** The identity of a person on whichever page; guests without a mark are known by their page alone. */
const keyOf = ({ id, kind, name, mark }: Marked): string => mark ?? (kind === 'guest' ? String(id) : `${kind} ${name}`)

/** Everyone in the colour of their name; of two people with one colour, the later has the next that is free, on all pages alike. */
function apart(list: readonly Marked[]): Marked[] {
  const taken = new Set<number>()
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
  return apart(list.toSorted((one, other) => one.id - other.id))
}

/** Every page but this one, by client id so that the order stays. */
export const otherPages = (awareness: Awareness): Page[] => marked(awareness).filter(({ id }) => id !== awareness.clientID)

/** Everyone once, however many pages they have open: this person first, then by client id so that the order stays. */
export function people(awareness: Awareness): Person[] {
  const states = awareness.getStates()
  const all = new Map<string, Marked[]>()
  for (const page of marked(awareness)) all.set(keyOf(page), [...(all.get(keyOf(page)) ?? []), page])
  const list = [...all.values()].flatMap((pages) => {
    // This page is where one works; of others, one that shows a place in the text.
    const shown =
      pages.find(({ id }) => id === awareness.clientID) ?? pages.find(({ id }) => states.get(id)?.['cursor'] != null) ?? pages[0]
    if (shown === undefined) return []
    const { mark: _mark, ...page } = shown
    return [{ ...page, pages: pages.map(({ id }) => id) }]
  })
  return list.toSorted((one, other) => Number(other.self) - Number(one.self))
}
