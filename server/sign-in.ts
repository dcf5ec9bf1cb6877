/** Chooses who signs people in: the embedded broker, or an external issuer. */
import { createBroker } from './auth/broker.ts'
import { ownClientId } from './auth/broker-paths.ts'
import { type ClientDocumentOptions, createClientDocuments } from './auth/client-documents.ts'
import { type Cookies, derivedKey } from './auth/cookies.ts'
import { createRelyingParty } from './auth/oidc.ts'
import type { Config } from './config.ts'
import type { SignInHost } from './domain/ports.ts'
import type { Service } from './domain/service.ts'
import type { Identity } from './http/identity.ts'
import type { RateLimiter } from './http/rate-limit.ts'
import type { Log } from './log.ts'

export interface SignInOptions {
  readonly config: Config
  /** 32 random bytes, or a secret that the operator has set. */
  readonly secret: Uint8Array
  readonly log: Log
  /** Addresses from which client documents may be fetched. If absent, all public addresses are allowed. */
  readonly clientDocuments?: ClientDocumentOptions
}

/** Returns the host at which this process can reach itself, regardless of where the public address leads. */
export const localHost = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Creates the embedded broker, or the connection to an external issuer. The service is a client of either. */
export const createIdentity = (
  { config, secret, log, clientDocuments }: SignInOptions,
  service: Service,
  limiter: RateLimiter,
  cookies: Cookies,
  stylesheet: string | undefined,
  localUrl: string
): Identity => {
  const formKey = derivedKey(secret, 'forms 1')
  const { signUp, authUrl, authClientId, authClientSecret } = config
  const relyingParty = { service, cookies, log }
  if (authUrl !== null)
    return {
      broker: null,
      relyingParty: createRelyingParty({
        ...relyingParty,
        issuer: authUrl,
        clientId: authClientId ?? ownClientId,
        clientSecret: authClientSecret,
        fetch: null
      }),
      issuer: authUrl,
      signUp,
      formKey
    }
  return {
    broker: createBroker({
      service,
      cookies,
      secret,
      stylesheet,
      log,
      fetchDocument: config.clientDocuments ? createClientDocuments(clientDocuments) : null,
      mayFetchFor: (address) => limiter.tryTake('clientDocument', address)
    }),
    relyingParty: createRelyingParty({
      ...relyingParty,
      issuer: service.baseUrl,
      clientId: ownClientId,
      clientSecret: null,
      // The public address might not lead back to this process, because there is a proxy or no route.
      fetch: (url, init) => fetch(url.replace(service.baseUrl, localUrl), init as RequestInit)
    }),
    issuer: service.baseUrl,
    signUp,
    formKey
  }
}

/** Returns the embedded broker as a host that has separate sign-in sessions. The broker is created after the service. */
export const signInHostOf = (broker: () => Identity['broker']): SignInHost => ({
  endSessions: (account) => broker()?.store.endSessions(account) ?? Promise.resolve(),
  endSession: (atHost) => broker()?.store.endNamedSession(atHost) ?? Promise.resolve(),
  findToken: (token) => broker()?.findToken(token) ?? Promise.resolve(undefined),
  endGrant: (grant) => broker()?.store.endGrant(grant) ?? Promise.resolve()
})
