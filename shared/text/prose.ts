/** The lines of a Markdown text outside of front matter and fences: where tables and lists stand that are no component's own. */
import { afterFrontMatter } from './front-matter.ts'
import { closes, openedBy } from './outline.ts'

export interface ProseLine {
  /** Offsets in the text, in UTF-16 units; `to` is before the line end. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** It stands in front matter or in a fence, or opens or closes one: its text is nobody's table or list. */
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
    // A fence within a quote or a list item begins behind their marks.
    const bare = line.replace(/^[ \t>]+/, '')
    if (index >= start) fence = within === undefined ? openedBy(bare) : closes(bare, within) ? undefined : within
    const isCode = index < start || within !== undefined || fence !== undefined
    return { from, to: from + line.length, text: line, isCode }
  })
}
