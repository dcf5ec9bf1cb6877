/**
 * `/pub/{id}` and `/pub/{id}.md`: pages that everyone can read while their document is published. Each version is rendered and compressed only
 * once.
 */
import { createHash } from 'node:crypto'
import { pageHtml } from '../../../shared/markdown/published-html.ts'
import { languageIn, type PublishedLanguage } from '../../../shared/markdown/published-words.ts'
import { isDocumentId } from '../../../shared/names.ts'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { drawingsOf, type Theme, themes, readPicture } from '../../domain/media/drawings.ts'
import { type PublishedDocument, readPublished } from '../../domain/documents/publishing.ts'
import type { Context, Http } from '../context.ts'
import { namesTag } from '../etag.ts'
import type { Files } from '../files.ts'
import { html, showPage } from '../html.ts'
import { CompressedCache, pack, type Packed } from '../compressed-pages.ts'
import { wordsOf } from '../words.ts'
import { mediaSources } from '../media-sources.ts'
import { asksForHtml } from '../pages.ts'
import type { Routers } from '../routers.ts'
import type { Drawings } from './renderer.ts'
import { CannotRender, createRender, Outdated, type Render } from './rendering.ts'

/** The only scripts of published pages draw diagrams, and run widgets on request. */
const contentSecurityPolicy = ({ styleSource, hasScript }: Prepared, foreignMedia: boolean): string =>
  [
    "default-src 'none'",
    ...(hasScript ? ["script-src 'self'", "frame-src 'self'"] : []),
    `style-src ${styleSource}`,
    "font-src 'self'",
    mediaSources(foreignMedia).images,
    mediaSources(foreignMedia).media,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

interface Prepared extends Packed {
  readonly tag: string
  /** The `style-src` that allows the rules of the page. */
  readonly styleSource: string
  /** Whether the page has diagrams or widgets. */
  readonly hasScript: boolean
  /** Paths of the diagram pictures on the page. */
  readonly pictures: ReadonlySet<string>
}

const sourceHtml = (content: string): string =>
  `<pre tabindex="0"><code>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`

/** The upright font of the typeface in `web/style/serif.css`. */
export const fontSource = '../node_modules/@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2'

/** Paths of built files. */
interface Built {
  readonly style: string | undefined
  readonly font: string | undefined
  /** Scripts that figures need, by figure class. */
  readonly scripts: Readonly<Record<string, string | undefined>>
}

const picturePath = (doc: string, source: string, look: Theme): string => `/pub/${doc}/drawings/${source}-${look}.svg`

/** Returns the stored pictures of a document's diagrams. */
const drawingsFor = async (http: Http, doc: string): Promise<Drawings> => {
  const drawings = await drawingsOf(http.service, doc)
  return Object.fromEntries(
    drawings.map(({ source, title, width, height }) => {
      const [light, dark] = themes.map((look) => picturePath(doc, source, look))
      return [source, { light: light ?? '', dark: dark ?? '', title, width, height }]
    })
  )
}

const isPublishedLanguage = (tag: string | undefined): tag is PublishedLanguage => tag === 'en' || tag === 'de'

/**
 * Returns the language of the words around the text: the language of the text, if it names one that we have, or else the browser's. Cookies do not
 * matter, so that caches can share the page.
 */
const languageOf = (ctx: Context, { snapshot }: PublishedDocument): PublishedLanguage => {
  const own = languageIn(snapshot.content)?.split('-')[0]?.toLowerCase()
  return isPublishedLanguage(own) ? own : ctx.acceptsLanguages('en', 'de') === 'de' ? 'de' : 'en'
}

/** A document with everything that its page needs. */
interface Parts {
  readonly document: PublishedDocument
  readonly language: PublishedLanguage
  readonly http: Http
  readonly built: Built
  readonly render: Render
}

const prepare = async ({ document, language, http, built, render }: Parts): Promise<Prepared> => {
  const { service, log } = http
  const { id, title, indexed, publishedAt, author, updatedAt, snapshot } = document
  const drawings = await drawingsFor(http, id)
  const text = { doc: id, version: snapshot.version, source: snapshot.content, drawings }
  const rendered = await render(text).catch((error: unknown) => {
    if (!(error instanceof CannotRender)) throw error
    log.warn('a published page shows its source', { doc: id, version: snapshot.version, reason: error.message, error: error.cause })
    return { html: sourceHtml(snapshot.content), css: '', headings: [], description: '' }
  })
  const url = `${service.baseUrl}/pub/${id}`
  const { style, font } = built
  const needed = Object.entries(built.scripts).filter(([name]) => rendered.html.includes(`<figure class="component ${name}"`))
  const scripts = needed.flatMap(([, script]) => script ?? [])
  const languages = { language, textLanguage: languageIn(snapshot.content) }
  const page = {
    ...rendered,
    ...languages,
    title,
    url,
    markdownUrl: `${url}.md`,
    indexed,
    publishedAt,
    updatedAt,
    author,
    style,
    font,
    scripts
  }
  const packed = await pack(pageHtml(page))
  const styleSource = rendered.css === '' ? "'self'" : `'self' 'sha256-${createHash('sha256').update(rendered.css).digest('base64')}'`
  const tag = createHash('sha256').update(packed.plain).digest('base64url').slice(0, 22)
  const paths = Object.values(drawings).flatMap(({ light, dark }) => [light, dark])
  const pictures = new Set(paths.filter((path) => rendered.html.includes(path)))
  return { ...packed, styleSource, hasScript: needed.length > 0, pictures, tag }
}

/** Sends bytes in the best encoding that the reader accepts, or 304 if the reader already has them. */
const send = (ctx: Context, tag: string, { plain, br, gzip: gzipped }: Packed): void => {
  ctx.vary('Accept-Encoding')
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  const coded = encoding === 'br' ? br : encoding === 'gzip' ? gzipped : plain
  // A strong tag would claim that all encodings have equal bytes (RFC 9110, 8.8.1).
  ctx.set('ETag', coded === plain ? `"${tag}"` : `W/"${tag}"`)
  // Any cache may store the page, but must revalidate it each time, because unpublishing takes effect immediately.
  ctx.set('Cache-Control', 'public, no-cache')
  ctx.status = 200
  if (namesTag(ctx, tag)) {
    ctx.status = 304
    return
  }
  if (coded !== plain) ctx.set('Content-Encoding', String(encoding))
  ctx.body = coded
}

const sendPage = (ctx: Context, page: Prepared, { indexed }: PublishedDocument, foreignMedia: boolean): void => {
  ctx.vary('Accept-Language')
  ctx.set('Content-Security-Policy', contentSecurityPolicy(page, foreignMedia))
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  if (!indexed) ctx.set('X-Robots-Tag', 'noindex')
  ctx.type = 'text/html; charset=utf-8'
  send(ctx, page.tag, page)
}

const sendMarkdown = (ctx: Context, { snapshot, indexed }: PublishedDocument, packed: Packed): void => {
  if (!indexed) ctx.set('X-Robots-Tag', 'noindex')
  ctx.set('X-Doc-Version', snapshot.version)
  ctx.type = 'text/markdown; charset=utf-8'
  send(ctx, snapshot.version, packed)
}

/** Sends the response for a page that is not published: an HTML page for people, a problem document for programs. */
const showNothing = (ctx: Context, stylesheet: string | undefined): void => {
  const { t } = wordsOf(ctx)
  showPage(ctx, stylesheet, {
    title: t('There is no page here'),
    status: 404,
    body: html`<p>${t('The owner may have unpublished the page, or part of the address may be missing.')}</p>`
  })
}

const drawingPattern = /^\/pub\/([^/.]+)\/drawings\/([\w-]{43})-(light|dark)\.svg$/

const wantsMarkdown = (ctx: Context): boolean => ctx.accepts('text/html', 'text/markdown') === 'text/markdown'

export const bindPublished = (http: Http, routers: Routers, files: Files): void => {
  const { service } = http
  const render = createRender(service.baseUrl)
  const built: Built = {
    style: files.built('published/published.css'),
    font: files.built(fontSource),
    scripts: { 'component-mermaid': files.built('published/diagrams.ts'), 'component-widget': files.built('published/widgets.ts') }
  }
  const pages = new CompressedCache<Prepared>(limits.publishedCacheBytesMax)
  const texts = new CompressedCache<Packed>(limits.publishedCacheBytesMax)
  const pictures = new CompressedCache<Packed>(limits.publishedCacheBytesMax)
  const find = (name: string): Promise<PublishedDocument> => {
    if (!isDocumentId(name)) throw new ServiceError('not_found')
    return readPublished(service, name)
  }
  const markdown = async (ctx: Context, document: PublishedDocument): Promise<void> => {
    const { id, snapshot } = document
    sendMarkdown(ctx, document, await texts.get(JSON.stringify([id, snapshot.version]), () => pack(snapshot.content)))
  }
  const pageOf = (document: PublishedDocument, language: PublishedLanguage): Promise<Prepared> => {
    const { id, title, indexed, author, publishedAt, drawings, snapshot } = document
    const name = JSON.stringify([id, snapshot.version, title, indexed, author, publishedAt, drawings, language])
    return pages.get(name, () => prepare({ document, language, http, built, render }))
  }
  const page = async (ctx: Context, document: PublishedDocument): Promise<void> => {
    const { id } = document
    try {
      sendPage(ctx, await pageOf(document, languageOf(ctx, document)), document, http.foreignMedia)
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
      // A caller that waited for an older version gets the newer one.
      await page(ctx, await find(id))
    }
  }
  const { of } = routers
  of('/pub').get('/pub/:id.md', async (koa) => {
    const ctx = koa as unknown as Context & { params: Record<string, string> }
    await markdown(ctx, await find(ctx.params['id'] ?? ''))
  })
  of('/pub').get(drawingPattern, async (koa) => {
    const ctx = koa as unknown as Context
    const [, id = '', source = '', look = ''] = drawingPattern.exec(ctx.path) ?? []
    const document = await find(id)
    const shown = await pageOf(document, languageOf(ctx, document))
    // Pictures of diagrams that the text no longer contains are not served.
    const svg = shown.pictures.has(ctx.path) ? await readPicture(service, id, source, look as Theme) : undefined
    if (svg === undefined) throw new ServiceError('not_found')
    // The picture must not run or load anything, no matter where it is opened.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    ctx.set('X-Robots-Tag', 'noindex')
    ctx.type = 'image/svg+xml; charset=utf-8'
    const tag = createHash('sha256').update(svg).digest('base64url').slice(0, 22)
    send(ctx, tag, await pictures.get(tag, () => pack(svg)))
  })
  of('/pub').get(/^\/pub\/([^/.]+)$/, async (koa) => {
    const ctx = koa as unknown as Context
    ctx.vary('Accept')
    try {
      const document = await find(/^\/pub\/([^/.]+)$/.exec(ctx.path)?.[1] ?? '')
      await (wantsMarkdown(ctx) ? markdown(ctx, document) : page(ctx, document))
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found' || !asksForHtml(ctx)) throw error
      showNothing(ctx, files.stylesheet)
    }
  })
}
