/** Decides which addresses may be used without encryption. Without encryption, anyone on the network path could read keys and change responses. */
import { Failure } from './failure.ts'
import { allowInsecureHttp, allowsInsecureHttp } from './hosts.ts'

/** Whether the command line contains `--insecure-http`. */
let isAllowedNow = false

/** Handles `--insecure-http`. For every service that this command contacts, stores that encryption is not required. */
export const allowNow = (): void => {
  isAllowedNow = true
}

/** Whether a host name or address always means this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3). */
const isThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)

const isAllowed = (origin: string): boolean => {
  if (process.env['AGMD_INSECURE_HTTP'] === '1' || allowsInsecureHttp(origin)) return true
  if (isAllowedNow) allowInsecureHttp(origin)
  return isAllowedNow
}

/** Must be called before anything is sent. Throws `not_encrypted` for plain HTTP to another machine, unless the user has allowed it. */
export const requireEncryption = ({ protocol, hostname, origin }: URL): void => {
  if (protocol !== 'http:' || isThisMachine(hostname) || isAllowed(origin)) return
  throw new Failure(
    'not_encrypted',
    `The connection to ${origin} is not encrypted: others could read the keys that you send, and change the responses. Nothing was sent.`,
    'Use its https address. On a network that you trust, add --insecure-http once: agmd remembers it for this service.',
    { origin }
  )
}
