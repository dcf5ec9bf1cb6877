/** Clients that describe themselves in a document at an https address. The address is their id. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientDocuments, isPublicAddress } from '../../server/auth/client-documents.ts'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import { begin, codeFields, redeem } from '../support/flow.ts'
import { callback } from '../support/program.ts'
import { ownPages } from '../support/provider.ts'
import { newVisitor, password, type Visitor } from '../support/visitor.ts'
import { nodesOfTests } from '../support/spread.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

const email = 'ana@example.org'
const mayReach = (address: string): boolean => ['127.0.0.1', '::1'].includes(address)

let world: World
let site: Server
let origin: string
let folder: string
let ca: string
/** How often each document was requested. */
const asked = new Map<string, number>()

/** The documents of the site by path. Each is made from its own address. */
const documents: Record<string, (id: string) => { status?: number; headers?: Record<string, string>; body: string }> = {
  '/good': (id) => ({ body: JSON.stringify(describe(id)) }),
  '/local': (id) => ({ body: JSON.stringify(describe(id, { redirect_uris: ['http://127.0.0.1/callback'] })) }),
  '/other-id': (id) => ({ body: JSON.stringify(describe(`${id}/x`)) }),
  '/plain-return': (id) => ({ body: JSON.stringify(describe(id, { redirect_uris: [callback, 'http://example.com/back'] })) }),
  '/other-return': (id) => ({ body: JSON.stringify(describe(id, { redirect_uris: ['https://example.com/back'] })) }),
  '/secret': (id) => ({ body: JSON.stringify(describe(id, { client_secret: 'x', token_endpoint_auth_method: 'client_secret_post' })) }),
  '/sector': (id) => ({ body: JSON.stringify(describe(id, { sector_identifier_uri: `${origin}/good` })) }),
  '/large': (id) => ({ body: JSON.stringify(describe(id, { tos_uri: `https://example.com/${'x'.repeat(6000)}` })) }),
  '/text': () => ({ body: 'hello' }),
  '/moved': () => ({ status: 302, headers: { Location: `${origin}/good` }, body: '' })
}

const describe = (id: string, fields: object = {}): Json => ({
  client_id: id,
  client_name: 'Review bot',
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
  ...fields
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agmd-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost'
  ]
  execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', cert, '-days', '2'], { stdio: 'ignore' })
  ca = readFileSync(cert, 'utf8')
  site = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    const path = request.url ?? '/'
    asked.set(path, (asked.get(path) ?? 0) + 1)
    const { status = 200, headers = {}, body } = documents[path]?.(`${origin}${path}`) ?? { status: 404, body: '' }
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => site.listen(0, resolve))
  origin = `https://localhost:${(site.address() as AddressInfo).port}`
  world = await startWorld({ clientDocuments: { mayReach, ca } })
  await createAccount(world.service, { email, name: 'Ana', password })
})
afterAll(async () => {
  await world.stop()
  await new Promise((resolve) => site.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

const ask = async (id: string, parameters: Record<string, string> = {}, where = world): Promise<Visitor & { verifier: string }> => {
  const { url, verifier } = await begin(where, { client_id: id, ...parameters })
  const visitor = newVisitor({ stopAt: 'http://127.0.0.1' })
  await visitor.visit(url.href)
  return Object.assign(Object.create(visitor) as Visitor, { verifier })
}

test('[OAUTH-14] a client whose id is an address signs a person in, and the page names its host', async () => {
  const id = `${origin}/good`
  const { json } = await world.ask('GET', '/.well-known/oauth-authorization-server')
  expect(json.client_id_metadata_document_supported).toBe(true)
  const visitor = await ask(id)
  await ownPages.signIn(visitor, email)
  expect(visitor.page.text).toContain(`The program is described at <strong><bdi>${new URL(origin).host}</bdi></strong>`)
  await visitor.submit('/agree', { role: 'edit' })
  const fields = codeFields({ clientId: id, verifier: visitor.verifier, url: new URL(id) }, new URL(visitor.page.url))
  const { json: tokens } = await redeem(world, fields)
  const again = await redeem(world, { grant_type: 'refresh_token', client_id: id, refresh_token: tokens.refresh_token })
  expect({ status: again.status, renewed: typeof again.json.refresh_token }).toEqual({ status: 200, renewed: 'string' })
  // Each node caches the document for a while, so it was requested only once.
  expect(asked.get('/good')).toBeLessThanOrEqual(nodesOfTests)
})

test('[OAUTH-14] a program on the person’s machine listens on any port', async () => {
  const { page } = await ask(`${origin}/local`, { redirect_uri: 'http://127.0.0.1:51234/callback' })
  expect({ status: page.status, asks: page.text.includes('name="password"') }).toEqual({ status: 200, asks: true })
})

test('[OAUTH-14] if switched off, an address is not a client, and nothing is fetched', async () => {
  const own = await startWorld({ env: { AGMD_CLIENT_DOCUMENTS: 'off' }, clientDocuments: { mayReach, ca } })
  const { json } = await own.ask('GET', '/.well-known/oauth-authorization-server')
  expect(json.client_id_metadata_document_supported).toBeUndefined()
  const before = asked.get('/good')
  expect((await ask(`${origin}/good`, {}, own)).page.text).toContain('invalid_client')
  expect(asked.get('/good')).toBe(before)
  await own.stop()
})

test.each(['/other-id', '/plain-return', '/other-return', '/secret', '/sector', '/large', '/text', '/moved', '/nothing'])(
  '[OAUTH-15] an invalid document is refused: %s',
  async (path) => {
    const { page } = await ask(`${origin}${path}`)
    expect({ status: page.status, shown: /invalid_(client|redirect_uri|client_metadata)/.test(page.text) }).toEqual({
      status: 400,
      shown: true
    })
    expect(page.url).toContain(world.url)
  }
)

test('[OAUTH-15] only public addresses are fetched, over https and by name', async () => {
  const own = createClientDocuments({ mayReach: isPublicAddress, ca })
  const before = asked.get('/good')
  await expect(own(`${origin}/good`)).rejects.toThrow('does not resolve to a public address')
  const { port } = new URL(origin)
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433'])
    await expect(createClientDocuments({ mayReach: () => true, ca })(`https://${host}:${port}/good`)).rejects.toThrow('a host name')
  await expect(own(`http://localhost:${port}/good`)).rejects.toThrow('https')
  expect(asked.get('/good')).toBe(before)
  const refused = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255'
  ]
  for (const address of [
    ...refused,
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'x'
  ])
    expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: false })
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111']) expect(isPublicAddress(address)).toBe(true)
})

test('[OAUTH-15] the fetch follows no redirect and stops at a document that is too large', async () => {
  const own = createClientDocuments({ mayReach, ca })
  await expect(own(`${origin}/large`)).rejects.toThrow('too large')
  await expect(own(`${origin}/moved`)).rejects.toThrow('302')
})

test('[OAUTH-15] document fetches for one address are limited', async () => {
  const own = await startWorld({ env: { AGMD_RATE_LIMITS: 'on' }, clientDocuments: { mayReach, ca } })
  for (let count = 0; count < 12 * nodesOfTests; count++)
    await own.ask('GET', '/auth/oauth2/authorize', { query: { client_id: `${origin}/many-${count}`, response_type: 'code' } })
  expect([...asked.keys()].filter((path) => path.startsWith('/many'))).toHaveLength(10 * nodesOfTests)
  await own.stop()
})
