/** Three-way merge by lines, on Myers' line script (a plain LCS merge takes seconds on repetitive text). */
import { type LineChange, lineChanges } from './diff.ts'

export interface Conflict {
  /** First line of the conflict in the base text, counted from 1. */
  readonly line: number
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

export type Merge = { readonly clean: true; readonly content: string } | { readonly clean: false; readonly conflicts: readonly Conflict[] }

const split = (text: string): string[] => text.split(/(?<=\n)/)
const endOf = (change: LineChange): number => change.at + change.removed.length
const sameChange = (one: LineChange, other: LineChange): boolean =>
  one.at === other.at && endOf(one) === endOf(other) && one.added.join('') === other.added.join('')
// Changes that touch end to end conflict too: which comes first would be a guess.
const touches = (one: LineChange, other: LineChange): boolean => one.at <= endOf(other) && other.at <= endOf(one)

const conflictOf = (base: readonly string[], mine: LineChange, theirs: LineChange): Conflict => {
  const from = Math.min(mine.at, theirs.at)
  const to = Math.max(endOf(mine), endOf(theirs))
  const side = (change: LineChange): string => [...base.slice(from, change.at), ...change.added, ...base.slice(endOf(change), to)].join('')
  return { line: from + 1, base: base.slice(from, to).join(''), mine: side(mine), theirs: side(theirs) }
}

/** Merges two texts that both come from `base`. Clean when no change of one touches a different change of the other. */
export const merge = (base: string, mine: string, theirs: string): Merge => {
  const lines = split(base)
  const ours = lineChanges(lines, split(mine))
  const others = lineChanges(lines, split(theirs)).filter((change) => !ours.some((our) => sameChange(our, change)))
  const conflicts = ours.flatMap((our) => others.filter((other) => touches(our, other)).map((other) => conflictOf(lines, our, other)))
  if (conflicts.length > 0) return { clean: false, conflicts }
  const parts: string[] = []
  let at = 0
  for (const change of [...ours, ...others].toSorted((one, other) => one.at - other.at)) {
    parts.push(...lines.slice(at, change.at), ...change.added)
    at = endOf(change)
  }
  return { clean: true, content: [...parts, ...lines.slice(at)].join('') }
}
