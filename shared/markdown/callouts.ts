/**
 * Callouts. A callout is a quote whose first line is `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` or `[!CAUTION]`. Text after the marker is the
 * callout's title.
 */
import type MarkdownIt from 'markdown-it'
import { term } from '../words.ts'
import type { Token } from './tokens.ts'

/** Matches the first line of a callout: its kind, and its title or ''. */
export const calloutMarker = /^\[!(note|tip|important|warning|caution)\][ \t]*([^\n]*)(?:\n|$)/i

/** The names of the kinds, which are the titles of callouts without one. */
const names: Readonly<Record<string, string>> = {
  note: term('Note'),
  tip: term('Tip'),
  important: term('Important'),
  warning: term('Warning'),
  caution: term('Caution')
}

/** The kinds of callouts, in lower case. */
export const calloutKinds: readonly string[] = Object.keys(names)

/** Returns the English name of a kind, which may be written in capital letters. */
export const calloutName = (kind: string): string => names[kind.toLowerCase()] ?? kind

/** Maps the opening token of each quote to its closing token. */
const closesOf = (tokens: readonly Token[]): ReadonlyMap<Token, Token> => {
  const closes = new Map<Token, Token>()
  const open: Token[] = []
  for (const token of tokens) {
    if (token.type === 'blockquote_open') open.push(token)
    const opened = token.type === 'blockquote_close' ? open.pop() : undefined
    if (opened !== undefined) closes.set(opened, token)
  }
  return closes
}

/** `words` translates the names of the kinds. */
export const callouts = (markdown: MarkdownIt, words: (english: string) => string = (english) => english): void => {
  // This runs before inline text is parsed, because it removes the marker from the source of the first paragraph.
  markdown.core.ruler.after('block', 'callouts', (state) => {
    const { tokens, Token } = state
    const closes = closesOf(tokens)
    const put: Token[] = []
    for (let index = 0; index < tokens.length; index++) {
      const open = tokens[index] as Token
      put.push(open)
      const inline = tokens[index + 2]
      if (open.type !== 'blockquote_open' || tokens[index + 1]?.type !== 'paragraph_open' || inline?.type !== 'inline') continue
      const found = calloutMarker.exec(inline.content)
      const close = closes.get(open)
      if (found === null || close === undefined) continue
      const kind = (found[1] ?? 'note').toLowerCase()
      const title = found[2]?.trim() ?? ''
      open.type = 'callout_open'
      open.tag = close.tag = 'div'
      open.attrSet('class', `callout callout-${kind}`)
      open.attrSet('role', 'note')
      close.type = 'callout_close'
      inline.content = inline.content.slice(found[0].length)
      const titled = [
        new Token('callout_title_open', 'p', 1),
        new Token('inline', '', 0),
        new Token('callout_title_close', 'p', -1)
      ] as const
      titled[0].attrSet('class', title === '' ? 'callout-title callout-kind' : 'callout-title')
      titled[0].block = titled[2].block = true
      titled[1].content = title || words(calloutName(kind))
      titled[1].children = []
      // A paragraph that contains only the marker is left out.
      put.push(...titled)
      if (inline.content === '') index += 3
    }
    state.tokens = put
  })
}
