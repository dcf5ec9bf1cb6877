/** Who is here, from the awareness of the connection. The server sets name, kind, role and hue of everyone. */
import type { Awareness } from 'y-protocols/awareness'
import { hues } from '../../shared/hues.ts'
import { t } from '../text/t.ts'

export interface Person {
  /** Client id of the page. */
  readonly id: number
  readonly name: string
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** 0–9, into the presence colours. */
  readonly hue: number
  readonly self: boolean
}

function person(id: number, state: Record<string, unknown>, self: boolean): Person | undefined {
  const user = state['user']
  if (typeof user !== 'object' || user === null) return undefined
  const { name, kind, role, hue } = user as Record<string, unknown>
  return {
    id,
    name: typeof name === 'string' && name.trim() !== '' ? name.slice(0, 80) : t('Guest'),
    kind: kind === 'agent' || kind === 'account' ? kind : 'guest',
    role: typeof role === 'string' ? role : '',
    hue: typeof hue === 'number' && Number.isInteger(hue) ? Math.abs(hue) % hues : id % hues,
    self
  }
}

/** Who it is on whichever page; guests are known by their page alone. */
const keyOf = ({ id, kind, name }: Person): string => (kind === 'guest' ? String(id) : `${kind} ${name}`)

/** Everyone in the colour of their name; of two people with one colour, the later has the next that is free, on all pages alike. */
function apart(list: readonly Person[]): Person[] {
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

/** Everyone, this page first, then by client id so that the order stays. */
export function people(awareness: Awareness): Person[] {
  const list = [...awareness.getStates()].flatMap(([id, state]) => person(id, state, id === awareness.clientID) ?? [])
  const coloured = apart(list.toSorted((one, other) => one.id - other.id))
  return coloured.toSorted((one, other) => Number(other.self) - Number(one.self))
}
