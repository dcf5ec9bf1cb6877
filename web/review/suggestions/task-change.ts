/** Recognizes suggestions that tick or untick a task. The box of the task shows them. */
import type { Line, Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'

interface Tick {
  readonly line: Line
  /** The offset of the letter in the box, and the letter that the edit puts there. */
  readonly at: number
  readonly letter: string
  /** The offset of the task's words, after the box and the spaces that follow it. */
  readonly words: number
  readonly isDone: boolean
}

/** Returns the tick, or its removal, that an edit makes. Undefined if the edit changes anything else, or is not in this text. */
export function tickOf(text: Text, { from, to, insert }: Edit): Tick | undefined {
  if (to > text.length) return undefined
  const line = text.lineAt(from)
  const [box, marker = ''] = /^([ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[)[ xX]\][ \t]*/.exec(line.text) ?? []
  if (box === undefined || to > line.to) return undefined
  // A program may replace more than the letter in the box.
  const after = line.text.slice(0, from - line.from) + insert + line.text.slice(to - line.from)
  const at = marker.length
  const letter = after.charAt(at)
  const isSame = after.slice(0, at) === marker && after.slice(at + 1) === line.text.slice(at + 1)
  if (!isSame || letter === line.text.charAt(at) || !/^[ xX]$/.test(letter)) return undefined
  return { line, at: line.from + at, letter, words: line.from + box.length, isDone: letter !== ' ' }
}
