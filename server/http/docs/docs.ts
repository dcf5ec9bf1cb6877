/**
 * `/docs`: the documentation of the running version, typeset like published pages, with a search that needs no script. Programs get the Markdown of a
 * page with `Accept: text/markdown`, or by adding `.md` to its address.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../../shared/errors.ts'
import { pageHtml } from '../../../shared/markdown/published-html.ts'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import { pack, type Packed, sendPacked } from '../compressed-pages.ts'
import type { Context, Http } from '../context.ts'
import type { Files } from '../files.ts'
import { html, type Markup } from '../html.ts'
import { fontSource } from '../published/published.ts'
import { createRender } from '../published/rendering.ts'
import type { Routers } from '../routers.ts'
import { audiences, documentEntries } from './documents.ts'
import { createLibrary, type Found } from './library.ts'

interface Ready extends Packed {
  readonly styleSource: string
}

/** The pages need no scripts. Their form searches the documentation. */
const policy = (styleSource: string): string =>
  `default-src 'none'; style-src ${styleSource}; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const styleSourceOf = (css: string): string =>
  css === '' ? "'self'" : `'self' 'sha256-${createHash('sha256').update(css).digest('base64')}'`

const above = (query: string): Markup => html`<nav class="docs-bar" aria-label="Documentation">
<a href="/docs">Documentation</a>
<form role="search" action="/docs" method="get"><label class="docs-label" for="q">Search the documentation</label><input id="q" name="q" type="search" value="${query}" maxlength="${limits.docsQueryUnitsMax}" placeholder="Search the documentation"><button>Search</button></form>
</nav>
`

const indexHtml = (): Markup => html`<h1>Documentation</h1>
${audiences.map(
  ({ title, documents }) => html`<h2>${title}</h2>
<ul class="docs-list">
${documents.map(({ slug, title: name, summary }) => html`<li><a href="/docs/${slug}">${name}</a><br>${summary}</li>\n`)}
</ul>
`
)}`

interface Result extends Found {
  readonly document: string
  readonly href: string
}

const resultsHtml = (query: string, results: readonly Result[]): Markup => html`<h1>Search the documentation</h1>
<p role="status">${results.length === 0 ? `Nothing in the documentation contains “${query}”. Try fewer words.` : `${results.length} ${results.length === 1 ? 'section contains' : 'sections contain'} “${query}”.`}</p>
<ul class="docs-list">
${results.map(({ document, title, href, excerpt }) => html`<li><a href="${href}">${title === document ? title : `${document}: ${title}`}</a><br>${excerpt}</li>\n`)}
</ul>
`

const picturePattern = /^\/docs\/pictures\/([\w-]+)\.png$/
const pictures = join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures')

const wantsMarkdown = (ctx: Context): boolean => ctx.accepts('text/html', 'text/markdown') === 'text/markdown'

export const bindDocs = (http: Http, routers: Routers, files: Files): void => {
  const { baseUrl, version } = http.service
  const library = createLibrary()
  const render = createRender(baseUrl)
  const rendered = new Map<string, Promise<Rendered>>()
  const pages = new Map<string, Promise<Ready>>()

  /** Renders a document once. A failed attempt is not cached. */
  const renderedOf = (slug: string, source: string): Promise<Rendered> => {
    const known = rendered.get(slug)
    if (known !== undefined) return known
    // These files are wrapped at a fixed width, so a line break within a paragraph must not appear on the page.
    const rendering = render({ doc: `docs/${slug}`, version, source: `---\nbreaks: false\n---\n${source}`, drawings: {} })
    rendered.set(slug, rendering)
    rendering.catch(() => rendered.delete(slug))
    return rendering
  }

  const page = (
    title: string,
    body: Pick<Rendered, 'html' | 'css' | 'headings' | 'description'>,
    more: { query?: string; slug?: string } = {}
  ): string =>
    pageHtml({
      ...body,
      title,
      url: undefined,
      markdownUrl: more.slug === undefined ? undefined : `/docs/${more.slug}.md`,
      indexed: true,
      updatedAt: undefined,
      above: above(more.query ?? '').text,
      below:
        html`${more.slug === undefined ? undefined : html`<a href="/docs/${more.slug}.md">Markdown</a> · `}agmd ${version} · <a href="/">Your documents</a>`
          .text,
      style: files.built('published/published.css'),
      font: files.built(fontSource),
      scripts: []
    })

  const plain = (body: Markup): Pick<Rendered, 'html' | 'css' | 'headings' | 'description'> => ({
    html: body.text,
    css: '',
    // The title is in the HTML.
    headings: [{ level: 1, text: '', id: '' }],
    description: ''
  })

  const prepare = async (slug: string): Promise<Ready> => {
    const entry = documentEntries.find((each) => each.slug === slug)
    const source = await library.text(slug)
    if (entry === undefined || source === undefined) throw new ServiceError('not_found')
    const text = await renderedOf(slug, source)
    return { ...(await pack(page(entry.title, text, { slug }))), styleSource: styleSourceOf(text.css) }
  }

  const pageOf = (slug: string): Promise<Ready> => {
    const known = pages.get(slug)
    if (known !== undefined) return known
    const preparing = prepare(slug)
    pages.set(slug, preparing)
    preparing.catch(() => pages.delete(slug))
    return preparing
  }

  /** Returns the results with their addresses. The id of a heading is known once its document is rendered. */
  const resultsOf = async (query: string): Promise<readonly Result[]> =>
    Promise.all(
      (await library.search(query)).map(async (found) => {
        const { headings } = await renderedOf(found.slug, (await library.text(found.slug)) ?? '')
        const id = headings[found.heading]?.id
        const document = documentEntries.find(({ slug }) => slug === found.slug)?.title ?? found.slug
        return { ...found, document, href: `/docs/${found.slug}${id === undefined ? '' : `#${id}`}` }
      })
    )

  const send = (ctx: Context, packed: Packed, styleSource = "'self'"): void => {
    ctx.set('Content-Security-Policy', policy(styleSource))
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
    ctx.set('Cache-Control', 'public, no-cache')
    ctx.vary('Accept')
    sendPacked(ctx, packed, 'text/html; charset=utf-8')
  }

  const sendMarkdown = async (ctx: Context, slug: string): Promise<void> => {
    const text = await library.text(slug)
    if (text === undefined) throw new ServiceError('not_found')
    ctx.vary('Accept')
    ctx.set('Cache-Control', 'public, no-cache')
    ctx.type = 'text/markdown; charset=utf-8'
    ctx.body = text
  }

  const router = routers.of('/docs')
  router.get('/docs', async (koa) => {
    const ctx = koa as unknown as Context
    const asked = ctx.query['q']
    const query = (typeof asked === 'string' ? asked : '').trim().slice(0, limits.docsQueryUnitsMax)
    const body = query === '' ? indexHtml() : resultsHtml(query, await resultsOf(query))
    send(ctx, await pack(page(query === '' ? 'Documentation' : `Search: ${query}`, plain(body), { query })))
  })
  router.get(picturePattern, async (koa) => {
    const ctx = koa as unknown as Context
    const file = join(pictures, `${picturePattern.exec(ctx.path)?.[1] ?? ''}.png`)
    ctx.body = await readFile(file).catch(() => Promise.reject(new ServiceError('not_found')))
    ctx.type = 'image/png'
    ctx.set('Cache-Control', 'public, no-cache')
  })
  // Other names have no route: if a caller sends `/docs/{id}` and meant `/api/docs/{id}`, the response is the one for an unknown address.
  for (const { slug } of documentEntries) {
    router.get(`/docs/${slug}.md`, (koa) => sendMarkdown(koa as unknown as Context, slug))
    router.get(`/docs/${slug}`, async (koa) => {
      const ctx = koa as unknown as Context
      if (wantsMarkdown(ctx)) return sendMarkdown(ctx, slug)
      const ready = await pageOf(slug)
      return send(ctx, ready, ready.styleSource)
    })
  }
}
