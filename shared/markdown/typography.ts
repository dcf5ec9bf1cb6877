/** Typography for readers: `:smile:`, `--` and `---`. It is used only on published pages, and the text itself does not change. */
import type MarkdownIt from 'markdown-it'
import { emoji } from './emoji.ts'

const signs = new Map(emoji)
const name = /:([a-z0-9_+-]{1,24}):/g

/**
 * Replaces emoji names and dashes. Three hyphens become an em dash, and two become an en dash. `--` before a word, as in `--help`, is not
 * changed.
 */
export const typographic = (text: string): string =>
  text
    .replaceAll(name, (written, word: string) => signs.get(word) ?? written)
    .replaceAll(/(?<!-)---(?!-)/g, '—')
    .replaceAll(/(?<=\s|^)--(?=\s|$)|(?<=[^-\s])--(?=[^-\s])/g, '–')

export const typography = (markdown: MarkdownIt): void => {
  // This runs after everything that reads the source, such as links and the ids of headings.
  markdown.core.ruler.push('typography', ({ tokens }) => {
    for (const { children } of tokens) {
      let addresses = 0
      for (const token of children ?? []) {
        if (token.type === 'link_open' && token.info === 'auto') addresses++
        else if (token.type === 'link_close' && token.info === 'auto') addresses--
        else if (token.type === 'text' && addresses === 0) token.content = typographic(token.content)
      }
    }
  })
}
