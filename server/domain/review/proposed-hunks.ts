/** The proposed changes from one version to another, as separate hunks. Added or removed lines are proposed as entire lines. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { diff, lineChanges, splitLines } from '../../../shared/text/diff.ts'
import { type Granularity, parted } from '../../../shared/text/granularity.ts'
import { checkText } from '../text/named-range.ts'

/** A range of the text and the proposed replacement. */
export interface Hunk extends Range {
  readonly text: string
}

/** Checks the number of changes. Throws `too_many_changes` if there are too many. */
export const requireFew = (changes: number): void => {
  if (changes > limits.suggestionsAtOnceMax)
    throw new ServiceError('too_many_changes', { changes, changesMax: limits.suggestionsAtOnceMax })
}

/**
 * Returns the hunks between two texts. Without `granularity`, the changes in consecutive lines form one hunk. Throws `too_many_changes` or
 * `text_too_large`.
 */
export const proposedHunks = (before: string, after: string, granularity?: Granularity): Hunk[] => {
  if (granularity !== undefined) {
    const edits = parted(before, diff(before, after), granularity)
    requireFew(edits.length)
    const hunks = edits.map(({ from, to, insert }) => ({ from, to, text: insert }))
    checkHunks(before, hunks)
    return hunks
  }
  const lines = splitLines(before)
  let line = 0
  let offset = 0
  const found = lineChanges(lines, splitLines(after))
  // The count is checked first, because narrowing compares each hunk again.
  requireFew(found.length)
  const hunks = found.map(({ at, removed, added }) => {
    for (; line < at; line++) offset += lines[line]?.length ?? 0
    return narrowed(offset, removed.join(''), added.join(''))
  })
  checkHunks(before, hunks)
  return hunks
}

/**
 * Returns the change from `old`, which begins at `from`, to `young`, without their common prefix and suffix. An addition or removal of entire
 * lines is not shortened.
 */
const narrowed = (from: number, old: string, young: string): Hunk => {
  const edits = old === '' || young === '' ? [] : diff(old, young)
  const [first, last] = [edits[0], edits.at(-1)]
  if (first === undefined || last === undefined) return { from, to: from + old.length, text: young }
  const kept = old.length - last.to
  return { from: from + first.from, to: from + last.to, text: young.slice(first.from, young.length - kept) }
}

/** Checks the sizes of hunks. Throws `text_too_large`. */
export const checkHunks = (content: string, hunks: readonly Hunk[]): void => {
  for (const { from, to, text } of hunks) {
    checkText('content', content.slice(from, to))
    checkText('content', text)
  }
}
