/**
 * Routers, one for each first path segment, and one for each resource of a document. A router tries all its routes one after another. A read of
 * `/d/{id}.md` therefore skips the routes below `/api`, and a read of `/api/docs/{id}/content` skips the comments.
 */
import Router from '@koa/router'
import type Koa from 'koa'
import { ServiceError } from '../../shared/errors.ts'
import type { RequestState } from './context.ts'
import { nearestCalls } from './nearest-calls.ts'

export interface Route {
  readonly methods: readonly string[]
  readonly path: string
}

export interface Routers {
  /** Returns the router for a path, or for the pattern of a route. */
  of(path: string): Router<RequestState>
  /** Returns every route with its methods. The pattern of a route is a path with `{names}`, or a regular expression. */
  listed(): readonly Route[]
  /** The middleware that dispatches requests. Read this property only after all routes are bound. */
  readonly routes: Koa.Middleware<RequestState>
  /** Handles requests that matched no route. Throws `method_not_allowed`, with `Allow`, if the path has routes for other methods. */
  readonly refuseOtherMethods: Koa.Middleware<RequestState>
}

/** Returns the name of the router for a path. For the resource of a document, it is `/` and the segment after the id. */
const routerName = (path: string): string =>
  path.startsWith('/api/docs/') ? `/${path.split('/', 5)[4] ?? ''}` : (path.slice(1).split(/[/.]/, 1)[0] ?? '')

export const createRouters = (): Routers => {
  const routers = new Map<string, Router<RequestState>>()
  const dispatchers = new Map<string, Koa.Middleware<RequestState>>()

  const of = (path: string): Router<RequestState> => {
    const name = routerName(path)
    const known = routers.get(name)
    if (known !== undefined) return known
    const router = new Router<RequestState>({ sensitive: true, strict: true })
    routers.set(name, router)
    // The type of this middleware requires context fields that Koa does not have. The router adds these fields.
    dispatchers.set(name, router.routes() as unknown as Koa.Middleware<RequestState>)
    return router
  }

  return {
    of,
    listed: () =>
      [...routers.values()].flatMap(({ stack }) =>
        stack.map(({ methods, path }) => ({ methods, path: String(path).replaceAll(/:(\w+)/g, '{$1}') }))
      ),
    routes: (ctx, next) => dispatchers.get(routerName(ctx.path))?.(ctx, next) ?? next(),
    refuseOtherMethods(ctx, next) {
      const found = (routers.get(routerName(ctx.path))?.stack ?? []).filter((route) => route.match(ctx.path))
      if (found.length === 0) return next()
      const methods = [...new Set(found.flatMap((route) => route.methods))].toSorted()
      ctx.set('Allow', methods.join(', '))
      if (ctx.method === 'OPTIONS') {
        ctx.status = 204
        return undefined
      }
      const meant = nearestCalls(ctx.method, ctx.path)
      const guess = meant.length === 0 ? '' : ` Did you mean ${meant.join(', or ')}?`
      throw new ServiceError('method_not_allowed', { hint: `This address accepts ${methods.join(', ')}.${guess}`, allow: methods })
    }
  }
}
