/**
 * Fetches the metadata document of an OAuth client (OAuth Client ID Metadata Document, draft 02). The `client_id` is the https address of the
 * document. Strangers choose that address. The request therefore reaches only public addresses, follows no redirect, contains none of our
 * credentials, and is limited in time and size.
 */
import { lookup as resolveName } from 'node:dns'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { limits } from '../../shared/limits.ts'

/** Parts that tests replace, because tests have no public address and no publicly trusted certificate. */
export interface ClientDocumentOptions {
  readonly mayReach: (address: string) => boolean
  /** The certificate of an authority that is trusted instead of the usual ones, as PEM. */
  readonly ca?: string
}

/** Every range of IPv4 addresses that is not public: the IANA special-purpose registry (RFC 6890), multicast and reserved ranges. */
const ipv4Special: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3]
]

/** Ranges within 2000::/3 that are not public: tunnels, documentation, and ranges for protocols. 2000::/3 contains every public IPv6 address. */
const ipv6Special: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20]
]

const special = new BlockList()
for (const [net, prefix] of ipv4Special) special.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of ipv6Special) special.addSubnet(net, prefix, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an address belongs to the public internet. Addresses of this computer, of its network, or of a translator into that network do not. */
export const isPublicAddress = (address: string): boolean => {
  const version = isIP(address)
  if (version === 4) return !special.check(address, 'ipv4')
  return version === 6 && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** Resolves a name once, so that the connection goes to the checked address. Refuses a name if one of its addresses is forbidden. */
const checkedLookup =
  (mayReach: (address: string) => boolean): LookupFunction =>
  (name, options, callback) =>
    resolveName(name, { ...options, all: true }, (error, found) => {
      const [first] = error === null ? found : []
      if (first === undefined) return callback(error ?? new Error('the host name has no address'), '')
      if (!found.every(({ address }) => mayReach(address)))
        return callback(new Error('the host name does not resolve to a public address'), '')
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })

const bodyOf = async (answer: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > limits.clientDocumentBytesMax) throw new Error('the document is too large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export type FetchClientDocument = (url: string) => Promise<Response>

/**
 * Returns a function that fetches metadata documents. The function throws if the address is forbidden, or if the response has a status other than
 * 200, is too large, or arrives too late.
 */
export const createClientDocuments = ({ mayReach, ca }: ClientDocumentOptions = { mayReach: isPublicAddress }): FetchClientDocument => {
  let underWay = 0

  const answerOf = (url: URL, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { Accept: 'application/json' }
      const sent = request(
        url,
        { agent: false, headers, lookup: checkedLookup(mayReach), signal, ...(ca !== undefined && { ca }) },
        resolve
      )
      sent.on('error', reject)
      sent.end()
    })

  const get = async (url: URL): Promise<Response> => {
    const answer = await answerOf(url, AbortSignal.timeout(limits.clientDocumentSecondsMax * 1000))
    try {
      if (answer.statusCode !== 200) throw new Error(`the response has status ${answer.statusCode}`)
      const cache = answer.headers['cache-control']
      return new Response(await bodyOf(answer), { headers: cache === undefined ? {} : { 'Cache-Control': cache } })
    } finally {
      answer.destroy()
    }
  }

  return async (text) => {
    const url = new URL(text)
    // An IP address would bypass the lookup that checks addresses, and it identifies nobody.
    if (url.protocol !== 'https:' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
      throw new Error('the address must use https and a host name')
    if (underWay >= limits.clientDocumentsAtOnce) throw new Error('too many documents are being fetched')
    underWay += 1
    try {
      return await get(url)
    } finally {
      underWay -= 1
    }
  }
}
