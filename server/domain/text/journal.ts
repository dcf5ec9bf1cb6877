/**
 * The journal: every update ever applied to a document, in order. It is the source of truth on disk, and also the history of the document.
 *
 * Numbers are unsigned variable-length integers. Strings and byte strings are length-prefixed (lib0).
 *
 *   record      format (1, or 2 if it has redacted entries, or 3 if it has merged ones) · first sequence number · tag before it · count · entry…
 *   entry       milliseconds since the previous entry (since 1970 for the first) · actor ('' = same as before) · in formats 2 and 3 the tag of a
 *               redacted entry ('' = computed) · in format 3 the number of earlier entries that it replaces · update (Yjs V1)
 *   segment     deflate-raw of: format (1) · count · record…
 *   state       format (1) · sequence number · tag · Yjs V1 state        (checkpoint and keyframe)
 *   projection  format (1) · sequence number · tag · Markdown in UTF-8 up to the end
 *
 * The entries of a document are numbered from 1 without gaps. The tag is a hash chain over the updates: tag(0) is random, tag(n) = the first 12 hex
 * digits of SHA-256(tag(n-1) · update(n)). `{n}-{tag(n)}` is the version of the document after entry n. Versions are ordered. A version has a
 * different tag if it was invented, or comes from another document or from a history that a restored backup lacks.
 *
 * A redacted entry is an update from which an operator removed text (redaction.ts). It keeps the tag of the original update.
 * A merged entry replaces a run of entries whose versions the server no longer keeps (retention.ts). Its number and tag are those of the last entry of
 * the run, and its update leads from the text before the run to the text after it. The versions in between no longer exist. A merged entry is also
 * redacted. While a crash or a reader is between two steps of a merge, entries that a merged entry replaces may still come before it.
 */
import { hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { type TextTitle, textRootName, titleIn } from '../../../shared/names.ts'
import { type Head, keys } from '../records/keys.ts'
import type { Key, Storage } from '../ports.ts'

const format = 1
/** The format of records with redacted entries. */
const redactedFormat = 2
/** The format of records with merged entries. */
const mergedFormat = 3
const tagDigits = 12

/** One update in the journal. */
export interface JournalEntry {
  readonly seq: number
  /** History tag after this entry. */
  readonly tag: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** `guest:Ana`, `account:id`, `agent:id` or `system:`. */
  readonly actor: string
  readonly update: Uint8Array
  /** Present if text was removed from the update. The tag is then stored, because it cannot be computed from the update. */
  readonly redacted?: true
  /** The number of earlier entries that this entry replaces. Absent if it replaces none. */
  readonly merged?: number
}

/** A point in a document's history. */
export interface Point {
  readonly seq: number
  readonly tag: string
}

/** The text at one point in the history. */
export interface Snapshot extends Point {
  readonly version: string
  readonly content: string
  /** The text in UTF-8. */
  readonly bytes: Uint8Array
  /** The text as a JSON string, in UTF-8. */
  readonly json: Uint8Array
  /** Titles found in the text. */
  readonly titles: TextTitle
}

/**
 * Options of every Y.Doc on the server. Without a guid, Yjs draws 31 random numbers for each document, which costs more than the rest of it. Only
 * documents inside documents need one.
 */
export const docOptions = { guid: 'document' } as const

export const firstTag = (): string => randomBytes(tagDigits / 2).toString('hex')

export const nextTag = (tag: string, update: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from(tag), update]), 'hex').slice(0, tagDigits)

export const formatVersion = (point: Point): string => `${point.seq}-${point.tag}`

class TextAtPoint implements Snapshot {
  readonly seq: number
  readonly tag: string
  readonly content: string
  #bytes: Uint8Array | undefined
  #json: Uint8Array | undefined
  #titles: TextTitle | undefined

  constructor({ seq, tag }: Point, content: string, bytes: Uint8Array | undefined) {
    this.seq = seq
    this.tag = tag
    this.content = content
    this.#bytes = bytes
  }

