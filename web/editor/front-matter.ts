/** Finds the front matter at the top of the editor's text. It contains settings for programs, and the published page does not show it. */
import type { Text } from '@codemirror/state'
import { onceFor } from '../../shared/once-for.ts'
import { afterFrontMatter, beginsFrontMatter, endsFrontMatter } from '../../shared/text/front-matter.ts'

/** Longest front matter, in lines. Longer front matter counts as text. */
const linesMax = 1000

/** Returns the end of the front matter. Reads no further than that, because this function runs on each key press. */
function endIn(doc: Text): number {
  const lines: string[] = []
  for (const line of doc.iterLines()) {
    lines.push(line)
    if (lines.length === linesMax || (lines.length > 1 && (!beginsFrontMatter(lines) || endsFrontMatter(line)))) break
  }
  const after = afterFrontMatter(lines)
  return after === 0 ? 0 : doc.line(after).to
}

/** Returns the end of the text's front matter, in UTF-16 units. It is 0 if there is none. */
export const frontMatterEnd: (doc: Text) => number = onceFor(endIn)
