/**
 * The changes of records between two backups, as one object of an incremental backup:
 *
 *     changes   2 · change…                                             numbers are unsigned variable-length integers (lib0)
 *     change    length of key · key · 0                                 the record was removed
 *               length of key · key · 1 · length of value · value       the record is new, or has this value now
 *               length of key · key · 2 · count · edit…                 the value was edited
 *     edit      kept bytes since the edit before · removed bytes · length · inserted bytes
 *
 * The changes are in key order. After the last edit, the rest of the value is kept. A document's canonical text is one record. With edits, a backup's
 * size is therefore proportional to the amount of text that people typed.
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { diff } from '../../../shared/text/diff.ts'
import { decodeKey } from '../../storage/keys.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { backupFormat, type ChangesEntry, checkContent, sha256Of } from './format.ts'

type Bytes = Uint8Array

/** Keeps bytes of the earlier value, then removes and inserts some. */
interface ByteEdit {
  readonly keep: number
  readonly remove: number
  readonly insert: Bytes
}

/** A change of the record with the key `bytes`. The record was removed if it has neither a value nor edits. */
export interface Change {
  readonly bytes: Bytes
  readonly value?: Bytes
  readonly edits?: readonly ByteEdit[]
}

type Plain = Pick<StoredRecord, 'bytes' | 'value'>

/** Shorter values are stored whole, because edits would save little. In bytes. */
const editedBytesMin = 200

const latin1 = (bytes: Bytes): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

/** Returns the edits from one value to another; undefined if they would not be much shorter than the value. */
const editsBetween = (before: Bytes, after: Bytes): ByteEdit[] | undefined => {
  if (Math.min(before.length, after.length) < editedBytesMin) return undefined
  let [end, inserted] = [0, 0]
  // In Latin-1, each byte is one unit of the text.
  const edits = diff(latin1(before), latin1(after)).map(({ from, to, insert }) => {
    const edit = { keep: from - end, remove: to - from, insert: Buffer.from(insert, 'latin1') }
    end = to
    inserted += insert.length + 8
    return edit
  })
  return inserted * 2 < after.length ? edits : undefined
}

const edited = (value: Bytes, edits: readonly ByteEdit[]): Bytes => {
  const parts: Bytes[] = []
  let at = 0
  for (const { keep, remove, insert } of edits) {
    parts.push(value.subarray(at, at + keep), insert)
    at += keep + remove
  }
  return Buffer.concat([...parts, value.subarray(at)])
}

const changeOf = (before: Plain | undefined, { bytes, value }: Plain): Change => {
  const edits = before && editsBetween(before.value, value)
  return edits === undefined ? { bytes, value } : { bytes, edits }
}

/** Returns the changes that turn `before` into `after`. All lists are in key order. */
export const changesBetween = (before: readonly Plain[], after: readonly Plain[]): Change[] => {
  const changes: Change[] = []
  let at = 0
  const removeBelow = (bytes?: Bytes): void => {
    for (; at < before.length && (bytes === undefined || Buffer.compare(before[at]!.bytes, bytes) < 0); at++)
      changes.push({ bytes: before[at]!.bytes })
  }
  for (const record of after) {
    removeBelow(record.bytes)
    const old = before[at]
    const same = old !== undefined && Buffer.compare(old.bytes, record.bytes) === 0 ? old : undefined
    if (same !== undefined) at++
    if (same === undefined || Buffer.compare(same.value, record.value) !== 0) changes.push(changeOf(same, record))
  }
  removeBelow()
  return changes
}

/** Returns the records after some changes. All lists are in key order. */
export const withChanges = (before: readonly StoredRecord[], changes: readonly Change[]): StoredRecord[] => {
  const records: StoredRecord[] = []
  let at = 0
  for (const { bytes, value, edits } of changes) {
    while (at < before.length && Buffer.compare(before[at]!.bytes, bytes) < 0) records.push(before[at++]!)
    const old = at < before.length && Buffer.compare(before[at]!.bytes, bytes) === 0 ? before[at++] : undefined
    const now = edits === undefined ? value : edited(old?.value ?? new Uint8Array(), edits)
    if (now !== undefined) records.push({ bytes, key: old?.key ?? decodeKey(bytes), value: now })
  }
  return [...records, ...before.slice(at)]
}

/** Returns the object with some changes, and its entry. */
export const encodeChanges = (changes: readonly Change[]): { readonly entry: ChangesEntry; readonly content: Bytes } => {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, backupFormat)
  for (const { bytes, value, edits } of changes) {
    encoding.writeVarUint8Array(encoder, bytes)
    encoding.writeVarUint(encoder, edits !== undefined ? 2 : value !== undefined ? 1 : 0)
    if (value !== undefined) encoding.writeVarUint8Array(encoder, value)
    if (edits !== undefined) encoding.writeVarUint(encoder, edits.length)
    for (const { keep, remove, insert } of edits ?? []) {
      encoding.writeVarUint(encoder, keep)
      encoding.writeVarUint(encoder, remove)
      encoding.writeVarUint8Array(encoder, insert)
    }
  }
  const content = encoding.toUint8Array(encoder)
  return { entry: { sha256: sha256Of(content), bytes: content.length }, content }
}

const readEdit = (decoder: decoding.Decoder): ByteEdit => ({
  keep: decoding.readVarUint(decoder),
  remove: decoding.readVarUint(decoder),
  insert: decoding.readVarUint8Array(decoder)
})

/** Returns the changes in an object. Throws `AdminError` with exit code 3 if the content does not match its entry. */
export const decodeChanges = ({ sha256 }: ChangesEntry, content: Bytes): Change[] => {
  checkContent(sha256, content)
  const decoder = decoding.createDecoder(content)
  decoding.readVarUint(decoder)
  const changes: Change[] = []
  while (decoding.hasContent(decoder)) {
    const bytes = decoding.readVarUint8Array(decoder)
    const kind = decoding.readVarUint(decoder)
    if (kind === 0) changes.push({ bytes })
    else if (kind === 1) changes.push({ bytes, value: decoding.readVarUint8Array(decoder) })
    else changes.push({ bytes, edits: Array.from({ length: decoding.readVarUint(decoder) }, () => readEdit(decoder)) })
  }
  return changes
}
