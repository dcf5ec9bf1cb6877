/** Front matter at the top of the editor's text: settings for programs, which the published page does not show. */
import type { Text } from '@codemirror/state'
import { onceFor } from '../../shared/once-for.ts'
import { afterFrontMatter, beginsFrontMatter, endsFrontMatter } from '../../shared/text/front-matter.ts'

/** Longer front matter is read as text, in lines. */
const linesMax = 1000

/** Reads no further than the front matter, because it runs for each key. */
function endIn(doc: Text): number {
  const lines: string[] = []
  for (const line of doc.iterLines()) {
    lines.push(line)
    if (lines.length === linesMax || (lines.length > 1 && (!beginsFrontMatter(lines) || endsFrontMatter(line)))) break
  }
  const after = afterFrontMatter(lines)
  return after === 0 ? 0 : doc.line(after).to
}

/** Returns the end of the front matter of a text, in UTF-16 units; 0 if it has none. */
export const frontMatterEnd: (doc: Text) => number = onceFor(endIn)
