/**
 * Presence, which the server controls. Each connection has one client id that no other connection may use. The server sets name, kind, role and
 * color. A client chooses its cursor and, as a guest, a name. The server never passes on the id of the client's device.
 */
import * as decoding from 'lib0/decoding'
import { type Caller, nameOfIdentity } from '../domain/rights/caller.ts'
import type { Vault } from '../domain/secrets.ts'
import { hueOfName, hues, ownHue } from '../../shared/hues.ts'
import { limits } from '../../shared/limits.ts'

type Disguise = Vault['disguise']

export interface PresenceUser {
  readonly name: string
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** The index of a color in the presence palette, from 0 to 9. */
  readonly hue: number
  /** A mark that all of a person's pages share on one document. It does not reveal the person's identity. */
  readonly person?: string
  /** A number that permanently distinguishes a guest without a name from other such guests on this document (guest-numbers.ts). */
  readonly number?: number
}

/** The name shown for a guest without a name whose link has no name either. */
export const guestWithoutName = 'Guest'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the name that a guest requests, in a form that is safe to show; '' if the guest requests none. */
const askedName = (state: Record<string, unknown>): string => {
  const name = isRecord(state['user']) ? state['user']['name'] : undefined
  const shown =
    typeof name === 'string'
      ? name
          .toWellFormed()
          .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
          .trim()
      : ''
  return shown.slice(0, limits.authorUnitsMax)
}

const deviceUnitsMax = 64

/** Returns the id of a guest's device; '' if the guest sends none. Only that guest's pages know the id. */
const deviceOf = (state: Record<string, unknown>): string => {
  const device = state['device']
  return typeof device === 'string' && device.length <= deviceUnitsMax ? device : ''
}

/**
 * Returns the mark of a person on a document. It is derived from the account id or, for a guest, from the device id. Only someone who knows that id
 * can use the mark. `disguise` is the same on all nodes (`Vault`), and so are the marks.
 */
const markOf = (doc: string, { identity }: Caller, state: Record<string, unknown>, disguise: Disguise): string | undefined => {
  const who = identity.kind === 'guest' ? deviceOf(state) : `${identity.id}${identity.program ?? ''}`
  return who === '' ? undefined : disguise(`presence ${doc} ${identity.kind} ${who}`).slice(0, 16)
}

/**
 * Returns the name of a guest. A page sends its first presence before it knows the name of its link. For a guest who requests no name, the server
 * therefore inserts the link's name. Otherwise, others would see the guest's name change a moment later.
 */
const guestNameOf = (state: Record<string, unknown>, linkName: string | null): string => askedName(state) || (linkName ?? guestWithoutName)

/** Returns the device of a guest without a name, who needs a number; undefined for everyone else. */
export const unnamedDevice = (state: unknown, { identity, linkName }: Caller): string | undefined => {
  const isUnnamed = identity.kind === 'guest' && identity.name === null && isRecord(state)
  return isUnnamed && guestNameOf(state, linkName) === guestWithoutName ? deviceOf(state) || undefined : undefined
}

/** Returns the part of a component that the person is changing (web/components/holds.ts), and drops all other data. */
const heldPart = (holds: unknown): { readonly fence: string; readonly item: string } | undefined => {
  if (!isRecord(holds)) return undefined
  const { fence, item } = holds
  return typeof fence === 'string' && typeof item === 'string' ? { fence, item } : undefined
}

/** Matches the name of a cell, such as `AB12`. */
const cellName = /^[A-Z]{1,2}[1-9]\d{0,5}$/

/** Returns the cell that the person has selected in a sheet (web/components/holds.ts), and drops all other data. */
const selectedCell = (selected: unknown): { readonly fence: string; readonly cell: string } | undefined => {
  if (!isRecord(selected)) return undefined
  const { fence, cell } = selected
  const isValid =
    typeof fence === 'string' && fence.length <= limits.awarenessFenceUnitsMax && typeof cell === 'string' && cellName.test(cell)
  return isValid ? { fence, cell } : undefined
}

