/** The Koa app: the steps through which every request passes, in order. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Koa from 'koa'
import { ServiceError } from '../shared/errors.ts'
import { limits } from '../shared/limits.ts'
import { adminPages } from './http/admin/admin.ts'
import { bindAssets } from './http/assets.ts'
import { bindOperations } from './http/bind.ts'
import type { Context, Http, RequestState } from './http/context.ts'
import { presentError } from './http/errors.ts'
import { bindDownloads, type Download } from './http/downloads.ts'
import type { Files } from './http/files.ts'
import { bindIdentity, type Identity } from './http/identity.ts'
import { bindGuides } from './http/guides.ts'
import { nearestCalls } from './http/nearest-calls.ts'
import { bindOpenApi } from './http/openapi.ts'
import { homeOfPage, isOwnOrigin } from './http/origin.ts'
import { asksForHtml, bindPages, unknownPage } from './http/pages.ts'
import { take } from './http/perform.ts'
import { permissionsPolicy } from './http/permissions-policy.ts'
import { bindDocs } from './http/docs/docs.ts'
import { bindPublished } from './http/published/published.ts'
import { bindWellKnown } from './http/well-known.ts'
import { bindWidgetPage } from './http/widget-page.ts'
import { createRouters, type Route } from './http/routers.ts'
import { bindMcp } from './mcp/mcp.ts'

type Middleware = Koa.Middleware<RequestState>

// The first half makes a request id unique across restarts, and the second half within the process. Random bytes for each request would cost more.
const processId = randomBytes(6).toString('base64url')
let requests = 0

/** A check that every request must pass before a route handles it. It throws an error to refuse the request. */
type Check = (ctx: Parameters<Middleware>[0]) => void

const identify =
  ({ addressOf }: Pick<Http, 'addressOf'>): Check =>
  (ctx) => {
    ctx.state.requestId = `${processId}${(requests++).toString(36)}`
    ctx.state.address = addressOf(ctx.req)
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId)
  }

/** Headers for responses other than pages. Pages set different ones (pages.ts). */
const securityHeaders = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Permissions-Policy': permissionsPolicy(),
  'Referrer-Policy': 'no-referrer',
  // A name server must not learn where the links in a document or a widget lead before somebody follows them.
  'X-DNS-Prefetch-Control': 'off',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin'
})

const secure: Check = (ctx) => {
  for (const [name, value] of securityHeaders) ctx.res.setHeader(name, value)
}

/** Wraps every request: gives it an id, sets the response headers, turns errors into responses, and writes one log record. */
const answered = (http: Http): Middleware => {
  const identified = identify(http)
  const checks = [counted(http), plainTarget, available(http), sameOrigin(http)]
  return async (ctx, next) => {
    const start = performance.now()
    let refusal: string | undefined
    identified(ctx)
    secure(ctx)
    try {
      for (const check of checks) check(ctx)
      await next()
    } catch (error) {
      refusal = error instanceof ServiceError ? error.code : 'internal'
      presentError(ctx as unknown as Context, error, http.service.baseUrl, http.log)
      endUnsent(http, ctx.req)
    }
    const ms = performance.now() - start
    http.onAnswered?.({
      method: ctx.method,
      route: (ctx as { _matchedRoute?: unknown })._matchedRoute,
      status: ctx.status,
      error: refusal,
      ms
    })
    const level = ctx.status >= 500 ? 'warn' : ctx.method === 'GET' || ctx.method === 'HEAD' ? 'debug' : 'info'
    http.log[level]('request', {
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10
    })
  }
}

/** Cuts off a refused request if its body is still arriving after a while. The sender already has the response. */
const endUnsent = ({ service }: Http, request: IncomingMessage): void => {
  if (request.complete) return
  const cancel = service.clock.after(limits.refusedBodySecondsMax * 1000, () => request.socket.destroy())
  request.once('close', cancel)
}

/** Counts every request against the rate limit of its IP address. `rateLimits` lists the other limits. */
const counted =
  (http: Http): Check =>
  (ctx) =>
    take(http, ctx as unknown as Context, 'request', ctx.state.address)

/**
 * The router must match the target exactly as it was sent. This check therefore refuses fragments, backslashes, control characters, and absolute or
 * invalid targets.
 */
