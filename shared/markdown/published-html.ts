/**
 * The published page as HTML. It is readable without scripts, without signing in, and without any requests other than for its styles. A downloaded
 * file has the same form.
 */
import type { Heading } from './environment.ts'
import { dayIn, frameWords, inLanguage, type PublishedLanguage } from './published-words.ts'

export interface Page {
  readonly title: string
  readonly description: string
  /** The language of the words around the text. English by default. */
  readonly language?: PublishedLanguage
  /** The language of the text (BCP 47); undefined if the text does not say it. */
  readonly textLanguage?: string | undefined
  /** The address of the page itself; undefined for a file, which has no address. */
  readonly url: string | undefined
  readonly markdownUrl: string | undefined
  readonly indexed: boolean
  /** When the text was published, in milliseconds since 1970; undefined for a file. */
  readonly publishedAt?: number
  /** When the text was last changed; undefined for a page that is not a document, such as the documentation. */
  readonly updatedAt: number | undefined
  /** Trusted HTML above the text, such as a form that searches the documentation. */
  readonly above?: string
  /** Trusted HTML for the line below the text, which replaces the links to the Markdown and to the service. */
  readonly below?: string
  /** The author that the text names. */
  readonly author?: string | undefined
  readonly headings: readonly Heading[]
  /** HTML rendered by shared/markdown. It is trusted. */
  readonly html: string
  readonly css: string
  /** Path of the style sheet; undefined if the pages are not built yet. */
  readonly style: string | undefined
  /** Path of the font, which is preloaded with the style sheet; undefined if the pages are not built yet. */
  readonly font: string | undefined
  /** Paths of the scripts that the contents of the page need, for diagrams and widgets. */
  readonly scripts: readonly string[]
  /** The content security policy of a downloaded file, for which no server sends a header. */
  readonly policy?: string
}

/** A page with fewer headings has no table of contents. */
const contentsMin = 3
/** Maximum number of headings in a table of contents. */
const contentsMax = 300

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

const meta = (name: string, content: string): string =>
  `<meta ${name.startsWith('og:') ? 'property' : 'name'}="${name}" content="${escape(content)}">`

const head = ({ title, description, url, markdownUrl, indexed, style, font, scripts, css, policy }: Page): string =>
  [
    '<meta charset="utf-8">',
    ...(policy === undefined ? [] : [`<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">`]),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)}</title>`,
    ...(description === '' ? [] : [meta('description', description), meta('og:description', description)]),
    ...(indexed ? [] : [meta('robots', 'noindex')]),
    meta('og:title', title),
    meta('og:type', 'article'),
    ...(url === undefined ? [] : [meta('og:url', url)]),
    meta('twitter:card', 'summary'),
    '<meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)">',
    '<meta name="theme-color" content="#1a1713" media="(prefers-color-scheme: dark)">',
    ...(url === undefined
      ? []
      : ['<link rel="icon" href="/icon.svg" type="image/svg+xml">', `<link rel="canonical" href="${escape(url)}">`]),
    ...(markdownUrl === undefined ? [] : [`<link rel="alternate" type="text/markdown" href="${escape(markdownUrl)}">`]),
    ...(font === undefined ? [] : [`<link rel="preload" as="font" type="font/woff2" href="${escape(font)}" crossorigin>`]),
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="${escape(style)}">`]),
    ...scripts.map((script) => `<script type="module" src="${escape(script)}"></script>`),
    ...(css === '' ? [] : [`<style>${css}</style>`])
  ].join('\n')

const contents = (headings: readonly Heading[], words: string): string => {
  const shown = headings.filter(({ level, text }) => level >= 2 && level <= 3 && text !== '')
  if (shown.length < contentsMin) return ''
  const items = shown
    .slice(0, contentsMax)
    .map(({ level, text, id }) => `<li class="level-${level}"><a href="#${escape(id)}">${escape(text)}</a></li>`)
  return `<nav class="contents" aria-label="${words}"><details><summary>${words}</summary><ol>\n${items.join('\n')}\n</ol></details></nav>`
}

const timeHtml = (language: PublishedLanguage, at: number): string =>
  `<time datetime="${new Date(at).toISOString()}">${dayIn(language, at)}</time>`

