/** HTML pages and redirects, which are plain routes outside the operations table. */
import { ServiceError } from '../../shared/errors.ts'
import { mediaType } from './body.ts'
import { findReader, handleRequest } from './bind.ts'
import type { Context, Http } from './context.ts'
import type { Files } from './files.ts'
import { createFirstTexts, type FirstText } from './first/first-text.ts'
import { sendWithHead, wantsHead } from './first/for-programs.ts'
import { sendPacked } from './compressed-pages.ts'
import { mediaSources } from './media-sources.ts'
import { permissionsPolicy } from './permissions-policy.ts'
import type { Routers } from './routers.ts'

/** Everything that our pages may load and do: no inline script or style, and from other sites only the media of documents. */
const contentSecurityPolicy = ({ foreignMedia, service }: Http, styles: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    `${mediaSources(foreignMedia).images} blob:`,
    `${mediaSources(foreignMedia).media} blob:`,
    "font-src 'self'",
    // `'self'` covers sockets in current browsers. For browsers that compare the scheme, the public address is named too.
    `connect-src 'self' ${service.baseUrl.replace(/^http/, 'ws')}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    // The frame that draws diagrams.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types agmd-worker agmd-markdown agmd-paste'
  ].join('; ')

/**
 * The frame that draws diagrams: our script on untrusted source. It has no origin, so it cannot reach the service, and it loads nothing but its
 * script. The library writes styles as it draws.
 */
const diagramPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts'
].join('; ')
const diagramPath = '/diagram/frame.html'

const diagramFrame = async (ctx: Context, files: Files): Promise<void> => {
  ctx.set('Content-Security-Policy', diagramPolicy)
  if (!(await files.serve(ctx, diagramPath))) throw new ServiceError('not_found')
}

// The pattern has no dot, so that `/d/{id}.md`, the read of every agent, has one route.
const documentPage = /^\/d\/([^/.]+)$/

/** The policy of the service worker. It runs nothing else, and it requests only its own origin (the pages that it caches). */
const workerPolicy = "default-src 'none'; connect-src 'self'"
const workerPath = '/sw.js'

const worker = async (ctx: Context, files: Files): Promise<void> => {
  ctx.set('Content-Security-Policy', workerPolicy)
  if (!(await files.serve(ctx, workerPath))) throw new ServiceError('not_found')
}

const links = (ctx: Context, files: Files, first: FirstText | undefined): string[] => {
  const doc = documentPage.exec(ctx.path)?.[1]
  const alternate = doc === undefined ? [] : [`</d/${doc}.md>; rel="alternate"; type="text/markdown"`]
  // Programs need no scripts. A reader who already has the text on the page can wait for the scripts, which would load before the typefaces.
  if (!asksForHtml(ctx) || first?.hasText === true) return alternate
  // All pages share the shell, which would find out only by running that this page needs the editor.
  const scripts = files.scripts('main.tsx', ...(doc === undefined ? [] : ['document/page.tsx']))
  return [...alternate, ...scripts.map((path) => `<${path}>; rel="modulepreload"`)]
}

/** The page is not cacheable, because it depends on the reader's current rights. */
const sendFirstText = (ctx: Context, first: FirstText): void => {
  ctx.set('Cache-Control', 'private, no-store')
  sendPacked(ctx, first, 'text/html; charset=utf-8')
}

interface ShellOptions {
  /** Serves a page that contains the title of its document, and mostly the beginning of its text. */
  readonly first?: FirstText | undefined
  readonly status?: number | undefined
}

/** Serves the built page, which interprets its address itself. */
const shell = async (http: Http, ctx: Context, files: Files, { first, status }: ShellOptions = {}): Promise<void> => {
  ctx.set('Content-Security-Policy', contentSecurityPolicy(http, first?.styles))
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  if (documentPage.test(ctx.path)) ctx.set('Permissions-Policy', permissionsPolicy('self'))
  // Programs that open this address look for these links.
  ctx.set('Link', [...links(ctx, files, first), '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json"'].join(', '))
  if (first !== undefined) return sendFirstText(ctx, first)
  if (await files.serve(ctx, '/index.html', status)) return
  ctx.status = 503
  ctx.body = 'The web pages are not built. Run: npm run build\n'
}

/**
 * The status of a document's page for a caller who may not read it: the same whether the id is unknown or the key is wrong. Without any key it is an
 * ordinary page, whatever the id, because the browser may have the key and then use it. Only holders of a valid key learn that the document was
 * deleted. A temporary refusal (too many requests) does not decide the status: the page reports it.
 */
const statusOfRefusal = ({ code }: ServiceError): number => {
  if (code === 'document_deleted') return 410
  return ['credential_invalid', 'not_found'].includes(code) ? 404 : 200
}

/** Serves a page that says that there is nothing at this address. */
export const unknownPage = async (http: Http, ctx: Context, files: Files): Promise<void> => {
  await shell(http, ctx, files, { status: 404 })
}

const prefersHtml = (ctx: Context): boolean => ctx.accepts('text/markdown', 'application/json', 'text/html') === 'text/html'
// A browser sends text/html explicitly; a request with only `*` comes from a program (link previews must not create documents).
export const asksForHtml = (ctx: Context): boolean => ctx.get('Accept').includes('text/html')

/**
 * Whether a request must not create anything: a monitor's HEAD, a browser's prefetch, or an image on some page. Browsers send the site of every
 * request, or an image type; programs send neither.
 */
const onlyLooks = (ctx: Context): boolean =>
  ctx.method === 'HEAD' ||
  ['Sec-Fetch-Site', 'Sec-Fetch-Dest', 'Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].some((name) => ctx.get(name) !== '') ||
  ctx.get('Accept').includes('image/')

const createAndGo = async (http: Http, ctx: Context): Promise<void> => {
  const answer = await handleRequest(http, ctx, 'createDocument')
  ctx.type = 'text/plain'
  ctx.body = 'The document is there.\n'
  ctx.status = 303
  ctx.set('Location', String(answer['url']))
}

export const bindPages = (http: Http, routers: Routers, files: Files): void => {
  const findFirstText = createFirstTexts(http, files)
  const documentShell = async (ctx: Context, id: string): Promise<void> => {
    const reader = await findReader(http, ctx, id)
    if (reader instanceof ServiceError) return shell(http, ctx, files, { status: statusOfRefusal(reader) })
    return shell(http, ctx, files, { first: await findFirstText(reader, id) })
  }
  const page = (path: string): void => {
    routers.of(path).get(path, (ctx) => shell(http, ctx as unknown as Context, files))
  }
  page('/')
  routers.of(workerPath).get(workerPath, (ctx) => worker(ctx as unknown as Context, files))
  routers.of(diagramPath).get(diagramPath, (ctx) => diagramFrame(ctx as unknown as Context, files))
  routers.of('/new').get('/new', async (koa) => {
    const ctx = koa as unknown as Context
    if (asksForHtml(ctx) || onlyLooks(ctx)) await shell(http, ctx, files)
    else await createAndGo(http, ctx)
  })
  routers.of('/new').post('/new', async (koa, next) => {
    const ctx = koa as unknown as Context
    // The form of the confirmation page, which works without script.
    if (mediaType(ctx.req) !== 'application/x-www-form-urlencoded') return next()
    return createAndGo(http, ctx)
  })
  routers.of('/d').get(documentPage, async (koa) => {
    const ctx = koa as unknown as Context & { params: Record<string, string> }
    ctx.vary('Accept')
    const id = documentPage.exec(ctx.path)?.[1] ?? ''
    if (prefersHtml(ctx)) return documentShell(ctx, id)
    ctx.params = { id }
    if (wantsHead(ctx)) return sendWithHead(http, ctx, id)
    await handleRequest(http, ctx, 'readContent')
    return undefined
  })
}
