/** Front matter at the top of the editor's text: settings for programs, which the published page does not show. */
import type { Text } from '@codemirror/state'
import { afterFrontMatter, beginsFrontMatter, endsFrontMatter } from '../../shared/text/front-matter.ts'

/** Front matter of more lines is taken for text. */
const linesMax = 1000

const ends = new WeakMap<Text, number>()

/** Reads no further than the front matter goes: it is asked with each key. */
function endIn(doc: Text): number {
  const lines: string[] = []
  for (const line of doc.iterLines()) {
    lines.push(line)
    if (lines.length === linesMax || (lines.length > 1 && (!beginsFrontMatter(lines) || endsFrontMatter(line)))) break
  }
  const after = afterFrontMatter(lines)
  return after === 0 ? 0 : doc.line(after).to
}

/** Where the front matter of a text ends, in UTF-16 units; 0 when it has none. */
export function frontMatterEnd(doc: Text): number {
  const known = ends.get(doc)
  if (known !== undefined) return known
  const end = endIn(doc)
  ends.set(doc, end)
  return end
}
