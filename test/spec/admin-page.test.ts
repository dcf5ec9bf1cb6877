/** `/admin`, as a browser without scripts uses it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount, findAccountByEmail, verifyEmail } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { acts } from '../../server/domain/operator/acts.ts'
import { listAudit } from '../../server/domain/records/audit.ts'
import { listLoad, recordLoad } from '../../server/domain/operator/load.ts'
import { pageActs, type PageActName } from '../../server/http/admin/act-pages.ts'
import { limits } from '../../shared/limits.ts'
import { startIssuer } from '../support/issuer.ts'
import { testClock } from '../support/clock.ts'
import { callAs, join as joinAs, type Joined, newVisitor, password, signIn, signUp, type Visitor } from '../support/visitor.ts'
import { type Json, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
let root: Visitor
let rootAccount: Account

beforeAll(async () => {
  world = await startWorld({ clock, env: { AGMD_ADMINS: 'root@example.org' } })
  const made = await createAccount(world.service, { email: 'root@example.org', name: 'Root', password, emailVerified: true })
  rootAccount = made as Account
  root = await signIn(world.url, 'root@example.org')
})
afterAll(() => world.stop())

const minuteMs = 60_000
/** Signs the administrator in again if the last sign-in is too old for dangerous actions. */
const fresh = async (): Promise<Visitor> => (root = await signIn(world.url, 'root@example.org'))

const page = async (visitor: Visitor, path: string): Promise<string> => (await visitor.visit(`${world.url}${path}`)).text
const tokenIn = (text: string): string => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Sends a form with these fields, as the page does. */
const send = async (visitor: Visitor, fields: Readonly<Record<string, string>>): Promise<Response> =>
  visitor.request(`${world.url}/admin/act`, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
  })
const act = async (name: PageActName, fields: Readonly<Record<string, string>>): Promise<Response> =>
  send(root, { token: tokenIn(await page(root, '/admin/people')), act: name, confirmed: 'yes', ...fields })

