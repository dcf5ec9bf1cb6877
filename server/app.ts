/** The Koa app: what every request passes, in order. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import { ServiceError } from '../shared/errors.ts'
import { bindOperations } from './http/bind.ts'
import type { Context, Http, RequestState } from './http/context.ts'
import { presentError } from './http/errors.ts'
import type { Files } from './http/files.ts'
import { openApi } from './http/openapi.ts'
import { bindPages } from './http/pages.ts'

type Middleware = Koa.Middleware<RequestState>

const forwardedFor = (request: IncomingMessage): string[] =>
  [request.headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Client's address: behind `trusted` proxies the one that the outermost of them saw. IPv6 counts by its /64. */
export const addressOf = (request: IncomingMessage, trusted: number): string => {
  const address = (trusted > 0 ? forwardedFor(request).at(-trusted) : undefined) ?? request.socket.remoteAddress ?? ''
  const mapped = address.replace(/^::ffff:/, '')
  return mapped.includes(':') ? mapped.split(':').slice(0, 4).join(':') : mapped
}

// Unique beyond a restart by its first half, within the process by its second; cheaper than randomness for each request.
const processId = randomBytes(6).toString('base64url')
let requests = 0

const identify =
  (trusted: number): Middleware =>
  (ctx, next) => {
    ctx.state.requestId = `${processId}${(requests++).toString(36)}`
    ctx.state.address = addressOf(ctx.req, trusted)
    ctx.set('X-Request-Id', ctx.state.requestId)
    return next()
  }

/** For answers that are no pages; pages name what they need themselves (pages.ts). */
const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin'
}

const secure: Middleware = (ctx, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) ctx.res.setHeader(name, value)
  return next()
}

const logged =
  ({ log }: Http): Middleware =>
  async (ctx, next) => {
    const start = performance.now()
    await next()
    const level = ctx.status >= 500 ? 'warn' : ctx.method === 'GET' || ctx.method === 'HEAD' ? 'debug' : 'info'
    log[level]('request', {
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round((performance.now() - start) * 10) / 10
    })
  }

const caught =
  ({ service, log }: Http): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      presentError(ctx as unknown as Context, error, service.baseUrl, log)
    }
  }

/** What the router matched must be what was sent: no fragments, backslashes, control characters, absolute or broken targets. */
const plainTarget: Middleware = (ctx, next) => {
  const target = ctx.req.url ?? ''
  // eslint-disable-next-line no-control-regex
  const odd =
    !target.startsWith('/') ||
    target.startsWith('//') ||
    /[#\\\u0000-\u0020\u007f-\uffff]/.test(target) ||
    /%(?![0-9A-Fa-f]{2})|%00|%2f|%5c/i.test(target.split('?')[0] ?? '')
  if (odd) throw new ServiceError('invalid_request', { message: 'The request target is not plain.' })
  return next()
}

/**
 * Whether a page of this origin is one of ours: the configured address, or the very host that was asked (people also come by
 * 127.0.0.1 or the name of the machine; a browser does not let a page choose its Host).
 */
export const isOwnOrigin = (origin: string, { headers }: IncomingMessage, baseUrl: string): boolean =>
  origin === baseUrl || (headers.host !== undefined && (origin === `http://${headers.host}` || origin === `https://${headers.host}`))

/** A page elsewhere must not write through a visitor's browser. */
const sameOrigin =
  ({ service }: Http): Middleware =>
  (ctx, next) => {
    const site = ctx.get('Sec-Fetch-Site')
    const origin = ctx.get('Origin')
    const foreign = site === 'cross-site' || site === 'same-site' || (origin !== '' && !isOwnOrigin(origin, ctx.req, service.baseUrl))
    if (foreign && ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new ServiceError('origin_refused')
    return next()
  }

const available =
  ({ service }: Http): Middleware =>
  (ctx, next) => {
    if (service.status() === 'stopping' && ctx.path !== '/api/health') {
      ctx.set('Connection', 'close')
      throw new ServiceError('shutting_down')
    }
    return next()
  }

/** What no route answered. */
const nothingHere =
  (files: Files): Middleware =>
  (ctx) => {
    if ((ctx.method === 'GET' || ctx.method === 'HEAD') && files.serve(ctx as unknown as Context, ctx.path)) return
    throw new ServiceError('not_found')
  }

export const createApp = (http: Http, files: Files): Koa<RequestState> => {
  const app = new Koa<RequestState>()
  const router = new Router<RequestState>({ sensitive: true, strict: true })
  const description = JSON.stringify(openApi(http.service.baseUrl))
  router.get('/openapi.json', (ctx) => {
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.type = 'application/json'
    ctx.body = description
  })
  bindPages(http, router, files)
  bindOperations(http, router)

  app.use(identify(http.trustedProxies))
  app.use(secure)
  app.use(logged(http))
  app.use(caught(http))
  app.use(plainTarget)
  app.use(available(http))
  app.use(sameOrigin(http))
  app.use(router.routes())
  app.use(
    router.allowedMethods({
      throw: true,
      methodNotAllowed: () => new ServiceError('method_not_allowed') as unknown as Error,
      notImplemented: () => new ServiceError('method_not_allowed') as unknown as Error
    }) as unknown as Middleware
  )
  app.use(nothingHere(files))
  app.on('error', (error: Error, ctx?: Context) => {
    // A client that hangs up in mid-answer is no fault of ours.
    http.log.debug('connection error', { error: error.message, path: ctx?.path })
  })
  return app
}
