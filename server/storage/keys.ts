/**
 * Encodes keys as bytes that sort like the keys (`ports.ts`), for engines that order records by bytes.
 *
 *     key    = part*                     no separator: every part marks its end
 *     number = 0x10+n, n bytes           the value, big-endian, without leading zeros (n = 0 for 0, at most 7)
 *     string = 0x20, UTF-8, 0x00         in the UTF-8, 0x00 is written as 0x01 0x01, and 0x01 as 0x01 0x02
 *
 * No encoded part is a prefix of another one, so exactly the keys below a prefix begin with the bytes of that prefix. Bytes below 0x10 and above
 * 0x20 never begin a part: they serve as bounds, and 0x00 begins the records that a store keeps about itself.
 *
 * The ordered-binary keys of lmdb are not used: they do not escape NUL in strings of 64 or more units, so such keys can collide.
 */
import assert from 'node:assert/strict'

import type { Key, KeyPart, Range } from '../domain/ports.ts'

/** The longest encoded key in bytes, which is the limit of LMDB with pages of 4 KiB. */
export const keyBytesMax = 1978

const numberTag = 0x10
const stringTag = 0x20
const belowParts = 0x01
const aboveParts = 0xff

const tooLong = `a key must have at most ${keyBytesMax} bytes`

/** A buffer for encoding. It has room for a key, another number and a bound, because lengths are checked only after a number has been written. */
const scratch = Buffer.alloc(keyBytesMax + 16)

/**
 * Returns the bytes of `key`. Throws `AssertionError` (a bug in the caller) if the key is empty, is longer than `keyBytesMax`, or has an invalid
 * part.
 */
export function encodeKey(key: Key): Uint8Array {
  assert(key.length > 0, 'a key must have at least one part')
  return encodeParts(key)
}

/** Returns the key that these bytes encode. If the key is known to extend `prefix`, whose encoding has `start` bytes, only the rest is decoded. */
export function decodeKey(bytes: Uint8Array, prefix: Key = [], start = 0): Key {
  const key: KeyPart[] = [...prefix]
  for (let at = start; at < bytes.length;) {
    const end = partEnd(bytes, at)
    key.push(bytes[at] === stringTag ? readString(bytes, at + 1, end - 1) : readNumber(bytes, at + 1, end))
    at = end
  }
  return key
}

/** Returns the number of bytes of an encoded prefix, which may be empty. */
export const prefixBytes = (prefix: Key): number => encodeParts(prefix).length

/** Returns the bounds of the encoded keys below `prefix` within `range`. The keys are greater than `above` and less than `below`. */
export function encodeRange(prefix: Key, range: Range): { above: Uint8Array; below: Uint8Array } {
  const { after, before } = range
  return {
    above: after === undefined ? encodeParts(prefix, belowParts) : encodeParts([...prefix, after], aboveParts),
    below: before === undefined ? encodeParts(prefix, aboveParts) : encodeParts([...prefix, before])
  }
}

/** Compares keys in the order that `ports.ts` defines. The result is negative if `a` sorts before `b`, and 0 if they are equal. */
export function compareKeys(a: Key, b: Key): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    const order = compareParts(a[index]!, b[index]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Compares parts of keys. Numbers come first, in the order of their values, and then strings, in the order of their UTF-8 bytes. */
export function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  return typeof b === 'number' ? 1 : compareStrings(a, b)
}

/** Whether `key` begins with `prefix` and has at least one more part. */
export function isBelow(key: Key, prefix: Key): boolean {
  return key.length > prefix.length && prefix.every((part, index) => part === key[index])
}

function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  let at = 0
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at++
  if (at === shared) return a.length - b.length
  return utf8Rank(a.charCodeAt(at)) - utf8Rank(b.charCodeAt(at))
}

/** Ranks a UTF-16 unit in UTF-8 order. UTF-16 sorts surrogates before U+E000–U+FFFF, but UTF-8 sorts them after. */
const utf8Rank = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)

function encodeParts(parts: Key, bound?: number): Uint8Array {
  let at = 0
  for (const part of parts) {
    at = typeof part === 'string' ? writeString(part, at) : writeNumber(part, at)
    assert(at <= keyBytesMax, tooLong)
  }
  if (bound !== undefined) scratch[at++] = bound
  assert(at <= keyBytesMax, tooLong)
  return Uint8Array.prototype.slice.call(scratch, 0, at)
}

function writeNumber(value: number, start: number): number {
  assert(Number.isSafeInteger(value) && value >= 0, 'a number in a key must be an integer from 0 to 2^53-1')
  let size = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) size++
  scratch[start] = numberTag + size
  for (let at = start + size, rest = value; at > start; at--, rest = Math.floor(rest / 256)) scratch[at] = rest % 256
  return start + 1 + size
}

function writeString(value: string, start: number): number {
  assert(start + value.length + 2 <= keyBytesMax, tooLong)
  scratch[start] = stringTag
  let at = start + 1
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    if (unit < 0x02 || unit > 0x7f) return writeAnyString(value, start)
    scratch[at++] = unit
  }
  scratch[at++] = 0
  return at
}

/** Like `writeString`, but also supports characters that take more than one byte. */
function writeAnyString(value: string, start: number): number {
  assert(value.isWellFormed(), 'a string in a key must not contain lone surrogates')
  const escaped = Buffer.from(value.replace(/[\0\x01]/g, (char) => (char === '\0' ? '\x01\x01' : '\x01\x02')))
  const end = start + 1 + escaped.length
  assert(end < keyBytesMax, tooLong)
  scratch.set(escaped, start + 1)
  scratch[end] = 0
  return end + 1
}

function partEnd(bytes: Uint8Array, at: number): number {
  const tag = bytes[at]!
  if (tag === stringTag) {
    const end = bytes.indexOf(0, at + 1)
    assert(end > 0, 'a string in a key must have an end')
    return end + 1
  }
  assert(tag >= numberTag && tag <= numberTag + 7, 'a part of a key must begin with a known tag')
  return at + 1 + (tag - numberTag)
}

function readNumber(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = value * 256 + bytes[at]!
  return value
}

function readString(bytes: Uint8Array, start: number, end: number): string {
  const escaped = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
  if (!escaped.includes('\x01')) return escaped
  return escaped.replace(/\x01(.)/gs, (_, char: string) => (char === '\x01' ? '\0' : '\x01'))
}
