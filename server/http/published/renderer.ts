/** The renderer of published pages: the shared pipeline with highlighted code and formulas as MathML. */
import highlighter from 'highlight.js'
import temml from 'temml'
import { createRenderer, type Renderer } from '../../../shared/markdown/render.ts'

/** Longest code that is highlighted, in characters: longer listings are read by programs. */
const highlightCharsMax = 50_000

const highlight = (code: string, language: string): string | undefined =>
  code.length <= highlightCharsMax && highlighter.getLanguage(language) !== undefined
    ? highlighter.highlight(code, { language, ignoreIllegals: true }).value
    : undefined

const math = (tex: string, displayMode: boolean): string =>
  temml.renderToString(tex, { displayMode, throwOnError: true, maxExpand: 1000, trust: false })

/** Fences that are more than code show their source here, under their name. */
const components = new Set(['board', 'chat', 'sheet', 'chart', 'widget', 'mermaid'])

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export const createPageRenderer = (isOwnLink: (href: string) => boolean): Renderer =>
  createRenderer({
    highlight,
    math,
    isOwnLink,
    fence: ({ language, source }) =>
      components.has(language)
        ? `<figure class="component"><figcaption>${language}</figcaption><pre tabindex="0"><code>${escape(source)}</code></pre></figure>\n`
        : undefined
  })
