/**
 * Presence under the server's control: one client id per connection, never another's; name, kind, role and colour are set here.
 * A client chooses its cursor and, as a guest, a name; the id of its device never leaves the server.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import * as decoding from 'lib0/decoding'
import { type Caller, nameOfIdentity } from '../domain/rights/caller.ts'
import { hueOfName } from '../../shared/hues.ts'
import { limits } from '../../shared/limits.ts'

export interface PresenceUser {
  readonly name: string
  readonly kind: 'guest' | 'account' | 'agent'
  readonly role: string
  /** Index into the palette of presence colours, 0–9. */
  readonly hue: number
  /** The same for all pages of one person on one document; it does not reveal who that is. */
  readonly person?: string
  /** Distinguishes a guest without a name on this document, permanently; 10–99. */
  readonly number?: number
}

/** The name shown for a guest without a name, on a link that names nobody. */
export const guestWithoutName = 'Guest'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The requested name in a guest's state, made safe to show; '' if there is none. */
const askedName = (state: Record<string, unknown>): string => {
  const name = isRecord(state['user']) ? state['user']['name'] : undefined
  const shown =
    typeof name === 'string'
      ? name
          .toWellFormed()
          .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
          .trim()
      : ''
  return shown.slice(0, limits.authorCharsMax)
}

const deviceCharsMax = 64

/** A guest's own name for itself, known only to its own pages; '' when it sends none. */
const deviceOf = (state: Record<string, unknown>): string => {
  const device = state['device']
  return typeof device === 'string' && device.length <= deviceCharsMax ? device : ''
}

// Presence does not outlive the process: pages reconnect to a new one and are marked again.
const markKey = randomBytes(32)

/**
 * The mark of a person on a document, derived from the account id or, for a guest, the device. Nobody can use another's mark without knowing that.
 */
const markOf = (doc: string, { identity }: Caller, state: Record<string, unknown>): string | undefined => {
  const who = identity.kind === 'guest' ? deviceOf(state) : `${identity.id}${identity.program ?? ''}`
  return who === '' ? undefined : createHmac('sha256', markKey).update(`${doc} ${identity.kind} ${who}`).digest('base64url').slice(0, 16)
}

/** Two digits, for avatars: of two such guests on a document one pair in ninety has the same. */
const [numberMin, numbers] = [10, 90]

/** Derived only from device and document, so that it outlives the process and differs between documents. */
const numberOf = (doc: string, device: string): number | undefined =>
  device === '' ? undefined : (createHash('sha256').update(`guest ${doc} ${device}`).digest().readUInt32BE() % numbers) + numberMin

/** The part of a component that is being changed there (web/components/holds.ts); other sent data is dropped. */
const heldPart = (holds: unknown): { readonly fence: string; readonly item: string } | undefined => {
  if (!isRecord(holds)) return undefined
  const { fence, item } = holds
  return typeof fence === 'string' && typeof item === 'string' ? { fence, item } : undefined
}

/** The state that others see, whatever was sent. */
export const presentState = (
  state: unknown,
  caller: Caller,
  doc: string
): { readonly user: PresenceUser; readonly cursor?: unknown; readonly holds?: unknown } => {
  const sent = isRecord(state) && JSON.stringify(state).length <= limits.awarenessStateCharsMax ? state : {}
  const { identity } = caller
  // A page asks for a name before it knows that of its link. So nobody sees a guest whose name changes a moment later.
  const guest = askedName(sent) || (caller.linkName ?? guestWithoutName)
  const name = nameOfIdentity(identity) ?? guest
  const person = markOf(doc, caller, sent)
  const number = identity.kind === 'guest' && name === guestWithoutName ? numberOf(doc, deviceOf(sent)) : undefined
  const user: PresenceUser = {
    name,
    kind: identity.kind === 'account' && identity.program !== undefined ? 'agent' : identity.kind,
    role: caller.role ?? 'view',
    // Each guest without a name keeps a colour, as each keeps a number.
    hue: hueOfName(number === undefined ? name : `${name} ${number}`),
    ...(person !== undefined && { person }),
    ...(number !== undefined && { number })
  }
  const holds = heldPart(sent['holds'])
  return { user, ...(isRecord(sent['cursor']) ? { cursor: sent['cursor'] } : {}), ...(holds === undefined ? {} : { holds }) }
}

/** The states of an awareness message that are not removed, with their clocks. Errors: throws when the message does not decode. */
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
 * Client ids that an awareness message removes. Hocuspocus 4.7 drops them when it re-encodes the message, so their presence would stay until the
 * socket closes. Errors: throws when the message does not decode.
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
