/** Hides the front matter at the top of the text. */
import type MarkdownIt from 'markdown-it'
import { afterFrontMatter } from '../text/front-matter.ts'

export const frontMatter = (markdown: MarkdownIt): void => {
  markdown.block.ruler.before('table', 'front_matter', (state, startLine, _endLine, silent) => {
    if (startLine !== 0 || state.level > 0 || !state.src.startsWith('---')) return false
    const end = afterFrontMatter(state.src.split('\n'))
    if (end === 0) return false
    if (!silent) state.line = end
    return true
  })
}
