/** Errors and attacks between a program, a person and the broker. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { begin, codeFields, redeem, tokensFor } from '../support/flow.ts'
import { testClock } from '../support/clock.ts'
import { agreeAs, callback } from '../support/program.ts'
import { ownPages } from '../support/provider.ts'
import { newVisitor, password, signIn } from '../support/visitor.ts'
import { type Ask, type Json, settledWithin, startWorld, until, type World } from '../support/world.ts'

const email = 'ana@example.org'

let world: World
let ana: Account
let session: string
let doc: string
beforeAll(async () => {
  world = await startWorld()
  ana = (await createAccount(world.service, { email, name: 'Ana', password })) as Account
  session = (await openSession(world.service, ana.id, 'app', 'A test')).token
  doc = String((await as(session, 'POST', '/api/docs', { json: { content: '# Notes' } })).json.id)
})
afterAll(() => world.stop())

const as = (bearer: string | undefined, method: string, path: string, what: Ask = {}) =>
  world.ask(method, path, { ...what, headers: { ...what.headers, ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }) } })

const rpc = (bearer: string | undefined, method: string, params: object = {}, path = '/mcp') =>
  as(bearer, 'POST', path, { json: { jsonrpc: '2.0', id: 1, method, params } })

const readDoc = (args: object = {}): object => ({ name: 'svc.read_doc', arguments: { doc, ...args } })

const challenge = (suffix = ''): string => `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource/mcp"${suffix}`

const refusedAs = (answer: { status: number; json: Json }, error: string): void =>
  expect({ status: answer.status, error: answer.json?.error }).toEqual({ status: 400, error })

test('[OAUTH-2] a call that needs an account or a link returns 401 at the endpoint, and no other does', async () => {
  for (const method of ['initialize', 'tools/list', 'ping']) {
    const params =
      method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } : {}
    expect((await rpc(undefined, method, params)).status).toBe(200)
    const strict = await rpc(undefined, method, params, '/mcp?sign_in=required')
    expect({ status: strict.status, challenge: strict.headers.get('WWW-Authenticate') }).toEqual({ status: 401, challenge: challenge() })
  }
  const bare = await rpc(undefined, 'tools/call', readDoc())
  expect({ status: bare.status, challenge: bare.headers.get('WWW-Authenticate') }).toEqual({ status: 401, challenge: challenge() })
  expect(bare.json.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'credential_required' } } })
  const resource = await rpc(undefined, 'resources/read', { uri: `agmd://doc/${doc}` })
  expect({ status: resource.status, challenge: resource.headers.get('WWW-Authenticate') }).toEqual({ status: 401, challenge: challenge() })
  expect(resource.json.error.message).toContain('X-Share-Key')
  const { json: link } = await as(session, 'POST', `/api/docs/${doc}/shares`, { json: { role: 'view' } })
  expect((await rpc(undefined, 'tools/call', readDoc({ key: link.secret }))).status).toBe(200)
  expect((await rpc(undefined, 'tools/call', readDoc({ key: 'A'.repeat(32) }))).status).toBe(200)
})

test('[OAUTH-2] with an external issuer the refusal is a tool result', async () => {
  const own = await startWorld({ env: { AGMD_AUTH_URL: 'http://127.0.0.1:9' } })
  const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: readDoc() }
  expect(await own.ask('POST', '/mcp', { json })).toMatchObject({ status: 200, json: { result: { isError: true } } })
  await own.stop()
})

test.each(['x', 'x'.repeat(43), `asess_${'A'.repeat(50)}`, `apat_${'A'.repeat(50)}`, 'a b'])(
  '[OAUTH-3] the token %j returns 401 at the endpoint for any call',
  async (token) => {
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', readDoc()]
    ] as const) {
      const { status, headers } = await rpc(token, method, params)
      expect({ status, challenge: headers.get('WWW-Authenticate') }).toEqual({
        status: 401,
        challenge: challenge(', error="invalid_token"')
      })
    }
  }
)

test('[OAUTH-4] the metadata has the fields that clients look for', async () => {
  for (const [path, resource] of [
    ['', world.url],
    ['/mcp', `${world.url}/mcp`]
  ]) {
    const { json } = await world.ask('GET', `/.well-known/oauth-protected-resource${path}`)
    expect(json).toMatchObject({ resource, authorization_servers: [world.url], bearer_methods_supported: ['header'] })
    expect(json.scopes_supported).toEqual(['docs:view', 'docs:comment', 'docs:suggest', 'docs:edit', 'docs:owner'])
  }
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    const { json } = await world.ask('GET', path)
    expect(json).toMatchObject({ issuer: world.url, code_challenge_methods_supported: ['S256'], response_types_supported: ['code'] })
    for (const name of ['authorization', 'token', 'registration', 'revocation']) expect(json[`${name}_endpoint`]).toContain(world.url)
    expect(json.token_endpoint_auth_methods_supported).toContain('none')
    expect(json.grant_types_supported).toContain('refresh_token')
    expect(json.authorization_response_iss_parameter_supported).toBe(true)
  }
})

test('[OAUTH-5] a token opens only the resource that it was issued for', async () => {
  const { answer: forMcp } = await tokensFor(world, email)
  const { access_token: mcpToken } = forMcp.json
  expect((await rpc(mcpToken, 'tools/call', readDoc())).json.result.isError).toBeFalsy()
  expect((await as(mcpToken, 'GET', `/api/docs/${doc}`)).status).toBe(401)
  const { answer: forAll } = await tokensFor(world, email, { parameters: { resource: world.url } })
  const { access_token: token } = forAll.json
  expect((await rpc(token, 'tools/call', readDoc())).status).toBe(200)
  expect((await as(token, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'edit' })
  for (const resource of ['https://elsewhere.example/mcp', `${world.url}/other`, `${world.url}.evil.example/mcp`]) {
    const visitor = newVisitor({ stopAt: callback })
    await visitor.visit((await begin(world, { resource })).url.href)
    expect(new URL(visitor.page.url).searchParams.get('error')).toBe('invalid_target')
  }
  // If an older client does not name a resource, its token is valid for the MCP endpoint only.
  const { answer: older } = await tokensFor(world, email, { parameters: { resource: null } })
  expect((await rpc(older.json.access_token, 'tools/call', readDoc())).status).toBe(200)
  expect((await as(older.json.access_token, 'GET', '/api/me')).status).toBe(401)
})

test('[OAUTH-6] reusing a code, or a refresh token, ends everything under its grant', async () => {
  for (const again of ['code', 'refresh'] as const) {
    const flow = await begin(world)
    const fields = codeFields(flow, await agreeAs(flow.url, email))
    const first = (await redeem(world, fields)).json
    const renewal = { grant_type: 'refresh_token', client_id: flow.clientId, refresh_token: String(first.refresh_token) }
    const second = (await redeem(world, renewal)).json
    expect((await rpc(second.access_token, 'tools/call', readDoc())).status).toBe(200)
    const [{ id }] = (await as(session, 'GET', '/api/me/tokens')).json.tokens
    const waiting = rpc(second.access_token, 'tools/call', { name: 'svc.list_events', arguments: { doc, since: 'latest', wait: 50 } })
    expect(await settledWithin(waiting, 100)).toBe('waiting')
    refusedAs(await redeem(world, again === 'code' ? fields : renewal), 'invalid_grant')
    // A program that acts under the grant is disconnected, and no longer listed.
    expect((await waiting).json.result.structuredContent.error.code).toBe('credential_invalid')
    expect((await as(session, 'GET', '/api/me/tokens')).json.tokens.some((each: Json) => each.id === id)).toBe(false)
    expect((await rpc(second.access_token, 'tools/call', readDoc())).status).toBe(401)
    refusedAs(await redeem(world, { ...renewal, refresh_token: String(second.refresh_token) }), 'invalid_grant')
  }
})

test.each([
  ['no challenge', { code_challenge: null, code_challenge_method: null }],
  ['plain', { code_challenge_method: 'plain' }],
  ['no method', { code_challenge_method: null }]
])('[OAUTH-7] a request with %s is refused', async (_name, parameters) => {
  const visitor = newVisitor({ stopAt: callback })
  await visitor.visit((await begin(world, parameters)).url.href)
  expect(new URL(visitor.page.url).searchParams.get('error')).toBe('invalid_request')
})

test('[OAUTH-7] a code without its verifier gives nothing', async () => {
  for (const wrong of [{ code_verifier: 'A'.repeat(43) }, { code_verifier: '' }]) {
    const flow = await begin(world)
    const fields = { ...codeFields(flow, await agreeAs(flow.url, email)), ...wrong }
    expect((await redeem(world, fields)).status).toBe(400)
  }
})

test('[OAUTH-8] the broker redirects to no unregistered address', async () => {
  for (const redirect of [
    'https://evil.example/callback',
    `${callback}/`,
    `${callback}?x=1`,
    'http://127.0.0.1.evil.example:7777/callback',
    'javascript:alert(1)'
  ]) {
    const visitor = newVisitor({ stopAt: redirect })
    await visitor.visit((await begin(world, { redirect_uri: redirect })).url.href)
    expect(visitor.page.status).toBe(400)
    expect(visitor.page.url).toContain(world.url)
  }
  // The code is redeemed with a redirect address other than the requested one, so the client may have been deceived.
  const flow = await begin(world, {}, { redirect_uris: [callback, `${callback}2`] })
  const fields = codeFields(flow, await agreeAs(flow.url, email))
  refusedAs(await redeem(world, { ...fields, redirect_uri: `${callback}2` }), 'invalid_grant')
})

const register = (fields: object) =>
  world.ask('POST', '/auth/oauth2/register', {
    json: { client_name: 'Review bot', redirect_uris: [callback], token_endpoint_auth_method: 'none', ...fields }
  })

test('[OAUTH-16] a program on the person’s machine need not declare that it is one', async () => {
  for (const redirect of ['cursor://anysphere.cursor-mcp/oauth/callback', 'org.example.app:/callback'])
    expect((await register({ redirect_uris: [redirect] })).json).toMatchObject({ application_type: 'native', redirect_uris: [redirect] })
  expect((await register({ redirect_uris: ['https://client.example/cb'] })).json).toMatchObject({ application_type: 'web' })
  expect((await register({ redirect_uris: ['javascript:alert(1)'] })).status).toBe(400)
  const atPort = 'http://127.0.0.1:9999/cb'
  const visitor = newVisitor({ stopAt: atPort })
  await visitor.visit((await begin(world, { redirect_uri: atPort }, { redirect_uris: ['http://127.0.0.1:9911/cb'] })).url.href)
  expect(visitor.page.status).toBe(200)
})

test.each([
  'https://ana:secret@client.example/cb',
  'https://ana@client.example/cb',
  'http://:x@127.0.0.1:9911/cb',
  'app.example://ana:x@host/cb'
])('[OAUTH-19] %s is not a valid redirect address', async (redirect) => {
  const answer = await register({ redirect_uris: [callback, redirect] })
  refusedAs(answer, 'invalid_redirect_uri')
  expect(answer.json.error_description).toMatch(/user name|password/)
})

test('[OAUTH-17] a registration keeps the known scopes', async () => {
  expect((await register({ scope: 'mcp:tools docs:comment' })).json.scope).toBe('docs:comment docs:view')
  refusedAs(await register({ scope: 'mcp:tools' }), 'invalid_client_metadata')
})

test('[OAUTH-8] a code is only for the client that requested it', async () => {
  const [flow, other] = [await begin(world), await begin(world)]
  const back = await agreeAs(flow.url, email)
  refusedAs(await redeem(world, { ...codeFields(flow, back), client_id: other.clientId }), 'invalid_grant')
})

test.each([
  ['en', 'wants to work on all documents in your account', 'You will be sent to', 'Can edit'],
  ['de', 'möchte an allen Dokumenten deines Kontos', 'Danach wirst du zu', 'Kann bearbeiten']
])('[OAUTH-9] the consent page names program, address, account and role, in %s', async (language, wants, sent, role) => {
  const visitor = newVisitor({ stopAt: callback, headers: { 'Accept-Language': language } })
  const { url } = await begin(world, {}, { client_name: 'Bot <b>\u202Eevil' })
  await visitor.visit(url.href)
  await ownPages.signIn(visitor, email)
  const { text, headers } = visitor.page
  for (const words of [wants, sent, role, email, '127.0.0.1:7777', 'Bot &lt;b&gt; evil']) expect(text).toContain(words)
  // The page does not offer more than the program requested.
  expect(text).not.toContain('value="owner"')
  // The page needs no script, and its policy allows none.
  expect(headers.get('Content-Security-Policy')).not.toContain('unsafe-inline')
  expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('Cache-Control')).toContain('no-store')
})

test('[OAUTH-9] only the form of the page can consent, in the browser that opened it, up to the requested role', async () => {
  const visitor = newVisitor({ stopAt: callback })
  await visitor.visit((await begin(world)).url.href)
  await ownPages.signIn(visitor, email)
  const { url, text } = visitor.page
  const action = /action="([^"]*\/agree)"/.exec(text)?.[1] ?? ''
  const form = { method: 'POST', body: 'role=edit', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
  // These requests come from another browser, from another site, and without a form.
  expect((await newVisitor().request(new URL(action, url).href, form)).status).toBe(403)
  const foreign = { ...form, headers: { ...form.headers, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' } }
  expect((await visitor.request(new URL(action, url).href, foreign)).status).toBe(403)
  expect((await visitor.request(new URL(action, url).href)).status).toBe(405)
  for (const role of ['owner', '', 'admin'])
    expect((await visitor.request(new URL(action, url).href, { ...form, body: `role=${role}` })).status).toBe(403)
  expect((await as(session, 'GET', '/api/me/tokens')).json.tokens.filter((each: Json) => each.role === 'owner')).toEqual([])
})

test('[OAUTH-10] each grant of access needs its own consent', async () => {
  const visitor = newVisitor({ stopAt: callback })
  const flow = await begin(world)
  const one = (await redeem(world, codeFields(flow, await agreeAs(flow.url, email, 'edit', visitor)))).json
  await visitor.visit(flow.url.href)
  expect(visitor.page.text).toContain('wants to work on all documents')
  await visitor.submit('/agree', { role: 'view' })
  const two = (await redeem(world, codeFields(flow, new URL(visitor.page.url)))).json
  expect(two.access_token).not.toBe(one.access_token)
  for (const token of [one.access_token, two.access_token]) expect((await rpc(token, 'tools/call', readDoc())).status).toBe(200)
  // Without a person's interaction, the program gets nothing.
  const silent = new URL(flow.url)
  silent.searchParams.set('prompt', 'none')
  await visitor.visit(silent.href)
  expect(new URL(visitor.page.url).searchParams.get('error')).toMatch(/interaction_required|consent_required/)
})

test('[OAUTH-11] the program has the role that the person chose, and is told which', async () => {
  const all = 'docs:view docs:comment docs:suggest docs:edit docs:owner'
  const { answer } = await tokensFor(world, email, { parameters: { scope: all, resource: world.url }, role: 'comment' })
  expect(answer.json.scope).toBe('docs:view docs:comment')
  expect((await as(answer.json.access_token, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'comment' })
  const { answer: none } = await tokensFor(world, email, { parameters: { scope: null, resource: world.url }, role: 'view' })
  expect((await as(none.json.access_token, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'view' })
  const { json: comment } = await as(answer.json.access_token, 'POST', `/api/docs/${doc}/comments`, { json: { body: 'Hm' } })
  expect(comment.comment.author).toBe('Review bot · for Ana')
  expect((await as(answer.json.access_token, 'POST', '/api/me/tokens', { json: { name: 'More' } })).status).toBe(403)
})

test('[OAUTH-12] revoking a program ends its tokens and waiting calls at once', async () => {
  const { flow, answer } = await tokensFor(world, email, { parameters: { resource: world.url } })
  const { access_token: token, refresh_token: refresh } = answer.json
  expect((await as(token, 'GET', '/api/me')).status).toBe(200)
  const [{ id }] = (await as(session, 'GET', '/api/me/tokens')).json.tokens
  await until(async () => (await as(session, 'GET', '/api/me/tokens')).json.tokens.find((each: Json) => each.id === id).lastUsedAt !== null)
  const visitor = await signIn(world.url, email, newVisitor()).then(async (each) => (await each.visit(`${world.url}/account`), each))
  expect(visitor.page.text).toContain('Review bot')
  expect(visitor.page.text).toContain('127.0.0.1:7777')
  const waiting = as(token, 'GET', `/api/docs/${doc}/events`, { query: { since: 'latest', wait: 50 } })
  expect(await settledWithin(waiting, 100)).toBe('waiting')
  await visitor.submit('/account/end-token', { id })
  expect((await waiting).status).toBe(401)
  expect((await as(token, 'GET', '/api/me')).status).toBe(401)
  refusedAs(await redeem(world, { grant_type: 'refresh_token', client_id: flow.clientId, refresh_token: refresh }), 'invalid_grant')
})

test('[OAUTH-12] signing out everywhere, a new password and deleting the account end its programs', async () => {
  const start = async (mail: string): Promise<{ account: Account; token: string }> => {
    const account = (await createAccount(world.service, { email: mail, name: 'Bob', password })) as Account
    const { answer } = await tokensFor(world, mail, { parameters: { resource: world.url } })
    expect((await as(answer.json.access_token, 'GET', '/api/me')).status).toBe(200)
    return { account, token: answer.json.access_token }
  }
  const ends = async (token: string): Promise<void> => expect((await as(token, 'GET', '/api/me')).status).toBe(401)
  const bob = await start('bob@example.org')
  await as((await openSession(world.service, bob.account.id, 'app', 'A test')).token, 'DELETE', '/api/me/sessions')
  await ends(bob.token)
  const cleo = await start('cleo@example.org')
  const visitor = await signIn(world.url, 'cleo@example.org')
  await visitor.visit(`${world.url}/account/password`)
  await visitor.submit('/account/password', { current_password: password, password: 'another horse battery' })
  await ends(cleo.token)
  const dora = await start('dora@example.org')
  const leaver = await signIn(world.url, 'dora@example.org')
  await leaver.visit(`${world.url}/account/delete-account`)
  await leaver.submit('/account/delete-account', { current_password: password, documents: 'keep' })
  await ends(dora.token)
})

test('[OAUTH-18] a program that never fetched its token leaves the list when its code expires', async () => {
  const clock = testClock()
  const own = await startWorld({ clock })
  const { id } = (await createAccount(own.service, { email, name: 'Ana', password })) as Account
  const { token } = await openSession(own.service, id, 'app', 'A test')
  const listed = async (): Promise<number> =>
    (await own.ask('GET', '/api/me/tokens', { headers: { Authorization: `Bearer ${token}` } })).json.tokens.length
  await agreeAs((await begin(own)).url, email)
  expect(await listed()).toBe(1)
  const fetched = await begin(own)
  expect((await redeem(own, codeFields(fetched, await agreeAs(fetched.url, email)))).status).toBe(200)
  expect(await listed()).toBe(2)
  clock.advance(limits.deviceSecondsMax * 1000)
  expect(await listed()).toBe(1)
  await own.stop()
})

test('[OAUTH-13] registrations from one address are limited', async () => {
  const own = await startWorld({ env: { AGMD_RATE_LIMITS: 'on' } })
  const json = { client_name: 'Bot', redirect_uris: [callback], token_endpoint_auth_method: 'none' }
  const statuses: number[] = []
  for (let asked = 0; asked < 12; asked++) statuses.push((await own.ask('POST', '/auth/oauth2/register', { json })).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429, 429])
  await own.stop()
})
