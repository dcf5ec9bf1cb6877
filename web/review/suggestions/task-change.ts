/** Recognizes suggestions that tick or untick a task. The box of the task shows them. */
import type { Line, Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'

interface Tick {
  readonly line: Line
  /** The offset of the task's words, after the box and the spaces that follow it. */
  readonly words: number
  readonly isDone: boolean
}

/** Returns the tick, or its removal, that an edit makes. Undefined if the edit changes anything else, or is not in this text. */
export function tickOf(text: Text, { from, to, insert }: Edit): Tick | undefined {
  if (to !== from + 1 || to > text.length || !/^[ xX]$/.test(insert)) return undefined
  const line = text.lineAt(from)
  const [box, marker] = /^([ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[)[ xX]\][ \t]*/.exec(line.text) ?? []
  if (box === undefined || from !== line.from + (marker?.length ?? 0)) return undefined
  return { line, words: line.from + box.length, isDone: insert !== ' ' }
}
