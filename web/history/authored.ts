/** Groups the lines of a version by author for reading, without the blank lines around each group. This module has no user interface code. */
import type { AttributedLines } from './api.ts'

export interface Authored {
  readonly lines: AttributedLines
  readonly text: string
}

/** Groups lines by author. Blank lines only separate blocks, so they are not assigned to an author. */
export const authoredRuns = (runs: readonly AttributedLines[], text: readonly string[]): Authored[] =>
  runs.flatMap((lines) => {
    const own = text.slice(lines.line - 1, lines.lastLine)
    const first = own.findIndex((line) => line.trim() !== '')
    const last = own.findLastIndex((line) => line.trim() !== '')
    return first === -1 ? [] : [{ lines, text: own.slice(first, last + 1).join('\n') }]
  })
