/** Real OAuth clients (`openid-client`, `oauth4webapi`) against the embedded broker, and against another provider in a separate process. */
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import { otherPages, ownPages, type Pages, startProvider } from '../support/provider.ts'
import { newVisitor, password, type Visitor } from '../support/visitor.ts'
import { freePort } from '../support/free-port.ts'
import { startWorld, type World } from '../support/world.ts'

const email = 'ana@example.org'
const redirect = 'https://client.example/callback'
const metadata = { client_name: 'A program', redirect_uris: [redirect], token_endpoint_auth_method: 'client_secret_basic' }
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

interface Host {
  readonly issuer: string
  readonly pages: Pages
  stop(): Promise<void>
}

const embedded = async (): Promise<Host> => {
  const world = await startWorld()
  await createAccount(world.service, { email, name: 'Ana', password })
  return { issuer: world.url, pages: ownPages, stop: () => world.stop() }
}

const other = async (): Promise<Host> => {
  const provider = await startProvider()
  return { issuer: provider.url, pages: otherPages, stop: () => provider.stop() }
}

describe.each([
  ['the embedded broker', embedded],
  ['another provider', other]
])('%s', (_name, start) => {
  let host: Host
  beforeAll(async () => {
    host = await start()
  })
  afterAll(() => host.stop())

  /** Acts as the person: opens the address, signs in, agrees, and returns to the client. */
  const authorize = async (url: URL, visitor = newVisitor({ stopAt: redirect })): Promise<URL> => {
    await visitor.visit(url.href)
    await host.pages.signIn(visitor, email)
    await host.pages.agree(visitor)
    return new URL(visitor.page.url)
  }

  const approve = async (uri: string, code: string, visitor: Visitor = newVisitor()): Promise<void> => {
    await visitor.visit(uri)
    await host.pages.confirmDevice(visitor, code)
    await host.pages.signIn(visitor, email)
    await host.pages.agree(visitor)
  }

  describe('openid-client', () => {
    const register = (fields: object = {}): Promise<oidc.Configuration> =>
      oidc.dynamicClientRegistration(new URL(host.issuer), { ...metadata, ...fields }, undefined, {
        execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks]
      })

    const begin = async (config: oidc.Configuration, scope = 'openid profile email') => {
      const verifier = oidc.randomPKCECodeVerifier()
      const state = oidc.randomState()
      const nonce = oidc.randomNonce()
      const challenge = await oidc.calculatePKCECodeChallenge(verifier)
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(scope.includes('offline_access') && { prompt: 'consent' })
      })
      return { url, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true } }
    }

    test('[AUTH-20] registers itself, gets a code and tokens, reads the person, renews and revokes', async () => {
      const config = await register({ grant_types: ['authorization_code', 'refresh_token'] })
      const { url, checks } = await begin(config, 'openid profile email offline_access')
      const tokens = await oidc.authorizationCodeGrant(config, await authorize(url), checks)
      const { sub } = tokens.claims() ?? { sub: '' }
      expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
        sub,
        name: expect.stringMatching(/^ana$/i),
        email
      })
      const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect(renewed.access_token).not.toBe(tokens.access_token)
      await oidc.tokenRevocation(config, renewed.access_token)
      await expect(oidc.fetchUserInfo(config, renewed.access_token, sub)).rejects.toThrow()
      // A refresh token that is used twice counts as stolen, so everything under its grant ends.
      await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
    })

    test('[AUTH-21] a code is valid once, and only with its verifier', async () => {
      const config = await register()
      const first = await begin(config)
      const answered = await authorize(first.url)
      await oidc.authorizationCodeGrant(config, answered, first.checks)
      await expect(oidc.authorizationCodeGrant(config, answered, first.checks)).rejects.toMatchObject({ error: 'invalid_grant' })
      const raced = await begin(config)
      const both = await authorize(raced.url)
      const outcomes = await Promise.allSettled([0, 1].map(() => oidc.authorizationCodeGrant(config, both, raced.checks)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
      const second = await begin(config)
      const wrong = { ...second.checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() }
      await expect(oidc.authorizationCodeGrant(config, await authorize(second.url), wrong)).rejects.toMatchObject({
        error: 'invalid_grant'
      })
    })

    test('[AUTH-22] a person connects a device by comparing the code', async () => {
      const config = await register({ grant_types: [deviceGrant], response_types: [], redirect_uris: [] })
      const begun = await oidc.initiateDeviceAuthorization(config, { scope: 'openid profile' })
      await approve(begun.verification_uri_complete ?? begun.verification_uri, begun.user_code)
      const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...begun, interval: 1 })
      expect(tokens.claims()?.sub).toBeTypeOf('string')
    })
  })

  describe('oauth4webapi', () => {
    const insecure = { [oauth.allowInsecureRequests]: true }

    const discover = async (): Promise<oauth.AuthorizationServer> => {
      const issuer = new URL(host.issuer)
      return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    }

    const register = async (server: oauth.AuthorizationServer, fields: object = {}): Promise<oauth.Client> =>
      oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(server, { ...metadata, ...fields }, insecure)
      )

    test('[AUTH-20] registers itself and gets a code and tokens', async () => {
      const server = await discover()
      const client = await register(server)
      const authentication = oauth.ClientSecretBasic(String(client['client_secret']))
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const nonce = oauth.generateRandomNonce()
      const url = new URL(server.authorization_endpoint ?? '')
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: redirect,
        response_type: 'code',
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256'
      }).toString()
      const parameters = oauth.validateAuthResponse(server, client, await authorize(url), state)
      const response = await oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, redirect, verifier, insecure)
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce, requireIdToken: true })
      const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? { sub: '' }
      const asked = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
      expect(await oauth.processUserInfoResponse(server, client, sub, asked)).toMatchObject({ sub, email })
    })

    test('[AUTH-22] a device waits, and is connected once the person has agreed', async () => {
      const server = await discover()
      const client = await register(server, { grant_types: [deviceGrant], response_types: [], redirect_uris: [] })
      const authentication = oauth.ClientSecretBasic(String(client['client_secret']))
      const asked = await oauth.deviceAuthorizationRequest(server, client, authentication, { scope: 'openid' }, insecure)
      const begun = await oauth.processDeviceAuthorizationResponse(server, client, asked)
      const poll = async (): Promise<oauth.TokenEndpointResponse> =>
        oauth.processDeviceCodeResponse(
          server,
          client,
          await oauth.deviceCodeGrantRequest(server, client, authentication, begun.device_code, insecure)
        )
      await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' })
      await approve(begun.verification_uri, begun.user_code)
      expect((await poll()).id_token).toBeTypeOf('string')
    })
  })
})

