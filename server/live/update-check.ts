/**
 * Checks a Yjs update before it touches the live document. Yjs itself does not validate anything: a 7-byte update may cost 233 MB, a 6-byte update
 * may erase another person's typing, and an update that throws halfway remains half applied.
 *
 * The check accepts V1 updates without gaps that only insert plain text into our one root or delete text. Nobody else may be using the client ids in
 * the update.
 *
 *   update     count of clients · client…  · delete set
 *   client     count of structs · client id · clock of the first struct · struct…
 *   struct     info byte: bits 1–5 kind, bit 6 has a key, bit 7 has a right origin, bit 8 has a left origin
 *     0 GC     length
 *     10 skip  length
 *     else     left origin? · right origin? · parent, if there is neither · key? · content
 *   delete set count of clients · (client id · count of ranges · (clock · length)…)…
 */
import * as decoding from 'lib0/decoding'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'

/**
 * The reason why an update was refused. An honest client never causes `malformed` or `foreign`. After `gap` or `client_id`, the client synchronizes
 * again.
 */
export type RefusalReason = 'malformed' | 'foreign' | 'gap' | 'client_id'

export class UpdateRefused extends Error {
  readonly reason: RefusalReason
  /** The client id in the update that belongs to another connection. */
  readonly client: number | undefined

  constructor(reason: RefusalReason, what: string, client?: number) {
    super(what)
    this.name = 'UpdateRefused'
    this.reason = reason
    this.client = client
  }
}

export interface Span {
  readonly client: number
  readonly from: number
  readonly to: number
}

/** A struct that must come after a struct of another client. */
interface Dependency {
  readonly client: number
  readonly clock: number
  readonly on: number
  readonly onClock: number
}

export interface ParsedUpdate {
  /** Structs by client, with clocks from `from` up to but not including `to`. Each client occurs once. */
  readonly spans: readonly Span[]
  /** The structs that must come after structs of other clients, in the order of the update. */
  readonly dependencies: readonly Dependency[]
  readonly deletions: readonly Span[]
  /** Structs that insert text. Consecutive structs are joined. */
  readonly texts: readonly Span[]
  /** For each client, the highest clock that the update needs but does not contain. */
  readonly needs: ReadonlyMap<number, number>
  /** The number of inserted UTF-16 units. */
  readonly inserted: number
  /** The number of deleted units. */
  readonly deleted: number
  /** Whether the inserted text contains a carriage return or NUL, which the document does not store. */
  readonly untidy: boolean
}

const clockMax = 2 ** 31
const clientMax = 2 ** 32 - 1

const kindOf = { gc: 0, deleted: 1, string: 4, skip: 10 } as const

const refuse = (what: string): never => {
  throw new UpdateRefused('malformed', what)
}

const readClock = (decoder: decoding.Decoder): number => {
  const clock = decoding.readVarUint(decoder)
  return clock <= clockMax ? clock : refuse('a clock is out of range')
}

const readClient = (decoder: decoding.Decoder): number => {
  const client = decoding.readVarUint(decoder)
  return client <= clientMax ? client : refuse('a client id is out of range')
}

/**
 * Reads a number of items, each of which takes at least one byte. A number that exceeds the remaining bytes must be wrong, and using it would waste
 * memory.
 */
const readCount = (decoder: decoding.Decoder): number => {
  const count = decoding.readVarUint(decoder)
  return count <= decoder.arr.length - decoder.pos ? count : refuse('a count exceeds the message')
}

const readLength = (decoder: decoding.Decoder): number => {
  const length = readClock(decoder)
  return length > 0 ? length : refuse('a length is zero')
}

interface Content {
  readonly length: number
  readonly text: string
}

const readParent = (decoder: decoding.Decoder, info: number): void => {
  if (decoding.readVarUint(decoder) !== 1) throw new UpdateRefused('foreign', 'an item is in a nested type')
  const root = decoding.readVarString(decoder)
  if (root !== textRootName) throw new UpdateRefused('foreign', 'an item is in another root')
  if ((info & 0x20) !== 0) throw new UpdateRefused('foreign', 'an item has a key')
}

const readContent = (decoder: decoding.Decoder, kind: number): Content => {
  if (kind === kindOf.deleted) return { length: readLength(decoder), text: '' }
  if (kind !== kindOf.string) throw new UpdateRefused('foreign', `content of kind ${kind}`)
  const text = decoding.readVarString(decoder)
  return text.length > 0 ? { length: text.length, text } : refuse('an empty string')
}

