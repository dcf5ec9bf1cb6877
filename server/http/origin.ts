/** Which pages are ours. */
import type { IncomingMessage } from 'node:http'

/**
 * Whether a page of this origin is one of ours: the configured address, or the very host that was asked (people also come by
 * 127.0.0.1 or the name of the machine; a browser does not let a page choose its Host).
 */
export const isOwnOrigin = (origin: string, { headers }: IncomingMessage, baseUrl: string): boolean =>
  origin === baseUrl || (headers.host !== undefined && (origin === `http://${headers.host}` || origin === `https://${headers.host}`))