/** Returns the state that other people see, regardless of what the client sent. `guestNumber` is the number of the connection's device, if known. */
export const presentState = (
  state: unknown,
  caller: Caller,
  doc: string,
  disguise: Disguise,
  guestNumber?: number
): { readonly user: PresenceUser; readonly cursor?: unknown; readonly holds?: unknown; readonly selected?: unknown } => {
  const sent = isRecord(state) && JSON.stringify(state).length <= limits.awarenessStateUnitsMax ? state : {}
  const { identity } = caller
  const name = nameOfIdentity(identity) ?? guestNameOf(sent, caller.linkName)
  const person = markOf(doc, caller, sent, disguise)
  const number = identity.kind === 'guest' && name === guestWithoutName ? guestNumber : undefined
  const user: PresenceUser = {
    name,
    kind: identity.kind === 'account' && identity.program !== undefined ? 'agent' : identity.kind,
    role: caller.role ?? 'view',
    // A guest without a name keeps the same color, just as the guest keeps the same number.
    hue: hueOfName(number === undefined ? name : `${name} ${number}`),
    ...(person !== undefined && { person }),
    ...(number !== undefined && { number })
  }
  const holds = heldPart(sent['holds'])
  const selected = selectedCell(sent['selected'])
  return {
    user,
    ...(isRecord(sent['cursor']) ? { cursor: sent['cursor'] } : {}),
    ...(holds === undefined ? {} : { holds }),
    ...(selected === undefined ? {} : { selected })
  }
}

/** Identifies a person across pages, as pages do (web/presence/people.ts). A guest without a mark is identified by the page only. */
const personOf = (client: number, { person, kind, name }: PresenceUser): string =>
  person ?? (kind === 'guest' ? String(client) : `${kind} ${name}`)

/**
 * Returns the color of a person who is about to be shown. The color of the name goes to the person who came first. Another person with this color gets
 * the next free one. Both keep their color while they are present under the same name.
 */
export const presentHue = (states: ReadonlyMap<number, unknown>, client: number, user: PresenceUser): number => {
  const userOf = (state: unknown): PresenceUser | undefined => (isRecord(state) ? (state['user'] as PresenceUser | undefined) : undefined)
  const isSame = (other: PresenceUser | undefined): other is PresenceUser => other?.name === user.name && other.number === user.number
  const before = userOf(states.get(client))
  if (isSame(before)) return before.hue
  const own = personOf(client, user)
  const taken = new Set<number>([ownHue])
  for (const [id, state] of states) {
    const other = userOf(state)
    if (other === undefined || id === client) continue
    if (personOf(id, other) !== own) taken.add(other.hue)
    else if (isSame(other)) return other.hue
  }
  let { hue } = user
  if (taken.size < hues) while (taken.has(hue)) hue = (hue + 1) % hues
  return hue
}

/** Returns the states of an awareness message that are not removals, with their clocks. Throws if the message cannot be decoded. */
export const readStates = (message: Uint8Array): { states: Map<number, Record<string, unknown>>; clocks: Map<number, number> } => {
  const decoder = decoding.createDecoder(message)
  const states = new Map<number, Record<string, unknown>>()
  const clocks = new Map<number, number>()
  for (let count = decoding.readVarUint(decoder); count > 0; count--) {
    const client = decoding.readVarUint(decoder)
    const clock = decoding.readVarUint(decoder)
    const state = JSON.parse(decoding.readVarString(decoder)) as Record<string, unknown> | null
    if (state === null) continue
    states.set(client, state)
    clocks.set(client, clock)
  }
  return { states, clocks }
}

/**
 * Returns the client ids that an awareness message removes. Hocuspocus 4.7 drops these ids when it encodes the message again, so their presence
 * would stay until the socket closes. Throws if the message cannot be decoded.
 */
export const removedClients = (message: Uint8Array): number[] => {
  const decoder = decoding.createDecoder(message)
  const removed: number[] = []
  const count = decoding.readVarUint(decoder)
  if (count > message.length) throw new RangeError('a count exceeds the message')
  for (let index = 0; index < count; index++) {
    const client = decoding.readVarUint(decoder)
    decoding.readVarUint(decoder)
    if (decoding.readVarString(decoder) === 'null') removed.push(client)
  }
  return removed
}
