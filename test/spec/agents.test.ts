/** Agent identities: tokens of a configured issuer, verified with its keys or by introspection. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '../../shared/limits.ts'
import type { TestClock } from '../support/clock.ts'
import type { Issuer } from '../support/issuer.ts'
import { withIssuer } from '../support/issuer-world.ts'
import { type Answer, type Ask, type Json, startWorld, type World } from '../support/world.ts'

let issuer: Issuer
let world: World
let clock: TestClock
withIssuer('AGMD_AGENT_ISSUER', { AGMD_AGENT_CLIENT_SECRET: 'secret of ours' }, (started) => ({ issuer, world, clock } = started))

const seconds = (): number => Math.floor(clock.now() / 1000)
const jwt = (claims: object = {}): Promise<string> => issuer.agentToken({ aud: world.url, iat: seconds(), exp: seconds() + 600, ...claims })
const opaque = (claims: object = {}): string => {
  const token = `ai_opaque-${issuer.opaque.size}`
  issuer.opaque.set(token, { active: true, sub: 'agent-1', name: 'Scribe', aud: world.url, exp: seconds() + 600, ...claims })
  return token
}
const by = (token: string, method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}` } })
const me = (token: string): Promise<Answer> => by(token, 'GET', '/api/me')

test('[AGENT-1] a token identifies the agent, with the same result by keys and by introspection', async () => {
  const one = (await me(await jwt())).json
  expect(one).toMatchObject({ kind: 'agent', user: { name: 'Scribe', email: null } })
  expect((await me(opaque())).json).toEqual(one)
  expect((await me(await jwt({ sub: 'agent-2' }))).json.user.id).not.toBe(one.user.id)
})

test('[AGENT-2] documents that an agent creates are its own, without a key, and its name is on its changes', async () => {
  const token = await jwt()
  const { status, json: made } = await by(token, 'POST', '/api/docs', { json: { content: '# By an agent' } })
  expect(status).toBe(201)
  expect(made).toMatchObject({ owner: { kind: 'agent', name: 'Scribe' }, role: 'owner' })
  expect(made).not.toHaveProperty('key')
  await by(token, 'PUT', `/api/docs/${made.id}/content`, { json: { content: '# Again' } })
  const { json: feed } = await by(token, 'GET', `/api/docs/${made.id}/events`)
  expect(feed.events.every((event: Json) => event.actor === 'Scribe' && event.actorKind === 'agent')).toBe(true)
  expect((await by(token, 'GET', '/api/docs')).json.docs.map((doc: Json) => doc.id)).toContain(made.id)
  expect((await by(await jwt({ sub: 'agent-2' }), 'GET', `/api/docs/${made.id}`)).status).toBe(404)
})

const bad: Record<string, () => Promise<string> | string> = {
  'of another service': () => jwt({ aud: 'https://elsewhere.example' }),
  'without an audience': () => jwt({ aud: undefined }),
  'of another issuer': () => jwt({ iss: 'https://elsewhere.example' }),
  expired: () => jwt({ exp: seconds() - 61 }),
  'without an expiry': () => jwt({ exp: undefined }),
  'without a subject': () => jwt({ sub: undefined }),
  'not valid yet': () => jwt({ nbf: seconds() + 3600 }),
  'with a foreign signature': () => {
    issuer.faults = { foreignKey: true }
    return jwt()
  },
  'without a signature': () => {
    issuer.faults = { alg: 'none' }
    return jwt()
  },
  'signed with the public key as secret': () => {
    issuer.faults = { alg: 'HS256' }
    return jwt()
  },
  'that the issuer does not know': () => 'ai_unknown',
  'that the issuer calls inactive': () => opaque({ active: false }),
  'that was asked about for another service': () => opaque({ aud: 'https://elsewhere.example' }),
  'without a subject, asked about': () => opaque({ sub: undefined }),
  'expired, asked about': () => opaque({ exp: seconds() - 1 }),
  'too long': () => `ai_${'a'.repeat(limits.agentTokenUnitsMax)}`,
  empty: () => 'ai_'
}

test.each(Object.entries(bad))('[AGENT-3] a token %s returns 401', async (_name, make) => {
  const { status, json } = await me(await make())
  expect({ status, code: json?.code }).toEqual({ status: 401, code: 'credential_invalid' })
})

test('[AGENT-5] an issuer that cannot be reached gives 503, never access, and does not affect documents of others', async () => {
  issuer.faults = { status: 500 }
  const { status, json } = await me(opaque({ sub: 'agent-9' }))
  expect({ status, code: json.code, hint: json.hint }).toEqual({
    status: 503,
    code: 'issuer_unavailable',
    hint: 'Send the same request again in a minute; links and sessions keep working.'
  })
  expect((await world.ask('POST', '/new')).status).toBe(201)
})

test('[AGENT-6] without a configured issuer no agent token is valid', async () => {
  const without = await startWorld()
  const { status, json } = await without.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${await jwt({ aud: without.url })}` } })
  expect({ status, code: json.code }).toEqual({ status: 401, code: 'credential_invalid' })
  await without.stop()
})

test('[AGENT-7] a socket of an agent ends when its token expires', async () => {
  const token = await jwt()
  const { json: made } = await by(token, 'POST', '/api/docs', { json: { content: 'text' } })
  const editor = await world.person(made.id, token).connect()
  clock.advance(601_000)
  await expect.poll(() => editor.closes[0]?.code).toBe(4401)
})

test('[AGENT-7] a token that its issuer revoked gives no access after a minute, and its sockets end', async () => {
  const token = opaque()
  const { json: made } = await by(token, 'POST', '/api/docs', { json: { content: 'text' } })
  const editor = await world.person(made.id, token).connect()
  issuer.opaque.set(token, { active: false })
  clock.advance(limits.agentTokenSeconds * 1000)
  expect((await me(token)).status).toBe(401)
  await expect.poll(() => editor.closes[0]?.code).toBe(4401)
})

test('[AGENT-7] sockets stay open while the issuer cannot be reached', async () => {
  const token = opaque()
  const { json: made } = await by(token, 'POST', '/api/docs', { json: { content: 'text' } })
  const editor = await world.person(made.id, token).connect()
  const asked = issuer.seen.length
  issuer.faults = { status: 500 }
  clock.advance(limits.agentTokenSeconds * 1000)
  await expect.poll(() => issuer.seen.length).toBeGreaterThan(asked)
  editor.type(0, 'still ')
  await editor.saved()
  expect(editor.closes).toEqual([])
})

test('[AGENT-4] changed keys of the issuer are read again, at most once a minute', async () => {
  await me(await jwt())
  await issuer.rotate()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  onTestFinished(() => void vi.useRealTimers())
  const seen = issuer.seen.length
  expect((await me(await jwt({ sub: 'agent-4' }))).status).toBe(200)
  await issuer.rotate()
  for (let tries = 0; tries < 5; tries++) expect((await me(await jwt({ sub: `agent-${tries}` }))).status).toBe(401)
  expect(issuer.seen.slice(seen).filter((path) => path === '/jwks')).toHaveLength(1)
})
