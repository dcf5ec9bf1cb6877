/**
 * The built-in identity broker: panva's `oidc-provider` in our process, with our accounts and our pages. It signs people in, both for us and for
 * clients that register themselves. A token that names one of our resources is a credential for that resource only. A token that names no resource
 * gives no access.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Configuration, interactionPolicy, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { limits } from '../../shared/limits.ts'
import { findAccount } from '../domain/accounts/accounts.ts'
import type { IssuedToken } from '../domain/ports.ts'
import { hashSecret } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'
import type { Context } from '../http/context.ts'
import { showPage } from '../http/html.ts'
import type { Log } from '../log.ts'
import { agentAuth } from './agent-auth.ts'
import { checkMetadata, omitsType } from './broker-clients.ts'
import { signingKeys } from './broker-keys.ts'
import { deviceFlow, givenCode, renderError, type Show, signOut } from './broker-pages.ts'
import { brokerPaths, callbackPath, interactionPath, ownClientId } from './broker-paths.ts'
import { asksForIdentity, audienceOf, documentScopes, isForResource, mcpPath, roleOfScopes, withLowerRoles } from './broker-scopes.ts'
import { type BrokerStore, createBrokerStore } from './broker-store.ts'
import type { FetchClientDocument } from './client-documents.ts'
import { type Cookies, derivedKey } from './cookies.ts'

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

const accountOf =
  (service: Service): NonNullable<Configuration['findAccount']> =>
  async (_ctx, id) => {
    const account = await findAccount(service, id)
    if (account === undefined || account.disabledAt !== undefined) return undefined
    const { name, email, emailVerified } = account
    const claims = { sub: id, name, ...(email !== null && { email, email_verified: emailVerified }) }
    return { accountId: id, claims: () => claims }
  }

/** Returns a client's grant. Our own service needs no consent; every other client gets the scopes to which the person agreed. */
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

/** The client address of each request. It is stored here, because the provider would read it from headers that a client can forge. */
const askedFrom = new WeakMap<IncomingMessage, string>()

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

/** Returns the rules that decide whether the broker asks the person before it responds to a client. */
const promptPolicy = (policies: typeof interactionPolicy): interactionPolicy.DefaultPolicy => {
  const policy = policies.base()
  // With this prompt, a client can request that an account be created (OpenID Connect Prompt Create 1.0).
  policy.add(new policies.Prompt({ name: 'create', requestable: true }), 0)
  const documentsCheck = new policies.Check(
    'documents_prompt',
    'access to documents requires consent every time',
    'interaction_required',
    ({ oidc }) =>
      Object.keys(oidc.resourceServers ?? {}).length > 0 && oidc.result?.consent === undefined
        ? policies.Check.REQUEST_PROMPT
        : policies.Check.NO_NEED_TO_PROMPT
  )
  // Any client can use the name of another client (RFC 8252 §8.6), so each access to documents needs consent.
  policy.get('consent')?.checks.add(documentsCheck)
  return policy
}

const createProvider = async (options: BrokerOptions, store: BrokerStore): Promise<Provider> => {
  const { service, cookies, secret, stylesheet, log, fetchDocument } = options
  const { errors, interactionPolicy: policies, Provider } = await import('oidc-provider')
  // The provider's error for a redirect address does not give the reason.
  const refusedReturn = (why: string): Error =>
    Object.assign(new errors.CustomOIDCProviderError('invalid_redirect_uri', why), { allow_redirect: false })
  const { baseUrl } = service
  const show: Show = (ctx, page) => showPage(ctx as unknown as Context, stylesheet, page)
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
    interactions: { policy: promptPolicy(policies), url: (_ctx, interaction) => `${interactionPath}/${interaction.uid}` },
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
    renderError: renderError(show)
  }
  const provider = new Provider(baseUrl, configuration)
  provider.proxy = true
  provider.on('server_error', (ctx, error) => log.error('the broker failed', { path: ctx.path, error }))
  return provider
}

/** Makes the provider read the service's address from the configuration, and never from a client's headers. */
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