test('[AUTH-24] people sign in to the service with another provider, as whose confidential client it acts', async () => {
  const provider = await startProvider()
  const port = await freePort()
  const base = `http://localhost:${port}`
  const client = await oidc.dynamicClientRegistration(
    new URL(provider.url),
    { redirect_uris: [`${base}/auth/callback`], application_type: 'web', token_endpoint_auth_method: 'client_secret_post' },
    undefined,
    { execute: [oidc.allowInsecureRequests] }
  )
  const { client_id: id, client_secret: secret } = client.clientMetadata()
  const env = { AGMD_PORT: String(port), AGMD_AUTH_URL: provider.url, AGMD_AUTH_CLIENT_ID: id, AGMD_AUTH_CLIENT_SECRET: String(secret) }
  const world = await startWorld({ env })
  const visitor = newVisitor()
  await visitor.visit(`${base}/sign-in`)
  await otherPages.signIn(visitor, email)
  await otherPages.agree(visitor)
  expect(visitor.page.url).toBe(`${base}/`)
  const { user } = (await (await visitor.request(`${base}/api/me`)).json()) as { user: object }
  expect(user).toMatchObject({ name: 'ana', email })
  // Signing out leads to the provider, which then ends its own session.
  for (const path of ['/account', '/sign-out']) {
    // A browser follows a form's redirect only if the policy of the page allows the target.
    const { headers } = await visitor.visit(`${base}${path}`)
    expect(headers.get('Content-Security-Policy')).toContain(`form-action 'self' ${provider.url}`)
  }
  await visitor.submit('/sign-out')
  expect(visitor.page.url).toContain(`${provider.url}/session/end`)
  expect((await visitor.request(`${base}/api/me`)).status).toBe(401)
  await world.stop()
  await provider.stop()
})

