/** The lines of Markdown text. Lines of front matter and fences are marked, so that tables and lists outside components can be found. */
import { afterFrontMatter } from './front-matter.ts'
import { closes, openedBy } from './outline.ts'

export interface ProseLine {
  /** Start of the line, in UTF-16 units of the text. `to` is its end before the line break. */
  readonly from: number
  readonly to: number
  readonly text: string
  /**
   * Whether a line belongs to front matter or a fence, including the lines that open and close them. Such a line cannot be part of a table or list.
   */
  readonly isCode: boolean
}

/** Returns all lines, in order. */
export const proseLines = (text: string): ProseLine[] => {
  const lines = text.split('\n')
  const start = afterFrontMatter(lines)
  let fence: string | undefined
  let offset = 0
  return lines.map((line, index) => {
    const from = offset
    offset += line.length + 1
    const within = fence
    // A fence inside a quote or a list item begins after their marks.
    const bare = line.replace(/^[ \t>]+/, '')
    if (index >= start) fence = within === undefined ? openedBy(bare) : closes(bare, within) ? undefined : within
    const isCode = index < start || within !== undefined || fence !== undefined
    return { from, to: from + line.length, text: line, isCode }
  })
}
