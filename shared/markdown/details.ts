/** `<details>` with a `<summary>`: collapsible text with Markdown contents. Each tag is on a separate line or on the summary's line. */
import type MarkdownIt from 'markdown-it'

const tag = /^<details( open)?>/i
const summaryLine = /^<summary>(.*?)<\/summary>\s*$/i
const closing = /^<\/details>\s*$/i

/**
 * Parses a line that opens collapsible text. Returns whether the text is initially open, and the summary on the same line. Returns undefined for
 * other lines.
 */
const openingOf = (line: string): { readonly isOpen: boolean; readonly summary: string | undefined } | undefined => {
  const found = tag.exec(line)
  const rest = found === null ? '' : line.slice(found[0].length).trimStart()
  const summary = summaryLine.exec(rest)?.[1]
  return found === null || (rest !== '' && summary === undefined) ? undefined : { isOpen: found[1] !== undefined, summary }
}

export const details = (markdown: MarkdownIt): void => {
  markdown.block.ruler.before(
    'paragraph',
    'details',
    (state, startLine, endLine, silent) => {
      const lineOf = (line: number): string => state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
      if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
      const found = openingOf(lineOf(startLine))
      if (found === undefined) return false
      const close = pairsOf(state).get(startLine)
      // The end must be in the same quote or list item.
      if (close === undefined || close >= endLine || !closing.test(lineOf(close)) || (state.sCount[close] ?? 0) < state.blkIndent)
        return false
      if (silent) return true
      const own = summaryLine.exec(lineOf(startLine + 1))
      const summary = found.summary ?? own?.[1] ?? 'Details'
      const first = startLine + 1 + (found.summary === undefined && own !== null ? 1 : 0)
      const token = state.push('details_open', 'details', 1)
      token.map = [startLine, close + 1]
      if (found.isOpen) token.attrSet('open', '')
      state.push('summary_open', 'summary', 1)
      const inline = state.push('inline', '', 0)
      inline.content = summary.trim()
      inline.map = [startLine, startLine + 1]
      inline.children = []
      state.push('summary_close', 'summary', -1)
      const { lineMax, parentType } = state
      state.lineMax = close
      state.md.block.tokenize(state, first, close)
      state.lineMax = lineMax
      state.parentType = parentType
      state.push('details_close', 'details', -1)
      state.line = close + 1
      return true
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  )
}

// All pairs are found at once. If each `<details>` were searched separately, every search could read a large document to its end.
const pairs = new WeakMap<object, ReadonlyMap<number, number>>()

/** Maps the line of each `<details>` to the line of its `</details>`. The tags may be nested. Quote marks before them are skipped. */
const pairsOf = (state: { readonly src: string }): ReadonlyMap<number, number> => {
  const known = pairs.get(state)
  if (known !== undefined) return known
  const found = new Map<number, number>()
  const open: number[] = []
  state.src.split('\n').forEach((raw, line) => {
    const text = raw.replace(/^[>\s]*/, '')
    if (openingOf(text) !== undefined) open.push(line)
    else if (closing.test(text)) {
      const start = open.pop()
      if (start !== undefined) found.set(start, line)
    }
  })
  pairs.set(state, found)
  return found
}
