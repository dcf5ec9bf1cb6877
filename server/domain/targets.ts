/** From what a caller names (words, a line, a range; of now or of an earlier version) to a part of the live text. */
import * as Y from 'yjs'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import { findWords, linesOf, placesOf, type Range, wholeCharacters } from '../../shared/text/anchors.ts'
import { locate } from '../../shared/text/characters.ts'
import { diff } from '../../shared/text/diff.ts'
import { tellingUnits } from '../../shared/text/repin.ts'
import { locatePins, type Pin, pinsAfter, pinsAt } from '../../shared/text/pins.ts'
import { findPoint, versionsNamed } from './content.ts'
import { rebuild } from './journal.ts'
import type { CommentTarget } from './keys.ts'
import type { Room } from './room.ts'
import type { Service } from './service.ts'

/** What a caller names. */
export interface Target {
  readonly find?: string | undefined
  readonly line?: number | undefined
  readonly anchor?: Range | undefined
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
  readonly occurrence?: number | undefined
  /** Client, clock and length of each run of characters that `find` was. */
  readonly characters?: readonly number[] | undefined
}

export const kindOf = ({ find, line, anchor }: Target): CommentTarget['kind'] => {
  if (find !== undefined) return 'find'
  if (line !== undefined) return 'line'
  return anchor === undefined ? 'document' : 'anchor'
}

const tooLarge = (path: string, size: number, max: number, unit: string): ServiceError =>
  new ServiceError('text_too_large', { details: [{ path, message: `has ${size} ${unit}; at most ${max} are taken` }] })

/** Errors: `text_too_large` for a comment, reply or note. */
export const checkRemark = (path: string, text: string): void => {
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.remarkBytesMax) throw tooLarge(path, bytes, limits.remarkBytesMax, 'bytes')
}

/** Errors: `text_too_large` for a text that is named or proposed. */
export const checkText = (path: string, text: string): void => {
  if (text.length > limits.targetUnitsMax) throw tooLarge(path, text.length, limits.targetUnitsMax, 'UTF-16 units')
}

/**
 * The range that is named; undefined: the words are not there, or nothing is named.
 * Errors: `target_ambiguous`, `target_not_found` for lines and ranges that the text does not have, `invalid_request`, `text_too_large`.
 */
export const rangeNamed = (content: string, target: Target): Range | undefined => {
  const { find, line, anchor, ...which } = target
  if (anchor !== undefined && (find !== undefined || line !== undefined))
    throw new ServiceError('invalid_request', { details: [{ path: 'anchor', message: 'must not stand beside find or line' }] })
  const range = anchor !== undefined ? rangeOfAnchor(content, anchor) : rangeOfWords(content, { find, line, ...which })
  if (range !== undefined) checkText(kindOf(target), content.slice(range.from, range.to))
  return range
}

const rangeOfAnchor = (content: string, anchor: Range): Range => {
  if (anchor.to > content.length)
    throw new ServiceError('target_not_found', { message: `The text ends at ${content.length}.`, contentUnits: content.length })
  return wholeCharacters(content, anchor)
}

const rangeOfWords = (content: string, { find, line, ...which }: Target): Range | undefined => {
  if (find === undefined) return line === undefined ? undefined : rangeOfLine(content, line)
  checkText('find', find)
  const found = findWords(content, { find, line, ...which })
  if (found !== undefined && 'candidates' in found) throw new ServiceError('target_ambiguous', { candidates: found.candidates })
  if (found === undefined && line !== undefined) refuseOtherLine(content, { find, ...which }, line)
  return found?.range
}

/**
 * Where words are whose surroundings others have changed on one side since the caller read them: the other side must tell one place alone.
 */
export const rangeBesideOne = (content: string, { find, prefix = '', suffix = '' }: Target): Range | undefined => {
  if (find === undefined || prefix === '' || suffix === '') return undefined
  const sides = [...(prefix.length < tellingUnits ? [] : [{ prefix }]), ...(suffix.length < tellingUnits ? [] : [{ suffix }])]
  const found = sides.map((side) => findWords(content, { find, ...side })).find((each) => each !== undefined)
  return found !== undefined && 'range' in found ? found.range : undefined
}

