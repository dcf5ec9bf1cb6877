/**
 * Shows a line break within a paragraph, as the editor does. `breaks: false` in the front matter joins lines as CommonMark does, for texts whose
 * lines a program has wrapped.
 */
import type MarkdownIt from 'markdown-it'
import { breaksIn } from '../names.ts'

export const lineBreaks = (markdown: MarkdownIt): void => {
  markdown.core.ruler.after('inline', 'line_breaks', ({ src, tokens }) => {
    if (!breaksIn(src)) return
    for (const { children } of tokens) {
      children?.forEach((token, index) => {
        // `<br>` at the end of a line is that line's break already.
        if (token.type !== 'softbreak' || children[index - 1]?.type === 'hardbreak') return
        token.type = 'hardbreak'
        token.tag = 'br'
      })
    }
  })
}