const isSameDay = (one: number, other: number): boolean =>
  new Date(one).toISOString().slice(0, 10) === new Date(other).toISOString().slice(0, 10)

/** Returns the line below the title: the author, and the days on which the text was published and changed. Empty if the page has no times. */
const bylineHtml = ({ author, publishedAt, updatedAt, language = 'en' }: Page): string => {
  if (updatedAt === undefined) return ''
  const { published, updated } = frameWords[language]
  const parts = [
    ...(author === undefined ? [] : [`<span dir="auto">${escape(author)}</span>`]),
    ...(publishedAt === undefined ? [] : [`${published} ${timeHtml(language, publishedAt)}`]),
    ...(publishedAt !== undefined && (isSameDay(publishedAt, updatedAt) || updatedAt < publishedAt)
      ? []
      : [`${updated} ${timeHtml(language, updatedAt)}`])
  ]
  return `<p class="byline">${parts.join(' · ')}</p>\n`
}

/** Inserts the byline below the title: after the first heading if the text begins with one, and otherwise at the top. */
const withByline = (html: string, byline: string): string => {
  const end = html.startsWith('<h1') ? html.indexOf('</h1>') : -1
  if (end === -1) return byline + html
  const at = end + '</h1>'.length
  return `${html.slice(0, at)}\n${byline}${html.slice(at)}`
}

/** Returns the letters and digits in HTML, to compare typeset words with plain words. */
const lettersOf = (html: string): string => html.replaceAll(/<[^<>]*>|&#?\w+;|[^\p{L}\p{N}]/gu, '')

/** Splits text that begins with its title into the title as a heading and the rest. The title may be a heading or a line of text. */
function ownTitle(title: string, html: string): { readonly heading: string; readonly rest: string } | undefined {
  const isTitle = (part: string): boolean => lettersOf(part) !== '' && lettersOf(part) === lettersOf(escape(title))
  const [, level] = /^<h([2-6])/.exec(html) ?? []
  const tag = level === undefined ? 'p' : `h${level}`
  const end = html.startsWith(`<${tag}`) ? html.indexOf(`</${tag}>`) : -1
  if (end === -1) return undefined
  const [block, after] = [html.slice(0, end), html.slice(end + tag.length + 3)]
  // The section link's sign is not part of the title.
  if (isTitle(block)) return { heading: `<h1${block.slice(tag.length + 1)}</h1>`, rest: after }
  const lineEnd = tag === 'p' ? block.indexOf('<br>') : -1
  const line = block.slice(block.indexOf('>') + 1, lineEnd)
  if (lineEnd === -1 || line.includes('<') || !isTitle(line)) return undefined
  return { heading: `<h1>${line}</h1>`, rest: `\n<p>${block.slice(lineEnd + '<br>'.length).trimStart()}</p>${after}` }
}

/** Returns the text with exactly one title: its first heading, its first line if that is the title, or otherwise the title as a new heading. */
function titled({ title, headings, html }: Page): Pick<Page, 'html' | 'headings'> {
  if (headings.some(({ level }) => level === 1)) return { html, headings }
  const own = ownTitle(title, html)
  if (own === undefined) return { html: `<h1>${escape(title)}</h1>\n${html}`, headings }
  return { html: own.heading + own.rest, headings: html.startsWith('<p') ? headings : headings.slice(1) }
}

/** Returns the complete page. The title occurs only once. */
export const pageHtml = (page: Page): string => {
  const { markdownUrl, language = 'en', textLanguage } = page
  const words = frameWords[language]
  const { html, headings } = titled(page)
  const below =
    page.below ?? (markdownUrl === undefined ? undefined : `<a href="${escape(markdownUrl)}">Markdown</a> · <a href="/">agmd</a>`)
  const links = below === undefined ? '' : `<footer>\n<p>${below}</p>\n</footer>\n`
  return `<!doctype html>
<html lang="${language}">
<head>
${head(page)}
</head>
<body>
<a class="skip" href="#page:text">${words.skip}</a>
${contents(headings, words.contents)}
<main id="page:text">
${page.above ?? ''}<article dir="auto"${textLanguage === undefined ? '' : ` lang="${escape(textLanguage)}"`}>
${withByline(inLanguage(html, language), bylineHtml(page))}</article>
</main>
${links}</body>
</html>
`
}
