/**
 * The built-in identity broker: panva's `oidc-provider` in our process, with our accounts and our pages. It signs people in, for us and for clients
 * that register themselves. A token that names one of our resources is a credential at that resource, and nowhere else. A token that names no
 * resource gives no access.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientMetadata, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import { type Role, roles } from '../../shared/roles.ts'
import { findAccount } from '../domain/accounts/accounts.ts'
import { decodeRecord, encodeRecord, keys } from '../domain/records/keys.ts'
import type { IssuedToken } from '../domain/ports.ts'
import { hashSecret } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'
import type { Context } from '../http/context.ts'
import { field, filled, html, type Markup, named, type Page, showPage } from '../http/html.ts'
import { type Words, wordsOf } from '../http/words.ts'
import type { Log } from '../log.ts'
import { agentAuth } from './agent-auth.ts'
import { type BrokerStore, createBrokerStore } from './broker-store.ts'
import type { FetchClientDocument } from './client-documents.ts'
import { type Cookies, derivedKey } from './cookies.ts'

/** The client id of the service itself at the broker. */
export const ownClientId = 'agmd'

export const callbackPath = '/auth/callback'

/** Whether an address leads to this machine. */
export const isLoopback = (url: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)

export const brokerPaths = {
  authorization: '/auth/oauth2/authorize',
  token: '/auth/oauth2/token',
  registration: '/auth/oauth2/register',
  device_authorization: '/auth/oauth2/device/code',
  code_verification: '/auth/oauth2/device',
  jwks: '/auth/oauth2/jwks',
  userinfo: '/auth/oauth2/userinfo',
  revocation: '/auth/oauth2/revoke',
  end_session: '/auth/oauth2/sign-out'
} as const

/** The path for sign-in and consent. The cookie of an interaction is valid only for this path. */
export const interactionPath = '/auth/interaction'

export interface BrokerOptions {
  readonly service: Service
  readonly cookies: Cookies
  /** The instance secret. */
  readonly secret: Uint8Array
  readonly stylesheet: string | undefined
  readonly log: Log
  /** Fetches the metadata document of a client. If null, a client cannot be identified by a metadata document. */
  readonly fetchDocument: FetchClientDocument | null
  /** Whether the server may fetch another metadata document for this client address. */
  readonly mayFetchFor: (address: string) => boolean
}

export interface Broker {
  readonly store: BrokerStore
  provider(): Promise<Provider>
  /** Returns the account and program of a token. Returns undefined if the token is invalid, or was issued for another service. */
  findToken(token: string): Promise<IssuedToken | undefined>
  /** Lets the provider answer a request. */
  answer(ctx: Context): Promise<void>
}

const daySeconds = 24 * 3600

/**
 * Returns the signing keys, which are created at first use and stored sealed. One is an ES256 key, for clients that request it. The other is an RS256
 * key, because every client supports RS256.
 */
const signingKeys = async ({ storage, vault }: Service): Promise<{ keys: JsonWebKey[] }> => {
  const key = keys.broker('signing-keys')
  const context = 'oidc signing keys'
  for (;;) {
    const entry = await storage.get(key)
    if (entry !== undefined) return JSON.parse(vault.open(decodeRecord<string>(entry.value), context)) as { keys: JsonWebKey[] }
    const { exportJWK, generateKeyPair } = await import('jose')
    const made = await Promise.all(
      ['RS256', 'ES256'].map(async (alg) => {
        const pair = await generateKeyPair(alg, { extractable: true })
        return { ...(await exportJWK(pair.privateKey)), alg, use: 'sig' }
      })
    )
    // Two processes that start at the same time must not sign with different keys. The later one reads the keys of the earlier one.
    await storage.commit({
      checks: [{ key, version: null }],
      puts: [{ key, value: encodeRecord(vault.seal(JSON.stringify({ keys: made }), context)) }]
    })
  }
}

export const mcpPath = '/mcp'

/** Returns the resource that an indicator (RFC 8707) names, in the form that tokens use. Returns undefined if it is not one of ours. */
export const audienceOf = (baseUrl: string, indicator: string): string | undefined => {
  if (indicator === `${baseUrl}${mcpPath}` || indicator === `${baseUrl}${mcpPath}/`) return `${baseUrl}${mcpPath}`
  return indicator === baseUrl || indicator === `${baseUrl}/` ? baseUrl : undefined
}

