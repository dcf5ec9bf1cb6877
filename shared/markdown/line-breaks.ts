/**
 * Shows a line break within a paragraph, as the editor does. With `breaks: false` in the front matter, lines are joined as in CommonMark. This is for
 * documents whose lines were wrapped by a program.
 */
import type MarkdownIt from 'markdown-it'
import { breaksIn } from '../names.ts'

export const lineBreaks = (markdown: MarkdownIt): void => {
  markdown.core.ruler.after('inline', 'line_breaks', ({ src, tokens }) => {
    if (!breaksIn(src)) return
    for (const { children } of tokens) {
      children?.forEach((token, index) => {
        // A `<br>` at the end of a line is already its line break.
        if (token.type !== 'softbreak' || children[index - 1]?.type === 'hardbreak') return
        token.type = 'hardbreak'
        token.tag = 'br'
      })
    }
  })
}
