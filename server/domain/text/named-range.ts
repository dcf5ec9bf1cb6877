/** Resolves the target of a request (a quotation, a line, or a range) to a part of the text. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { findWords, linesOf, missedPlace, type Range, wholeCharacters } from '../../../shared/text/targets.ts'
import { tellingUnits } from '../../../shared/text/reanchor.ts'
import type { CommentTarget } from '../records/keys.ts'

/** The range that a caller names. */
export interface Target {
  readonly find?: string | undefined
  readonly line?: number | undefined
  readonly anchor?: Range | undefined
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
  readonly occurrence?: number | undefined
  /** Client, clock and length of each run of characters that made up `find`. */
  readonly characters?: readonly number[] | undefined
}

export const kindOf = ({ find, line, anchor }: Target): CommentTarget['kind'] => {
  if (find !== undefined) return 'find'
  if (line !== undefined) return 'line'
  return anchor === undefined ? 'document' : 'anchor'
}

const tooLarge = (path: string, size: number, max: number, unit: string): ServiceError =>
  new ServiceError('text_too_large', { details: [{ path, message: `has ${size} ${unit}; the limit is ${max}` }] })

/** Checks the size of a comment, a reply or a note. Throws `text_too_large`. */
export const checkAnnotation = (path: string, text: string): void => {
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.annotationBytesMax) throw tooLarge(path, bytes, limits.annotationBytesMax, 'bytes')
}

/** Checks the size of quoted or proposed text. Throws `text_too_large`. */
export const checkText = (path: string, text: string): void => {
  if (text.length > limits.targetUnitsMax) throw tooLarge(path, text.length, limits.targetUnitsMax, 'UTF-16 units')
}

/**
 * Returns the range of a target. Returns undefined if its quotation is not in the text, or if the target is the document. Throws
 * `target_ambiguous`, `invalid_request` or `text_too_large`, and `target_not_found` for lines and ranges that the text does not have.
 */
export const rangeNamed = (content: string, target: Target): Range | undefined => {
  const { find, line, anchor, ...which } = target
  if (anchor !== undefined && (find !== undefined || line !== undefined))
    throw new ServiceError('invalid_request', { details: [{ path: 'anchor', message: 'must not be sent together with find or line' }] })
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
  if (found !== undefined) return found.range
  const missed = missedPlace(content, { find, line, ...which })
  if (missed !== undefined) throw new ServiceError('target_not_found', missed)
  return undefined
}

/**
 * Returns the range of a quotation if somebody changed its context on one side since the caller read it. The context on the other side must
 * identify a single position.
 */
export const rangeByOneSide = (content: string, { find, prefix = '', suffix = '' }: Target): Range | undefined => {
  if (find === undefined || prefix === '' || suffix === '') return undefined
  const sides = [...(prefix.length < tellingUnits ? [] : [{ prefix }]), ...(suffix.length < tellingUnits ? [] : [{ suffix }])]
  const found = sides.map((side) => findWords(content, { find, ...side })).find((each) => each !== undefined)
  return found !== undefined && 'range' in found ? found.range : undefined
}

const rangeOfLine = (content: string, line: number): Range => {
  const lines = linesOf(content)
  const range = lines.range(line)
  if (range === undefined) throw new ServiceError('target_not_found', { message: `The text has ${lines.count} lines.`, lines: lines.count })
  return range
}
