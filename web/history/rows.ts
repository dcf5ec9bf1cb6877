/** Two versions of a text as lines with inserted and deleted words. Pure; runs in a worker, because a large text takes seconds. */
import { diff } from '../../shared/text/diff.ts'

export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  /** Without its line break. */
  readonly text: string
}

export interface Row {
  readonly pieces: readonly Piece[]
  /** In the later text, counted from 1; undefined if the line was deleted. */
  readonly line: number | undefined
  readonly changed: boolean
  /** Whether a change begins with it: a run of changed lines, separated by blank ones. */
  readonly begins: boolean
}

const isBlank = ({ pieces }: Pick<Row, 'pieces'>): boolean => pieces.every(({ text }) => text.trim() === '')

/** Where a change begins. */
export interface Change {
  /** In the later text, counted from 0. */
  readonly line: number
  /** In the earlier text, counted from 0. */
  readonly former: number
}

export interface Comparison {
  readonly rows: readonly Row[]
  /** In their order. */
  readonly changes: readonly Change[]
  /** UTF-16 units inserted and deleted. */
  readonly added: number
  readonly removed: number
}

export function compare(before: string, after: string): Comparison {
  const rows: Row[] = []
  let pieces: Piece[] = []
  let stands = false
  let line = 1
  const changes: Change[] = []
  /** Offsets in the earlier text: of the current line break, and of the row. */
  let [ends, former] = [0, 0]
  /** Whether the current change has more than blank lines. */
  let hasWords = false
  const endRow = (): void => {
    const changed = pieces.some(({ kind }) => kind !== 'same')
    const last = rows.at(-1)
    const blank = isBlank({ pieces })
    const begins = changed && (last?.changed !== true || (hasWords && isBlank(last) && !blank))
    if (begins) changes.push({ line: line - 1, former })
    hasWords = changed && ((!begins && hasWords) || !blank)
    rows.push({ pieces, line: stands ? line++ : undefined, changed, begins })
    pieces = []
    stands = false
    former = ends
  }
  const push = (kind: Piece['kind'], text: string): void => {
    let at = 0
    while (at < text.length) {
      const found = text.indexOf('\n', at)
      const end = found === -1 ? text.length : found
      pieces.push({ kind, text: text.slice(at, end) })
      if (kind !== 'removed') stands = true
      if (found !== -1 && kind !== 'added') ends += 1
      if (found !== -1) endRow()
      at = end + 1
    }
  }
  let [at, added, removed] = [0, 0, 0]
  for (const { from, to, insert } of diff(before, after)) {
    push('same', before.slice(at, from))
    push('removed', before.slice(from, to))
    push('added', insert)
    added += insert.length
    removed += to - from
    at = to
  }
  push('same', before.slice(at))
  if (pieces.length > 0) endRow()
  return { rows, changes, added, removed }
}

/** Rows that are shown together: a complete run, or unchanged ones between changes that are folded. */
export interface Stretch {
  readonly rows: readonly Row[]
  readonly folded: boolean
}

/** Unchanged lines that stay visible next to a change. */
const contextRows = 3

/** Folds unchanged lines far from every change, unless there are too few of them to be worth a click. */
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