const scopePrefix = 'docs:'
/** One scope for each role. The highest scope that was granted counts. */
export const documentScopes: readonly string[] = roles.map((role) => `${scopePrefix}${role}`)

/** All scopes that a client may request. */
const knownScopes: ReadonlySet<string> = new Set(['openid', 'offline_access', 'email', 'profile', ...documentScopes])

/** Returns the scopes without unknown ones (RFC 6749 §3.3). If all of them are unknown, returns all, so that the broker refuses them. */
const narrowed = (scope: string): string => {
  const known = scope.split(' ').filter((each) => knownScopes.has(each))
  return known.length === 0 ? scope : known.join(' ')
}

/** Returns the highest role that scopes name; null if they name none. */
export const roleOfScopes = (scopes: readonly string[]): Role | null =>
  roles.findLast((role) => scopes.includes(`${scopePrefix}${role}`)) ?? null

/**
 * Returns the scopes in the form that the broker accepts. A role includes the roles below it, so that the person can allow less than the program
 * requests. A client that names no scope gets the scopes that most programs need.
 */
export const withLowerRoles = (scope: string): string => {
  const asked = scope.split(' ').filter((each) => each !== '')
  const most = roleOfScopes(asked) ?? (asked.includes('openid') ? null : 'edit')
  return [...new Set([...asked, ...documentScopes.slice(0, most === null ? 0 : roles.indexOf(most) + 1)])].join(' ')
}

const asksForIdentity = (scope: unknown): boolean => typeof scope === 'string' && scope.split(' ').includes('openid')

const isForResource = (source: object): boolean =>
  'resource' in source && source.resource !== undefined && [source.resource].flat().length > 0

type Show = (ctx: KoaContextWithOIDC, page: Page) => void

const codeForm = ({ t }: Words, action: string, token: string, value: string | undefined, error: string | undefined): Markup => html`
<p>${t('Enter the code that your device shows.')}</p>
<form class="form" method="post" action="${action}">
<input type="hidden" name="xsrf" value="${token}">
${field({ name: 'user_code', label: t('Code'), code: true, autocomplete: 'off', maxLength: 12, value, error })}
<p class="actions"><button class="button primary large">${t('Continue')}</button></p>
</form>`

const confirmForm = ({ t }: Words, action: string, token: string, code: string, client: string): Markup => html`
<p>${filled(t('{program} wants to sign in as you. Continue only if your device shows this code now:'), { program: html`<strong>${named(client)}</strong>` })}</p>
<p class="code-shown">${code}</p>
<form class="form" method="post" action="${action}">
<input type="hidden" name="xsrf" value="${token}">
<input type="hidden" name="user_code" value="${code}">
<p class="actions">
<button class="button primary large" name="confirm" value="yes">${t('The codes match. Approve')}</button>
<button class="button large" name="abort" value="yes">${t('Deny')}</button>
</p>
</form>`

const xsrf = (ctx: KoaContextWithOIDC): string => String((ctx.oidc.session?.state as { secret?: string } | undefined)?.secret ?? '')

/** The user code from the address of the device page. It is hidden from the provider, which would submit the form immediately. */
const givenCode = new WeakMap<IncomingMessage, string>()

const deviceFlow = (show: Show): object => ({
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  userCodeInputSource(ctx: KoaContextWithOIDC, _form: string, out?: object, error?: Error & { userCode?: string }) {
    const words = wordsOf(ctx)
    const { t } = words
    const failed = out !== undefined || error !== undefined
    const stopped = error?.name === 'AbortedError'
    const text = stopped
      ? t('The device was not signed in. Nothing has changed.')
      : failed
        ? t('This code is wrong or has expired. Check it, or start the sign-in again on your device.')
        : undefined
    const value = stopped ? undefined : (error?.userCode ?? givenCode.get(ctx.req))
    const page = { title: t('Connect a device'), body: codeForm(words, brokerPaths.code_verification, xsrf(ctx), value, text) }
    show(ctx, { ...page, ...(failed && !stopped && { status: 400 }) })
  },
  userCodeConfirmSource(
    ctx: KoaContextWithOIDC,
    _form: string,
    client: { clientName?: string; clientId: string },
    _info: object,
    code: string
  ) {
    const name = client.clientName ?? client.clientId
    const words = wordsOf(ctx)
    show(ctx, { title: words.t('Is this your device?'), body: confirmForm(words, brokerPaths.code_verification, xsrf(ctx), code, name) })
  },
  successSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    show(ctx, { title: t('Approved'), body: html`<p>${t('Your device is signed in. You can close this page.')}</p>` })
  }
})

