/** The route of the MCP endpoint. The first request loads the endpoint itself, because its tools and the SDK are a third of the program. */
import type { Context, Http } from '../http/context.ts'
import type { Routers } from '../http/routers.ts'
import type { Endpoint } from './endpoint.ts'

const path = '/mcp'

export const bindMcp = (http: Http, routers: Routers): void => {
  let loading: Promise<Endpoint> | undefined
  const load = (): Promise<Endpoint> => (loading ??= import('./endpoint.ts').then(({ createEndpoint }) => createEndpoint(http)))
  const router = routers.of(path)
  router.get(path, async (ctx) => (await load()).get(ctx as unknown as Context))
  router.post(path, async (ctx) => (await load()).post(ctx as unknown as Context))
}
