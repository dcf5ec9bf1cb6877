/** HTML pages and redirects. They are plain routes outside the operations table. */
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

/** Returns the content security policy of our pages. It forbids inline scripts and styles. Other sites can supply only the media in documents. */
const contentSecurityPolicy = ({ foreignMedia, service }: Http, styles: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    `${mediaSources(foreignMedia).images} blob:`,
    `${mediaSources(foreignMedia).media} blob:`,
    "font-src 'self'",
    // In current browsers, `'self'` also covers WebSockets. Other browsers compare the scheme, so the policy also lists the WebSocket address.
    `connect-src 'self' ${service.baseUrl.replace(/^http/, 'ws')}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    // Allows the frame that draws diagrams.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types agmd-worker agmd-markdown agmd-paste'
  ].join('; ')

/**
 * The policy of the frame that draws diagrams. The frame runs our script on untrusted source. It has no origin, so it cannot reach the service, and
 * it loads only its script. The diagram library adds inline styles while it draws.
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

// The pattern excludes dots, so that `/d/{id}.md`, which agents read, matches only its own route.
const documentPage = /^\/d\/([^/.]+)$/

/** The policy of the service worker. The worker loads no other scripts. It sends requests only to its own origin, for the pages that it caches. */
const workerPolicy = "default-src 'none'; connect-src 'self'"
const workerPath = '/sw.js'

const worker = async (ctx: Context, files: Files): Promise<void> => {
  ctx.set('Content-Security-Policy', workerPolicy)
  if (!(await files.serve(ctx, workerPath))) throw new ServiceError('not_found')
}

const links = (ctx: Context, files: Files, first: FirstText | undefined): string[] => {
  const doc = documentPage.exec(ctx.path)?.[1]
  const alternate = doc === undefined ? [] : [`</d/${doc}.md>; rel="alternate"; type="text/markdown"`]
  // Programs need no scripts. If the page already contains the text, its scripts are not preloaded, because they would load before the typefaces.
  if (!asksForHtml(ctx) || first?.hasText === true) return alternate
  // All pages share the shell. Without this list, the browser would fetch the editor only after the shell has run.
  const scripts = files.scripts('main.tsx', ...(doc === undefined ? [] : ['document/page.tsx']))
  return [...alternate, ...scripts.map((path) => `<${path}>; rel="modulepreload"`)]
}

/** Sends the page with its first text. The page must not be cached, because it depends on the reader's current rights. */
const sendFirstText = (ctx: Context, first: FirstText): void => {
  ctx.set('Cache-Control', 'private, no-store')
  sendPacked(ctx, first, 'text/html; charset=utf-8')
}

interface ShellOptions {
  /** The title of the document and usually the beginning of its text, which are inserted into the page. */
  readonly first?: FirstText | undefined
  readonly status?: number | undefined
}

/** Serves the built page. The page interprets its address itself. */
const shell = async (http: Http, ctx: Context, files: Files, { first, status }: ShellOptions = {}): Promise<void> => {
  ctx.set('Content-Security-Policy', contentSecurityPolicy(http, first?.styles))
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  if (documentPage.test(ctx.path)) ctx.set('Permissions-Policy', permissionsPolicy('self'))
  // Programs look for these links when they open this address.
  ctx.set('Link', [...links(ctx, files, first), '</openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json"'].join(', '))
  if (first !== undefined) return sendFirstText(ctx, first)
  if (await files.serve(ctx, '/index.html', status)) return
  ctx.status = 503
  ctx.body = 'The web pages are not built. Run: npm run build\n'
}

/**
 * Returns the status of a document's page for a caller who may not read the document. The status is the same for an unknown id and for a wrong key. A
 * request without a key gets an ordinary page for every id, because the browser may have the key and send it later. Only holders of a valid key learn
 * that the document was deleted. A temporary refusal (too many requests) does not change the status, because the page reports it.
 */
const statusOfRefusal = ({ code }: ServiceError): number => {
  if (code === 'document_deleted') return 410
  if (code === 'taken_down') return 451
  return ['credential_invalid', 'not_found'].includes(code) ? 404 : 200
}

/** Serves the page for an address that does not exist. */
export const unknownPage = async (http: Http, ctx: Context, files: Files): Promise<void> => {
  await shell(http, ctx, files, { status: 404 })
}

const prefersHtml = (ctx: Context): boolean => ctx.accepts('text/markdown', 'application/json', 'text/html') === 'text/html'
// Browsers send text/html explicitly. A request with only `*/*` comes from a program, for example for a link preview, and must not create documents.
export const asksForHtml = (ctx: Context): boolean => ctx.get('Accept').includes('text/html')

/**
 * Whether a request must not create anything. Examples are a monitor's HEAD request, a browser's prefetch, and an image on some page. Browsers send
 * the site of every request, or an image type; programs send neither.
 */
const onlyLooks = (ctx: Context): boolean =>
  ctx.method === 'HEAD' ||
  ['Sec-Fetch-Site', 'Sec-Fetch-Dest', 'Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].some((name) => ctx.get(name) !== '') ||
  ctx.get('Accept').includes('image/')

const createAndGo = async (http: Http, ctx: Context): Promise<void> => {
  const answer = await handleRequest(http, ctx, 'createDocument')
  ctx.type = 'text/plain'
  ctx.body = 'The document has been created.\n'
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
    // The request comes from the form on the confirmation page, which works without scripts.
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