  get version(): string {
    return formatVersion(this)
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= Buffer.from(this.content))
  }

  get json(): Uint8Array {
    if (this.#json !== undefined) return this.#json
    const json = Buffer.from(JSON.stringify(this.content))
    // A control character can need six times its space. JSON with many of them is not kept, so that it cannot fill the memory.
    if (json.length <= 2 * Buffer.byteLength(this.content) + 2) this.#json = json
    return json
  }

  get titles(): TextTitle {
    return (this.#titles ??= titleIn(this.content))
  }
}

/** Returns a snapshot. Its derived values are computed when they are first used. */
export const snapshotOf = (point: Point, content: string, stored?: Uint8Array): Snapshot => new TextAtPoint(point, content, stored)

/** Returns the point in the history for a version; undefined if the version is malformed. */
export const parseVersion = (version: string): Point | undefined => {
  const match = /^(\d{1,15})-([0-9a-f]{12})$/.exec(version)
  return match === null ? undefined : { seq: Number(match[1]), tag: match[2] ?? '' }
}

/** Whether an entry continues the chain of tags after `tag`. The tag of a redacted entry cannot be checked. */
export const continues = (tag: string, entry: JournalEntry): boolean => entry.redacted === true || nextTag(tag, entry.update) === entry.tag

/** Returns the number of the first entry that an entry replaces; its own number if it replaces none. */
export const firstOf = ({ seq, merged = 0 }: JournalEntry): number => seq - merged

/** Encodes consecutive entries. `before` is the tag before the first entry. */
export const encodeEntries = (entries: readonly JournalEntry[], before: string): Uint8Array => {
  const encoder = encoding.createEncoder()
  const hasMerged = entries.some(({ merged = 0 }) => merged > 0)
  const hasRedacted = hasMerged || entries.some(({ redacted }) => redacted)
  encoding.writeVarUint(encoder, hasMerged ? mergedFormat : hasRedacted ? redactedFormat : format)
  encoding.writeVarUint(encoder, entries[0] === undefined ? 0 : firstOf(entries[0]))
  encoding.writeVarString(encoder, before)
  encoding.writeVarUint(encoder, entries.length)
  let at = 0
  let actor = ''
  for (const entry of entries) {
    // If the clock is set back, the recorded time does not advance for a while, but the journal continues.
    const now = Math.max(entry.at, at)
    encoding.writeVarUint(encoder, now - at)
    encoding.writeVarString(encoder, entry.actor === actor ? '' : entry.actor)
    if (hasRedacted) encoding.writeVarString(encoder, entry.redacted === true ? entry.tag : '')
    if (hasMerged) encoding.writeVarUint(encoder, entry.merged ?? 0)
    encoding.writeVarUint8Array(encoder, entry.update)
    at = now
    actor = entry.actor
  }
  return encoding.toUint8Array(encoder)
}

const damaged = (what: string): ServiceError => new ServiceError('storage_corrupt', {}, { cause: new Error(`journal: ${what}`) })

/** Reads the format, which must not be above `newest`. */
const readFormat = (decoder: decoding.Decoder, newest = format): number => {
  const found = decoding.readVarUint(decoder)
  if (found < format || found > newest) throw damaged(`format ${found}`)
  return found
}

/** Returns the entries of a record. Their tags are computed again, except those of redacted entries. */
export const decodeEntries = (record: Uint8Array): JournalEntry[] => {
  const decoder = decoding.createDecoder(record)
  const found = readFormat(decoder, mergedFormat)
  let seq = decoding.readVarUint(decoder) - 1
  let tag = decoding.readVarString(decoder)
  const count = decoding.readVarUint(decoder)
  const entries: JournalEntry[] = []
  let at = 0
  let actor = ''
  for (let index = 0; index < count; index++) {
    at += decoding.readVarUint(decoder)
    actor = decoding.readVarString(decoder) || actor
    const kept = found >= redactedFormat ? decoding.readVarString(decoder) : ''
    const merged = found >= mergedFormat ? decoding.readVarUint(decoder) : 0
    seq += 1 + merged
    const update = decoding.readVarUint8Array(decoder)
    tag = kept || nextTag(tag, update)
    entries.push({ seq, tag, at, actor, update, ...(kept !== '' && { redacted: true }), ...(merged > 0 && { merged }) })
  }
  return entries
}

/** Returns the tag before the first entry of a record. */
const tagBefore = (record: Uint8Array): string => {
  const decoder = decoding.createDecoder(record)
  readFormat(decoder, mergedFormat)
  decoding.readVarUint(decoder)
  return decoding.readVarString(decoder)
}

export const encodeState = (point: Point, state: Uint8Array): Uint8Array => {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, format)
  encoding.writeVarUint(encoder, point.seq)
  encoding.writeVarString(encoder, point.tag)
  encoding.writeUint8Array(encoder, state)
  return encoding.toUint8Array(encoder)
}

