/** Rows of cells in a fence, with the positions of the cells in the text. */
import type { Line, Range } from './fences.ts'

export interface Cell extends Range {
  /** The value, trimmed and without escapes and quotes. `from` and `to` are the range of the trimmed source. */
  readonly text: string
  /** The range between the bars or delimiters around the cell, including whitespace. */
  readonly area: Range
}

export interface Row {
  readonly line: Line
  /** Index of the line within the fence. */
  readonly index: number
  readonly cells: readonly Cell[]
}

export const trimmed = ({ from, text }: Line, start: number, end: number): Cell => {
  const part = text.slice(start, end)
  const inner = part.trim()
  // The position of an empty cell is after the space that follows the bar.
  const lead = inner === '' ? Math.min(1, part.length) : part.length - part.trimStart().length
  const at = from + start + lead
  return { from: at, to: at + inner.length, text: inner, area: { from: from + start, to: from + end } }
}
