/** Determines the service, the credentials and the document for a command. */
import { existsSync } from 'node:fs'
import { type Client, createClient } from '../shared/client.ts'
import { documentIdPattern, shareKeyPattern } from '../shared/names.ts'
import { home } from './build.ts'
import { Failure } from './failure.ts'
import { readHosts, knownKey } from './hosts.ts'
import { linkPath, readLink } from './pulled-file.ts'
import { type Answer, send, type SendInit } from './request.ts'

/** Returns the origin of a service address. `from` names the address's source in messages. Throws `usage`. */
const originOf = (text: string, from: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Failure('usage', `${from} is not the address of a service: ${text}`, 'Use an address such as https://docs.example.org.')
  return url.origin
}

const isLoopback = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'

/** Whether two origins belong to the same service. All names of this machine count as the same host. */
const sameOrigin = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)]
  return one === other || (isLoopback(a) && isLoopback(b) && a.port === b.port && a.protocol === b.protocol)
}

/** Returns the service that the command line or the environment names explicitly. */
const askedOrigin = (given: string | undefined): string | undefined => {
  if (given !== undefined) return originOf(given, '--url')
  const { AGMD_URL } = process.env
  return (AGMD_URL ?? '') === '' ? undefined : originOf(AGMD_URL as string, 'AGMD_URL')
}

/** Returns the only service with a stored session or key; undefined if there are none or several. */
const onlyHost = (): string | undefined => {
  const origins = Object.keys(readHosts())
  return origins.length === 1 ? origins[0] : undefined
}

/** Returns the service for a command without an address. Throws `usage` if it is unknown. */
export const serviceOrigin = (given: string | undefined): string => {
  const origin = askedOrigin(given) ?? home ?? onlyHost()
  if (origin === undefined) throw new Failure('usage', 'No service is set.', 'Set AGMD_URL to the address of the service, or add --url.')
  return origin
}

/**
 * Returns the origin to contact for a link's origin. The origin must belong to the requested service, to the service from which this program was
 * downloaded, or to a known service. Throws `foreign_origin` for any other origin, before anything is sent.
 */
const acceptedOrigin = (origin: string, given: string | undefined): string => {
  const asked = askedOrigin(given)
  const expected = asked ?? home
  if (expected === undefined) return origin
  if (sameOrigin(origin, expected)) return expected
  if (asked === undefined && Object.hasOwn(readHosts(), origin)) return origin
  throw new Failure(
    'foreign_origin',
    `This link belongs to ${origin}, but your service is ${expected}. Nothing was sent.`,
    `If you trust this service: agmd --url ${origin} …`
  )
}

/** A document with its service and its credentials. */
export interface DocumentAddress {
  readonly origin: string
  readonly doc: string
  readonly key: string | undefined
  /** Whether the key came from the stored keys and was not given explicitly. Such a key must not limit the session's rights. */
  readonly implied: boolean
  /** The pulled file, if the command named a file instead of the document. */
  readonly file?: string
}

const keyFromText = (text: string): string => {
  if (!shareKeyPattern.test(text)) throw new Failure('usage', 'The key in this link is not valid.', 'Copy the entire link again.')
  return text
}

const addressOfUrl = (text: string, given: string | undefined): DocumentAddress => {
  const url = new URL(text)
  const doc = /^\/(?:d|api\/docs)\/([\w-]+)(?:\.md)?(?:\/|$)/.exec(url.pathname)?.[1]
  if (doc === undefined || !documentIdPattern.test(doc))
    throw new Failure('usage', 'This address is not a document.', 'Use the share URL of a document: https://…/d/ID?key=KEY.')
  const origin = acceptedOrigin(url.origin, given)
  const key = url.searchParams.get('key')
  return { origin, doc, key: key === null ? knownKey(origin, doc) : keyFromText(key), implied: key === null }
}

