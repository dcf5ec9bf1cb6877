/** Who is here, from the awareness of the connection. The server sets name, kind, role and hue of everyone. */
import type { Awareness } from 'y-protocols/awareness'
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

const hues = 10

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

/** Everyone, this page first, then by client id so that the order stays. */
export function people(awareness: Awareness): Person[] {
  const list = [...awareness.getStates()].flatMap(([id, state]) => person(id, state, id === awareness.clientID) ?? [])
  return list.sort((one, other) => Number(other.self) - Number(one.self) || one.id - other.id)
}
