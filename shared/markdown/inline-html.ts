/** Allows a few inline tags for which Markdown has no marks, only in pairs and without attributes. All other tags become text. */
import type MarkdownIt from 'markdown-it'
import type { Token } from './tokens.ts'

/** Tags that are allowed in pairs. None of them can load, run or navigate. */
const tag = /^<(\/?)(kbd|sub|sup|mark|ins|u|small|abbr|samp|var|cite|q)>/i
const lineBreak = /^<br ?\/?>/i

export const inlineHtml = (markdown: MarkdownIt): void => {
  markdown.inline.ruler.before('autolink', 'allowed_html', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x3c) return false
    const rest = state.src.slice(state.pos, state.pos + 12)
    const ends = lineBreak.exec(rest)
    const found = tag.exec(rest)
    const length = (ends ?? found)?.[0].length
    if (length === undefined) return false
    if (!silent) {
      if (ends !== null) state.push('hardbreak', 'br', 0)
      else {
        const token = state.push(found?.[1] === '/' ? 'allowed_close' : 'allowed_open', (found?.[2] ?? '').toLowerCase(), 0)
        token.content = found?.[0] ?? ''
      }
    }
    state.pos += length
    return true
  })
  markdown.core.ruler.after('inline', 'allowed_html_pairs', ({ tokens }) => {
    for (const { children } of tokens) if (children !== null) keepPairs(children)
  })
}

/** Turns tags into text if they have no partner on the same level. */
const keepPairs = (children: Token[]): void => {
  const open: Token[] = []
  for (const token of children) {
    if (token.type === 'allowed_open') open.push(token)
    // The end of a link or emphasis closes the tags that were opened inside it.
    else if (token.nesting === -1) while (open.length > 0 && (open.at(-1)?.level ?? 0) > token.level) asText(open.pop())
    else if (token.type === 'allowed_close') {
      const last = open.at(-1)
      if (last?.tag !== token.tag || last.level !== token.level) asText(token)
      else {
        open.pop()
        last.nesting = 1
        token.nesting = -1
      }
    }
  }
  for (const token of open) asText(token)
}

const asText = (token: Token | undefined): void => {
  if (token === undefined) return
  token.type = 'text'
  token.tag = ''
}