const signOut = (show: Show): object => ({
  enabled: true,
  logoutSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    const body = html`<p>${t('This signs you out in this browser.')}</p>
<form class="form" method="post" action="${brokerPaths.end_session}/confirm">
<input type="hidden" name="xsrf" value="${xsrf(ctx)}">
<p class="actions"><button class="button primary large" name="logout" value="yes">${t('Sign out')}</button>
<button class="button large">${t('Stay signed in')}</button></p></form>`
    show(ctx, { title: t('Sign out?'), body })
  },
  postLogoutSuccessSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    show(ctx, { title: t('You are signed out'), body: html`<p><a href="/">${t('Go to your documents')}</a></p>` })
  }
})

const accountOf =
  (service: Service): NonNullable<Configuration['findAccount']> =>
  async (_ctx, id) => {
    const account = await findAccount(service, id)
    if (account === undefined || account.disabledAt !== undefined) return undefined
    const { name, email, emailVerified } = account
    const claims = { sub: id, name, ...(email !== null && { email, email_verified: emailVerified }) }
    return { accountId: id, claims: () => claims }
  }

/** Returns the grant of a client. Our own service needs no consent; every other client gets the scopes to which the person agreed. */
const grantOf: NonNullable<Configuration['loadExistingGrant']> = async (ctx) => {
  const { client, session, provider, result } = ctx.oidc
  const clientId = client?.clientId ?? ''
  const known = result?.consent?.grantId ?? session?.grantIdFor(clientId)
  const grant = known === undefined ? undefined : await provider.Grant.find(known)
  if (grant !== undefined || clientId !== ownClientId || session?.accountId === undefined) return grant
  const own = new provider.Grant({ clientId, accountId: session.accountId })
  own.addOIDCScope('openid email profile')
  await own.save()
  return own
}

/**
 * Returns the host that vouches for a client whose id is the address of its metadata document. Returns undefined if the client registered itself,
 * because it can then use any name.
 */
export const clientHost = (clientId: string): string | undefined =>
  clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined

/** The client address of each request. It is stored here, because the provider would read it from headers that a client can forge. */
const askedFrom = new WeakMap<IncomingMessage, string>()

/**
 * Whether redirect addresses belong to a program on the person's computer (RFC 8252 §7), which uses a loopback address with any port, or a private
 * scheme. A page that the computer serves over https does not count.
 */
const areNative = (uris: readonly unknown[]): boolean => {
  const urls = uris.flatMap((uri) => (typeof uri === 'string' && URL.canParse(uri) ? [new URL(uri)] : []))
  return (
    urls.some((url) => url.protocol !== 'https:' && (url.protocol !== 'http:' || isLoopback(url))) &&
    !urls.some((url) => url.protocol === 'https:' && isLoopback(url))
  )
}

/** Whether a client is registering itself without a type. The provider fills in the default type before it calls our code. */
const omitsType = (ctx: KoaContextWithOIDC | undefined): boolean =>
  ctx?.oidc.route === 'registration' && ctx.oidc.body?.['application_type'] === undefined

/**
 * Adds the checks that the provider omits for a client that registers itself. They are needed because the client chooses its own name, and because
 * plain http is not confidential.
 */
const checkMetadata = (metadata: ClientMetadata, isTypeOmitted: boolean, refuse: (why: string) => Error): void => {
  if (typeof metadata.client_name === 'string') {
    const name = plainName(metadata.client_name, limits.authorCharsMax)
    if (name === '') delete metadata.client_name
    else metadata.client_name = name
  }
  if (typeof metadata.scope === 'string') metadata.scope = withLowerRoles(narrowed(metadata.scope))
  if (metadata.sector_identifier_uri !== undefined)
    throw refuse('sector_identifier_uri is not supported, because the broker would have to fetch it')
  if (metadata.client_id === ownClientId || !Array.isArray(metadata.redirect_uris)) return
  const isPlain = (uri: unknown): boolean => {
    const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined
    return url?.protocol === 'http:' && !isLoopback(url)
  }
  // RFC 8252 §7.3: a program on the person's machine listens on any port. A registration can name that port, but a metadata document cannot know
  // it.
  const isLocal = (uri: unknown): boolean => typeof uri === 'string' && uri.startsWith('http:') && URL.canParse(uri)
  if (clientHost(metadata.client_id) !== undefined && metadata.redirect_uris.some(isLocal)) metadata.application_type = 'native'
  // Many programs on a person's computer omit `application_type`. The default of the protocol is a web client.
  if (isTypeOmitted && areNative(metadata.redirect_uris)) metadata.application_type = 'native'
  const hasCredentials = (uri: unknown): boolean => {
    const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined
    return url !== undefined && url.username + url.password !== ''
  }
  if (metadata.redirect_uris.some(hasCredentials)) throw refuse('redirect_uris must not contain a user name or password')
  if (metadata.redirect_uris.some(isPlain)) throw refuse('redirect_uris must use https; http is allowed only for loopback addresses')
}

