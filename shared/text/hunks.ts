/** Differences for readers: line hunks for events, and unified diffs for people. */
import type { Hunk } from '../events.ts'
import { applyEdits, differingLines, type Edit, type LineChange, lineChanges, lineStart, moved, splitLines } from './diff.ts'

/** Like `hunks`, but for edits that are already known, so that the texts need not be compared. */
export const hunksOf = (before: string, edits: readonly Edit[], charsMax: number): Hunk[] => {
  const result: Hunk[] = []
  let left = charsMax
  let [line, counted] = [1, 0]
  for (let index = 0; index < edits.length;) {
    const first = edits[index] as Edit
    const from = lineStart(before, first.from)
    let to = lineEndFrom(before, first)
    const own = [first]
    for (index++; index < edits.length && lineStart(before, (edits[index] as Edit).from) < to; index++) {
      own.push(edits[index] as Edit)
      to = Math.max(to, lineEndFrom(before, edits[index] as Edit))
    }
    const old = before.slice(from, to)
    if ((left -= old.length + own.reduce((sum, { insert }) => sum + insert.length, 0)) < 0) break
    line += countLines(before, counted, from)
    counted = from
    // Unchanged lines do not belong to a hunk, so the lines of the edits are compared.
    result.push(...hunks(old, applyEdits(old, moved(own, -from)), charsMax).map((hunk) => ({ ...hunk, line: line + hunk.line - 1 })))
  }
  return result
}

/**
 * Returns the end of the last line that an edit changes, including its line break. If the edit consists of entire lines, the next line is not
 * included.
 */
const lineEndFrom = (text: string, { from, to, insert }: Edit): number => {
  const isWhole = lineStart(text, to) === to && (insert === '' ? lineStart(text, from) === from : insert.endsWith('\n'))
  if (isWhole) return to
  const end = text.indexOf('\n', to)
  return end === -1 ? text.length : end + 1
}

const lineFeed = 10

/** Returns the number of line endings between two offsets. */
const countLines = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === lineFeed) count++
  return count
}

const bare = (lines: readonly string[]): string[] => lines.map((line) => (line.endsWith('\n') ? line.slice(0, -1) : line))

/**
 * Returns the changes as hunks of an event. Lines count from 1. The hunks have at most `charsMax` UTF-16 units in total, and the rest is
 * left out.
 */
export const hunks = (before: string, after: string, charsMax: number): Hunk[] => {
  if (before === after) return []
  const middle = differingLines(before, after)
  const firstLine = countLines(before, 0, middle.from) + 1
  const result: Hunk[] = []
  let left = charsMax
  for (const change of lineChanges(splitLines(middle.old), splitLines(middle.young))) {
    left -= change.removed.join('').length + change.added.join('').length
    if (left < 0) break
    result.push({ line: firstLine + change.at, removed: bare(change.removed), added: bare(change.added) })
  }
  return result
}

/** Groups changes that are shown together because their contexts overlap. */
const neighbours = (changes: readonly LineChange[]): LineChange[][] => {
  const groups: LineChange[][] = []
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && change.at - endOf(last) <= 2 * contextLines) groups.at(-1)?.push(change)
    else groups.push([change])
  }
  return groups
}

const contextLines = 3

const endOf = ({ at, removed }: LineChange): number => at + removed.length

const marked = (mark: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) => (line.endsWith('\n') ? mark + line.slice(0, -1) : [mark + line, '\\ No newline at end of file']))

/** Returns a hunk of a unified diff. `lines` are the lines of the old text around its changes. `first` is the first line's number, counted from 0. */
const unifiedHunk = (
  lines: readonly string[],
  first: number,
  shift: number,
  changes: readonly LineChange[]
): { lines: string[]; shift: number } => {
  const from = Math.max(0, (changes[0]?.at ?? 0) - contextLines)
  const to = Math.min(lines.length, endOf(changes.at(-1) as LineChange) + contextLines)
  const body: string[] = []
  let at = from
  let added = 0
  let removed = 0
  for (const change of changes) {
    body.push(...marked(' ', lines.slice(at, change.at)))
    for (const line of marked('-', change.removed)) body.push(line)
    for (const line of marked('+', change.added)) body.push(line)
    at = endOf(change)
    added += change.added.length
    removed += change.removed.length
  }
  body.push(...marked(' ', lines.slice(at, to)))
  const old = to - from
  const young = old + added - removed
  return { lines: [`@@ -${first + from + 1},${old} +${first + from + 1 + shift},${young} @@`, ...body], shift: shift + added - removed }
}

/** Returns the start of the line that is `count` lines before an offset. The offset must be the start of a line. */
const linesBack = (text: string, at: number, count: number): number => {
  let from = at
  for (let line = 0; line < count && from > 0; line++) from = from === 1 ? 0 : text.lastIndexOf('\n', from - 2) + 1
  return from
}

/** Like `linesBack`, for lines after the offset. */
const linesOn = (text: string, at: number, count: number): number => {
  let to = at
  for (let line = 0; line < count && to < text.length; line++) to = text.indexOf('\n', to) === -1 ? text.length : text.indexOf('\n', to) + 1
  return to
}

/** Returns a unified diff with three lines of context. It is truncated at a line break so that it has at most `charsMax` UTF-16 units. */
export const unifiedDiff = (before: string, after: string, charsMax: number): string => {
  if (before === after) return ''
  const { from, old, young } = differingLines(before, after)
  // These are the differing lines with the context around them. The context is the same in both texts.
  const start = linesBack(before, from, contextLines)
  const end = linesOn(before, from + old.length, contextLines)
  const head = before.slice(start, from)
  const lines = splitLines(before.slice(start, end))
  const first = countLines(before, 0, start)
  const shown: string[] = []
  let shift = 0
  let chars = 0
  const ahead = countLines(head, 0, head.length)
  const all = lineChanges(splitLines(old), splitLines(young)).map((change) => ({ ...change, at: change.at + ahead }))
  for (const changes of neighbours(all)) {
    const hunk = unifiedHunk(lines, first, shift, changes)
    for (const line of hunk.lines) {
      shown.push(line)
      chars += line.length + 1
      // The remaining lines would be truncated anyway.
      if (chars > charsMax + 1) break
    }
    if (chars > charsMax + 1) break
    shift = hunk.shift
  }
  const text = shown.join('\n')
  return text.length <= charsMax ? text : text.slice(0, text.lastIndexOf('\n', charsMax))
}
