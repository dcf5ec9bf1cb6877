/** The names of cookies, and functions that read and write cookies. */
import { hkdfSync } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

export interface Cookies {
  /** Name of the cookie for the session of a browser. */
  readonly session: string
  /** Name of the cookie that ties a sign-in in progress to this browser. */
  readonly signIn: string
  /** Names of the cookies that the embedded broker sets. */
  readonly broker: { readonly session: string; readonly interaction: string; readonly resume: string }
  /** Whether cookies are sent only over TLS. */
  readonly secure: boolean
}

/**
 * Returns the names of the cookies. On https, the prefix `__Host-` prevents other hosts and paths from setting them. On plain http, where browsers
 * refuse that prefix, the port is part of the name, because all ports of a host share their cookies.
 */
export const cookiesOf = (baseUrl: string): Cookies => {
  const { protocol, port } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const name = (what: string): string => (secure ? `__Host-agmd-${what}` : `agmd-${what}${port === '' ? '' : `-${port}`}`)
  // Cookies of an interaction are set only for its path, and the prefix `__Host-` does not allow a path.
  const plain = (what: string): string => (secure ? `__Secure-agmd-${what}` : name(what))
  return {
    session: name('session'),
    signIn: name('sign-in'),
    broker: { session: name('broker'), interaction: plain('interaction'), resume: plain('resume') },
    secure
  }
}

/** Returns the value of a cookie; undefined if it is absent, empty or sent twice. */
export const readCookie = ({ cookie }: IncomingHttpHeaders, name: string): string | undefined => {
  if (cookie === undefined) return undefined
  const values = cookie
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
  return values.length === 1 && values[0] !== '' ? values[0] : undefined
}

/** Adds a cookie to an answer. If `seconds` is 0, it removes the cookie. */
export const writeCookie = (response: ServerResponse, { secure }: Cookies, name: string, value: string, seconds: number): void => {
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])]
  response.appendHeader('Set-Cookie', parts.join('; '))
}

/** Returns a key for one purpose. The key is derived from the instance secret. */
export const derivedKey = (secret: Uint8Array, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `agmd ${purpose}`, 32)).toString('base64url')
