/**
 * Removes text from stored bytes and records. A block (U+2588) replaces each UTF-16 unit of the removed text, and line breaks stay. No length, id or
 * clock changes, so all versions, anchors and offsets remain valid.
 */
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import type { Range } from '../../../shared/text/targets.ts'

const block = '\u2588'

const masked = (text: string): string => text.replace(/[^\n]/g, block)

/** Returns the text with blocks in the ranges. The ranges must be in order and must not overlap. */
export const maskRanges = (text: string, ranges: readonly Range[]): string => {
  let at = 0
  let result = ''
  for (const { from, to } of ranges) {
    result += text.slice(at, from) + masked(text.slice(from, to))
    at = to
  }
  return result + text.slice(at)
}

/** A shorter piece of the text at the end of a context is not removed, because it often occurs by chance. */
const pieceUnitsMin = 4

const longestPiece = (text: string, secret: string, isAtEnd: boolean): number => {
  for (let length = Math.min(secret.length - 1, text.length); length >= pieceUnitsMin; length--)
    if (isAtEnd ? text.endsWith(secret.slice(0, length)) : text.startsWith(secret.slice(-length))) return length
  return 0
}

/** Masks a piece of the secret at the beginning and at the end of a context, which is cut off at any character. */
const maskEnds = (text: string, secret: string): string => {
  const [first, last] = [longestPiece(text, secret, false), longestPiece(text, secret, true)]
  const middle = text.slice(first, Math.max(first, text.length - last))
  return masked(text.slice(0, first)) + middle + masked(text.slice(first + middle.length))
}

/** The fields of records that contain text written by people. All other fields contain ids, names, kinds and numbers. */
const wordFields: ReadonlySet<string> = new Set([
  'added',
  'body',
  'givenTitle',
  'instructions',
  'label',
  'note',
  'original',
  'prompt',
  'quote',
  'reason',
  'removed',
  'summary',
  'text',
  'title'
])

/** The fields that contain the text around an annotation. */
const contextFields: ReadonlySet<string> = new Set(['prefix', 'suffix'])

/** Returns a record without the secret in its text. Returns the record itself if it does not contain the secret. */
export const maskRecord = <T>(record: T, secret: string): T => {
  const hide = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      if (!wordFields.has(name) && !contextFields.has(name)) return value
      const text = value.includes(secret) ? value.replaceAll(secret, masked) : value
      return contextFields.has(name) ? maskEnds(text, secret) : text
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => hide(item, name))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    const entries = Object.entries(value)
    const hidden = entries.map(([key, each]): [string, unknown] => [key, hide(each, key)])
    return hidden.some(([, each], index) => each !== entries[index]?.[1]) ? Object.fromEntries(hidden) : value
  }
  return hide(record, '') as T
}

/** A set of characters, by their Yjs ids. */
export class Characters {
  readonly #clocks = new Map<number, Set<number>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(client: number, clock: number): boolean {
    return this.#clocks.get(client)?.has(clock) ?? false
  }

  /** Adds or removes runs of characters. `spans` contains client, clock and length of each run. */
  change(spans: readonly number[], how: 'add' | 'delete'): void {
    for (let index = 0; index < spans.length; index += 3) {
      const [client = 0, from = 0, length = 0] = spans.slice(index, index + 3)
      const clocks = this.#clocks.get(client) ?? new Set()
      if (how === 'delete' && clocks.size === 0) continue
      this.#clocks.set(client, clocks)
      this.#size -= clocks.size
      for (let clock = from; clock < from + length; clock++) clocks[how](clock)
      this.#size += clocks.size
    }
  }

  /** Returns the ranges that these characters occupy in the text, given the character runs of the entire text. */
  rangesIn(spans: readonly number[]): Range[] {
    const ranges: Range[] = []
    for (let index = 0, at = 0; index < spans.length; index += 3) {
      const [client = 0, from = 0, length = 0] = spans.slice(index, index + 3)
      const clocks = this.#clocks.get(client)
      for (let offset = 0; clocks !== undefined && offset < length; offset++) {
        if (!clocks.has(from + offset)) continue
        const last = ranges.at(-1)
        if (last?.to === at + offset) ranges[ranges.length - 1] = { from: last.from, to: at + offset + 1 }
        else ranges.push({ from: at + offset, to: at + offset + 1 })
      }
      at += length
    }
    return ranges
  }
}

type Structs = ReturnType<typeof Y.decodeUpdate>['structs']
type Deletions = ReturnType<typeof Y.decodeUpdate>['ds']

const byClient = (structs: Structs): Structs[] => {
  const groups: Structs[] = []
  for (const struct of structs)
    if (groups.at(-1)?.[0]?.id.client === struct.id.client) groups.at(-1)?.push(struct)
    else groups.push([struct])
  return groups
}

/** Encodes an update in the format V1. Yjs exports no function that encodes decoded structs. */
const encodeUpdate = (structs: Structs, { clients }: Deletions): Uint8Array => {
  const encoder = new Y.UpdateEncoderV1()
  const rest = encoder.restEncoder
  const groups = byClient(structs)
  encoding.writeVarUint(rest, groups.length)
  for (const group of groups) {
    encoding.writeVarUint(rest, group.length)
    encoder.writeClient(group[0]?.id.client ?? 0)
    encoding.writeVarUint(rest, group[0]?.id.clock ?? 0)
    for (const struct of group) struct.write(encoder, 0)
  }
  encoding.writeVarUint(rest, clients.size)
  for (const [client, deletions] of clients) {
    encoding.writeVarUint(rest, client)
    encoding.writeVarUint(rest, deletions.length)
    for (const { clock, len } of deletions) {
      encoder.writeDsClock(clock)
      encoder.writeDsLen(len)
    }
  }
  return encoder.toUint8Array()
}

/** Returns an update, or a state, with blocks instead of the characters. Returns undefined if it contains none of them. */
export const redactUpdate = (update: Uint8Array, characters: Characters): Uint8Array | undefined => {
  const { structs, ds } = Y.decodeUpdate(update)
  let isChanged = false
  for (const struct of structs) {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentString)) continue
    const { client, clock } = struct.id
    const text = struct.content.str
    const ranges = characters.rangesIn([client, clock, text.length])
    if (ranges.length === 0) continue
    struct.content.str = maskRanges(text, ranges)
    isChanged ||= struct.content.str !== text
  }
  return isChanged ? encodeUpdate(structs, ds) : undefined
}