const plainTarget: Check = (ctx) => {
  const target = ctx.req.url ?? ''
  // eslint-disable-next-line no-control-regex
  const odd =
    !target.startsWith('/') ||
    target.startsWith('//') ||
    /[#\\\u0000-\u0020\u007f-\uffff]/.test(target) ||
    /%(?![0-9A-Fa-f]{2})|%00|%2f|%5c/i.test(target.split('?')[0] ?? '')
  if (odd) throw new ServiceError('invalid_request', { message: 'The request target is not valid.' })
}

/** Prevents other sites' pages from writing through a visitor's browser. */
const sameOrigin =
  ({ service }: Http): Check =>
  (ctx) => {
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return
    const site = ctx.get('Sec-Fetch-Site')
    const origin = ctx.get('Origin')
    // A page with `Referrer-Policy: no-referrer` sends its own forms with `Origin: null`. However, no page can set Sec-Fetch-Site.
    const hidden = origin === 'null' && site === 'same-origin'
    const elsewhere = origin !== '' && !hidden && !isOwnOrigin(origin, ctx.req, service.baseUrl)
    const foreign = site === 'cross-site' || site === 'same-site' || elsewhere
    if (foreign) throw new ServiceError('origin_refused')
  }

const available =
  ({ service }: Http): Check =>
  (ctx) => {
    if (service.status() === 'stopping' && ctx.path !== '/api/health') {
      ctx.set('Connection', 'close')
      throw new ServiceError('shutting_down')
    }
  }

/** Redirects people to the one host name of this machine under which they can sign in. Programs can use any of its names. */
const atHome =
  ({ service }: Http): Middleware =>
  (ctx, next) => {
    const isPage = (ctx.method === 'GET' || ctx.method === 'HEAD') && asksForHtml(ctx as unknown as Context)
    const home = isPage && !ctx.path.startsWith('/api/') ? homeOfPage(ctx.req.headers.host, ctx.req.url ?? '/', service.baseUrl) : undefined
    if (home === undefined) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 307
    ctx.redirect(home)
    return undefined
  }

const unknownAddress = (method: string, path: string): ServiceError => {
  const meant = nearestCalls(method, path)
  const guess = meant.length === 0 ? '' : `Did you mean ${meant.join(', or ')}? `
  return new ServiceError('not_found', { hint: `${guess}GET /openapi.json lists every address.`, ...(meant.length > 0 && { meant }) })
}

/** Answers requests that no route matches. */
const nothingHere =
  (http: Http, files: Files): Middleware =>
  async (ctx) => {
    if ((ctx.method === 'GET' || ctx.method === 'HEAD') && (await files.serve(ctx as unknown as Context, ctx.path))) return
    if (!asksForHtml(ctx as unknown as Context) || ctx.path.startsWith('/api/')) throw unknownAddress(ctx.method, ctx.path)
    await unknownPage(http, ctx as unknown as Context, files)
  }

/** Creates the application with its routes. */
export const createApp = (
  http: Http,
  identity: Identity,
  files: Files,
  download: Download | undefined
): { readonly app: Koa<RequestState>; readonly routes: readonly Route[] } => {
  const app = new Koa<RequestState>()
  const routers = createRouters()
  bindOpenApi(http.service.baseUrl, routers)
  const { baseUrl } = http.service
  bindGuides({ baseUrl, mcpPrefix: http.mcpPrefix }, routers)
  bindWellKnown({ baseUrl, contact: http.securityContact, now: () => http.service.clock.now() }, files, routers)
  bindPages(http, routers, files)
  bindIdentity(http, identity, files.stylesheet, routers)
  bindPublished(http, routers, files)
  bindDocs(http, routers, files)
  bindWidgetPage(routers)
  bindAssets(http, routers)
  bindDownloads(http.service.baseUrl, download, routers)
  bindMcp(http, routers)
  bindOperations(http, routers)

  if (http.traceRequest !== undefined) app.use(http.traceRequest)
  app.use(answered(http))
  app.use(atHome(http))
  app.use(adminPages({ http, stylesheet: files.stylesheet, formKey: identity.formKey }))
  app.use(routers.routes)
  app.use(routers.refuseOtherMethods)
  app.use(nothingHere(http, files))
  app.on('error', (error: Error, ctx?: Context) => {
    // If a client disconnects during the response, the server is not at fault.
    http.log.debug('connection error', { error: error.message, path: ctx?.path })
  })
  return { app, routes: routers.listed() }
}
