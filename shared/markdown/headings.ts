/** Headings with ids for links. An id consists of the words in lower case, joined by hyphens. A number is added if the id would occur twice. */
import type MarkdownIt from 'markdown-it'
import type { Environment } from './environment.ts'
import { slugOf } from './slug.ts'
import type { Token } from './tokens.ts'

/**
 * Returns the words of inline text, without marks, allowed tags or footnote numbers. With `pictures`, the descriptions of pictures count as words.
 */
export const wordsOf = (children: readonly Token[], pictures: boolean): string =>
  children
    .map(({ type, content }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      return ['text', 'code_inline', 'math_inline'].includes(type) || (pictures && type === 'image') ? content : ''
    })
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()

export const headingIds = (markdown: MarkdownIt, prefix: string): void => {
  markdown.core.ruler.push('heading_ids', (state) => {
    const environment = state.env as Partial<Environment>
    const taken = new Map<string, number>()
    state.tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return
      const inline = state.tokens[index + 1]
      const text = wordsOf(inline?.children ?? [], true)
      const slug = slugOf(text) || 'section'
      const times = taken.get(slug) ?? 0
      taken.set(slug, times + 1)
      const unique = times === 0 ? slug : `${slug}-${times}`
      if (times > 0) taken.set(unique, (taken.get(unique) ?? 0) + 1)
      const id = `${prefix}${unique}`
      token.attrSet('id', id)
      environment.headings?.push({ level: Number(token.tag.slice(1)), text, id })
    })
  })
  // The copy link comes after the words, so that screen readers and the Tab key reach it last.
  markdown.renderer.rules['heading_close'] = (tokens, index, options, _environment, self) => {
    // A heading always has three tokens: its opening, its words and its end.
    const id = tokens[index - 2]?.attrGet('id')
    const anchor = id ? `<a class="anchor" href="#${markdown.utils.escapeHtml(id)}" aria-label="Link to this section">#</a>` : ''
    return `${anchor}${self.renderToken(tokens, index, options)}`
  }
}
