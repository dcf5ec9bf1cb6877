/** The lines of a Markdown text, with front matter and fences marked, so that tables and lists outside of components can be found. */
import { afterFrontMatter } from './front-matter.ts'
import { closes, openedBy } from './outline.ts'

export interface ProseLine {
  /** Offsets in the text, in UTF-16 units; `to` is before the line break. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** Whether a line is in front matter or a fence, or opens or closes one, so that it cannot be a table or list. */
  readonly isCode: boolean
}

/** All lines, in order. */
export const proseLines = (text: string): ProseLine[] => {
  const lines = text.split('\n')
  const start = afterFrontMatter(lines)
  let fence: string | undefined
  let offset = 0
  return lines.map((line, index) => {
    const from = offset
    offset += line.length + 1
    const within = fence
    // A fence within a quote or a list item begins after their marks.
    const bare = line.replace(/^[ \t>]+/, '')
    if (index >= start) fence = within === undefined ? openedBy(bare) : closes(bare, within) ? undefined : within
    const isCode = index < start || within !== undefined || fence !== undefined
    return { from, to: from + line.length, text: line, isCode }
  })
}