/** Returns the point and the bytes of a state or projection. Throws `storage_corrupt` if its format is unknown. */
export const decodeState = (value: Uint8Array): Point & { readonly bytes: Uint8Array } => {
  const decoder = decoding.createDecoder(value)
  readFormat(decoder)
  const seq = decoding.readVarUint(decoder)
  const tag = decoding.readVarString(decoder)
  return { seq, tag, bytes: decoding.readTailAsUint8Array(decoder) }
}

export const encodeProjection = (snapshot: Snapshot): Uint8Array => encodeState(snapshot, snapshot.bytes)

const projections = new WeakMap<Uint8Array, Snapshot>()

/** Returns the last projection of the canonical text, which can be older than the head. */
export const findProjection = async (storage: Pick<Storage, 'get'>, doc: string): Promise<Snapshot | undefined> => {
  const entry = await storage.get(keys.text(doc))
  if (entry === undefined) return undefined
  const known = projections.get(entry.value)
  if (known !== undefined) return known
  const state = decodeState(entry.value)
  const projection = snapshotOf(state, new TextDecoder().decode(state.bytes), state.bytes)
  projections.set(entry.value, projection)
  return projection
}

export const encodeSegment = async (records: readonly Uint8Array[]): Promise<Uint8Array> => {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, format)
  encoding.writeVarUint(encoder, records.length)
  for (const record of records) encoding.writeVarUint8Array(encoder, record)
  return promisify(deflateRaw)(encoding.toUint8Array(encoder))
}

/** Returns the records of a segment. */
const decodeSegment = async (segment: Uint8Array): Promise<Uint8Array[]> => {
  const decoder = decoding.createDecoder(new Uint8Array(await promisify(inflateRaw)(segment)))
  readFormat(decoder)
  const count = decoding.readVarUint(decoder)
  return Array.from({ length: count }, () => decoding.readVarUint8Array(decoder))
}

/** Changes the bytes of an update. Returns undefined if the update needs no change. */
export type Redact = (update: Uint8Array) => Uint8Array | undefined

/** Returns a record after `redact` has changed its updates; undefined if none needs a change. The entries keep their tags. */
export const redactedRecord = (record: Uint8Array, redact: Redact): Uint8Array | undefined => {
  const entries = decodeEntries(record)
  const changed = entries.map((entry) => {
    const update = redact(entry.update)
    return update === undefined ? entry : { ...entry, update, redacted: true as const }
  })
  return changed.some((entry, index) => entry !== entries[index]) ? encodeEntries(changed, tagBefore(record)) : undefined
}

/** Like `redactedRecord`, for a segment. */
export const redactedSegment = async (segment: Uint8Array, redact: Redact): Promise<Uint8Array | undefined> => {
  const records = await decodeSegment(segment)
  const changed = records.map((record) => redactedRecord(record, redact))
  return changed.every((record) => record === undefined)
    ? undefined
    : encodeSegment(records.map((record, index) => changed[index] ?? record))
}

/** Yields pages of entries, from the first record with an entry after `seq`: first the segments, then the tail. */
export async function* entriesAfter(storage: Pick<Storage, 'list'>, doc: string, seq: number): AsyncGenerator<JournalEntry[]> {
  let after = seq
  for (;;) {
    const [segment] = await storage.list(keys.histories(doc), { after, limit: 1 })
    if (segment === undefined) break
    after = segment.key.at(-1) as number
    yield (await decodeSegment(segment.value)).flatMap(decodeEntries)
  }
  for (;;) {
    const records = await storage.list(keys.updates(doc), { after, limit: 100 })
    if (records.length === 0) return
    after = records.at(-1)?.key.at(-1) as number
    yield records.flatMap((record) => decodeEntries(record.value))
  }
}

/** Returns the state from which to rebuild `seq`: the newest checkpoint or keyframe at or before `seq`. */
const stateBefore = async (storage: Storage, doc: string, seq: number): Promise<ReturnType<typeof decodeState> | undefined> => {
  const checkpoint = await storage.get(keys.checkpoint(doc))
  const state = checkpoint && decodeState(checkpoint.value)
  if (state === undefined || state.seq <= seq) return state
  const [keyframe] = await storage.list(keys.keyframes(doc), { before: seq + 1, reverse: true, limit: 1 })
  return keyframe && decodeState(keyframe.value)
}

/** The size of the journal after the last checkpoint: the number of its entries, and their bytes. */
export interface Tail {
  readonly records: number
  readonly bytes: number
}

