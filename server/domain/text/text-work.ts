/**
 * Functions for work on the text of entire documents. Each function takes text and returns data, so that it can run in a separate thread or in the calling thread.
 * The size of the text decides where it runs (server/threads/texts.ts), although the duration also depends on the contents.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { withValues } from '../../../shared/fences/document-sheets.ts'
import { type DescribedChange, describedEdit, shortened } from '../../../shared/fences/described-change.ts'
import { type Fence, fenceAt, fencesOf } from '../../../shared/fences/fences.ts'
import { movedNow, type Proposed } from '../../../shared/fences/suggested-move.ts'
import { tidyEdits } from '../../../shared/fences/tidy.ts'
import { limits } from '../../../shared/limits.ts'
import { linesOf, type Range } from '../../../shared/text/targets.ts'
import { diff, type Edit } from '../../../shared/text/diff.ts'
import { hunks, unifiedDiff } from '../../../shared/text/hunks.ts'
import { merge } from '../../../shared/text/merge.ts'
import { sectionOf, sourceOf } from '../../../shared/text/resolution.ts'
import { isUnresolved } from '../../../shared/text/resolved.ts'
import { similarLines } from '../../../shared/text/similar.ts'
import { findAll } from '../../../shared/text/find-all.ts'
import { planEdits } from './edit-plan.ts'
import { mentionIndex } from '../events/mention-index.ts'
import { rangeByOneSide, rangeNamed, type Target } from './named-range.ts'
import { proposedHunks } from '../review/proposed-hunks.ts'

/** A heading as it appears in the outline. */
interface Heading {
  readonly level: number
  readonly title: string
  readonly line: number
  readonly lastLine: number
  readonly units: number
}

interface Outline {
  readonly units: number
  readonly lines: number
  readonly headings: Heading[]
  /** The total number of headings in the text. */
  readonly total: number
}

/** Returns at most `count` headings after a line. */
const outline = (text: string, after: number, count: number): Outline => {
  const { outline: all, lines } = sourceOf(text)
  const first = all.findIndex(({ line }) => line > after)
  const shown = first === -1 ? [] : all.slice(first, first + count)
  const headings = shown.map(({ level, title, line, from, to }) => {
    let end = to
    while (end > from && isSpace(text.charCodeAt(end - 1))) end--
    return { level, title, line, lastLine: lines.at(Math.max(from, end - 1)), units: to - from }
  })
  return { units: text.length, lines: lines.count, headings, total: all.length }
}

const isSpace = (unit: number): boolean => unit <= 0x20 || (unit >= 0x80 && String.fromCharCode(unit).trim() === '')

/** Returns the section with this name. Throws `target_not_found` or `target_ambiguous`. */
const section = (text: string, name: string): string => {
  const found = sectionOf(sourceOf(text), name)
  if (!isUnresolved(found)) return text.slice(found.from, found.to)
  const { code, sought = '', ...facts } = found
  const nearest = sought === '' ? [] : similarLines(text, sought)
  throw new ServiceError(code, { ...facts, ...(nearest.length === 0 ? {} : { nearest }) })
}

/** Returns a range of lines. Throws `target_not_found`. */
const lines = (text: string, range: string): string => {
  const [first = '', last = first] = range.split('-')
  const found = linesOf(text)
  const [start, end] = [found.range(Number(first)), found.range(Math.min(Number(last), found.count))]
  if (start === undefined || end === undefined || end.to < start.from)
    throw new ServiceError('target_not_found', { message: `The text has lines 1 to ${found.count}, not ${range}.`, lines: found.count })
  return text.slice(start.from, end.to)
}

/** The differences between two versions, in a form for people and in a form for programs. */
interface Comparison {
  readonly diff: string
  readonly hunks: ReturnType<typeof hunks>
  /** Whether the end of the comparison was left out. */
  readonly truncated: boolean
}

const comparison = (before: string, after: string, charsMax: number, hunksMax: number): Comparison => {
  const whole = unifiedDiff(before, after, Number.POSITIVE_INFINITY)
  const all = hunks(before, after, Number.POSITIVE_INFINITY)
  const shown = hunks(before, after, charsMax).slice(0, hunksMax)
  const diff = whole.length <= charsMax ? whole : whole.slice(0, whole.lastIndexOf('\n', charsMax))
  return { diff, hunks: shown, truncated: diff.length < whole.length || shown.length < all.length }
}

