/**
 * The service as a relying party (OpenID Connect, code + PKCE). It works the same with the embedded broker and an external issuer. The
 * state of a sign-in in progress is sealed in a cookie, so only the browser that began the sign-in can finish it.
 */
import * as oidc from 'openid-client'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { term } from '../../shared/words.ts'
import type { Service } from '../domain/service.ts'
import type { Context } from '../http/context.ts'
import type { Log } from '../log.ts'
import { callbackPath } from './broker-paths.ts'
import { isLoopback } from './loopback.ts'
import { type Cookies, readCookie, writeCookie } from './cookies.ts'
import { openSealed } from '../domain/secrets.ts'

export interface RelyingPartyOptions {
  readonly service: Service
  readonly cookies: Cookies
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  /** The function that this service uses to reach the issuer. Null if it uses the issuer's public address. */
  readonly fetch: oidc.CustomFetch | null
  readonly log: Log
}

export interface SignedIn {
  readonly claims: oidc.IDToken
  readonly returnTo: string
}

export interface RelyingParty {
  /**
   * Sends the browser to the issuer. `create` asks it to offer a new account, and `login` to ask for the password or passkey again. Throws
   * `issuer_unavailable`.
   */
  begin(ctx: Context, returnTo: string, ask?: 'create' | 'login'): Promise<void>
  /** Finishes the sign-in when the issuer has sent the browser back. Throws `sign_in_failed` or `issuer_unavailable`. */
  finish(ctx: Context): Promise<SignedIn>
  /** Returns the issuer's metadata. Throws `issuer_unavailable`. */
  metadata(): Promise<oidc.ServerMetadata>
  /** Returns the address at which a browser ends its session with the issuer; undefined if the issuer has no such address. */
  signOutUrl(): Promise<string | undefined>
}

interface UnderWay {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
  readonly expiresAt: number
}

const context = 'sign-in under way 1'
/** The maximum number of tabs that can sign in at the same time. Each tab needs a cookie, and a header has room for only a few. */
const tabsMax = 4

/**
 * Returns the path to which the browser returns after a sign-in. The result is the home page's path if the text is not a path of this service. It is
 * the same if a browser could read the text as an address of another origin.
 */
export const safeReturnTo = (text: string | null | undefined, baseUrl: string): string => {
  const fallback = '/'
  // eslint-disable-next-line no-control-regex
  if (text === null || text === undefined || !/^\/[^\\\u0000-\u001f\u007f]*$/.test(text) || text.startsWith('//')) return fallback
  if (/^\/(%2f|%5c|%09|%0a|%0d)/i.test(text) || text.length > 2000 || !URL.canParse(text, baseUrl)) return fallback
  const url = new URL(text, baseUrl)
  return url.origin === new URL(baseUrl).origin && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : fallback
}

/** Whether an error means that the issuer could not be reached. False if the issuer responded with an error. */
const unreachable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: string }).code ?? ''
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || code === 'OAUTH_TIMEOUT') return true
  if (error instanceof TypeError && error.message === 'fetch failed') return true
  const status = (error as { cause?: { status?: number } }).cause?.status
  return (typeof status === 'number' && status >= 500) || (error.cause instanceof Error && unreachable(error.cause))
}

/** Returns a client of an issuer. It reads the issuer's metadata on first use and caches it for a while. Throws `issuer_unavailable`. */
export const issuerClient = (
  { clock }: Pick<Service, 'clock'>,
  { issuer, clientId, clientSecret, fetch, log }: Pick<RelyingPartyOptions, 'issuer' | 'clientId' | 'clientSecret' | 'fetch' | 'log'>
): (() => Promise<oidc.Configuration>) => {
  let known: { config: Promise<oidc.Configuration>; until: number } | undefined
  // Plain http is safe for our own broker, which is called within this process, and for an issuer on this machine.
  const mayBePlain = (url: URL): boolean => url.protocol === 'http:' && (fetch !== null || isLoopback(url))
  const discover = async (): Promise<oidc.Configuration> => {
    const url = new URL(issuer)
    const config = await oidc.discovery(
      url,
      clientId,
      clientSecret === null ? { token_endpoint_auth_method: 'none' } : { client_secret: clientSecret },
      clientSecret === null ? oidc.None() : undefined,
      {
        // The signature of an ID token is checked even though the token came over TLS, because the signing keys identify the issuer.
        execute: [oidc.enableNonRepudiationChecks, ...(mayBePlain(url) ? [oidc.allowInsecureRequests] : [])],
        timeout: limits.issuerSecondsMax,
        ...(fetch !== null && { [oidc.customFetch]: fetch })
      }
    )
    return config
  }
  return async () => {
    if (known === undefined || known.until <= clock.now())
      known = { config: discover(), until: clock.now() + limits.issuerKeepMinutes * 60_000 }
    const asked = known
    try {
      return await asked.config
    } catch (error) {
      // The next request tries the issuer again. Requests that are already waiting fail with this one.
      if (known === asked) known = undefined
      log.warn('the issuer’s metadata could not be read', { issuer, error })
      throw new ServiceError('issuer_unavailable', {}, { cause: error })
    }
  }
}

