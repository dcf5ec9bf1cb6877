/** Finds the title of a document in its text. */
import type { Text } from '@codemirror/state'
import { headingUnitsMax, titleIn, titleOfText } from '../../shared/names.ts'

/** Returns the end of the line that is the document's title, or 0 if no line is. */
export function titleEnd(doc: Text): number {
  const found = titleIn(doc.sliceString(0, headingUnitsMax))
  const title = titleOfText({ ...found, set: found.set ?? found.heading }, null)
  if (title === undefined) return 0
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number)
    if (line.from > headingUnitsMax) break
    const { set, heading, line: words } = titleIn(number === 1 || found.set === undefined ? line.text : `---\n${line.text}\n---\n`)
    if ((set ?? heading ?? words) === title) return line.to
  }
  return 0
}
