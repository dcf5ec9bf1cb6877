/** Two versions of a text as lines in which words came and went. Pure; runs in a worker, since a large text takes seconds. */
import { diff } from '../../shared/text/diff.ts'

export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  /** Without its line end. */
  readonly text: string
}

export interface Row {
  readonly pieces: readonly Piece[]
  /** In the later text, counted from 1; undefined: the line is there no more. */
  readonly line: number | undefined
  readonly changed: boolean
}

export interface Comparison {
  readonly rows: readonly Row[]
  /** Runs of lines that changed. */
  readonly changes: number
  /** UTF-16 units that came, and went. */
  readonly added: number
  readonly removed: number
}

export function compare(before: string, after: string): Comparison {
  const rows: Row[] = []
  let pieces: Piece[] = []
  let stands = false
  let line = 1
  const endRow = (): void => {
    rows.push({ pieces, line: stands ? line++ : undefined, changed: pieces.some(({ kind }) => kind !== 'same') })
    pieces = []
    stands = false
  }
  const push = (kind: Piece['kind'], text: string): void => {
    let at = 0
    while (at < text.length) {
      const found = text.indexOf('\n', at)
      const end = found === -1 ? text.length : found
      pieces.push({ kind, text: text.slice(at, end) })
      if (kind !== 'removed') stands = true
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
  const changes = rows.filter((row, index) => row.changed && rows[index - 1]?.changed !== true).length
  return { rows, changes, added, removed }
}

/** Rows to be shown together: all of them, or unchanged ones that stand between changes and are folded away. */
export interface Stretch {
  readonly rows: readonly Row[]
  readonly folded: boolean
}

/** Unchanged lines that stay visible beside a change. */
const contextRows = 3

/** Unchanged lines far from every change, folded; a fold of less than a handful is not worth a click. */
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