/** Returns the updates that lead from an empty Y.Doc to the point `to`: a state, if there is one, and the entries after it. */
const updatesTo = async (storage: Storage, doc: string, to: Point): Promise<{ updates: Uint8Array[]; tail: Tail }> => {
  const state = await stateBefore(storage, doc, to.seq)
  const updates: Uint8Array[] = state === undefined ? [] : [state.bytes]
  let at: Point = state ?? { seq: 0, tag: to.seq === 0 ? to.tag : '' }
  if (at.seq < to.seq)
    walk: for await (const entries of entriesAfter(storage, doc, at.seq))
      for (const entry of entries) {
        if (entry.seq <= at.seq) continue
        if (firstOf(entry) > at.seq + 1) throw damaged(`entry ${at.seq + 1} is missing`)
        updates.push(entry.update)
        at = entry
        if (at.seq === to.seq) break walk
      }
  if (at.seq !== to.seq || at.tag !== to.tag) throw damaged(`the chain ends at ${formatVersion(at)}, not at ${formatVersion(to)}`)
  const entries = state === undefined ? updates : updates.slice(1)
  return { updates, tail: { records: entries.length, bytes: entries.reduce((sum, update) => sum + update.length, 0) } }
}

/** Brings an empty Y.Doc to the point `to` in one transaction. Throws `storage_corrupt` if the chain of tags does not lead to that point. */
export const rebuild = async (storage: Storage, doc: string, ydoc: Y.Doc, to: Point): Promise<Tail> => {
  // Records can move from the tail to a segment between two reads. If the first attempt finds a gap for this reason, the second attempt does not.
  const { updates, tail } = await updatesTo(storage, doc, to).catch(() => updatesTo(storage, doc, to))
  ydoc.transact(() => {
    for (const update of updates) Y.applyUpdate(ydoc, update)
  })
  return tail
}

/** Returns the text at a point in the history. The point must exist. */
export const contentAt = async (storage: Storage, doc: string, point: Point): Promise<string> => {
  const ydoc = new Y.Doc(docOptions)
  try {
    await rebuild(storage, doc, ydoc, point)
    return ydoc.getText(textRootName).toString()
  } finally {
    ydoc.destroy()
  }
}

/**
 * Returns the point after the entry with this number; undefined if the server no longer keeps that version. The number must not exceed the number in
 * the head; 0 is the empty document.
 */
export const findPointAt = async (storage: Storage, head: Head, seq: number): Promise<Point | undefined> => {
  if (seq === head.seq) return { seq, tag: head.tag }
  if (seq === 0) return { seq, tag: head.firstTag }
  for await (const entries of entriesAfter(storage, head.id, seq - 1)) return entries.find((entry) => entry.seq === seq)
  return undefined
}

/** A record of the journal's tail. */
export interface TailRecord {
  readonly key: Key
  /** Sequence number of its last entry. */
  readonly seq: number
  readonly value: Uint8Array
}

/** Returns the journal records whose last entry is after `after`, and not after `upTo`, oldest first. */
export const listRecords = async (
  storage: Storage,
  doc: string,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number }
): Promise<TailRecord[]> => {
  const records = await storage.list(keys.updates(doc), { after, before: upTo + 1, limit })
  return records.map((record) => ({ key: record.key, seq: record.key.at(-1) as number, value: record.value }))
}

/**
 * Returns the entries after a point, up to the newest entry of a head that was read from disk. Throws `storage_corrupt` if the chain of tags does not
 * lead from one to the other.
 */
export const entriesBetween = async (storage: Storage, doc: string, after: Point, head: Point): Promise<readonly JournalEntry[]> => {
  const read = async (): Promise<JournalEntry[]> => {
    const found: JournalEntry[] = []
    // Another node has usually written a moment ago, so its records are still in the tail.
    const tail = await storage.list(keys.updates(doc), { after: after.seq, limit: 100 })
    const recent = tail.flatMap(({ value }) => decodeEntries(value)).filter(({ seq }) => seq > after.seq && seq <= head.seq)
    if (recent[0]?.seq === after.seq + 1 && recent.at(-1)?.seq === head.seq && recent.at(-1)?.tag === head.tag) return recent
    for await (const entries of entriesAfter(storage, doc, after.seq)) {
      found.push(...entries.filter(({ seq }) => seq > after.seq + found.length && seq <= head.seq))
      if (found.length === head.seq - after.seq) break
    }
    const isWhole = found.every(({ seq }, index) => seq === after.seq + index + 1) && found.at(-1)?.tag === head.tag
    if (!isWhole) throw damaged(`the chain from ${formatVersion(after)} does not lead to ${formatVersion(head)}`)
    return found
  }
  // The first attempt fails if records move from the tail to a segment between two reads.
  return read().catch(read)
}
