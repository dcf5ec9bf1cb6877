/** The page that an address leads to. The server returns the same HTML shell for every page address. */
export type Route =
  | { readonly page: 'home' }
  | { readonly page: 'new' }
  | { readonly page: 'document'; readonly id: string }
  | { readonly page: 'unknown' }

/** Returns the page for a path. A document id has the server's format: 12–22 URL-safe characters. */
export function route(path: string): Route {
  if (path === '/') return { page: 'home' }
  if (path === '/new') return { page: 'new' }
  const id = /^\/d\/([\w-]{1,64})\/?$/.exec(path)?.[1]
  return id === undefined ? { page: 'unknown' } : { page: 'document', id }
}
