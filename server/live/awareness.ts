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
  /** Common to all pages of one person on one document; it tells nobody who that is. */
  readonly person?: string
  /** Tells a guest without a name from others on this document, on every day; 10–99. */
  readonly number?: number
}

/** Shown for a guest who gave no name, by a link that names nobody. */
export const guestWithoutName = 'Guest'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The name that a guest's state asks for, made fit to be shown; '' when there is none. */
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

// Presence lasts no longer than the process: pages come back to a new one and are marked again.
const markKey = randomBytes(32)

/** The mark of a person on a document: of an account by its id, of a guest by the device. Nobody can show another's without knowing that. */
const markOf = (doc: string, { identity }: Caller, state: Record<string, unknown>): string | undefined => {
  const who = identity.kind === 'guest' ? deviceOf(state) : `${identity.id}${identity.program ?? ''}`
  return who === '' ? undefined : createHmac('sha256', markKey).update(`${doc} ${identity.kind} ${who}`).digest('base64url').slice(0, 16)
}

/** Two digits, for avatars: of two such guests on a document one pair in ninety has the same. */
const [numberMin, numbers] = [10, 90]

/** From the device alone, so that it outlives the process; on another document it is another one. */
const numberOf = (doc: string, device: string): number | undefined =>
  device === '' ? undefined : (createHash('sha256').update(`guest ${doc} ${device}`).digest().readUInt32BE() % numbers) + numberMin

/** The part of a component that is being changed there (web/components/holds.ts); nothing else of what was sent. */
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
  // A page asks for a name before it is told the one of its link: nobody sees a guest who is somebody else a moment later.
  const guest = askedName(sent) || (caller.linkName ?? guestWithoutName)
  const name = nameOfIdentity(identity) ?? guest
  const person = markOf(doc, caller, sent)
  const number = identity.kind === 'guest' && name === guestWithoutName ? numberOf(doc, deviceOf(sent)) : undefined
  const user: PresenceUser = {
    name,
    kind: identity.kind === 'account' && identity.program !== undefined ? 'agent' : identity.kind,
    role: caller.role ?? 'view',
    hue: hueOfName(name),
    ...(person !== undefined && { person }),
    ...(number !== undefined && { number })
  }
  const holds = heldPart(sent['holds'])
  return { user, ...(isRecord(sent['cursor']) ? { cursor: sent['cursor'] } : {}), ...(holds === undefined ? {} : { holds }) }
}

/**
 * Client ids that an awareness message declares gone. Hocuspocus 4.7 drops them when it encodes the message again, and the ghost would
 * stay until the socket closes. Errors: throws when the message does not decode.
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
