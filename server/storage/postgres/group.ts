/**
 * Combines the batches of a group, so that one call to `commit_records` writes them.
 *
 * The code here decides for one batch after another whether it is written, and assumes that the first check of each key holds. The call verifies
 * these assumptions, and writes only if all of them hold. Otherwise, the call returns the current versions, and the decisions are made again
 * with them.
 */
import { crc32 } from 'node:zlib'

import type { Batch, Key } from '../../domain/ports.ts'
import { encodeKey } from '../keys.ts'
import { placeOf } from './schema.ts'

/** A key in its encoded form. */
interface EncodedKey {
  /** A name that is unique to the key. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly place: number
}

export interface EncodedBatch {
  readonly checks: readonly (EncodedKey & { readonly version: number | null })[]
  readonly puts: readonly (EncodedKey & { readonly value: Uint8Array; readonly sum: number })[]
  readonly deletes: readonly EncodedKey[]
  readonly touched: readonly Key[]
  readonly erase: boolean
  readonly bytes: number
}

const encode = (key: Key): EncodedKey => {
  const bytes = encodeKey(key)
  return { name: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), bytes, place: placeOf(key) }
}

/** Returns the checksum of a record as a signed 32-bit number. */
export const sumOf = (key: Uint8Array, value: Uint8Array): number => crc32(value, crc32(key)) | 0

/** Encodes a batch when `commit` is called. A batch with an invalid key therefore fails alone, and the caller may reuse the arrays immediately. */
export function encodeBatch({ checks = [], puts = [], deletes = [], erase = false }: Batch): EncodedBatch {
  const encoded = puts.map(({ key, value }) => {
    const at = encode(key)
    const copy = Uint8Array.from(value)
    return { ...at, value: copy, sum: sumOf(at.bytes, copy) }
  })
  return {
    checks: checks.map(({ key, version }) => ({ ...encode(key), version })),
    puts: encoded,
    deletes: deletes.map(encode),
    touched: [...deletes, ...puts.map(({ key }) => key)],
    erase,
    bytes: encoded.reduce((sum, { bytes, value }) => sum + bytes.length + value.length, 0)
  }
}

/** The versions that the server returned for keys whose assumption failed. */
export type Known = Map<string, number | null>

type Assumption = EncodedKey & { readonly version: number | null }
type Final = EncodedKey & { readonly value: Uint8Array | null; readonly sum: number }

export interface Judged {
  /** Whether each batch is written if the assumptions hold. */
  readonly outcomes: readonly boolean[]
  readonly assumptions: readonly Assumption[]
  /** The final value of each written key; null if the key is deleted. */
  readonly finals: ReadonlyMap<string, Final>
}

/** Decides for each batch, in order, whether it is written. */
export function judge(group: readonly EncodedBatch[], known: Known): Judged {
  const assumptions = new Map<string, Assumption>()
  const finals = new Map<string, Final>()
  const holds = ({ version, ...at }: Assumption): boolean => {
    const written = finals.get(at.name)
    // The versions of writes in this group are not known yet.
    if (written !== undefined) return written.value === null && version === null
    const assumed = assumptions.get(at.name) ?? { ...at, version: known.has(at.name) ? known.get(at.name)! : version }
    assumptions.set(at.name, assumed)
    return assumed.version === version
  }
  const outcomes = group.map(({ checks, puts, deletes }) => {
    if (!checks.every(holds)) return false
    for (const at of deletes) finals.set(at.name, { ...at, value: null, sum: 0 })
    for (const put of puts) finals.set(put.name, put)
    return true
  })
  return { outcomes, assumptions: [...assumptions.values()], finals }
}

/** Returns the parameters of `commit_records` that come after the commit number and before the channel, in order. */
export function parametersOf({ assumptions, finals }: Judged): unknown[] {
  const pieces: Uint8Array[] = []
  let end = 1
  const add = (bytes: Uint8Array): number => {
    const at = end
    pieces.push(bytes)
    end += bytes.length
    return at
  }
  const lengths = (places: readonly EncodedKey[]): number[] => places.map(({ bytes }) => bytes.length)
  const absent = new Set(assumptions.filter(({ version }) => version === null).map(({ name }) => name))
  const written = [...finals.values()]
  // A key that must stay absent is inserted and deleted again, so that no other node can insert it meanwhile.
  const guards: Final[] = assumptions
    .filter(({ name, version }) => version === null && !finals.has(name))
    .map((at) => ({ name: at.name, bytes: at.bytes, place: at.place, value: null, sum: 0 }))
  const puts = [...written.filter(({ value }) => value !== null), ...guards]
  const deletes = [...written.filter(({ value }) => value === null), ...guards]
  const checkAt = assumptions.map(({ bytes }) => add(bytes))
  const putAt = puts.map(({ bytes, value }) => {
    const at = add(bytes)
    if (value !== null) add(value)
    return at
  })
  const deleteAt = deletes.map(({ bytes }) => add(bytes))
  return [
    Buffer.concat(pieces),
    checkAt,
    lengths(assumptions),
    assumptions.map(({ place }) => place),
    assumptions.map(({ version }) => version),
    assumptions.map(({ name }) => finals.has(name)),
    putAt,
    lengths(puts),
    puts.map(({ place }) => place),
    puts.map(({ value }) => value?.length ?? 0),
    puts.map(({ sum }) => sum),
    puts.map(({ name }) => absent.has(name)),
    deleteAt,
    lengths(deletes),
    deletes.map(({ place }) => place)
  ]
}