let people = 0
const join = (): Promise<Joined> => joinAs(world.url, `administered-${++people}@example.org`)
const call = async (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Json> =>
  (await callAs(world.url, visitor, method, path, json)).json()
const status = async (visitor: Visitor, path = '/api/me'): Promise<number> =>
  (await visitor.request(`${world.url}${path}`, { headers: { Accept: 'application/json' } })).status

const paths = ['/admin', '/admin/people', '/admin/person?id=x', '/admin/documents', '/admin/document?id=x', '/admin/access', '/admin/audit']

test('[ADMINPAGE-1] everybody except an administrator gets the answer for an address that does not exist, with every method', async () => {
  const { visitor, id } = await join()
  const unverified = await signUp(world.url, 'other-root@example.org')
  const app = (await openSession(world.service, rootAccount.id, 'app', 'A test')).token
  const { secret } = await call(root, 'POST', '/api/me/tokens', { name: 'A script', role: 'owner' })
  const owner = await world.create('text')
  const bearers: Record<string, string>[] = [
    {},
    { Authorization: `Bearer ${app}` },
    { Authorization: `Bearer ${secret}` },
    { 'X-Share-Key': owner.key }
  ]
  const seen = async (from: Visitor, path: string, method: string, headers: Record<string, string>): Promise<object> => {
    const body = method === 'POST' ? { body: 'act=disable' } : {}
    const answer = await from.request(`${world.url}${path}`, { method, headers: { Origin: world.url, ...headers }, ...body })
    const names = [...answer.headers.keys()].filter((name) => !['date', 'x-request-id', 'etag', 'content-length'].includes(name)).toSorted()
    const text = (await answer.text())
      .replaceAll(/"(requestId|instance)":"[^"]*"/g, '')
      .replaceAll(/admin|nowhere/g, '')
      .replaceAll(/(Did you mean|"meant").*?(?="|\]|$)/g, '')
    return { status: answer.status, names, text }
  }
  for (const accept of ['text/html', 'application/json'])
    for (const [method, path] of [
      ...paths.map((each) => ['GET', each] as const),
      ['POST', '/admin/act'],
      ['PUT', '/admin'],
      ['HEAD', '/admin']
    ] as const)
      for (const headers of bearers) {
        const like = await seen(newVisitor(), path.replace('admin', 'nowhere'), method, { ...headers, Accept: accept })
        expect(await seen(newVisitor(), path, method, { ...headers, Accept: accept })).toEqual(like)
        expect(like).toMatchObject({ status: 404 })
      }
  for (const from of [visitor, unverified]) {
    const like = await seen(from, '/nowhere', 'GET', { Accept: 'text/html' })
    expect(await seen(from, '/admin', 'GET', { Accept: 'text/html' })).toEqual(like)
    expect((await send(from, { act: 'disable', account: id, confirmed: 'yes', token: 'x' })).status).toBe(404)
  }
  expect((await root.visit(`${world.url}/admin`)).status).toBe(200)
  expect((await root.request(`${world.url}/admin/nothing`)).status).toBe(404)
  expect((await root.request(`${world.url}/admin`, { method: 'DELETE', headers: { Origin: world.url } })).status).toBe(404)
})

test('[ADMINPAGE-1] an unverified address or a disabled account does not administer', async () => {
  const own = await startWorld({ env: { AGMD_ADMINS: 'ana@example.org' } })
  const ana = await signUp(own.url, 'ana@example.org')
  const { id } = (await findAccountByEmail(own.service, 'ana@example.org')) as Account
  expect((await ana.visit(`${own.url}/admin`)).status).toBe(404)
  await verifyEmail(own.service, id)
  expect((await ana.visit(`${own.url}/admin`)).status).toBe(200)
  await acts.disable.run(own.service, { by: 'system', actor: { kind: 'operator' } }, { account: id })
  expect((await ana.visit(`${own.url}/admin`)).status).toBe(404)
  await own.stop()
})

test('[ADMINPAGE-2] the pages show people, documents and tokens in both languages, without the text of documents or secrets', async () => {
  const { visitor, email, id } = await join()
  const { id: doc } = await call(visitor, 'POST', '/api/docs', { content: '# Ledger\n\nPrivate numbers' })
  const link = await call(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'edit' })
  await world.person(doc, link.secret).read()
  const token = await call(visitor, 'POST', '/api/me/tokens', { name: 'A script' })
  const node = await call(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })
  await world.service.ledger.idle()
  const shown = {
    '/admin': ['Load and storage', email],
    [`/admin/people?q=${email}`]: [email, `/admin/person?id=${id}`],
    [`/admin/person?id=${id}`]: ['Ledger', 'Disable account', '1 token'],
    '/admin/documents?q=ledger': ['Ledger', doc],
    [`/admin/documents?owner=${email}`]: ['Ledger'],
    [`/admin/document?id=${doc}`]: ['Take down', '1 link', email.split('@')[0] ?? ''],
    '/admin/access': ['A script', 'Shed', doc, email],
    [`/admin/links?doc=${doc}`]: ['Ledger', 'Can edit', 'Revoke the link'],
    [`/admin/links?account=${email}`]: ['Ledger'],
    [`/admin/audit?doc=${doc}`]: ['Link created', 'Link used for the first time', email],
    [`/admin/audit?kind=node.made&account=${email}`]: ['Compute node added']
  }
  for (const [path, words] of Object.entries(shown)) {
    const text = await page(root, path)
    for (const word of words) expect(text, path).toContain(word)
    for (const secret of ['Private numbers', link.secret, token.secret, node.token]) expect(text, path).not.toContain(secret)
    expect(text).not.toMatch(/<script(?! src="\/theme\.js")|\son\w+=|style="/)
    expect(root.page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(root.page.headers.get('Cache-Control')).toBe('no-store')
  }
  const german = await (
    await root.request(`${world.url}/admin/people`, { headers: { 'Accept-Language': 'de', Accept: 'text/html' } })
  ).text()
  for (const word of ['Personen', 'Protokoll', 'Einladung erstellen', 'Zuletzt']) expect(german).toContain(word)
})

/** Creates a document with a link. Returns the fields of the form that revokes the link. */
const linkOf = async (visitor: Visitor): Promise<{ doc: string; link: string }> => {
  const { id: doc } = await call(visitor, 'POST', '/api/docs', { content: 'x' })
  const { id: link } = await call(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'edit' })
  return { doc, link }
}

test('[ADMINPAGE-3] an act with a wrong token, a stale session or no form changes nothing', async () => {
  const { visitor, id } = await join()
  await fresh()
  const token = tokenIn(await page(root, '/admin/people'))
  const other = await signIn(world.url, 'root@example.org')
  const inputs: Readonly<Record<PageActName, Record<string, string>>> = {
    invite: { email: 'new@example.org' },
    reset: { account: id },
    endSessions: { account: id },
    disable: { account: id },
    enable: { account: id },
    deletePerson: { account: id, documents: 'trash' },
    transfer: { doc: (await call(visitor, 'POST', '/api/docs', { content: 'x' })).id, to: 'root@example.org' },
    takeDown: { doc: (await call(visitor, 'POST', '/api/docs', { content: 'x' })).id },
    restore: { doc: 'x' },
    revokeLink: await linkOf(visitor),
    revokeToken: { token_id: (await call(visitor, 'POST', '/api/me/tokens', { name: 'x' })).token.id },
    revokeNode: { node: (await call(visitor, 'POST', '/api/me/nodes', { name: 'x' })).node.id }
  }
  for (const name of Object.keys(pageActs) as PageActName[]) {
    const fields = { act: name, confirmed: 'yes', ...inputs[name] }
    expect((await send(root, { ...fields, token: 'wrong' })).status, name).toBe(403)
    expect((await send(root, fields)).status, name).toBe(403)
    // The token of another session of the same person.
    expect((await send(other, { ...fields, token })).status, name).toBe(403)
    expect((await send(visitor, { ...fields, token })).status, name).toBe(404)
  }
  expect((await send(root, { token, act: 'unknown' })).status).toBe(403)
  const foreign = await root.request(`${world.url}/admin/act`, { method: 'POST', headers: { Origin: 'https://evil.example' }, body: '' })
  expect(foreign.status).toBe(403)
  expect(await status(visitor)).toBe(200)
  expect((await call(visitor, 'GET', '/api/docs')).docs).toHaveLength(3)
  const { shares } = await call(visitor, 'GET', `/api/docs/${inputs.revokeLink['doc']}/shares`)
  expect(shares.filter(({ revoked }: Json) => revoked)).toEqual([])
  expect((await call(visitor, 'GET', '/api/me/tokens')).tokens).toHaveLength(1)
  expect((await call(visitor, 'GET', '/api/me/nodes')).nodes).toHaveLength(1)
  const { records } = await listAudit(world.service, { account: id })
  expect(records.filter(({ kind }) => kind.startsWith('admin.'))).toEqual([])
})

test('[ADMINPAGE-4] acts that end something ask for confirmation', async () => {
  const { visitor, email, id } = await join()
  await fresh()
  const asking = Object.entries(pageActs).filter(([, entry]) => 'confirm' in entry)
  expect(asking.map(([name]) => name)).toEqual([
    'endSessions',
    'disable',
    'deletePerson',
    'transfer',
    'takeDown',
    'revokeLink',
    'revokeToken',
    'revokeNode'
  ])
  await page(root, `/admin/person?id=${id}`)
  await root.submit('/admin/act', { act: 'disable' })
  expect(root.page.text).toMatch(/<h1>Disable this account\?<\/h1>[\s\S]*>administered-/)
  expect(root.page.text).toContain(email)
  expect(await status(visitor)).toBe(200)
  await root.submit('/admin/act')
  expect(root.page.url).toBe(`${world.url}/admin/person?id=${id}&done=disable`)
  expect(root.page.text).toContain('Account disabled.')
  expect(await status(visitor)).toBe(401)
})

test('[ADMINPAGE-5] a dangerous act needs a recent sign-in with the password, even if the browser is signed in at the broker', async () => {
  const { visitor, id } = await join()
  await fresh()
  clock.advance(limits.adminFreshMinutes * minuteMs + 1)
  for (const name of ['disable', 'deletePerson', 'reset'] as const) {
    const answer = await act(name, { account: id, documents: 'keep' })
    expect([answer.status, (await answer.text()).includes('<h1>Sign in again</h1>')]).toEqual([403, true])
  }
  expect(await status(visitor)).toBe(200)
  // Actions that are not dangerous still work.
  expect((await act('invite', { email: 'late@example.org' })).status).toBe(200)
  const back = `/admin/person?id=${id}`
  await root.visit(`${world.url}/sign-in?fresh=yes&return_to=${encodeURIComponent(back)}`)
  expect(root.page.text).toContain('<h1>Sign in</h1>')
  await root.submit('/sign-in', { email: 'root@example.org', password })
  expect(root.page.url).toBe(`${world.url}${back}`)
  expect((await act('disable', { account: id })).status).toBe(303)
  expect(await status(visitor)).toBe(401)
})

test('[ADMINPAGE-5] the issuer says when the person signed in; a sign-in that it answers from an older session is not recent', async () => {
  const issuer = await startIssuer()
  issuer.person = { sub: 'root', email: 'root@example.org', email_verified: true }
  const own = await startWorld({ env: { AGMD_AUTH_URL: issuer.url, AGMD_ADMINS: 'root@example.org' } })
  const statusAfter = async (age: number | undefined): Promise<number> => {
    issuer.faults = { claims: (claims) => ({ ...claims, ...(age !== undefined && { auth_time: (claims.iat ?? 0) - age }) }) }
    const visitor = newVisitor()
    await visitor.visit(`${own.url}/sign-in`)
    const token = tokenIn(
      (await visitor.visit(`${own.url}/admin/documents`)).text + (await visitor.visit(`${own.url}/admin/document?id=${doc}`)).text
    )
    const body = new URLSearchParams({ token, act: 'takeDown', doc, confirmed: 'yes' }).toString()
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: own.url }
    return (await visitor.request(`${own.url}/admin/act`, { method: 'POST', body, headers })).status
  }
  const { doc } = await own.create('# Plan')
  expect(await statusAfter(undefined)).toBe(403)
  expect(await statusAfter(limits.adminFreshMinutes * 60 + 60)).toBe(403)
  expect((await own.ask('GET', `/api/docs/${doc}`)).status).toBe(401)
  expect(await statusAfter(5)).toBe(303)
  await own.stop()
  await issuer.stop()
})

test('[ADMINPAGE-6] each act on the pages takes effect', async () => {
  await fresh()
  const [ana, bob] = [await join(), await join()]
  const doc = (await call(ana.visitor, 'POST', '/api/docs', { content: '# Deed' })).id
  const invited = await (await act('invite', { email: 'invited@example.org' })).text()
  const link = /<code>([^<]+)<\/code>/.exec(invited)?.[1] ?? ''
  expect((await newVisitor().visit(link)).text).toContain('You are invited')
  const reset = /<code>([^<]+)<\/code>/.exec(await (await act('reset', { account: ana.id })).text())?.[1] ?? ''
  expect((await newVisitor().visit(reset)).text).toContain(ana.email)
  expect((await act('transfer', { doc, to: bob.email })).status).toBe(303)
  expect([await status(ana.visitor, `/api/docs/${doc}`), await status(bob.visitor, `/api/docs/${doc}`)]).toEqual([404, 200])
  expect((await act('takeDown', { doc })).status).toBe(303)
  expect(await status(bob.visitor, `/api/docs/${doc}`)).toBe(451)
  expect((await act('restore', { doc })).status).toBe(303)
  expect(await status(bob.visitor, `/api/docs/${doc}`)).toBe(200)
  const { token } = await call(bob.visitor, 'POST', '/api/me/tokens', { name: 'x' })
  const { node } = await call(bob.visitor, 'POST', '/api/me/nodes', { name: 'x' })
  await act('revokeToken', { token_id: token.id })
  await act('revokeNode', { node: node.id })
  expect((await call(bob.visitor, 'GET', '/api/me/tokens')).tokens).toEqual([])
  expect((await call(bob.visitor, 'GET', '/api/me/nodes')).nodes).toEqual([])
  await act('endSessions', { account: ana.id })
  expect(await status(ana.visitor)).toBe(401)
  await act('disable', { account: ana.id })
  await act('enable', { account: ana.id })
  expect(await status(await signIn(world.url, ana.email))).toBe(200)
  expect((await act('deletePerson', { account: bob.email, documents: 'keep', to: ana.email })).status).toBe(303)
  expect(await status(bob.visitor)).toBe(401)
  expect(await status(await signIn(world.url, ana.email), `/api/docs/${doc}`)).toBe(200)
  // A page refuses an action on the administrator's own account, or on an account that does not exist.
  expect((await act('disable', { account: rootAccount.id })).status).toBe(400)
  expect((await act('disable', { account: 'nobody' })).status).toBe(404)
})

test('[ADMINPAGE-7] samples of the load are taken, kept for a while, and drawn as charts with a text alternative', async () => {
  // The timers of the other world would hide that this one has none yet.
  const ownClock = testClock()
  const own = await startWorld({ clock: ownClock })
  await until(async () => (await listLoad(own.service, 0)).length === 1)
  // The sweep of old records has the same period.
  expect(limits.sweepMinutes).toBe(limits.loadMinutes)
  await until(() => ownClock.awaits(limits.loadMinutes * minuteMs, 2))
  ownClock.advance(limits.loadMinutes * minuteMs)
  await until(async () => (await listLoad(own.service, 0)).length === 2)
  expect((await listLoad(own.service, 0))[1]).toMatchObject({
    at: ownClock.now(),
    people: 0,
    documents: 0,
    storeBytes: expect.any(Number) as number
  })
  await own.stop()
  const { service } = world
  for (const n of [1, 2, 3]) {
    clock.advance(minuteMs)
    await recordLoad(service, { people: n * 7, documents: n, storeBytes: 3 * 1024 * 1024, assetBytes: null })
  }
  await fresh()
  const text = await page(root, '/admin')
  expect(text).toContain('aria-label="People connected: 21 now, at most 21"')
  expect(text).toContain('aria-label="Store on disk: 3 MiB now, at most 3 MiB"')
  expect(await page(root, '/admin?period=month')).toContain('class="stat-line"')
  const first = clock.now()
  clock.advance(limits.loadDays * 24 * 3600_000)
  await recordLoad(service, { people: 1, documents: 1, storeBytes: 1, assetBytes: 1 })
  expect((await listLoad(service, 0)).every(({ at }) => at >= first - minuteMs)).toBe(true)
})

test('[ADMINPAGE-8] names and titles are text', async () => {
  const { visitor, id } = await join()
  await fresh()
  await call(visitor, 'PATCH', '/api/me', { name: '<img src=x onerror=alert(1)>' })
  const { id: doc } = await call(visitor, 'POST', '/api/docs', { content: '# <script>alert(1)</script>' })
  await call(visitor, 'POST', '/api/me/tokens', { name: '"><b>bold' })
  for (const path of [
    `/admin/people`,
    `/admin/person?id=${id}`,
    `/admin/document?id=${doc}`,
    '/admin/documents',
    '/admin/access',
    '/admin/audit'
  ])
    expect(await page(root, path)).not.toMatch(/<img src=x|<script>alert|<b>bold/)
  expect(await page(root, `/admin/people?q=${encodeURIComponent('"><b>bold')}`)).not.toContain('<b>bold')
})
