/** Which pages are ours. */
import type { IncomingMessage } from 'node:http'

/**
 * Whether a page of this origin is one of ours: the configured address, or the very host that was asked (people also use 127.0.0.1 or the name of the
 * machine; a browser does not let a page choose its Host).
 */
export const isOwnOrigin = (origin: string, { headers }: IncomingMessage, baseUrl: string): boolean =>
  origin === baseUrl || (headers.host !== undefined && (origin === `http://${headers.host}` || origin === `https://${headers.host}`))

/** The names under which a browser reaches its own machine. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * The canonical address of a page requested by another name of this machine; undefined: it is already canonical. A browser separates the cookies of
 * each name, so a sign-in begun under one name cannot end under another. The result begins with the configured address, whatever the request says.
 */
export const homeOfPage = (host: string | undefined, target: string, baseUrl: string): string | undefined => {
  const home = new URL(baseUrl)
  const others = loopbackNames.filter((name) => name !== home.hostname)
  if (home.protocol !== 'http:' || others.length === loopbackNames.length) return undefined
  const port = home.port === '' ? '' : `:${home.port}`
  return others.some((name) => host === `${name}${port}`) ? `${home.origin}${target}` : undefined
}
