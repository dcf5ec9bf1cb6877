import { isDocumentId } from '../../shared/names.ts'

/** The page that an address leads to. The server returns the same HTML shell for every page address. */
export type Route =
  | { readonly page: 'home' }
  | { readonly page: 'new' }
  | { readonly page: 'document'; readonly id: string }
  | { readonly page: 'unknown'; readonly kind: 'no_page' | 'not_found' }

/** Returns the page for a path. No document has an id of another format than the server's, such as an id that was cut off. */
export function route(path: string): Route {
  if (path === '/') return { page: 'home' }
  if (path === '/new') return { page: 'new' }
  const id = /^\/d\/([\w-]{1,64})\/?$/.exec(path)?.[1]
  if (id === undefined) return { page: 'unknown', kind: 'no_page' }
  return isDocumentId(id) ? { page: 'document', id } : { page: 'unknown', kind: 'not_found' }
}
