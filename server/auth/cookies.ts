/** The names of cookies, and functions that read and write cookies. */
import { hkdfSync } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

export interface Cookies {
  /** Name of the cookie for a browser's session. */
  readonly session: string
  /** Name of the cookie that ties a sign-in in progress to this browser. */
  readonly signIn: string
  /** Names of the cookies that the embedded broker sets. */
  readonly broker: { readonly session: string; readonly interaction: string; readonly resume: string }
  /** Whether cookies are sent only over TLS. */
  readonly secure: boolean
}

/**
 * Returns the names of the cookies. On https, the prefix `__Host-` ensures that only this host can set these cookies. On plain http, browsers refuse
 * that prefix. The port is then part of the names, because all ports of a host share their cookies.
 */
export const cookiesOf = (baseUrl: string): Cookies => {
  const { protocol, port } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const name = (what: string): string => (secure ? `__Host-agmd-${what}` : `agmd-${what}${port === '' ? '' : `-${port}`}`)
  // The broker sets these cookies only for the path of one interaction, but the prefix `__Host-` requires the path `/`.
  const plain = (what: string): string => (secure ? `__Secure-agmd-${what}` : name(what))
  return {
    session: name('session'),
    signIn: name('sign-in'),
    broker: { session: name('broker'), interaction: plain('interaction'), resume: plain('resume') },
    secure
  }
}

/** Returns a cookie's value; undefined if it is absent, empty or sent twice. */
export const readCookie = ({ cookie }: IncomingHttpHeaders, name: string): string | undefined => {
  if (cookie === undefined) return undefined
  const values = cookie
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
  return values.length === 1 && values[0] !== '' ? values[0] : undefined
}

interface CookieOptions {
  /** Whether scripts of the pages can read the cookie. */
  readonly forScripts?: boolean
}

/** Adds a cookie to a response. The cookie is valid for `seconds` seconds; 0 removes it from the browser. */
export const writeCookie = (
  response: ServerResponse,
  { secure }: Cookies,
  name: string,
  value: string,
  seconds: number,
  { forScripts = false }: CookieOptions = {}
): void => {
  const access = forScripts ? [] : ['HttpOnly']
  const parts = [`${name}=${value}`, 'Path=/', ...access, 'SameSite=Lax', `Max-Age=${seconds}`, ...(secure ? ['Secure'] : [])]
  response.appendHeader('Set-Cookie', parts.join('; '))
}

/** Returns a key for one purpose. The key is derived from the instance secret. */
export const derivedKey = (secret: Uint8Array, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `agmd ${purpose}`, 32)).toString('base64url')
