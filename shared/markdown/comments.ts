/** HTML comments. They are notes for writers: they stay in the source and are not shown to readers. */
import type MarkdownIt from 'markdown-it'

// If a comment is not closed, no later comment is closed either. Without this cache, every `<!--` would cause a search to the end of the text.
const endless = new WeakSet<object>()

const endOf = (state: { readonly src: string }, start: number): number | undefined => {
  if (endless.has(state)) return undefined
  const end = state.src.indexOf('-->', start + 2)
  if (end !== -1) return end
  endless.add(state)
  return undefined
}

export const comments = (markdown: MarkdownIt): void => {
  markdown.block.ruler.before(
    'paragraph',
    'comment',
    (state, startLine, endLine, silent) => {
      const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
      if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4 || !state.src.startsWith('<!--', start)) return false
      const end = endOf(state, start)
      const last = end === undefined ? undefined : lineOfEnd(state.src, state.eMarks, startLine, endLine, end)
      if (last === undefined) return false
      if (!silent) state.line = last + 1
      return true
    },
    { alt: ['paragraph', 'reference', 'blockquote'] }
  )
  markdown.inline.ruler.before('autolink', 'comment', (state) => {
    if (!state.src.startsWith('<!--', state.pos)) return false
    const end = endOf(state, state.pos)
    if (end === undefined) return false
    state.pos = end + 3
    return true
  })
}

/** Returns the line on which the comment ends; undefined if other text follows the comment on that line. */
const lineOfEnd = (source: string, lineEnds: readonly number[], startLine: number, endLine: number, end: number): number | undefined => {
  for (let line = startLine; line < endLine; line++) {
    const lineEnd = lineEnds[line] ?? source.length
    if (end < lineEnd) return source.slice(end + 3, lineEnd).trim() === '' ? line : undefined
  }
  return undefined
}