/** Helps a writer whose version is stale: returns how the current text differs from the text that was read, and a merge of both changes. */
const reconciliation = (
  base: string,
  mine: string,
  theirs: string,
  charsMax: number
): { diff: string; merge: ReturnType<typeof merge> } => ({ diff: unifiedDiff(base, theirs, charsMax), merge: merge(base, mine, theirs) })

const unfoundHint = (hasNearest: boolean): string =>
  `${hasNearest ? 'Quote the text exactly as in nearest' : 'No line is similar. Read the document and quote text that it contains'}, or send unanchored: true to comment without a position.`

/**
 * Returns the range that a target names. Returns undefined if it names none, or if the quotation is missing and `unanchored` permits that. Throws
 * `target_not_found` with the lines most similar to the quotation, and the errors of `rangeNamed`.
 */
const target = (text: string, named: Target & { readonly unanchored?: boolean | undefined }): Range | undefined => {
  const found = rangeNamed(text, named) ?? rangeByOneSide(text, named)
  if (found !== undefined || named.find === undefined || named.unanchored === true) return found
  const nearest = similarLines(text, named.find)
  throw new ServiceError('target_not_found', { hint: unfoundHint(nearest.length > 0), ...(nearest.length === 0 ? {} : { nearest }) })
}

/** A fence that can be tidied, with the edits that tidy it. */
interface UntidyFence {
  readonly body: string
  readonly bodyFrom: number
  readonly bodyTo: number
  readonly edits: readonly Edit[]
}

/** Returns the fences that concurrent edits left untidy, with the edits that tidy them. */
const untidyFences = (text: string): UntidyFence[] =>
  fencesOf(text).flatMap((fence): UntidyFence[] => {
    const { kind, source, bodyFrom, bodyTo } = fence
    const edits = bodyTo - bodyFrom > limits.tidyUnitsMax ? [] : tidyEdits(fence)
    return edits.length === 0 ? [] : [{ body: `${kind} ${source.slice(bodyFrom, bodyTo)}`, bodyFrom, bodyTo, edits }]
  })

/** Describes the changes that edits make to components. Each edit is described as if it were the only one. The work is bounded. */
const describedEdits = (text: string, edits: readonly Edit[]): (DescribedChange | undefined)[] => {
  const fences = fencesOf(text)
  let left = limits.describedUnitsMax
  return edits.map((edit) => {
    const fence = fenceAt(fences, edit.from)
    if (fence === undefined) return undefined
    left -= fence.to - fence.from + edit.insert.length
    const found = left < 0 ? undefined : describedEdit([fence], edit)
    return found && shortened(found, limits.describedWordsMax)
  })
}

/** Returns the edits of suggested moves, each as if it were the only one. Undefined if a suggestion is no move, or cannot be made. */
const movesNow = (text: string, all: readonly Proposed[]): (readonly Edit[] | undefined)[] => {
  let fences: readonly Fence[] | undefined
  return all.map((proposed) => movedNow(text, () => (fences ??= fencesOf(text)), proposed))
}

export const textWork = {
  untidyFences,
  describedEdits,
  movesNow,
  mentionIndex,
  target,
  rangeNamed,
  planEdits,
  findAll,
  proposedHunks,
  outline,
  section,
  lines,
  comparison,
  reconciliation,
  diff,
  hunks,
  unifiedDiff,
  merge,
  withValues
} as const

export type TextWork = typeof textWork

/** Does work on the text of a document without blocking other requests. */
export interface Texts {
  /**
   * Runs one piece of work. Throws the errors of the work, `too_complex` if it takes too long or too much memory, and `busy` if too much work is
   * queued. The document can change meanwhile.
   */
  readonly do: <Name extends keyof TextWork>(
    doc: string,
    name: Name,
    ...input: Parameters<TextWork[Name]>
  ) => Promise<ReturnType<TextWork[Name]>>
}

/** Returns the total size of the strings in an input, in UTF-16 units. */
export const unitsOf = (input: unknown): number => {
  if (typeof input === 'string') return input.length
  if (typeof input !== 'object' || input === null) return 0
  return Object.values(input).reduce<number>((sum, each) => sum + unitsOf(each), 0)
}
