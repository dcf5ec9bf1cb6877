/**
 * Finds the remains of deletions in LMDB's pages, whose layout is as follows. Pages are read, but never written.
 *
 *     page   offset 0    8 bytes    page number, little-endian
 *            offset 8    8 bytes    transaction
 *            offset 18   2 bytes    flags; 2: a leaf
 *            offset 20   2 bytes    lower: end of the pointers to nodes, counted from the end of the header
 *            offset 22   2 bytes    upper: start of the nodes, counted in the same way; the space in between is free
 *            offset 24              pointers to nodes, 2 bytes each, counted in the same way; then free space; then nodes
 *     node   offset 4    2 bytes    flags; 1: its value is on separate pages
 *            offset 6    2 bytes    length of the key
 *            offset 8               key, value
 *
 * LMDB removes a node by moving its neighbors over it. The bytes of the last node stay in the free space until the page is copied. When LMDB copies a
 * page, it copies only the bytes that are in use (`mdb_page_copy`).
 */
import { keyBytesMax } from './keys.ts'

/** The size of a page's header in bytes. A value that is smaller than a page by exactly this much fills one separate page. */
export const pageHeaderBytes = 24

const flagsAt = 18
const lowerAt = 20
const upperAt = 22
const leaf = 2
const nodeFlagsAt = 4
const keyLengthAt = 6
const nodeHeaderBytes = 8
const valueElsewhere = 1

/** LMDB copies words of 8 bytes. Up to this many old bytes at either end of the free space therefore cannot be removed. */
const wordBytes = 8

/**
 * Returns the bounds of the free space on a leaf page; undefined for other pages. The bytes may be old, or belong to a value that looks like a
 * page.
 */
function leafAt(bytes: Buffer, at: number, page: number, pageBytes: number): { lower: number; upper: number } | undefined {
  if (Number(bytes.readBigUInt64LE(at)) !== page || bytes.readUInt16LE(at + flagsAt) !== leaf) return undefined
  const lower = bytes.readUInt16LE(at + lowerAt)
  const upper = bytes.readUInt16LE(at + upperAt)
  return lower > 0 && lower % 2 === 0 && lower <= upper && upper <= pageBytes - pageHeaderBytes ? { lower, upper } : undefined
}

function nodeKey(bytes: Buffer, page: number, pageBytes: number, index: number): { key: Buffer; small: boolean } | undefined {
  const at = page + pageHeaderBytes + bytes.readUInt16LE(page + pageHeaderBytes + 2 * index)
  const end = page + pageBytes
  if (at + nodeHeaderBytes > end) return undefined
  const keyAt = at + nodeHeaderBytes
  const keyEnd = keyAt + bytes.readUInt16LE(at + keyLengthAt)
  if (keyEnd > end || keyEnd === keyAt || keyEnd - keyAt > keyBytesMax) return undefined
  return { key: Buffer.from(bytes.subarray(keyAt, keyEnd)), small: (bytes.readUInt16LE(at + nodeFlagsAt) & valueElsewhere) === 0 }
}

/** Returns a key on the page. Prefers a key whose value is on the same page. */
function keyOn(bytes: Buffer, page: number, pageBytes: number, count: number): Buffer | undefined {
  let first: Buffer | undefined
  for (let index = 0; index < count; index++) {
    const node = nodeKey(bytes, page, pageBytes, index)
    if (node === undefined) return undefined
    if (node.small) return node.key
    first ??= node.key
  }
  return first
}

/**
 * Returns one key of each leaf page whose free space is not empty. `bytes` is a piece of the store's file that begins with page `firstPage`. A page
 * that is cut off at the end of the piece is skipped. The result includes keys of pages that are no longer in use.
 */
export function keysOfStalePages(bytes: Buffer, firstPage: number, pageBytes: number): Buffer[] {
  const zeros = Buffer.alloc(pageBytes)
  const keys: Buffer[] = []
  for (let at = 0; at + pageBytes <= bytes.length; at += pageBytes) {
    const found = leafAt(bytes, at, firstPage + at / pageBytes, pageBytes)
    if (found === undefined) continue
    const free = bytes.subarray(at + pageHeaderBytes + found.lower + wordBytes, at + pageHeaderBytes + found.upper - wordBytes)
    const empty = found.upper - found.lower <= 2 * wordBytes || free.equals(zeros.subarray(0, free.length))
    const key = empty ? undefined : keyOn(bytes, at, pageBytes, found.lower / 2)
    if (key !== undefined) keys.push(key)
  }
  return keys
}
