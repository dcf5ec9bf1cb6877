/** Which service is spoken to, with what, and how a document is named. */
import { existsSync } from 'node:fs'
import { type Client, createClient } from '../shared/client.ts'
import { documentIdPattern, shareKeyPattern } from '../shared/names.ts'
import { home, version } from './build.ts'
import { Failure } from './failure.ts'
import { readHosts, knownKey } from './hosts.ts'
import { type Link, linkPath, readLink } from './link.ts'

/** Longest time for an answer, in milliseconds: more than a long poll takes. */
const answerMsMax = 90_000

/** Errors: `usage`. */
const originOf = (text: string, from: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Failure('usage', `${from} is no address of a service: ${text}`, 'Give one like https://docs.example.org.')
  return url.origin
}

const isLoopback = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'

/** Whether two origins are one: this machine has several names. */
const sameOrigin = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)]
  return one === other || (isLoopback(a) && isLoopback(b) && a.port === b.port && a.protocol === b.protocol)
}

/** The service that was asked for in so many words. */
const askedOrigin = (given: string | undefined): string | undefined => {
  if (given !== undefined) return originOf(given, '--url')
  const { AGMD_URL } = process.env
  return (AGMD_URL ?? '') === '' ? undefined : originOf(AGMD_URL as string, 'AGMD_URL')
}

/** The one service there is a session with, if there is only one. */
const onlyHost = (): string | undefined => {
  const origins = Object.keys(readHosts())
  return origins.length === 1 ? origins[0] : undefined
}

/** The service for what names none. Errors: `usage`. */
export const serviceOrigin = (given: string | undefined): string => {
  const origin = askedOrigin(given) ?? home ?? onlyHost()
  if (origin === undefined) throw new Failure('usage', 'Which service?', 'Set AGMD_URL to its address, or give --url.')
  return origin
}

/**
 * The origin to speak to for an address that was given: its own, if that is the service that was asked for, the one this program came from, or
 * one that is known. Errors: `foreign_origin`; nothing was sent then.
 */
const acceptedOrigin = (origin: string, given: string | undefined): string => {
  const asked = askedOrigin(given)
  const expected = asked ?? home
  if (expected === undefined) return origin
  if (sameOrigin(origin, expected)) return expected
  if (asked === undefined && Object.hasOwn(readHosts(), origin)) return origin
  throw new Failure(
    'foreign_origin',
    `This link is of ${origin}, but the service here is ${expected}. Nothing was sent.`,
    `If you trust it: agmd --url ${origin} …`
  )
}

/** A document, where it is, and what opens it. */
export interface Place {
  readonly origin: string
  readonly doc: string
  readonly key: string | undefined
  /** The file that it was named by. */
  readonly file?: string
  readonly link?: Link
}

const keyFromText = (text: string): string => {
  if (!shareKeyPattern.test(text)) throw new Failure('usage', 'The key in this link is not one.', 'Copy the link again, all of it.')
  return text
}

const placeOfUrl = (text: string, given: string | undefined): Place => {
  const url = new URL(text)
  const doc = /^\/(?:d|api\/docs)\/([\w-]+)(?:\.md)?(?:\/|$)/.exec(url.pathname)?.[1]
  if (doc === undefined || !documentIdPattern.test(doc))
    throw new Failure('usage', 'This address is no document.', 'Give its share URL: https://…/d/ID?key=KEY.')
  const origin = acceptedOrigin(url.origin, given)
  const key = url.searchParams.get('key')
  return { origin, doc, key: key === null ? knownKey(origin, doc) : keyFromText(key) }
}

/** What a share URL, a document id or a file that was pulled stands for. Errors: `usage`, `foreign_origin`, `not_pulled`. */
export const placeOf = (text: string, given: string | undefined): Place => {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return placeOfUrl(text, given)
  const link = readLink(text)
  if (link !== undefined) {
    const origin = acceptedOrigin(link.origin, given)
    return { origin, doc: link.doc, key: knownKey(origin, link.doc, link.key) ?? knownKey(origin, link.doc), file: text, link }
  }
  if (existsSync(text))
    throw new Failure(
      'not_pulled',
      `${text} is not connected with a document.`,
      `Pull it (agmd docs pull URL -o ${text}), or give the share URL.`
    )
  if (!documentIdPattern.test(text))
    throw new Failure(
      'usage',
      `${text} is no share URL, no document id and no file (${linkPath(text)} is not there).`,
      'Give the share URL: https://…/d/ID?key=KEY.'
    )
  const origin = serviceOrigin(given)
  return { origin, doc: text, key: knownKey(origin, text) }
}

/** The session at a service. `AGMD_TOKEN` counts for the service that was asked for, and for no other that a link may name. */
export const tokenFor = (origin: string, given: string | undefined): string | undefined => {
  const { AGMD_TOKEN } = process.env
  if ((AGMD_TOKEN ?? '') === '') return readHosts()[origin]?.token
  const asked = askedOrigin(given) ?? home
  return asked === undefined || sameOrigin(asked, origin) ? AGMD_TOKEN : undefined
}

const unreachable = (origin: string, error: unknown): Failure => {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  const why = cause?.code ?? cause?.message ?? (error as Error).message
  return new Failure(
    'service_unreachable',
    `${origin} cannot be reached (${why}).`,
    'Check the address and the network; agmd doctor tells more.',
    { origin }
  )
}

/** `fetch` that says who asks, ends in time, and tells failures of the network as such. Errors: `service_unreachable`, `timeout`. */
export const send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
  const { origin } = new URL(url instanceof Request ? url.url : url)
  const headers = new Headers(init.headers)
  headers.set('User-Agent', `agmd/${version}`)
  const time = AbortSignal.timeout(answerMsMax)
  const signal = init.signal == null ? time : AbortSignal.any([time, init.signal])
  try {
    return await fetch(url, { ...init, headers, signal })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    if (time.aborted)
      throw new Failure('timeout', `${origin} did not answer in ${answerMsMax / 1000} s.`, 'Try again; agmd doctor tells more.', { origin })
    throw unreachable(origin, error)
  }
}

export interface Access {
  readonly origin: string
  readonly key: string | undefined
  readonly token: string | undefined
  readonly author: string | undefined
}

export const clientFor = ({ origin, key, token, author }: Access): Client =>
  createClient({
    baseUrl: origin,
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(author === undefined ? {} : { author }),
    fetch: send
  })
