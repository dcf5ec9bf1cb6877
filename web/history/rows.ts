/** Shows two versions of the text as lines with inserted and deleted words. It runs in a worker, because comparing large documents takes seconds. */
import { diff } from '../../shared/text/diff.ts'

export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  /** The text without its line break. */
  readonly text: string
}

export interface Row {
  readonly pieces: readonly Piece[]
  /** Line number in the later text, counted from 1. Undefined if the line was deleted. */
  readonly line: number | undefined
  readonly changed: boolean
  /** Whether the row begins a change. A change is a run of changed lines, and blank lines separate changes. */
  readonly begins: boolean
}

const isBlank = ({ pieces }: Pick<Row, 'pieces'>): boolean => pieces.every(({ text }) => text.trim() === '')

export interface Comparison {
  readonly rows: readonly Row[]
  /** Number of rows that begin a change. */
  readonly changes: number
  /** Number of inserted UTF-16 units. `removed` is the number of deleted ones. */
  readonly added: number
  readonly removed: number
}

export function compare(before: string, after: string): Comparison {
  const rows: Row[] = []
  let pieces: Piece[] = []
  let stands = false
  let line = 1
  let changes = 0
  /** Whether the current change contains more than blank lines. */
  let hasWords = false
  const endRow = (): void => {
    const changed = pieces.some(({ kind }) => kind !== 'same')
    const last = rows.at(-1)
    const blank = isBlank({ pieces })
    const begins = changed && (last?.changed !== true || (hasWords && isBlank(last) && !blank))
    if (begins) changes += 1
    hasWords = changed && ((!begins && hasWords) || !blank)
    rows.push({ pieces, line: stands ? line++ : undefined, changed, begins })
    pieces = []
    stands = false
  }
  /** Adds text to the rows. With `isAfterRow`, a line break before other characters only ends the current row. */
  const push = (kind: Piece['kind'], text: string, isAfterRow = false): void => {
    let at = 0
    while (at < text.length) {
      const found = text.indexOf('\n', at)
      const end = found === -1 ? text.length : found
      if (!isAfterRow || end > 0 || text.length === 1) {
        pieces.push({ kind, text: text.slice(at, end) })
        if (kind !== 'removed') stands = true
      }
      if (found !== -1) endRow()
      at = end + 1
    }
  }
  let [at, added, removed] = [0, 0, 0]
  for (const { from, to, insert } of diff(before, after)) {
    push('same', before.slice(at, from))
    // Lines that are inserted or deleted after a line do not change that line.
    const isAtLineEnd = (to === before.length || before[to] === '\n') && pieces.length > 0
    push('removed', before.slice(from, to), isAtLineEnd && insert === '')
    push('added', insert, isAtLineEnd && from === to)
    added += insert.length
    removed += to - from
    at = to
  }
  push('same', before.slice(at))
  if (pieces.length > 0) endRow()
  return { rows, changes, added, removed }
}

/** Rows that are shown together: a change with the lines around it, or a run of unchanged lines that is folded. */
export interface Stretch {
  readonly rows: readonly Row[]
  readonly folded: boolean
}

/** Number of unchanged lines that stay visible next to a change. */
const contextRows = 3

/** Divides the rows into groups. Unchanged lines that are far from every change are folded, unless there are too few to be worth a click. */
export function stretches(rows: readonly Row[]): Stretch[] {
  const near = new Uint8Array(rows.length)
  rows.forEach((row, index) => {
    if (row.changed) near.fill(1, Math.max(0, index - contextRows), index + contextRows + 1)
  })
  const list: Stretch[] = []
  for (let start = 0; start < rows.length;) {
    const shown = near[start] === 1
    let end = start
    while (end < rows.length && (near[end] === 1) === shown) end++
    list.push({ rows: rows.slice(start, end), folded: !shown && end - start > contextRows })
    start = end
  }
  return list
}