const lifetimes = {
  AccessToken: limits.brokerTokenSeconds,
  AuthorizationCode: limits.brokerCodeSeconds,
  ClientCredentials: limits.brokerTokenSeconds,
  DeviceCode: limits.deviceSecondsMax,
  Grant: limits.brokerRefreshDays * daySeconds,
  IdToken: limits.brokerTokenSeconds,
  Interaction: limits.signInSecondsMax,
  RefreshToken: limits.brokerRefreshDays * daySeconds,
  Session: limits.brokerSessionDays * daySeconds
}

const clientDocuments = ({ fetchDocument, mayFetchFor }: BrokerOptions): object => ({
  enabled: fetchDocument !== null,
  ack: 'draft-02',
  // A lookup without a request is made for one of our pages. The person's earlier requests have already been counted by address.
  allowFetch: (ctx: KoaContextWithOIDC | undefined) => mayFetchFor((ctx && askedFrom.get(ctx.req)) ?? 'pages'),
  cacheDuration: { min: limits.clientDocumentKeptSecondsMin, max: limits.clientDocumentKeptSecondsMax }
})

const createProvider = async (options: BrokerOptions, store: BrokerStore): Promise<Provider> => {
  const { service, cookies, secret, stylesheet, log, fetchDocument } = options
  const { errors, interactionPolicy, Provider } = await import('oidc-provider')
  // The provider's error for a redirect address does not give the reason.
  const refusedReturn = (why: string): Error =>
    Object.assign(new errors.CustomOIDCProviderError('invalid_redirect_uri', why), { allow_redirect: false })
  const { baseUrl } = service
  const show: Show = (ctx, page) => showPage(ctx as unknown as Context, stylesheet, page)
  const policy = interactionPolicy.base()
  // With this prompt, a client can request that an account is created (OpenID Connect Prompt Create 1.0).
  policy.add(new interactionPolicy.Prompt({ name: 'create', requestable: true }), 0)
  // Any client can use the name of another client (RFC 8252 §8.6), so each access to documents needs consent.
  policy
    .get('consent')
    ?.checks.add(
      new interactionPolicy.Check(
        'documents_prompt',
        'access to documents requires consent every time',
        'interaction_required',
        ({ oidc }) =>
          Object.keys(oidc.resourceServers ?? {}).length > 0 && oidc.result?.consent === undefined
            ? interactionPolicy.Check.REQUEST_PROMPT
            : interactionPolicy.Check.NO_NEED_TO_PROMPT
      )
    )
  const configuration: Configuration = {
    adapter: (model: string) => store.adapter(model),
    clients: [
      {
        client_id: ownClientId,
        client_name: 'agmd',
        // Dangerous acts of administrators need a recent sign-in.
        require_auth_time: true,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${baseUrl}${callbackPath}`],
        response_types: ['code'],
        grant_types: ['authorization_code']
      }
    ],
    jwks: (await signingKeys(service)) as NonNullable<Configuration['jwks']>,
    cookies: {
      keys: [derivedKey(secret, 'broker cookies 1')],
      names: cookies.broker,
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true }
    },
    routes: brokerPaths,
    scopes: ['openid', 'offline_access', ...documentScopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    rotateRefreshToken: true,
    // A program keeps its access when the browser is closed. The access ends with its grant, which the person sees in a list.
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && (source.scopes.has('offline_access') || isForResource(source)),
    expiresWithSession: (_ctx, source) => !source.scopes.has('offline_access') && !isForResource(source),
    revokeGrantPolicy: () => true,
    ttl: lifetimes,
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator: (ctx, _property, _value, metadata) => checkMetadata(metadata, omitsType(ctx), refusedReturn)
    },
    findAccount: accountOf(service),
    loadExistingGrant: grantOf,
    interactions: { policy, url: (_ctx, interaction) => `${interactionPath}/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      deviceFlow: deviceFlow(show) as { enabled: boolean },
      registration: { enabled: true },
      clientIdMetadataDocument: clientDocuments(options),
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: signOut(show) as { enabled: boolean },
      resourceIndicators: {
        enabled: true,
        // A client that does not request an identity wants to call the service. MCP clients of protocol versions before 2025-06-18 do not name a
        // resource.
        defaultResource: (ctx, _client, oneOf) =>
          oneOf ?? (asksForIdentity(ctx.oidc.params?.['scope']) ? undefined : `${baseUrl}${mcpPath}`),
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, indicator) {
          const audience = audienceOf(baseUrl, indicator)
          if (audience === undefined)
            throw new errors.InvalidTarget(`this server issues tokens only for ${baseUrl}${mcpPath} and ${baseUrl}`)
          return { audience, scope: documentScopes.join(' '), accessTokenFormat: 'opaque', accessTokenTTL: limits.brokerTokenSeconds }
        }
      }
    },
    discovery: {
      agent_auth: agentAuth(baseUrl, baseUrl),
      prompt_values_supported: ['none', 'login', 'consent', 'create'],
      service_documentation: `${baseUrl}/auth.md`
    },
    // Metadata can name keys, sectors and back channels. Only the metadata document of a client is fetched.
    fetch: (url) => fetchDocument?.(String(url)) ?? Promise.reject(new Error('the broker fetches nothing')),
    renderError(ctx, out) {
      const { t } = wordsOf(ctx)
      const body = html`<p>${t('The request is not valid.')}</p><p class="muted">${out.error}${out.error_description === undefined ? undefined : html`: ${out.error_description}`}</p><p><a href="/">${t('Go to your documents')}</a></p>`
      show(ctx, { title: t('That did not work'), body, status: ctx.status })
    }
  }
  const provider = new Provider(baseUrl, configuration)
  provider.proxy = true
  provider.on('server_error', (ctx, error) => log.error('the broker failed', { path: ctx.path, error }))
  return provider
}

