/** MCP clients that sign a person in (OAuth 2.1 with the rules of MCP), against the running service. */
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { agreeAs, newModernProgram, newProgram, type Program } from '../support/program.ts'
import { password } from '../support/visitor.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

const email = 'ana@example.org'

let world: World
/** A session of Ana, and a document that Ana owns. */
let session: string
let doc: string

const asAna = (method: string, path: string, json?: object) =>
  world.ask(method, path, { headers: { Authorization: `Bearer ${session}` }, ...(json && { json }) })

const newDoc = async (content: string): Promise<string> => String((await asAna('POST', '/api/docs', { content })).json.id)

beforeAll(async () => {
  world = await startWorld()
  const account = await createAccount(world.service, { email, name: 'Ana', password })
  session = (await openSession(world.service, account?.id ?? '', 'app', 'A test')).token
  doc = await newDoc('# Notes')
})
afterAll(() => world.stop())

const read = () => ({ name: 'svc.read_doc', arguments: { doc } })

const outcome = async (client: Client, call: { name: string; arguments: Record<string, unknown> }) =>
  (await client.callTool(call)) as { isError?: boolean; structuredContent?: Json }

/** Returns a program with access. */
const letIn = async (role?: string): Promise<{ program: Program; client: Client }> => {
  const program = newProgram(world.url)
  const first = await program.connect()
  await expect(first.callTool(read())).rejects.toThrow(UnauthorizedError)
  const back = await agreeAs(program.state.asked as URL, email, role)
  await program.finish(back.searchParams.get('code') ?? '')
  return { program, client: await program.connect() }
}

const rpc = (token: string | undefined, method = 'tools/list', params: object = {}) =>
  world.ask('POST', '/mcp', {
    json: { jsonrpc: '2.0', id: 1, method, params },
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` }
  })

test('[OAUTH-1] the official client registers, gets consent, calls, renews, revokes, and is then refused', async () => {
  const { program, client } = await letIn('owner')
  const made = await outcome(client, { name: 'svc.create_doc', arguments: { content: '# Plan' } })
  expect(made.isError).toBeFalsy()
  const id = String(made.structuredContent?.['id'])
  expect((await asAna('GET', `/api/docs/${id}`)).json).toMatchObject({ title: 'Plan', role: 'owner', owner: { name: 'Ana' } })
  expect((await outcome(client, read())).structuredContent).toMatchObject({ content: '# Notes' })
  const before = program.state.tokens
  // When its token has ended, the client gets a new one without the person's help.
  program.state.tokens = { ...(before as NonNullable<typeof before>), access_token: 'x'.repeat(43) }
  expect((await outcome(client, read())).isError).toBeFalsy()
  expect(program.state.tokens.access_token).not.toBe(before?.access_token)
  expect(program.state.tokens.refresh_token).not.toBe(before?.refresh_token)
  const { access_token: token } = program.state.tokens
  const body = new URLSearchParams({ token, client_id: program.state.client?.client_id ?? '' }).toString()
  const revoked = await world.ask('POST', '/auth/oauth2/revoke', { body, type: 'application/x-www-form-urlencoded' })
  expect(revoked.status).toBe(200)
  expect((await rpc(token)).status).toBe(401)
  await expect(client.callTool(read())).rejects.toThrow(UnauthorizedError)
})

test('[OAUTH-1] the current official client does the same, and verifies the issuer of the response', async () => {
  const program = newModernProgram(world.url)
  const first = await program.connect()
  await expect(first.callTool(read())).rejects.toThrow(/unauthorized/i)
  const back = await agreeAs(program.state.asked as URL, email, 'edit')
  expect(back.searchParams.get('iss')).toBe(world.url)
  const forged = new URL(back)
  forged.searchParams.set('iss', 'https://elsewhere.example')
  await expect(program.finish(forged)).rejects.toThrow(/issuer/i)
  await program.finish(back)
  const client = await program.connect()
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect((await client.callTool(read())).structuredContent).toMatchObject({ content: '# Notes' })
  const before = program.state.tokens
  program.state.tokens = { ...(before as NonNullable<typeof before>), access_token: 'x'.repeat(43) }
  expect((await client.callTool(read())).isError).toBeFalsy()
  expect(program.state.tokens.refresh_token).not.toBe(before?.refresh_token)
  const { access_token: token } = program.state.tokens
  const body = new URLSearchParams({ token, client_id: program.state.client?.client_id ?? '' }).toString()
  expect((await world.ask('POST', '/auth/oauth2/revoke', { body, type: 'application/x-www-form-urlencoded' })).status).toBe(200)
  await expect(client.callTool(read())).rejects.toThrow(/unauthorized/i)
})