/** Parses an update, in time and memory proportional to its bytes. Throws `UpdateRefused`. */
export const parseUpdate = (update: Uint8Array): ParsedUpdate => {
  const decoder = decoding.createDecoder(update)
  const spans: Span[] = []
  const deletions: Span[] = []
  const texts: Span[] = []
  const dependencies: Dependency[] = []
  const needs = new Map<number, number>()
  const clients = new Set<number>()
  let inserted = 0
  let deleted = 0
  let untidy = false
  const need = (client: number, clock: number): void => {
    if (clock >= (needs.get(client) ?? 0)) needs.set(client, clock + 1)
  }
  const noteText = (client: number, from: number, length: number): void => {
    const last = texts.at(-1)
    if (last?.client === client && last.to === from) texts[texts.length - 1] = { ...last, to: from + length }
    else texts.push({ client, from, to: from + length })
  }
  const readOrigin = (client: number, clock: number): void => {
    const on = readClient(decoder)
    const onClock = readClock(decoder)
    // Yjs does not check whether an item of the same client already exists. An item that refers to itself would throw after half of the update was
    // applied.
    if (on === client && onClock >= clock) throw new UpdateRefused('gap', 'an item refers to a later item of its own client')
    need(on, onClock)
    if (on !== client) dependencies.push({ client, clock, on, onClock })
  }
  const readStruct = (client: number, clock: number): number => {
    const info = decoding.readUint8(decoder)
    const kind = info & 0x1f
    if (kind === kindOf.gc) return readLength(decoder)
    if (kind === kindOf.skip) return refuse('a skip')
    if ((info & 0x80) !== 0) readOrigin(client, clock)
    if ((info & 0x40) !== 0) readOrigin(client, clock)
    if ((info & 0xc0) === 0) readParent(decoder, info)
    const { length, text } = readContent(decoder, kind)
    inserted += text.length
    if (text !== '') noteText(client, clock, text.length)
    untidy ||= text.includes('\r') || text.includes('\0')
    return length
  }
  try {
    for (let count = readCount(decoder); count > 0; count--) {
      const structs = readCount(decoder)
      const client = readClient(decoder)
      // If an update has two lists of structs for one client, Yjs keeps the second list and waits forever for the first.
      if (clients.has(client)) refuse('a client appears twice')
      if (clients.add(client).size > limits.updateClientsMax) refuse('too many clients')
      const from = readClock(decoder)
      let to = from
      for (let index = 0; index < structs; index++) to += readStruct(client, to)
      if (to > clockMax) refuse('a clock is out of range')
      spans.push({ client, from, to })
    }
    for (let clients = readCount(decoder); clients > 0; clients--) {
      const client = readClient(decoder)
      for (let ranges = readCount(decoder); ranges > 0; ranges--) {
        const from = readClock(decoder)
        const length = readLength(decoder)
        deleted += length
        deletions.push({ client, from, to: from + length })
      }
    }
  } catch (error) {
    if (error instanceof UpdateRefused) throw error
    throw new UpdateRefused('malformed', 'the update cannot be decoded')
  }
  if (decoding.hasContent(decoder)) refuse('bytes follow the update')
  return { spans, dependencies, deletions, texts, needs, inserted, deleted, untidy }
}

export interface DocumentState {
  /** Returns the clock up to which the document has structs of this client. */
  clockOf(client: number): number
  /** Whether another open connection writes with this client id. */
  takenByOther(client: number): boolean
}

const append = <T>(lists: Map<number, T[]>, key: number, item: T): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

// The maximum number of times that structs wait for structs of another client. Honest updates need few such waits.
const waitsMax = 1_000_000

/**
 * Whether the structs can be ordered so that each comes after the structs that it depends on. Structs in a cycle would stay pending forever:
 * acknowledged, but not in the text.
 */
const isOrderable = (update: ParsedUpdate, clockOf: (client: number) => number): boolean => {
  const ends = new Map(update.spans.map(({ client, to }) => [client, to]))
  const waiting = new Map<number, Dependency[]>()
  for (const each of update.dependencies)
    if (each.clock >= clockOf(each.client) && each.onClock >= clockOf(each.on) && ends.has(each.on)) append(waiting, each.client, each)
  const next = new Map<number, number>()
  // Returns the clock up to which the structs of a client are in place.
  const reached = (client: number): number => waiting.get(client)?.[next.get(client) ?? 0]?.clock ?? ends.get(client) ?? clockOf(client)
  const waiters = new Map<number, number[]>()
  const ready = [...waiting.keys()]
  let waits = 0
  for (let client = ready.pop(); client !== undefined; client = ready.pop()) {
    const own = waiting.get(client) ?? []
    const before = reached(client)
    let index = next.get(client) ?? 0
    for (let each = own[index]; each !== undefined && reached(each.on) > each.onClock; each = own[index]) index++
    next.set(client, index)
    const blocked = own[index]
    if (blocked !== undefined) append(waiters, blocked.on, client)
    if (reached(client) === before) continue
    const woken = waiters.get(client) ?? []
    waiters.delete(client)
    waits += woken.length
    if (waits > waitsMax) return false
    ready.push(...woken)
  }
  return [...waiting].every(([client, own]) => next.get(client) === own.length)
}

/**
 * Checks a parsed update against the document. Returns the clients that have new structs in the update. Throws `UpdateRefused` with `gap` if the
 * update builds on missing structs, or with `client_id` if it writes with the id of another connection.
 */
export const checkUpdate = (update: ParsedUpdate, state: DocumentState): number[] => {
  const known = new Map<number, number>()
  const clockOf = (client: number): number => known.get(client) ?? state.clockOf(client)
  const news: number[] = []
  for (const { client, from, to } of update.spans) {
    const clock = clockOf(client)
    if (from > clock) throw new UpdateRefused('gap', `client ${client} continues at ${from}, the document has ${clock}`)
    if (to <= clock) continue
    if (state.takenByOther(client)) throw new UpdateRefused('client_id', `client ${client} belongs to another connection`, client)
    known.set(client, to)
    news.push(client)
  }
  for (const [client, clock] of update.needs)
    if (clockOf(client) < clock) throw new UpdateRefused('gap', `client ${client} is known up to ${clockOf(client)}, not ${clock}`)
  if (update.dependencies.length > 0 && !isOrderable(update, state.clockOf))
    throw new UpdateRefused('gap', 'items refer to each other in a cycle')
  for (const { client, to } of update.deletions)
    if (clockOf(client) < to) throw new UpdateRefused('gap', `a deletion of client ${client} reaches beyond ${clockOf(client)}`)
  return news
}
