/** Reads the credentials of an HTTP request, without checking them (docs/api.md, Credentials and roles). */
import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Credentials } from '../domain/rights/access.ts'
import { readCookie } from './cookies.ts'

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** Decodes a header value. Node reads header values as Latin-1, but names of people are sent as UTF-8. */
const utf8 = (text: string): string => {
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return decoded.includes('\uFFFD') ? text : decoded
}

/** Returns a name in its stored form: one line, no control characters, limited length. Returns undefined if nothing is left. */
export const cleanAuthor = (name: string | undefined): string | undefined => {
  const clean = plainName(name ?? '', limits.authorUnitsMax)
  return clean === '' ? undefined : clean
}

/** Returns the credentials of a request. An empty key counts as absent. `sessionCookie` is the name of the cookie for a browser's session. */
export const readCredentials = (headers: IncomingHttpHeaders, query: URLSearchParams, sessionCookie: string): Credentials => {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const key = first(headers['x-share-key']) ?? query.get('key') ?? undefined
  const header = first(headers['x-agent-author'])
  const author = cleanAuthor((header === undefined ? undefined : utf8(header)) ?? query.get('author') ?? undefined)
  // An Authorization header without a bearer token also counts as a credential, so that the request is refused and not treated as anonymous.
  return { key: key === '' ? undefined : key, bearer: bearer ?? headers.authorization, cookie: readCookie(headers, sessionCookie), author }
}
