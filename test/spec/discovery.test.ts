/** Metadata documents that programs find without credentials (docs/api.md, Discovery; RFC 8414, 9728, 9727). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const agentAuth = (): object => ({
  skill: `${world.url}/auth.md`,
  register_uri: `${world.url}/auth/oauth2/register`,
  identity_types_supported: ['verified_email', 'anonymous'],
  credential_types_supported: ['oauth2_authorization_code', 'oauth2_device_code', 'capability_url'],
  verified_email: {
    assertion_types_supported: ['verified_email'],
    credential_types_supported: ['oauth2_authorization_code', 'oauth2_device_code'],
    claim_uri: `${world.url}/sign-in`
  },
  anonymous: { credential_types_supported: ['capability_url'], claim_uri: `${world.url}/new` }
})

test.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
  '[DISCOVER-1] %s describes the broker',
  async (path) => {
    const { status, json, headers } = await world.ask('GET', path)
    expect(status).toBe(200)
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(json).toMatchObject({
      issuer: world.url,
      authorization_endpoint: `${world.url}/auth/oauth2/authorize`,
      token_endpoint: `${world.url}/auth/oauth2/token`,
      registration_endpoint: `${world.url}/auth/oauth2/register`,
      device_authorization_endpoint: `${world.url}/auth/oauth2/device/code`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      agent_auth: agentAuth()
    })
    expect(json.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'])
    )
    expect((await fetch(json.jwks_uri)).status).toBe(200)
  }
)

test('[DISCOVER-1] it gives its own address, no matter what Host and proxies say', async () => {
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
  const { json } = await world.ask('GET', '/.well-known/openid-configuration', { headers })
  expect(JSON.stringify(json)).not.toContain('evil')
})

test.each([
  ['/.well-known/oauth-protected-resource', ''],
  ['/.well-known/oauth-protected-resource/mcp', '/mcp']
])('[DISCOVER-2] %s names the resource and its authorization server', async (path, resource) => {
  const { json, headers } = await world.ask('GET', path)
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(json).toMatchObject({
    resource: `${world.url}${resource}`,
    authorization_servers: [world.url],
    bearer_methods_supported: ['header'],
    agent_auth: agentAuth()
  })
})

test('[DISCOVER-3] every 401 points at it', async () => {
  const owner = await world.create('text')
  const answers = [
    await world.ask('GET', `/api/docs/${owner.doc}`),
    await world.ask('GET', '/api/me'),
    await world.ask('GET', '/api/docs'),
    await world.ask('PUT', `/api/docs/${owner.doc}/content`, { json: { content: '' } })
  ]
  for (const { status, headers } of answers) {
    expect(status).toBe(401)
    expect(headers.get('WWW-Authenticate')).toBe(`Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource"`)
  }
  const invalid = await world.ask('GET', '/api/me', { headers: { Authorization: 'Bearer asess_x' } })
  expect(invalid.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
  for (const header of ['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b'])
    expect((await world.ask('GET', '/api/health', { headers: { Authorization: header } })).status, header).toBe(401)
})

test('[DISCOVER-4] the catalog of interfaces is a linkset', async () => {
  const { json, headers } = await world.ask('GET', '/.well-known/api-catalog')
  expect(headers.get('Content-Type')).toContain('application/linkset+json')
  expect(json.linkset[0]).toMatchObject({ 'service-desc': [{ href: `${world.url}/openapi.json`, type: 'application/json' }] })
  const named = [...JSON.stringify(json).matchAll(/"href":"([^"]+)"/g)].map(([, href = '']) => href)
  expect(named.length).toBeGreaterThan(3)
  for (const href of named) expect((await fetch(href)).status, href).toBe(200)
})

test('[DISCOVER-7] a caller without a valid session is told to sign in, and learns nothing about documents', async () => {
  const closed = await startWorld({ env: { AGMD_ANONYMOUS_CREATE: 'off' } })
  const bearers = [undefined, `Bearer asess_${'x'.repeat(50)}`, 'Bearer ai_unknown', 'Basic YTpi']
  for (const [method, path] of [
    ['GET', '/api/me'],
    ['GET', '/api/docs'],
    ['GET', '/api/me/sessions'],
    ['POST', '/new']
  ] as const)
    for (const Authorization of bearers) {
      const { status, json } = await closed.ask(method, path, Authorization === undefined ? {} : { headers: { Authorization } })
      expect(status).toBe(401)
      expect(json.hint, `${path} ${Authorization}`).toContain('device login')
      expect(JSON.stringify(json)).not.toMatch(/document is private|owner of the document/)
    }
  await closed.stop()
  const owner = await world.create('text')
  expect((await world.ask('GET', `/api/docs/${owner.doc}`)).json.detail).toBe('This document is private.')
})

test('[DISCOVER-5] the authentication guide is Markdown and has the metadata', async () => {
  const { text, headers } = await world.ask('GET', '/auth.md')
  expect(headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
  const block = /```json\n([\s\S]+?)\n```/.exec(text)?.[1] ?? ''
  expect(JSON.parse(block)).toEqual({ agent_auth: agentAuth() })
})

test('[DISCOVER-6] the interface description covers sessions, device login by form, and OAuth errors', async () => {
  const { json } = await world.ask('GET', '/openapi.json')
  expect(json.paths['/api/me'].get.security).toEqual([{ bearer: [] }])
  // The description declares `security` once, for every operation that does not declare it.
  expect(json.paths['/api/docs/{id}'].get.security).toBeUndefined()
  expect(json.security).toEqual([{ shareKey: [] }, { shareKeyQuery: [] }, { bearer: [] }])
  const token = json.paths['/api/cli/device/token'].post
  expect(Object.keys(token.requestBody.content)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
  expect(token.responses['4XX']).toEqual({ $ref: '#/components/responses/OAuthError' })
  expect(json.components.responses.OAuthError.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } }
  })
  expect(json.paths['/api/docs/{id}/claim'].post.security).toEqual([
    { shareKey: [], bearer: [] },
    { shareKeyQuery: [], bearer: [] },
    { bearer: [] }
  ])
})

test('[GUIDE-10] the files that programs request from every site exist: robots.txt, security.txt, an icon, llms.txt', async () => {
  const answers = await Promise.all(
    ['/robots.txt', '/.well-known/security.txt', '/favicon.ico', '/llms.txt'].map((path) => fetch(world.url + path))
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
    'text/plain; charset=utf-8',
    'text/plain; charset=utf-8',
    'image/png',
    'text/plain; charset=utf-8'
  ])
  const [robots = '', security = ''] = await Promise.all(answers.map((answer) => answer.text()))
  expect(robots).toMatch(/^Disallow: \/d\/$/m)
  // RFC 9116 §2.5: contact and expiry are required.
  expect(security).toContain(`Contact: ${world.url}/\n`)
  expect(Date.parse(/^Expires: (.*)$/m.exec(security)?.[1] ?? '')).toBeGreaterThan(Date.now())
})