describe('what the broker issues', () => {
  const insecure = { execute: [oidc.allowInsecureRequests] }

  let world: World
  beforeAll(async () => {
    world = await startWorld()
    await createAccount(world.service, { email, name: 'Ana', password })
  })
  afterAll(() => world.stop())

  /** Registers a client, and lets a person agree to its request. Returns the tokens of the client. */
  const authorize = async (client: object, asked: Record<string, string>) => {
    const config = await oidc.dynamicClientRegistration(new URL(world.url), client, undefined, insecure)
    const verifier = oidc.randomPKCECodeVerifier()
    const visitor = newVisitor({ stopAt: redirect })
    const url = oidc.buildAuthorizationUrl(config, {
      ...asked,
      redirect_uri: redirect,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256'
    })
    await visitor.visit(url.href)
    await ownPages.signIn(visitor, email)
    await ownPages.agree(visitor)
    const tokens = await oidc.authorizationCodeGrant(config, new URL(visitor.page.url), { pkceCodeVerifier: verifier })
    return { config, visitor, tokens }
  }

  test('[AUTH-23] opens no part of the API', async () => {
    const { tokens } = await authorize(metadata, { scope: 'openid' })
    for (const token of [tokens.access_token, tokens.id_token, `asess_${tokens.access_token}`, `ai_${tokens.id_token}`]) {
      const answer = await world.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${token}` } })
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 401, code: 'credential_invalid' })
    }
  })

  test('[ACCOUNT-14] the name of a client cannot reverse, break or fill the page', async () => {
    const name = `Bank\u202Eelgoog\n${'x'.repeat(5000)}`
    const fields = { ...metadata, client_name: name, grant_types: ['authorization_code', 'refresh_token'] }
    const config = await oidc.dynamicClientRegistration(new URL(world.url), fields, undefined, insecure)
    expect(config.clientMetadata().client_name).toBe(`Bank elgoog ${'x'.repeat(5000)}`.slice(0, limits.authorUnitsMax))
    const visitor = newVisitor({ stopAt: redirect })
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope: 'openid offline_access',
      prompt: 'consent',
      code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
      code_challenge_method: 'S256'
    })
    await visitor.visit(url.href)
    await ownPages.signIn(visitor, email)
    expect(visitor.page.text).toMatch(/<strong><bdi>Bank elgoog x+<\/bdi><\/strong> wants to sign you in at <strong><bdi>client.example/)
    expect(visitor.page.text).toContain('until you sign out everywhere')
  })

  test.each([
    ['http://client.example/callback', 400],
    ['http://127.0.0.1.example/callback', 400],
    ['https://client.example/callback', 201],
    ['http://127.0.0.1:7777/callback', 201],
    ['http://localhost:7777/callback', 201]
  ])('[AUTH-26] registering %s returns %i', async (uri, status) => {
    for (const type of ['web', 'native']) {
      // A native client has different rules for https and localhost.
      if (type === 'native' && status === 201) continue
      const answer = await world.ask('POST', '/auth/oauth2/register', {
        json: { ...metadata, application_type: type, redirect_uris: [redirect, uri] }
      })
      expect(answer.status).toBe(status)
      if (status === 400 && type === 'web') expect(answer.json.error).toBe('invalid_redirect_uri')
    }
  })

  test('[AUTH-25] ends when the person signs out everywhere', async () => {
    const fields = { ...metadata, grant_types: ['authorization_code', 'refresh_token'] }
    const { config, visitor, tokens } = await authorize(fields, { scope: 'openid offline_access', prompt: 'consent' })
    const { sub } = tokens.claims() ?? { sub: '' }
    expect(await oidc.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ sub })
    await visitor.visit(`${world.url}/sign-in`)
    await visitor.visit(`${world.url}/sign-out`)
    await visitor.submit('/sign-out', { everywhere: 'yes' })
    await expect(oidc.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow()
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})