/** Makes the provider read the address of the service from the configuration, and never from a client's headers. */
const pretend = ({ headers }: IncomingMessage, baseUrl: string): void => {
  const { host, protocol } = new URL(baseUrl)
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  delete headers['x-forwarded-host']
  delete headers['x-forwarded-for']
}

const answered = (response: ServerResponse): Promise<void> =>
  response.writableEnded ? Promise.resolve() : new Promise((resolve) => response.once('close', resolve).once('finish', resolve))

export const createBroker = (options: BrokerOptions): Broker => {
  const { service } = options
  const store = createBrokerStore(service)
  let made: Promise<Provider> | undefined
  let listener: ReturnType<Provider['callback']> | undefined
  // The provider is created at first use. Creating keys takes a while, and on many servers nobody ever signs in.
  const provider = (): Promise<Provider> => {
    made ??= createProvider(options, store).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
  return {
    store,
    provider,
    async findToken(text) {
      if (!/^[\w-]{43}$/.test(text)) return undefined
      const token = await (await provider()).AccessToken.find(text)
      if (token?.accountId === undefined || token.grantId === undefined || typeof token.aud !== 'string') return undefined
      const audience = audienceOf(service.baseUrl, token.aud)
      if (audience === undefined) return undefined
      return {
        grant: hashSecret(token.grantId),
        account: token.accountId,
        audience: audience === service.baseUrl ? 'service' : 'mcp',
        role: roleOfScopes([...token.scopes]),
        expiresAt: (token.exp ?? 0) * 1000
      }
    },
    async answer(ctx) {
      listener ??= (await provider()).callback()
      pretend(ctx.req, service.baseUrl)
      askedFrom.set(ctx.req, ctx.state.address)
      const url = new URL(ctx.req.url ?? '/', service.baseUrl)
      const code = url.pathname === brokerPaths.code_verification && ctx.method === 'GET' ? url.searchParams.get('user_code') : null
      if (code !== null) {
        givenCode.set(ctx.req, code)
        ctx.req.url = url.pathname
      }
      if (url.pathname === brokerPaths.authorization && ctx.method === 'GET') {
        url.searchParams.set('scope', withLowerRoles(url.searchParams.get('scope') ?? ''))
        ctx.req.url = `${url.pathname}${url.search}`
      }
      ctx.respond = false
      ctx.res.statusCode = 404
      await listener(ctx.req, ctx.res)
      await answered(ctx.res)
    }
  }
}
