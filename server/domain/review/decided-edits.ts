/**
 * The edits of decisions that are made together. The ranges of two suggestions may overlap, as those of two cards that leave one board. Both are made if
 * they change different characters.
 */
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import type { Range } from '../../../shared/text/targets.ts'

/** An edit that takes back a part of an acceptance. `at` is the offset of its text before the acceptance. */
export interface InverseEdit extends Edit {
  readonly at: number
}

/** The range of the current text that a decision replaces, with its text before and after the decision. */
export interface Change {
  readonly range: Range
  readonly before: string
  readonly after: string
  /** The minimal edits, ascending, with offsets in the document. */
  readonly edits: readonly (Edit | InverseEdit)[]
  /** Whether the change moves lines that others have changed since the suggestion was made. */
  readonly isMovedNow?: boolean
}

/** A change of one of several decisions. */
export interface DecidedChange extends Change {
  /** The id of the suggestion. */
  readonly id: string
  readonly action: 'accept' | 'reject' | 'reopen'
  /** The number of the suggestion. A later suggestion has a higher number. */
  readonly number: number
  /** The position of the decision among the others. */
  readonly turn: number
}

const overlap = (one: Range, other: Range): boolean => one.from < other.to && one.to > other.from

const isPoint = ({ from, to }: Range): boolean => from === to

/** Returns the side on which inserted lines have their line break. Undefined if the text is not lines. */
const lineBreakOf = (insert: string): 'before' | 'after' | undefined => {
  if (insert.startsWith('\n')) return 'before'
  return insert.endsWith('\n') ? 'after' : undefined
}

/**
 * Whether two edits change the same characters, or insert words in one place. Lines can be inserted next to changed words, and next to other lines that
 * have their line break on the same side.
 */
const meet = (one: Edit, other: Edit): boolean => {
  if (overlap(one, other)) return true
  if (one.insert === '' || other.insert === '') return false
  const [point, edit] = isPoint(one) ? [one, other] : [other, one]
  if (!isPoint(point) || (point.from !== edit.from && point.from !== edit.to)) return false
  const side = lineBreakOf(point.insert)
  return side === undefined || (isPoint(edit) && side !== lineBreakOf(edit.insert))
}

/** Whether two changes cannot be made together. */
export const conflict = (one: Change, other: Change): boolean => {
  if (!overlap(one.range, other.range)) return false
  let [index, position] = [0, 0]
  for (;;) {
    const [mine, theirs] = [one.edits[index], other.edits[position]]
    if (mine === undefined || theirs === undefined) return false
    if (meet(mine, theirs)) return true
    if (mine.to < theirs.to || (mine.to === theirs.to && mine.from <= theirs.from)) index++
    else position++
  }
}

interface OwnedEdit {
  readonly edit: Edit | InverseEdit
  readonly owner: DecidedChange
}

/**
 * Returns the order of two insertions in one place. It is the order that the decisions would produce one after the other: lines at the end of a range
 * come before those that are already there, and lines at its beginning after them.
 */
const orderOf = ({ edit, owner: { range, number, turn } }: OwnedEdit): [group: number, within: number] => {
  if (isPoint(range)) return [0, number]
  return range.from === edit.from ? [1, turn] : [-1, -turn]
}

const compare = (one: OwnedEdit, other: OwnedEdit): number => {
  const byPlace = one.edit.from - other.edit.from || one.edit.to - other.edit.to
  if (byPlace !== 0) return byPlace
  if ('at' in one.edit && 'at' in other.edit) return one.edit.at - other.edit.at
  const [[group, within], [otherGroup, otherWithin]] = [orderOf(one), orderOf(other)]
  return group - otherGroup || within - otherWithin
}

/** The text of a change once all changes have been made. */
export interface Made {
  readonly change: DecidedChange
  readonly range: Range
  /** The edits that take the change back, with offsets in the range. Undefined if the suggestion itself says how the text was before. */
  readonly inverse: readonly InverseEdit[] | undefined
}

