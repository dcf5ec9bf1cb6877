/** Names of routes and methods in metrics and traces. They come from our own table of routes, so they never contain a part of a request. */

/** The methods that metrics and traces name. A client can send any other word as a method. */
export const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Returns the pattern of a route as OpenAPI writes it, such as `/api/docs/{id}`. */
const shownRoute = (route: unknown): string => {
  if (typeof route === 'string') return route.replaceAll(/:(\w+)/g, '{$1}')
  if (!(route instanceof RegExp)) return 'other'
  return route.source
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll(/\([^()]*\)/g, '{}')
    .replaceAll('\\', '')
}

/** Returns a function that names routes and caches the names. It returns "other" if no route matched. */
export const createRoutes = (): ((route: unknown) => string) => {
  const shown = new Map<unknown, string>()
  return (route) => {
    const known = shown.get(route)
    if (known !== undefined) return known
    const text = shownRoute(route)
    shown.set(route, text)
    return text
  }
}
