/**
 * Renders Markdown as HTML. The preview and the published page use the same pipeline.
 *
 * It supports GFM (tables, task lists, strikethrough, autolinks), footnotes, callouts, heading ids, math and fences. Raw HTML becomes text: the
 * output contains only tags that this folder creates, so it needs no sanitizer. Callers pass in the parts that are large or that differ between
 * callers (`RenderOptions`).
 */
import type { Environment, Heading } from './environment.ts'
import MarkdownIt from 'markdown-it'

import footnote from 'markdown-it-footnote'
import { callouts } from './callouts.ts'
import { comments } from './comments.ts'
import { details } from './details.ts'
import { headingIds, wordsOf } from './headings.ts'
import { inlineHtml } from './inline-html.ts'
import { gfmLinks } from './links.ts'
import { frontMatter } from './front-matter.ts'
import { lineBreaks } from './line-breaks.ts'
import { inlineMarks } from './marks.ts'
import { mathHtml, math } from './math.ts'
import { captions } from './pictures.ts'
import { taskLists } from './task-lists.ts'
import type { Token } from './tokens.ts'

/** A fence that may be more than code. */
export interface FenceToRender {
  readonly language: string
  readonly info: string
  readonly source: string
  /** The line on which the fence begins, counted from 0. */
  readonly line: number
  /** The entire text. `rendering` is an object that identifies this rendering. */
  readonly text: string
  readonly rendering: object
  /** Renders inline Markdown as HTML, without features that need the rest of the text, such as footnotes. */
  readonly inline: (markdown: string) => string
}

export interface RenderOptions {
  /** Returns the HTML of highlighted code; undefined if the language is unknown. The result must be escaped. */
  readonly highlight?: (code: string, language: string) => string | undefined
  /** Returns the HTML (MathML) for a TeX formula. If it throws, the formula's source is shown. */
  readonly math?: (tex: string, display: boolean) => string
  /** Returns the HTML for a fence that is more than code (mermaid, board and so on); undefined to show the fence as code. */
  readonly fence?: (fence: FenceToRender) => string | undefined
  /** Prefix of every id, so that a document cannot use the ids of the page around it. */
  readonly idPrefix?: string
  /** Replaces emoji names and dashes in the rendered text (typography.ts). Published pages use it. */
  readonly typography?: (markdown: MarkdownIt) => void
  /** Translates words that the renderer adds, such as the names of callouts. Without it, they are in English. */
  readonly words?: ((english: string) => string) | undefined
  /** Whether a picture that is alone in its paragraph shows its title as a caption. */
  readonly captions?: boolean
  /** Whether a link leads to this service. Other links get `rel="noopener nofollow ugc"`. */
  readonly isOwnLink?: (href: string) => boolean
}

export interface Rendered {
  readonly html: string
  /** Style rules that the HTML needs in addition to the style sheet, for its formulas. They are safe inside `<style>`. */
  readonly css: string
  /** Headings in document order. */
  readonly headings: readonly Heading[]
  /** Source offset of the letter in each task box, in UTF-16 units; undefined if unknown. The offsets are in the order of the boxes in the HTML. */
  readonly tasks: readonly (number | undefined)[]
  /** First line of each component, counted from 0. The lines are in the order of `figure.component` in the HTML. */
  readonly components: readonly number[]
  /**
   * The source lines of each top-level element in the HTML, counted from 0. The end is exclusive. The entry is undefined for an element with several
   * sources, such as footnotes.
   */
  readonly blocks: readonly (readonly [from: number, to: number] | undefined)[]
  /** The first paragraph as plain text, at most 200 characters; '' if there is none. */
  readonly description: string
}

/** Longest description, in UTF-16 units. This is the length that link previews show. */
const descriptionUnitsMax = 200

export interface Renderer {
  render(source: string): Rendered
}

const newEnvironment = (text: string): Environment => ({ text, components: [], headings: [], tasks: [], styles: new Map() })

const plainText = (markdown: MarkdownIt, source: string): string => {
  const tokens = markdown.parse(source, newEnvironment(source))
  const paragraph = tokens.findIndex((token) => token.type === 'paragraph_open' && token.level === 0)
  const text = wordsOf(tokens[paragraph + 1]?.children ?? [], false)
  if (text.length <= descriptionUnitsMax) return text
  return `${text.slice(0, text.lastIndexOf(' ', descriptionUnitsMax - 1) + 1 || descriptionUnitsMax - 1).trimEnd()}…`
}

const settings = { html: false, linkify: true, typographer: false, breaks: false }

/** Creates the renderer for inline Markdown in components. */
const createInline = (options: RenderOptions): MarkdownIt => {
  const markdown = new MarkdownIt(settings)
  markdown.use(comments)
  markdown.use(inlineHtml)
  markdown.use(gfmLinks, options.isOwnLink)
  markdown.use(math, options.math)
  markdown.use(inlineMarks)
  if (options.typography !== undefined) markdown.use(options.typography)
  markdown.renderer.rules['s_open'] = () => '<del>'
  markdown.renderer.rules['s_close'] = () => '</del>'
  return markdown
}

/**
 * Returns a function that renders inline Markdown as HTML, without features that need the rest of the text. It adds the styles of formulas to
 * `styles`, as classes.
 */
export const createInlineRenderer = (options: RenderOptions, styles: Map<string, string>): ((text: string) => string) => {
  const markdown = createInline(options)
  return (text) => markdown.renderInline(text, { styles })
}

