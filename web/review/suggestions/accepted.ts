/**
 * Applies changes by others while a person is suggesting. If others accept part of a suggestion that is still being typed, that part becomes text and
 * is no longer a suggestion. Later typing continues as a change of that text, so that nothing is lost or duplicated.
 */
import { ChangeSet, type ChangeSpec, type Text } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'

/** A version of a suggestion that the service may have: the range of the text that it replaces (`from`–`to`), and the new text. */
export interface Sent extends Range {
  readonly draft: string
  readonly original: string
  readonly text: string
}

export interface Followed {
  /** The changes from the document's new text to the text in the editor. */
  readonly changes: ChangeSet
  /** The changes to apply in the editor. */
  readonly shown: ChangeSet
  /** The versions of suggestions that others accepted. */
  readonly accepted: readonly Sent[]
}

/** Returns the texts of the pending insertions of others at an offset, in the order in which they were suggested. */
export type InsertedAt = (at: number) => readonly string[]

/** Maximum number of insertions in one place that can be accepted together while a person types another one there. */
const besideMax = 20

/**
 * Returns the offset of one suggestion in an insertion that consists of whole suggestions, which keep their order. Any of the others may be missing.
 * Undefined if the insertion contains anything else.
 */
function partOf(inserted: string, text: string, others: readonly string[]): number | undefined {
  for (let place = 0; place <= Math.min(others.length, besideMax); place++) {
    let at = 0
    let found: number | undefined
    for (const [index, each] of [...others.slice(0, place), text, ...others.slice(place)].entries()) {
      if (each === '' || !inserted.startsWith(each, at)) continue
      if (index === place) found = at
      at += each.length
    }
    if (found !== undefined && at === inserted.length) return found
  }
  return undefined
}

/** The insertions of others, before and after a version, that were accepted together with it. */
interface Acceptance {
  readonly before: string
  readonly after: string
}

function acceptanceOf(base: Text, now: Text, theirs: ChangeSet, version: Sent, insertedAt: InsertedAt): Acceptance | undefined {
  const { from, to, original, text } = version
  if (original === text || to > base.length || base.sliceString(from, to) !== original) return undefined
  const [start, end] = [theirs.mapPos(from, -1), theirs.mapPos(to, 1)]
  const inserted = now.sliceString(start, end)
  if (inserted === text) return { before: '', after: '' }
  const at = original === '' && text !== '' ? partOf(inserted, text, insertedAt(from)) : undefined
  return at === undefined ? undefined : { before: inserted.slice(0, at), after: inserted.slice(at + text.length) }
}

/** Extends a range so that it includes all of this person's changes that touch it. */
function widened(range: Range, own: readonly Range[]): Range {
  let { from, to } = range
  for (const each of own)
    if (each.from <= to && each.to >= from) {
      from = Math.min(from, each.from)
      to = Math.max(to, each.to)
    }
  return { from, to }
}

const isWithin = (one: Range, other: Range): boolean => one.from >= other.from && one.to <= other.to
const meets = (one: Range, other: Range): boolean => one.from <= other.to && one.to >= other.from

/** Returns the change between two texts without their common beginning and end. */
function minimal(from: number, before: string, after: string): ChangeSpec[] {
  if (before === after) return []
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return [{ from: from + start, to: from + before.length - end, insert: after.slice(start, after.length - end) }]
}

/**
 * Whether inserted text stays before text that others insert in the same place. The service places suggestions in the same way
 * (shared/text/characters.ts, `needs`).
 */
export function staysBefore(base: Text, at: number, inserted: string): boolean {
  const line = base.lineAt(at)
  if (at === line.from && at < base.length) return false
  return at < line.to || !inserted.startsWith('\n')
}

/** Combines changes of which none were accepted. */
function combined(base: Text, changes: ChangeSet, theirs: ChangeSet): Pick<Followed, 'changes' | 'shown'> {
  const early: ChangeSpec[] = []
  const late: ChangeSpec[] = []
  changes.iterChanges((from, to, _fromShown, _toShown, insert) => {
    const isEarly = from === to && staysBefore(base, from, insert.toString())
    ;(isEarly ? early : late).push({ from, to, insert })
  })
  const first = ChangeSet.of(early, base.length)
  const then = ChangeSet.of(late, base.length).map(first)
  const between = theirs.map(first)
  return { changes: first.map(theirs, true).compose(then.map(between)), shown: between.map(then, true) }
}

/**
 * Combines changes. `changes` leads from `base` to the editor's text, and `theirs` from `base` to the new text of the document. `sent` begins with
 * the newest version.
 */
export function followed(
  base: Text,
  changes: ChangeSet,
  theirs: ChangeSet,
  sent: readonly Sent[],
  insertedAt: InsertedAt = () => []
): Followed {
  const after = theirs.apply(base)
  const own: (Range & { readonly insert: Text })[] = []
  changes.iterChanges((from, to, _fromShown, _toShown, insert) => own.push({ from, to, insert }))
  const spans: Range[] = []
  theirs.iterChangedRanges((from, to) => spans.push({ from, to }))
  const accepted: Sent[] = []
  const regions: (Range & { readonly acceptance: Acceptance })[] = []
  for (const each of sent) {
    if (accepted.some(({ draft }) => draft === each.draft)) continue
    const acceptance = acceptanceOf(base, after, theirs, each, insertedAt)
    if (acceptance === undefined) continue
    const region = widened(each, own)
    const isAlone = acceptance.before === '' && acceptance.after === ''
    if (!isAlone && (region.from !== each.from || region.to !== each.to)) continue
    if (!own.some((change) => meets(change, each)) || regions.some((other) => meets(other, region))) continue
    // Accepting a suggestion changes nothing around it. This change was therefore typed, and only contains the same text by chance.
    if (spans.some((span) => meets(span, region) && !isWithin(span, region))) continue
    accepted.push(each)
    regions.push({ ...region, acceptance })
  }
  if (regions.length === 0) return { ...combined(base, changes, theirs), accepted }
  const isIn = (range: Range): boolean => regions.some((region) => isWithin(range, region))
  const others: ChangeSpec[] = regions.map(({ from, acceptance }) => ({ from, insert: acceptance.before }))
  theirs.iterChanges((from, to, _from, _to, insert) => {
    if (!isIn({ from, to })) others.push({ from, to, insert })
  })
  const rest = ChangeSet.of(
    own.filter((change) => !isIn(change)),
    base.length
  )
  const seen = changes.apply(base)
  const typed = regions.flatMap(({ from, to, acceptance }) => {
    const [start, end] = [theirs.mapPos(from, -1) + acceptance.before.length, theirs.mapPos(to, 1) - acceptance.after.length]
    return minimal(start, after.sliceString(start, end), seen.sliceString(changes.mapPos(from, -1), changes.mapPos(to, 1)))
  })
  const first = ChangeSet.of(others, base.length, '\n').map(changes, true)
  const last = ChangeSet.of(
    regions.map(({ to, acceptance }) => ({ from: to, insert: acceptance.after })),
    base.length,
    '\n'
  ).map(changes)
  return {
    changes: ChangeSet.of([rest.map(theirs), ...typed], after.length, '\n'),
    shown: first.compose(last.map(first)),
    accepted
  }
}
