/** Reads comma-separated values, with the positions of the cells. The delimiter is determined by the first record. */
import type { Line } from './fences.ts'
import { type Cell, type Row, trimmed } from './rows.ts'

const isQuoted = (text: string): boolean => /^"(?:[^"]|"")*"$/.test(text)

/** Returns the offsets of the delimiters in a record, except those inside quotes. */
const delimitersOf = (text: string, delimiter: string): number[] => {
  const found: number[] = []
  let isWithin = false
  let isFresh = true
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"' && isWithin && text.charAt(at + 1) === '"') at += 1
    else if (char === '"' && (isWithin || isFresh)) isWithin = !isWithin
    else if (char === delimiter && !isWithin) found.push(at)
    isFresh = (char === delimiter && !isWithin) || (isFresh && char === ' ')
  }
  return isWithin ? delimitersOf(text.replaceAll('"', ' '), delimiter) : found
}

const csvCells = (line: Line, delimiter: string): Cell[] => {
  const starts = [-1, ...delimitersOf(line.text, delimiter)]
  return starts.map((start, index) => {
    const cell = trimmed(line, start + 1, starts[index + 1] ?? line.text.length)
    return { ...cell, text: isQuoted(cell.text) ? cell.text.slice(1, -1).replaceAll('""', '"') : cell.text }
  })
}

/** Returns the delimiter of separated values, given their first record. */
export const delimiterOf = (text: string): ',' | ';' | '\t' =>
  text.includes('\t') ? '\t' : text.includes(';') && !text.includes(',') ? ';' : ','

/** Returns the rows of a CSV, for sheets and charts. */
export const csvRows = (lines: readonly Line[], first = 0): { rows: Row[]; delimiter: ',' | ';' | '\t' } => {
  const delimiter = delimiterOf(lines.slice(first).find(({ text }) => text.trim() !== '')?.text ?? '')
  const rows = lines.flatMap((line, index): Row[] =>
    index < first || line.text.trim() === '' ? [] : [{ line, index, cells: csvCells(line, delimiter) }]
  )
  return { rows, delimiter }
}