export const createRenderer = (options: RenderOptions = {}): Renderer => {
  const markdown = new MarkdownIt(settings)
  const inline = createInline(options)
  // This plugin's types import markdown-it from another path, so they do not match.
  markdown.use(footnote as unknown as (markdown: MarkdownIt) => void)
  markdown.use(frontMatter)
  markdown.use(lineBreaks)
  markdown.use(callouts, options.words)
  markdown.use(details)
  markdown.use(comments)
  markdown.use(inlineHtml)
  markdown.use(gfmLinks, options.isOwnLink)
  markdown.use(taskLists)
  if (options.captions === true) markdown.use(captions)
  markdown.use(headingIds, options.idPrefix ?? '')
  markdown.use(math, options.math)
  markdown.use(inlineMarks)
  if (options.typography !== undefined) markdown.use(options.typography)
  prefixFootnotes(markdown, options.idPrefix ?? '')
  markdown.renderer.rules['fence'] = (tokens, index, _options, environment: Environment) => {
    const token = tokens[index] as Token
    const { info, content } = token
    if (/^\s*math\s*$/.test(info)) return mathHtml(markdown, options.math, content.trim(), true, environment.styles)
    return fenceHtml(markdown, inline, token, environment, options)
  }
  markdown.renderer.rules['code_block'] = (tokens, index) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml((tokens[index] as Token).content)}</code></pre>\n`
  alignByClass(markdown)
  markdown.renderer.rules['s_open'] = () => '<del>'
  markdown.renderer.rules['s_close'] = () => '</del>'
  markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table dir="auto">\n'
  markdown.renderer.rules['table_close'] = () => '</table></div>\n'
  return {
    render(source) {
      const environment = newEnvironment(source)
      const tokens = markdown.parse(source, environment)
      const html = markdown.renderer.render(tokens, markdown.options, environment)
      const css = [...environment.styles].map(([style, name]) => `.${name}{${style}}`).join('')
      const { headings, tasks, components } = environment
      return { html, css, headings, tasks, components, blocks: blocksOf(tokens), description: plainText(markdown, source.slice(0, 20_000)) }
    }
  }
}

const blocksOf = (tokens: readonly Token[]): Rendered['blocks'] => {
  let depth = 0
  return tokens
    .filter(({ nesting }) => {
      depth += nesting
      return nesting >= 0 && depth === nesting
    })
    .map(({ map }) => map ?? undefined)
}

/** Sets the alignment of table cells with classes, because the content security policy of the pages forbids style attributes. */
const alignByClass = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('align_by_class', ({ tokens }) => {
    for (const token of tokens) {
      const align = /^text-align:(left|right|center)$/.exec(String(token.attrGet('style') ?? ''))?.[1]
      if (align !== undefined) token.attrs = [['class', align]]
    }
  })
}

const fenceHtml = (
  markdown: MarkdownIt,
  inline: MarkdownIt,
  { info, content: source, map }: Token,
  environment: Environment,
  { fence, highlight }: RenderOptions
): string => {
  const { escapeHtml, unescapeAll } = markdown.utils
  const plainInfo = unescapeAll(info).trim()
  const language = /^[^\s{]+/.exec(plainInfo)?.[0] ?? ''
  const line = map?.[0] ?? 0
  const own = fence?.({
    language,
    info: plainInfo,
    source,
    line,
    text: environment.text,
    rendering: environment,
    inline: (text) => inline.renderInline(text, { styles: environment.styles })
  })
  if (own !== undefined) {
    environment.components.push(line)
    return own
  }
  if (language === '') return `<pre tabindex="0"><code>${escapeHtml(source)}</code></pre>\n`
  const code = highlight?.(source, language) ?? escapeHtml(source)
  return `<pre tabindex="0"><code class="language-${escapeHtml(language)}">${code}</code></pre>\n`
}

/**
 * Gives the ids and links of the footnote plugin the common prefix and a colon, which no heading id contains. Its back-links get a name for screen
 * readers.
 */
const prefixFootnotes = (markdown: MarkdownIt, prefix: string): void => {
  const { rules } = markdown.renderer
  rules['footnote_anchor_name'] = (tokens, index) => `${prefix}note:${Number(tokens[index]?.meta?.id ?? 0) + 1}`
  rules['footnote_ref'] = (tokens, index) => {
    const { id, subId } = (tokens[index] as Token).meta as { id: number; subId: number }
    const name = `${prefix}note:${id + 1}`
    const own = subId > 0 ? `${name}-ref-${subId + 1}` : `${name}-ref`
    return `<sup class="footnote-ref"><a href="#${name}" id="${own}" aria-label="Footnote ${id + 1}">${id + 1}</a></sup>`
  }
  rules['footnote_open'] = (tokens, index) => `<li id="${prefix}note:${Number(tokens[index]?.meta?.id ?? 0) + 1}" class="footnote-item">`
  rules['footnote_anchor'] = (tokens, index) => {
    const { id, subId } = (tokens[index] as Token).meta as { id: number; subId: number }
    const name = `${prefix}note:${id + 1}`
    const own = subId > 0 ? `${name}-ref-${subId + 1}` : `${name}-ref`
    const place = subId > 0 ? `, place ${subId + 1}` : ''
    return ` <a href="#${own}" class="footnote-backref" aria-label="Back to reference ${id + 1}${place}">↩</a>`
  }
  rules['footnote_block_open'] = () => '<section class="footnotes" aria-label="Footnotes">\n<ol class="footnotes-list">\n'
  rules['footnote_block_close'] = () => '</ol>\n</section>\n'
}
