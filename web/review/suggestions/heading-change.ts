/** Recognizes suggestions that make text a heading, change its level, or make it plain text. The line is drawn in its suggested size. */
import type { Line, Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'

interface HeadingChange {
  readonly line: Line
  /** The suggested level. 0 stands for plain text. */
  readonly level: number
  /** The offset of the heading's words. */
  readonly words: number
}

/** Matches the marker of a heading. The group contains its signs. */
const marker = /^(#{1,6})[ \t]+/

/** Returns the change of the level that an edit makes. Undefined if the edit changes anything else, or is not in this text. */
export function headingChange(text: Text, { from, to, insert }: Edit): HeadingChange | undefined {
  if (to > text.length) return undefined
  const line = text.lineAt(from)
  if (to > line.to) return undefined
  const [old = ''] = marker.exec(line.text) ?? []
  const after = line.text.slice(0, from - line.from) + insert + line.text.slice(to - line.from)
  const [young = '', signs = ''] = marker.exec(after) ?? []
  if (after.slice(young.length) !== line.text.slice(old.length) || young === old) return undefined
  return { line, level: signs.length, words: line.from + old.length }
}
