/** Finds words of deleted text in text that the same change, or a paste, inserts elsewhere. */
import { wordsOf } from '../../../shared/text/moved-lines.ts'
import type { Range as Span } from '../../../shared/text/targets.ts'

interface Line {
  readonly at: number
  readonly text: string
  /** The words that a move does not change. A paste in a list item leaves the marker out. */
  readonly key: string
}

const linesOf = (text: string): Line[] => {
  let next = 0
  return text.split('\n').map((line) => {
    const at = next
    next += line.length + 1
    return { at, text: line, key: wordsOf(line.replace(/^[ \t>]*/, '').trimEnd()).replace(/^- /, '') }
  })
}

/** Returns an offset of a line in the moved line, whose marker or formulas the move may have changed. Undefined if it is within such a change. */
function offsetIn(from: string, to: string, at: number): number | undefined {
  const most = Math.min(from.length, to.length)
  let start = 0
  while (start < most && from[start] === to[start]) start++
  let end = 0
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end++
  if (at <= start) return at
  return at >= from.length - end ? at + to.length - from.length : undefined
}

interface Cell {
  readonly from: number
  readonly to: number
  readonly text: string
}

const cellsOf = (line: string): Cell[] => {
  let next = 0
  return line.split('|').map((area) => {
    const from = next + area.length - area.trimStart().length
    next += area.length + 1
    const text = area.trim()
    return { from, to: from + text.length, text }
  })
}

/** Returns a key that stays the same if a move of columns changes the order of the cells. Empty if the line has no cells. */
const rowKey = ({ text }: Line): string => {
  const cells = cellsOf(text)
  return cells.length < 2
    ? ''
    : cells
        .map((cell) => cell.text)
        .toSorted()
        .join('|')
}

/** Returns an offset of a row after a move of columns. The cell must be there once. */
function offsetInCell(from: string, to: string, at: number): number | undefined {
  const cell = cellsOf(from).find((each) => each.from <= at && at <= each.to && each.text !== '')
  const same = (line: string): Cell[] => cellsOf(line).filter(({ text }) => text === cell?.text)
  const [[now], old] = [same(to), same(from)]
  return cell && now && old.length === 1 ? now.from + at - cell.from : undefined
}

/** Returns the line of the inserted text that a line of the deleted text is. It must have the same key, which is there as often as before. */
function lineAs(line: Line, deleted: readonly Line[], inserted: readonly Line[], keyOf: (line: Line) => string): Line | undefined {
  const key = keyOf(line)
  if (key === '') return undefined
  const same = (lines: readonly Line[]): Line[] => lines.filter((each) => keyOf(each) === key)
  const [old, young] = [same(deleted), same(inserted)]
  return old.length === young.length ? young[old.indexOf(line)] : undefined
}

/** Returns where an offset of deleted text is in the inserted text. */
function offsetOf(deleted: readonly Line[], inserted: readonly Line[], at: number): number | undefined {
  const line = deleted.findLast((each) => each.at <= at)
  if (line === undefined) return undefined
  const same = lineAs(line, deleted, inserted, ({ key }) => key)
  const now = same ?? lineAs(line, deleted, inserted, rowKey)
  const offset = now && (same === undefined ? offsetInCell : offsetIn)(line.text, now.text, at - line.at)
  return now && offset !== undefined ? now.at + offset : undefined
}

/** Returns the range of inserted text in which a range of deleted text is now. Undefined if it is not there. */
export function movedWithin(deleted: string, { from, to }: Span, inserted: string): Span | undefined {
  if (deleted === inserted) return { from, to }
  const [old, young] = [linesOf(deleted), linesOf(inserted)]
  const start = offsetOf(old, young, from)
  const end = from === to ? start : offsetOf(old, young, to)
  if (start === undefined || end === undefined || end < start) return undefined
  return { from: start, to: end }
}
