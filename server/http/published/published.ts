/** `/pub/{id}` and `/pub/{id}.md`: pages for everyone, while the owner publishes them. Rendered and compressed once per version. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { pageHtml } from '../../../shared/markdown/template.ts'
import { isDocumentId } from '../../../shared/names.ts'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type PublishedDocument, readPublished } from '../../domain/publishing.ts'
import type { Context, Http } from '../context.ts'
import { namesTag } from '../etag.ts'
import type { Files } from '../files.ts'
import type { Routers } from '../routers.ts'
import { createRender, type Render, RenderingTooSlow } from './rendering.ts'

/**
 * No script at all, but on a page with diagrams the one that draws them; pictures and films may come from anywhere that is not plain text
 * over the network.
 */
const contentSecurityPolicy = ({ styleSource, draws }: Prepared): string =>
  [
    "default-src 'none'",
    ...(draws ? ["script-src 'self'", "frame-src 'self'"] : []),
    `style-src ${styleSource}`,
    "font-src 'self'",
    "img-src 'self' https: data:",
    "media-src 'self' https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

interface Prepared {
  readonly tag: string
  /** The `style-src` that lets the page's own rules be used. */
  readonly styleSource: string
  /** Whether the page holds diagrams. */
  readonly draws: boolean
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

/** Pages kept in memory, the one that was asked for longest ago leaves first. */
class Pages {
  readonly #pages = new Map<string, Promise<Prepared>>()
  readonly #sizes = new Map<string, number>()

  get(name: string, make: () => Promise<Prepared>): Promise<Prepared> {
    const found = this.#pages.get(name) ?? make()
    this.#pages.delete(name)
    this.#pages.set(name, found)
    found.then(
      (page) => this.#weigh(name, page.plain.length + page.br.length + page.gzip.length),
      () => this.#drop(name)
    )
    return found
  }

  #drop(name: string): void {
    this.#pages.delete(name)
    this.#sizes.delete(name)
  }

  #weigh(name: string, bytes: number): void {
    if (this.#pages.has(name)) this.#sizes.set(name, bytes)
    let total = 0
    for (const size of this.#sizes.values()) total += size
    for (const oldest of this.#pages.keys()) {
      if (total <= limits.publishedCacheBytesMax) return
      total -= this.#sizes.get(oldest) ?? 0
      this.#drop(oldest)
    }
  }
}

const sourceHtml = (content: string): string =>
  `<pre tabindex="0"><code>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`

/** The upright of the typeface that `web/style/serif.css` names. */
const fontSource = '../node_modules/@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2'

/** Paths of what the build made. */
interface Built {
  readonly style: string | undefined
  readonly font: string | undefined
  /** Draws diagrams. */
  readonly script: string | undefined
}

const prepare = async (document: PublishedDocument, baseUrl: string, built: Built, render: Render): Promise<Prepared> => {
  const { id, title, indexed, updatedAt, snapshot } = document
  const rendered = await render(snapshot.content).catch((error: unknown) => {
    if (!(error instanceof RenderingTooSlow)) throw error
    return { html: sourceHtml(snapshot.content), css: '', headings: [], description: '' }
  })
  const url = `${baseUrl}/pub/${id}`
  const draws = rendered.html.includes('<figure class="component component-mermaid">')
  const { style, font, script } = built
  const page = { ...rendered, title, url, markdownUrl: `${url}.md`, indexed, updatedAt, style, font, script: draws ? script : undefined }
  const plain = Buffer.from(pageHtml(page))
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, quality), promisify(gzip)(plain, { level: 6 })])
  const styleSource = rendered.css === '' ? "'self'" : `'self' 'sha256-${createHash('sha256').update(rendered.css).digest('base64')}'`
  return { styleSource, draws, tag: createHash('sha256').update(plain).digest('base64url').slice(0, 22), plain, br, gzip: gzipped }
}

/** Answers 304 when the reader has this already. */
const isKnown = (ctx: Context, tag: string): boolean => {
  ctx.set('ETag', `"${tag}"`)
  // Kept by anyone, asked for again each time: unpublishing must act at once.
  ctx.set('Cache-Control', 'public, no-cache')
  ctx.status = 200
  if (!namesTag(ctx, tag)) return false
  ctx.status = 304
  return true
}

const sendPage = (ctx: Context, page: Prepared, indexed: boolean): void => {
  const { tag, plain, br, gzip: gzipped } = page
  ctx.set('Content-Security-Policy', contentSecurityPolicy(page))
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  if (!indexed) ctx.set('X-Robots-Tag', 'noindex')
  ctx.vary('Accept-Encoding')
  if (isKnown(ctx, tag)) return
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  ctx.type = 'text/html; charset=utf-8'
  if (encoding === 'br' || encoding === 'gzip') ctx.set('Content-Encoding', encoding)
  ctx.body = encoding === 'br' ? br : encoding === 'gzip' ? gzipped : plain
}

const sendMarkdown = (ctx: Context, { snapshot, indexed }: PublishedDocument): void => {
  if (!indexed) ctx.set('X-Robots-Tag', 'noindex')
  if (isKnown(ctx, snapshot.version)) return
  ctx.set('X-Doc-Version', snapshot.version)
  ctx.type = 'text/markdown; charset=utf-8'
  ctx.body = snapshot.content
}

const wantsMarkdown = (ctx: Context): boolean => ctx.accepts('text/html', 'text/markdown') === 'text/markdown'

export const bindPublished = (http: Http, routers: Routers, files: Files): void => {
  const { service } = http
  const render = createRender(service.baseUrl)
  const built: Built = {
    style: files.built('published/published.css'),
    font: files.built(fontSource),
    script: files.built('published/diagrams.ts')
  }
  const pages = new Pages()
  const find = (name: string): Promise<PublishedDocument> => {
    if (!isDocumentId(name)) throw new ServiceError('not_found')
    return readPublished(service, name)
  }
  const { of } = routers
  of('/pub').get('/pub/:id.md', async (koa) => {
    const ctx = koa as unknown as Context & { params: Record<string, string> }
    sendMarkdown(ctx, await find(ctx.params['id'] ?? ''))
  })
  of('/pub').get(/^\/pub\/([^/.]+)$/, async (koa) => {
    const ctx = koa as unknown as Context
    const document = await find(/^\/pub\/([^/.]+)$/.exec(ctx.path)?.[1] ?? '')
    ctx.vary('Accept')
    if (wantsMarkdown(ctx)) return sendMarkdown(ctx, document)
    const { id, title, indexed, snapshot } = document
    const name = JSON.stringify([id, snapshot.version, title, indexed])
    const page = await pages.get(name, () => prepare(document, service.baseUrl, built, render))
    return sendPage(ctx, page, indexed)
  })
}
