/** Decides whether a page belongs to this service. */
import type { IncomingMessage } from 'node:http'

/**
 * Whether pages from this origin are ours. That is true for the configured address and for the requested host. The host counts because people also
 * use 127.0.0.1 or the computer's name, and because a browser does not let a page choose the Host header.
 */
export const isOwnOrigin = (origin: string, { headers }: IncomingMessage, baseUrl: string): boolean =>
  origin === baseUrl || (headers.host !== undefined && (origin === `http://${headers.host}` || origin === `https://${headers.host}`))

/** The names that a browser uses for its own computer. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the canonical address of a page that was requested by another name of this computer. Returns undefined if the address is already
 * canonical. A browser separates the cookies of each name, so a sign-in that begins under one name cannot end under another. The result always
 * begins with the configured address, no matter what the request contains.
 */
export const homeOfPage = (host: string | undefined, target: string, baseUrl: string): string | undefined => {
  const home = new URL(baseUrl)
  const others = loopbackNames.filter((name) => name !== home.hostname)
  if (home.protocol !== 'http:' || others.length === loopbackNames.length) return undefined
  const port = home.port === '' ? '' : `:${home.port}`
  return others.some((name) => host === `${name}${port}`) ? `${home.origin}${target}` : undefined
}