export const createRelyingParty = (options: RelyingPartyOptions): RelyingParty => {
  const { service, cookies, log } = options
  const { baseUrl, vault, clock } = service
  const configured = issuerClient(service, options)
  const redirectUri = `${baseUrl}${callbackPath}`

  const cookieOf = (state: string): string => `${cookies.signIn}-${state.slice(0, 8)}`

  /** Removes the cookies of abandoned tabs before they fill the header. */
  const clearOthers = (ctx: Context): void => {
    const names = (ctx.req.headers.cookie ?? '').split(/[\s;]/).map((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))))
    const left = names.filter((name) => name.startsWith(`${cookies.signIn}-`))
    if (left.length >= tabsMax) for (const name of left) writeCookie(ctx.res, cookies, name, '', 0)
  }

  const takeUnderWay = (ctx: Context, state: string): UnderWay => {
    const failed = (why: string): ServiceError => new ServiceError('sign_in_failed', { message: why })
    const name = cookieOf(state)
    const sealed = /^[\w-]+$/.test(state) ? readCookie(ctx.req.headers, name) : undefined
    if (sealed === undefined) throw failed(term('This sign-in was started in another browser or is already complete.'))
    writeCookie(ctx.res, cookies, name, '', 0)
    const underWay = openSealed<UnderWay>(vault, sealed, context)
    if (underWay === undefined) throw failed(term('This sign-in was not started here.'))
    if (underWay.state !== state || underWay.expiresAt <= clock.now()) throw failed(term('This sign-in took too long. Start again.'))
    return underWay
  }

  return {
    async begin(ctx, returnTo, ask) {
      const config = await configured()
      const underWay: UnderWay = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        returnTo,
        expiresAt: clock.now() + limits.signInSecondsMax * 1000
      }
      const prompts = config.serverMetadata()['prompt_values_supported']
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge: await oidc.calculatePKCECodeChallenge(underWay.verifier),
        code_challenge_method: 'S256',
        state: underWay.state,
        nonce: underWay.nonce,
        ...(ask === 'create' && Array.isArray(prompts) && prompts.includes('create') && { prompt: 'create' }),
        // With max_age, the issuer must say when the person signed in (OpenID Connect Core, 3.1.2.1).
        ...(ask === 'login' && { prompt: 'login', max_age: '0' })
      })
      clearOthers(ctx)
      writeCookie(ctx.res, cookies, cookieOf(underWay.state), vault.seal(JSON.stringify(underWay), context), limits.signInSecondsMax)
      ctx.status = 303
      ctx.set('Cache-Control', 'no-store')
      ctx.set('Location', url.href)
      ctx.body = null
      ctx.status = 303
    },
    async finish(ctx) {
      const url = new URL(`${callbackPath}?${ctx.querystring}`, baseUrl)
      const underWay = takeUnderWay(ctx, url.searchParams.get('state') ?? '')
      const config = await configured()
      try {
        const tokens = await oidc.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: underWay.verifier,
          expectedState: underWay.state,
          expectedNonce: underWay.nonce,
          idTokenExpected: true
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new ServiceError('sign_in_failed')
        return { claims, returnTo: underWay.returnTo }
      } catch (error) {
        if (unreachable(error)) throw new ServiceError('issuer_unavailable', {}, { cause: error })
        if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
          throw new ServiceError('sign_in_failed', { message: term('You canceled the sign-in.') })
        log.warn('a sign-in was refused', { issuer: options.issuer, error })
        throw new ServiceError('sign_in_failed', {}, { cause: error })
      }
    },
    metadata: async () => (await configured()).serverMetadata(),
    async signOutUrl() {
      const config = await configured().catch(() => undefined)
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${baseUrl}/` }).href
    }
  }
}