export interface Together {
  /** All edits in the order of the text. */
  readonly edits: readonly Edit[]
  /** Returns the ranges of the changes in the new text, in the order of the changes. */
  made(content: string): readonly Made[]
}

/** Combines changes of which no two conflict. */
export const together = (changes: readonly DecidedChange[]): Together => {
  const all = changes.flatMap((owner) => owner.edits.map((edit): OwnedEdit => ({ edit, owner }))).toSorted(compare)
  const edits = all.map(({ edit }) => edit)
  return { edits, made: (content) => rangesMade(content, changes, all) }
}

/** Returns the offset of an edge of a range after the edits. Text that others insert at the edge stays outside. */
const edgeAfter = (edits: readonly Edit[], at: number, isEnd: boolean): number => {
  let shift = 0
  for (const { from, to, insert } of edits) {
    if (from > at || (from === at && (isEnd || to > at))) break
    if (to > at) return from + shift + (isEnd ? 0 : insert.length)
    shift += insert.length - (to - from)
  }
  return at + shift
}

const rangesMade = (content: string, changes: readonly DecidedChange[], all: readonly OwnedEdit[]): readonly Made[] => {
  const edits = all.map(({ edit }) => edit)
  const own = new Map<DecidedChange, (Range & { readonly edit: Edit })[]>(changes.map((change) => [change, []]))
  let shift = 0
  for (const { edit, owner } of all) {
    const from = edit.from + shift
    shift += edit.insert.length - (edit.to - edit.from)
    own.get(owner)?.push({ edit, from, to: from + edit.insert.length })
  }
  return changes.map((change) => {
    const { range } = change
    const mine = own.get(change) ?? []
    const [first, last] = [mine[0], mine.at(-1)]
    const from = first?.edit.from === range.from ? first.from : edgeAfter(edits, range.from, false)
    const to = last?.edit.to === range.to ? last.to : edgeAfter(edits, range.to, true)
    const isAlone = change.isMovedNow !== true && !changes.some((other) => other !== change && overlap(other.range, range))
    const inverse = mine.map(({ edit, ...now }): InverseEdit => ({
      from: now.from - from,
      to: now.to - from,
      insert: content.slice(edit.from, edit.to),
      at: edit.from
    }))
    return { change, range: { from, to: Math.max(from, to) }, inverse: isAlone ? undefined : inverse }
  })
}

/** Returns the change that takes back an acceptance that was made together with others. `now` is the range of its text, which is `before`. */
export const takenBack = (before: string, now: Range, inverse: readonly InverseEdit[]): Change => ({
  range: now,
  before,
  after: applyEdits(before, inverse),
  edits: inverse.map(({ from, to, ...edit }) => ({ ...edit, from: from + now.from, to: to + now.from }))
})

/** Returns the number of characters of a range that edits remove. */
const removedIn = (edits: readonly Edit[], { from, to }: Range): number =>
  edits.reduce((sum, edit) => sum + Math.max(0, Math.min(edit.to, to) - Math.max(edit.from, from)), 0)

/**
 * Returns the words that decisions put in the place of a range, if a decision replaces most of it. The range is in the text before the decisions, and the
 * result in the text after them. Undefined if no decision replaces it.
 */
export const replacementOf = (changes: readonly DecidedChange[], { from, to }: Range): Range | undefined => {
  const owner = changes.find(({ range, before, after }) => range.from <= from && to <= range.to && before !== '' && after !== '')
  if (owner === undefined || removedIn(owner.edits, { from, to }) * 2 <= to - from) return undefined
  let [start, end, shift] = [from, to, 0]
  let [isStart, isEnd] = [false, false]
  for (const edit of together(changes).edits) {
    const grown = edit.insert.length - (edit.to - edit.from)
    if (edit.from <= from && edit.to > from) [start, isStart] = [edit.from + shift, true]
    if (edit.from < to && edit.to >= to) [end, isEnd] = [edit.from + shift + edit.insert.length, true]
    shift += grown
    if (!isStart && edit.to <= from) start = from + shift
    if (!isEnd && edit.to < to) end = to + shift
  }
  return start < end ? { from: start, to: end } : undefined
}
