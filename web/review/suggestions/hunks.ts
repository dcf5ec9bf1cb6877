/** Divides the changes typed in suggesting mode into separate changes to the document's text. */
import { ChangeSet, type ChangeSpec, type Text } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'
import { isDelimiter } from '../../editor/table-rows.ts'
import { isMark } from './format-change.ts'

/** A range of the text (`from`–`to`) and its suggested replacement, which is at `fromShown`–`toShown` in the editor. */
export interface Hunk extends Range {
  readonly original: string
  readonly text: string
  readonly fromShown: number
  readonly toShown: number
}

const commonStart = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

const commonEnd = (one: string, other: string, max: number): number => {
  let length = 0
  while (length < max && one[one.length - 1 - length] === other[other.length - 1 - length]) length++
  return length
}

/**
 * Removes the common words at the beginning and end of both texts. Undefined if the texts are equal. Changed words stay complete, because people
 * accept or reject complete words.
 */
export function trimmed(hunk: Hunk): Hunk | undefined {
  const { original, text } = hunk
  if (original === text) return undefined
  const common = commonStart(original, text)
  const isInsertion = common === original.length || common === text.length
  const start = isInsertion ? common : (/^[^]*\s/.exec(original.slice(0, common))?.[0].length ?? 0)
  const rest = Math.min(original.length, text.length) - start
  const tail = original.slice(original.length - commonEnd(original, text, rest))
  const end = tail.length === rest ? tail.length : tail.length - (/\s/.exec(tail)?.index ?? tail.length)
  return {
    from: hunk.from + start,
    to: hunk.to - end,
    original: original.slice(start, original.length - end),
    text: text.slice(start, text.length - end),
    fromShown: hunk.fromShown + start,
    toShown: hunk.toShown - end
  }
}

/** Removes changes that replace text with the same text. Undo leaves such changes, and a position inside them would move to their end. */
export function withoutSame(base: Text, changes: ChangeSet): ChangeSet {
  const rest: ChangeSpec[] = []
  let areSame = false
  changes.iterChanges((from, to, _fromShown, _toShown, insert) => {
    if (insert.length === to - from && insert.eq(base.slice(from, to))) areSame = true
    else rest.push({ from, to, insert })
  })
  return areSame ? ChangeSet.of(rest, base.length) : changes
}

/** Removes the common characters at the beginning and end of each change, so that positions in them stay on their characters. */
export function closest(base: Text, changes: ChangeSet): ChangeSet {
  const all: ChangeSpec[] = []
  changes.iterChanges((from, to, _fromShown, _toShown, insert) => {
    const most = Math.min(to - from, insert.length)
    const start = commonStart(base.sliceString(from, from + most), insert.sliceString(0, most))
    const end = commonEnd(base.sliceString(to - most, to), insert.sliceString(insert.length - most), most - start)
    all.push({ from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) })
  })
  return ChangeSet.of(all, base.length)
}

/** Returns each change separately, in text order. */
export function hunksOf(base: Text, changes: ChangeSet): Hunk[] {
  const found: Hunk[] = []
  changes.iterChanges((from, to, fromShown, toShown, inserted) => {
    const hunk = trimmed({ from, to, fromShown, toShown, original: base.sliceString(from, to), text: inserted.toString() })
    if (hunk !== undefined) found.push(hunk)
  })
  return found
}

/** Longest part of a word between two changes that are joined, in UTF-16 units. */
const wordUnitsMax = 24
/** Longest formatted text whose marks are joined, in UTF-16 units. */
const formattedUnitsMax = 1000

/** Whether two changes add or remove the marks of one format, before and after the text between them. */
const areMarks = (one: Hunk, other: Hunk, between: string): boolean =>
  one.text === other.text &&
  one.original === other.original &&
  (one.text === '' || one.original === '') &&
  isMark(one.text + one.original) &&
  between.length <= formattedUnitsMax &&
  !between.includes('\n')

/** Whether a line contains a bar that divides cells. */
export const isRow = (line: string): boolean => /(?:^|[^\\])\|/.test(line)

/** Returns the range of the table that contains a position. Undefined if there is none. */
export function tableAround(base: Text, at: number): Range | undefined {
  const own = base.lineAt(at)
  if (!isRow(own.text)) return undefined
  let [first, last] = [own.number, own.number]
  while (first > 1 && isRow(base.line(first - 1).text)) first--
  while (last < base.lines && isRow(base.line(last + 1).text)) last++
  if (first === last || !isDelimiter(base.line(first + 1).text)) return undefined
  return { from: base.line(first).from, to: base.line(last).to }
}

const rowsOf = (text: string): string[] => text.split('\n').filter(isRow)

/**
 * Returns the range of the changes in a table that make sense only together: those that add, remove or move a column, and those that move rows. Rows
 * that are added or removed make sense alone.
 */
function togetherIn(hunks: readonly Hunk[]): Range | undefined {
  const removed = new Set(hunks.flatMap(({ original }) => rowsOf(original)))
  const added = new Set(hunks.flatMap(({ text }) => rowsOf(text)))
  const own = hunks.filter(({ original, text }) => {
    const isInRow = !`${original}${text}`.includes('\n') && isRow(original + text)
    return isInRow || rowsOf(original).some((row) => added.has(row)) || rowsOf(text).some((row) => removed.has(row))
  })
  const [first, last] = [own[0], own.at(-1)]
  return first === undefined || last === undefined ? undefined : { from: first.from, to: last.to }
}

/** Returns for each change the range of the changes to which it belongs, because one row without the others would break a table. */
function byTable(base: Text, hunks: readonly Hunk[]): (Range | undefined)[] {
  const found: (Range | undefined)[] = []
  for (let first = hunks[0]; first !== undefined; first = hunks[found.length]) {
    const table = tableAround(base, first.from)
    let end = found.length + 1
    while (table !== undefined && (hunks[end]?.to ?? Infinity) <= table.to) end++
    const own = hunks.slice(found.length, end)
    const whole = table && togetherIn(own)
    for (const { from, to } of own) found.push(whole !== undefined && from >= whole.from && to <= whole.to ? whole : undefined)
  }
  return found
}

/**
 * Joins changes that are in the same word, the two marks of a format, and the changes of one column in all rows of a table. One of them alone would
 * make no sense.
 */
export function byWord(base: Text, hunks: readonly Hunk[]): Hunk[] {
  const found: Hunk[] = []
  const tables = byTable(base, hunks)
  for (const [index, hunk] of hunks.entries()) {
    const before = found.at(-1)
    const isOneChange = tables[index] !== undefined && tables[index] === tables[index - 1]
    const between = before === undefined ? '' : base.sliceString(before.to, hunk.from)
    if (
      before === undefined ||
      (!isOneChange && (between.length > wordUnitsMax || /\s/.test(between)) && !areMarks(before, hunk, between))
    ) {
      found.push(hunk)
      continue
    }
    found[found.length - 1] = {
      from: before.from,
      to: hunk.to,
      original: before.original + between + hunk.original,
      text: before.text + between + hunk.text,
      fromShown: before.fromShown,
      toShown: hunk.toShown
    }
  }
  return found
}

export const operationOf = ({ original, text }: Pick<Hunk, 'original' | 'text'>): 'insert' | 'delete' | 'replace' => {
  if (original === '') return 'insert'
  return text === '' ? 'delete' : 'replace'
}