/** Finds the document that a share URL, a document id or a pulled file names. Throws `usage`, `foreign_origin` or `not_pulled`. */
export const addressOf = (typed: string, given: string | undefined): DocumentAddress => {
  // A copied link sometimes has whitespace around it.
  const text = /^\s*https?:/i.test(typed) ? typed.trim() : typed
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return addressOfUrl(text, given)
  const link = readLink(text)
  if (link !== undefined) {
    const origin = acceptedOrigin(link.origin, given)
    // If the file was pulled with only a session, no stored key is used, because the key would limit the session's rights.
    const key = link.key === undefined ? undefined : (knownKey(origin, link.doc, link.key) ?? knownKey(origin, link.doc))
    return { origin, doc: link.doc, key, implied: link.implied === true, file: text }
  }
  if (existsSync(text))
    throw new Failure(
      'not_pulled',
      `${text} is not linked to a document.`,
      `Pull the document (agmd docs pull URL -o ${text}), or use the share URL.`
    )
  if (!documentIdPattern.test(text))
    throw new Failure(
      'usage',
      `${text} is not a share URL, a document id or a pulled file (${linkPath(text)} is missing).`,
      'Use the share URL: https://…/d/ID?key=KEY.'
    )
  const origin = serviceOrigin(given)
  return { origin, doc: text, key: knownKey(origin, text), implied: true }
}

/** Returns the token in AGMD_TOKEN. Throws `usage` if it is invalid. */
const tokenOfEnvironment = (): string | undefined => {
  // A token that was read from a file ends with a line break.
  const token = (process.env['AGMD_TOKEN'] ?? '').trim()
  if (/[^\u0021-\u007e]/.test(token))
    throw new Failure('usage', 'AGMD_TOKEN has characters that are not allowed in a token.', 'Copy the token again, or unset AGMD_TOKEN.')
  return token === '' ? undefined : token
}

/** Returns the session token for a service. `AGMD_TOKEN` applies only to the requested service, not to other services that a link may name. */
export const tokenFor = (origin: string, given: string | undefined): string | undefined => {
  const token = tokenOfEnvironment()
  if (token === undefined) return readHosts()[origin]?.token
  const asked = askedOrigin(given) ?? home ?? onlyHost()
  return asked !== undefined && sameOrigin(asked, origin) ? token : undefined
}

export interface Access {
  readonly origin: string
  readonly key: string | undefined
  /** See `implied` in `Place`. */
  readonly implied?: boolean
  readonly token: string | undefined
  readonly author: string | undefined
}

/**
 * Returns a function that sends requests with the credentials. A session has either the owner's rights or none, and a key sent with it limits these
 * rights (docs/api.md, Credentials and roles). A stored key is therefore sent only if the service finds nothing with the session alone.
 */
export const sendWith = (access: Access): typeof send => {
  const sendAll = sendKey(access)
  const { origin, token } = access
  if (token === undefined) return sendAll
  return async (url, init) => {
    const answer = await sendAll(url, init)
    if (answer.status === 401 && (await hasEnded(origin, token))) throw sessionEnded(origin, token, access.key !== undefined)
    return answer
  }
}

/** Whether the session has ended. If a request contains both a link and a session, the service does not report which one it refused. */
const hasEnded = async (origin: string, token: string): Promise<boolean> =>
  (await send(`${origin}/api/me`, { headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' } })).status === 401

const sessionEnded = (origin: string, token: string, hasLink: boolean): Failure => {
  const { host } = new URL(origin)
  const linkAlone = (how: string): string => (hasLink ? ` Or ${how} to continue with the link alone.` : '')
  if (token === tokenOfEnvironment())
    return new Failure(
      'session_ended',
      `AGMD_TOKEN is not a session of ${host}, or the session has ended.`,
      `Set AGMD_TOKEN to a valid session, or unset it and sign in: agmd login.${linkAlone('unset it')}`
    )
  if (token === readHosts()[origin]?.token)
    return new Failure(
      'session_ended',
      `The session with ${host} has ended.`,
      `Sign in again: agmd login.${linkAlone('sign out (agmd logout)')}`
    )
  return new Failure(
    'session_ended',
    `The token is not a session of ${host}, or the session has ended.`,
    'Create a new session: agmd login.'
  )
}

const sendKey = ({ key, implied = false, token }: Access): typeof send => {
  if (key === undefined) return send
  const withKey = (url: string | URL, init: SendInit = {}): Promise<Answer> =>
    send(url, { ...init, headers: { ...init.headers, 'X-Share-Key': key } })
  if (!implied || token === undefined) return withKey
  return async (url, init) => {
    const answer = await send(url, init)
    return answer.status === 404 ? withKey(url, init) : answer
  }
}

export const clientFor = (access: Access): Client => {
  const { origin, token, author } = access
  return createClient({
    baseUrl: origin,
    ...(token === undefined ? {} : { token }),
    ...(author === undefined ? {} : { author }),
    send: sendWith(access)
  })
}