/** Where the characters are that a page saw, if the live text has them and they read as it says. */
export const rangeOfCharacters = (
  { text }: Room,
  { past, content }: Ground,
  { find, line, anchor, characters }: Target
): Range | undefined => {
  const spans = past === null && line === undefined && anchor === undefined ? (characters ?? []) : []
  if (find === undefined || spans.length === 0) return undefined
  checkText('find', find)
  const place = { spans, left: null, right: null, needs: 'both' } as const
  const now = content()
  const [range] = locate(text, now, [{ place, quote: find }])
  return range !== undefined && now.slice(range.from, range.to) === find ? range : undefined
}

/** Whoever names a line means a place: words that stand on others are not those. Errors: `target_not_found`. */
const refuseOtherLine = (content: string, words: Target & { readonly find: string }, line: number): void => {
  const candidates = placesOf(content, words)
  if (candidates.length === 0) return
  const lines = [...new Set(candidates.map((each) => each.line))].join(', ')
  throw new ServiceError('target_not_found', { message: `These words do not begin on line ${line}, but on ${lines}.`, candidates })
}

const rangeOfLine = (content: string, line: number): Range => {
  const lines = linesOf(content)
  const range = lines.range(line)
  if (range === undefined) throw new ServiceError('target_not_found', { message: `The text has ${lines.count} lines.`, lines: lines.count })
  return range
}

/** The text that a caller has read. */
export interface Ground {
  /** Of an earlier version a copy, and its sequence number; null: the live text. */
  readonly past: { readonly text: Y.Text; readonly seq: number } | null
  readonly content: () => string
}

const liveGround = (room: Room): Ground => ({ past: null, content: () => room.snapshot().content })

/** The text of a version. Errors: `unknown_version`. */
export const groundOf = async (service: Service, room: Room, baseVersion: string | undefined): Promise<Ground> => {
  const [named, ...others] = baseVersion === undefined ? ['*'] : versionsNamed(baseVersion)
  if (named === '*' || named === room.snapshot().version) return liveGround(room)
  const point = named === undefined || others.length > 0 ? undefined : await findPoint(service, room.id, named)
  if (point === undefined) throw new ServiceError('unknown_version')
  const ydoc = new Y.Doc()
  await rebuild(service.storage, room.id, ydoc, point)
  const past = ydoc.getText(textRootName)
  const content = past.toString()
  return { past: { text: past, seq: point.seq }, content: () => content }
}

/** A pin on the live text, for a range of the ground. */
export interface Aim {
  readonly pin: Pin
  /** Where it is now; undefined: that text is gone. */
  readonly range: Range | undefined
}

/** Follows ranges from the text that the caller has read to the live one. Synchronous. */
export const aimAll = (room: Room, { past, content }: Ground, ranges: readonly Range[]): Aim[] => {
  const now = room.snapshot().content
  if (past === null) return pinsAt(room.text, now, ranges).map((pin, index) => ({ pin, range: ranges[index] }))
  const before = content()
  const then = pinsAt(past.text, before, ranges)
  // What happened since may have moved the text, or put another in its place that has some of its characters.
  const isCompared = room.replacedSeq > past.seq
  const moved = pinsAfter(room.text, then, ranges, { before, after: now, edits: diff(before, now), isCompared }).changed
  const found = locatePins(
    room.text,
    now,
    then.map((pin, index) => moved.get(index) ?? pin)
  )
  const fresh = pinsAt(
    room.text,
    now,
    found.filter((range) => range !== undefined)
  )
  let next = 0
  return then.map((pin, index) => {
    const range = found[index]
    return range === undefined ? { pin: { ...pin, place: null }, range } : { pin: fresh[next++] as Pin, range }
  })
}

/** As `aimAll`, for one. */
export const aim = (room: Room, ground: Ground, range: Range): Aim => aimAll(room, ground, [range])[0] as Aim
