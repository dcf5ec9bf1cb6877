/**
 * Computes the name under which rate limits count a client: its IPv4 address, or the /64 network of its IPv6 address. A single household can use all
 * 2^64 addresses of a /64.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** Maximum length, in UTF-16 units, of an address in any notation and of other text that is used as a name. */
const addressUnitsMax = 64

const forwardedFor = (request: IncomingMessage): string[] =>
  [request.headers['x-forwarded-for'] ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Returns the address without its port, brackets or zone, because proxies also write `"[2001:db8::1]:443"`, `192.0.2.1:443` and `fe80::1%eth0`. */
const bare = (text: string): string => {
  const unquoted = text
    .slice(0, 2 * addressUnitsMax)
    .trim()
    .replaceAll('"', '')
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(unquoted)?.[1]
  const address = bracketed ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(unquoted)?.[1] ?? unquoted
  return address.split('%')[0] ?? ''
}

/** Returns the eight groups of an IPv6 address. */
const groupsOf = (address: string): number[] => {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [a = 0, b = 0, c = 0, d = 0] = (dotted?.slice(2) ?? []).map(Number)
  const text = dotted === null ? address : `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const [head = [], tail = []] = text.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/**
 * Prefixes of IPv6 addresses that contain an IPv4 address: `::ffff:0:0/96` (RFC 4291 §2.5.5.2), and `64:ff9b::/96` behind a translator (RFC 6052
 * §2.1).
 */
const prefixesOfIpv4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']

const groupOfIpv6 = (address: string): string => {
  const groups = groupsOf(address)
  const shown = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':')
  if (!prefixesOfIpv4.includes(shown(0, 6))) return `${shown(0, 4)}::/64`
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

/**
 * Returns the name under which an address is counted. It does not depend on how the address is written. Text that is not an address is its own name.
 */
export const addressGroup = (text: string): string => {
  const address = bare(text)
  if (isIPv4(address)) return address
  return isIPv6(address) ? groupOfIpv6(address) : address.toLowerCase().slice(0, addressUnitsMax)
}

const isLoopback = (group: string): boolean => group.startsWith('127.') || group === '0:0:0:0::/64'

/**
 * Returns the exact address of a client behind `trusted` proxies. Returns undefined if an undeclared proxy forwarded the request, because the proxy's
 * address does not identify the client.
 */
export const exactAddress = (request: IncomingMessage, trusted: number): string | undefined => {
  const { headers, socket } = request
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  if (trusted === 0) return isForwarded ? undefined : bare(socket.remoteAddress ?? '')
  return bare(forwardedFor(request).at(-trusted) ?? socket.remoteAddress ?? '')
}

export type AddressOf = (request: IncomingMessage) => string

/**
 * Returns a function that finds a client's address. Behind `trusted` proxies, this is the address that the outermost proxy saw. `warn` is called once
 * if an undeclared proxy seems to be in front of the server, because everyone would then share one address's limits.
 */
export const createAddressOf = (trusted: number, warn: (message: string) => void): AddressOf => {
  let isWarned = trusted > 0
  // Most requests come from the same address as the previous one.
  let lastText = ''
  let lastGroup = ''
  const groupOf = (text: string): string => {
    if (text !== lastText) lastGroup = addressGroup((lastText = text))
    return lastGroup
  }
  const warnOnce = ({ headers }: IncomingMessage, peer: string): void => {
    if (isWarned || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) || !isLoopback(peer)) return
    isWarned = true
    warn(
      'A proxy on this machine forwards requests, but AGMD_TRUST_PROXY is 0. All visitors therefore seem to have the same address, and share its limits. Set AGMD_TRUST_PROXY to the number of proxies in front of the server.'
    )
  }
  return (request) => {
    const peer = request.socket.remoteAddress ?? ''
    if (!isWarned) warnOnce(request, groupOf(peer))
    return groupOf((trusted > 0 ? forwardedFor(request).at(-trusted) : undefined) ?? peer)
  }
}
