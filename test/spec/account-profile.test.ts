/** The name, the password and the deletion of an account, as a browser without scripts uses them. */
import { onTurnedWorld } from '../support/turned-world.ts'
import { expect, test } from 'vitest'
import { finishAccountEnds } from '../../server/domain/accounts/account-end.ts'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { decodeRecord, encodeRecord, type Head, keys } from '../../server/domain/records/keys.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { withLimit } from '../support/limits.ts'
import type { TestClock } from '../support/clock.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { callAs, join as joinAs, type Joined, newVisitor, password, signUp, type Visitor } from '../support/visitor.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

let world: World
let clock: TestClock
onTurnedWorld((turned) => ({ world, clock } = turned))

let people = 0
const join = (): Promise<Joined> => joinAs(world.url, `profile-${++people}@example.org`)

const ask = (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Response> =>
  callAs(world.url, visitor, method, path, json)

const create = async (visitor: Visitor, content: string): Promise<string> =>
  ((await (await ask(visitor, 'POST', '/api/docs', { content })).json()) as Json).id

const status = async (visitor: Visitor): Promise<number> => (await visitor.request(`${world.url}/api/me`)).status

const signInElsewhere = async (email: string, secret = password): Promise<Visitor> => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in`)
  await visitor.submit('/sign-in', { email, password: secret })
  return visitor
}

const errorAt = ({ page }: Visitor, field: string): string | undefined =>
  new RegExp(
    `<input[^>]* id="${field}"[^>]* aria-describedby="${field}-error[^>]* aria-invalid="true" autofocus[\\s\\S]*?id="${field}-error">([^<]*)<`
  ).exec(page.text)?.[1]

test('[ACCT-1] a person renames the account on the page, a program by the API; documents show it, and an empty name is refused at the field', async () => {
  const { visitor } = await join()
  const doc = await create(visitor, '# Named')
  await visitor.visit(`${world.url}/account`)
  await visitor.submit('/account/name', { name: '  Ada\u202ELovelace ' })
  expect(visitor.page.url).toBe(`${world.url}/account?done=name`)
  expect(visitor.page.text).toContain('Name saved.')
  expect(await (await ask(visitor, 'GET', '/api/me')).json()).toMatchObject({ user: { name: 'Ada Lovelace' } })
  expect(((await (await ask(visitor, 'GET', `/api/docs/${doc}`)).json()) as Json).owner.name).toBe('Ada Lovelace')
  await visitor.submit('/account/name', { name: ' \u200B ' })
  expect(visitor.page.status).toBe(422)
  expect(errorAt(visitor, 'name')).toBe('Enter a name.')
  expect(await (await ask(visitor, 'PATCH', '/api/me', { name: 'Countess' })).json()).toMatchObject({
    ok: true,
    user: { name: 'Countess' }
  })
  expect((await ask(visitor, 'PATCH', '/api/me', { name: '' })).status).toBe(400)
  expect((await ask(newVisitor(), 'PATCH', '/api/me', { name: 'x' })).status).toBe(401)
})

test('[ACCT-1] concurrent renames run in turn, and all documents end with the last name; too many waiting ones are refused', async () => {
  const { visitor } = await join()
  const docs = await Promise.all(Array.from({ length: 60 }, (_none, n) => create(visitor, `# ${n}`)))
  const rename = (name: string): Promise<Response> => ask(visitor, 'PATCH', '/api/me', { name })
  const named = await Promise.all(Array.from({ length: 30 }, (_none, n) => rename(`Ada ${n}`)))
  expect(named.map(({ status }) => status)).toEqual(named.map(() => 200))
  const { user } = (await (await ask(visitor, 'GET', '/api/me')).json()) as Json
  for (const doc of docs) expect(((await (await ask(visitor, 'GET', `/api/docs/${doc}`)).json()) as Json).owner.name).toBe(user.name)
  await withLimit('renamesWaitingMax', 2, async () => {
    const statuses = (await Promise.all(Array.from({ length: 12 }, (_none, n) => rename(`Eve ${n}`)))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })
  const last = ((await (await ask(visitor, 'GET', '/api/me')).json()) as Json).user.name
  expect(((await (await ask(visitor, 'GET', `/api/docs/${docs[0]}`)).json()) as Json).owner.name).toBe(last)
})

test('[ACCT-2] [ACCT-24] a new password requires the current one, ends every other session and node token, and leaves this browser signed in', async () => {
  const { visitor, email, id } = await join()
  const other = await signInElsewhere(email)
  await ask(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })
  await visitor.visit(`${world.url}/account/password`)
  await visitor.submit('/account/password', { current_password: 'wrong wrong wrong', password: 'another horse battery' })
  expect(visitor.page.status).toBe(422)
  expect(errorAt(visitor, 'current_password')).toBe('Wrong password.')
  expect(visitor.page.text).not.toMatch(/wrong wrong wrong|another horse battery/)
  expect(visitor.page.text).not.toContain('another horse battery')
  await visitor.submit('/account/password', { current_password: password, password: 'short' })
  expect(errorAt(visitor, 'password')).toBe('Use at least 10 characters.')
  expect(await status(other)).toBe(200)
  await visitor.submit('/account/password', { current_password: password, password: 'another horse battery' })
  expect(visitor.page.text).toContain('Password changed.')
  expect([await status(visitor), await status(other)]).toEqual([200, 401])
  expect(await world.service.storage.list(keys.accountNodes(id))).toEqual([])
  // The broker accepts neither an earlier session nor the old password.
  expect((await other.visit(`${world.url}/sign-in`)).text).toContain('name="password"')
  expect(await status(await signInElsewhere(email))).toBe(401)
  expect(await status(await signInElsewhere(email, 'another horse battery'))).toBe(200)
})

test('[ACCT-3] the current password cannot be guessed in bulk: attempts count with those of signing in', async () => {
  const limited = await startWorld({ clock, env: { AGMD_RATE_LIMITS: 'on' } })
  const visitor = await signUp(limited.url, 'tries@example.org')
  let answer = 422
  for (let tries = 0; tries < 30 && answer === 422; tries++) {
    await visitor.visit(`${limited.url}/account/${tries % 2 === 0 ? 'password' : 'delete-account'}`)
    answer = (
      await visitor.submit(tries % 2 === 0 ? '/account/password' : '/account/delete-account', {
        current_password: `wrong ${tries}`,
        password: 'another horse battery'
      })
    ).status
  }
  expect(answer).toBe(429)
  expect(errorAt(visitor, 'current_password')).toContain('Too many attempts.')
  await limited.stop()
})

test('[ACCT-4] an account is deleted with its password; all access ends at once, and its documents stay open to their links', async () => {
  const { visitor, email, id } = await join()
  const other = await signInElsewhere(email)
  const [linked, alone, published] = [
    await create(visitor, '# Linked'),
    await create(visitor, '# Alone'),
    await create(visitor, '# Published')
  ]
  const trashed = await create(visitor, '# Trashed')
  await ask(visitor, 'DELETE', `/api/docs/${trashed}`)
  const link = (await (await ask(visitor, 'POST', `/api/docs/${linked}/shares`, { role: 'owner' })).json()) as Json
  await ask(visitor, 'POST', `/api/docs/${published}/publish`, {})
  const node = (await (await ask(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })).json()) as Json
  expect(node.token).toMatch(/^anode_/)
  await visitor.visit(`${world.url}/account/delete-account`)
  expect(visitor.page.text).toContain('What happens to your documents?')
  await visitor.submit('/account/delete-account', { current_password: 'wrong wrong', documents: 'trash' })
  expect(errorAt(visitor, 'current_password')).toBe('Wrong password.')
  // The page keeps the person's choice for the documents.
  expect(visitor.page.text).toMatch(/value="trash" checked/)
  expect(await status(visitor)).toBe(200)
  await visitor.submit('/account/delete-account', { current_password: password, documents: 'keep' })
  expect(visitor.page.text).toContain('<h1>Account deleted</h1>')
  expect([await status(visitor), await status(other)]).toEqual([401, 401])
  expect(await status(await signInElsewhere(email))).toBe(401)
  const shown = (await (await world.ask('GET', `/api/docs/${linked}`, { key: link.secret })).json) as Json
  expect(shown.owner).toEqual({ kind: 'anonymous' })
  expect((await world.ask('GET', `/pub/${published}.md`)).status).toBe(200)
  // Nobody could open these documents without the account, so they are in the trash.
  const headOf = async (doc: string): Promise<Head> =>
    decodeRecord<Head>((await world.service.storage.get(keys.head(doc)))?.value ?? new Uint8Array())
  for (const doc of [alone, trashed]) {
    const head = await headOf(doc)
    expect(head.trashedUntil).toBeGreaterThan(clock.now())
    expect(head.owner).toEqual({ kind: 'anonymous' })
  }
  const left = (
    await Promise.all(
      [
        ['account', id],
        ['owned', 'account', id],
        ['trashed', 'account', id],
        ['usage', 'account', id],
        ['account end', id]
      ].map((prefix) => world.service.storage.list(prefix))
    )
  ).flat()
  expect(left.map(({ key }) => key.join(' '))).toEqual([])
  expect(await world.service.storage.get(keys.account(id))).toBeUndefined()
  // The address is free for a new account, which owns nothing.
  const again = await signUp(world.url, email)
  expect(((await (await ask(again, 'GET', '/api/docs')).json()) as Json).docs).toEqual([])
})

test('[ACCT-5] on request the documents of a deleted account go to the trash: their links end at once, editors are disconnected', async () => {
  const { visitor } = await join()
  const doc = await create(visitor, '# Gone')
  const link = (await (await ask(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'edit' })).json()) as Json
  const editor = await world.person(doc, link.secret).connect()
  await visitor.visit(`${world.url}/account/delete-account`)
  await visitor.submit('/account/delete-account', { current_password: password, documents: 'trash' })
  expect((await world.ask('GET', `/d/${doc}.md`, { key: link.secret })).status).toBe(410)
  await expect.poll(() => editor.closes[0]?.code).toBe(4404)
})

test('[ACCT-6] [ACCT-22] the next start finishes a deletion that a crash interrupted', async () => {
  const { visitor, id } = await join()
  const doc = await create(visitor, '# Half')
  await ask(visitor, 'POST', `/api/docs/${doc}/shares`, { role: 'view' })
  // The store now has the state after the first commit of a deletion.
  await world.service.storage.commit({
    puts: [
      { key: keys.accountEnd(id), value: encodeRecord({ account: id, documents: 'keep' }) },
      { key: keys.accountEnd('!'), value: new TextEncoder().encode('{') }
    ],
    deletes: [keys.account(id)]
  })
  expect(await status(visitor)).toBe(401)
  // A record that cannot be read comes first, and delays no other deletion.
  const failed: string[] = []
  await finishAccountEnds(world.service, (account) => failed.push(account))
  expect(failed).toEqual(['!'])
  await world.service.storage.commit({ deletes: [keys.accountEnd('!')] })
  expect(await world.service.storage.list(keys.ownedBy('account', id))).toEqual([])
  expect(await world.service.storage.list(keys.accountSessions(id))).toEqual([])
  expect(await world.service.storage.list(keys.accountEnds())).toEqual([])
})

test('[ACCT-22] a document that cannot be released delays nothing else of its account, and is retried', async () => {
  const { visitor, id } = await join()
  const good = [await create(visitor, '# First')]
  // Documents are released in the order of their creation.
  clock.advance(1)
  const bad = await create(visitor, '# Bad')
  clock.advance(1)
  good.push(await create(visitor, '# Last'))
  const { storage, ledger } = world.service
  const [head, unreadable] = [keys.head(bad), new TextEncoder().encode('{')]
  const before = await storage.get(head)
  await storage.commit({
    puts: [
      { key: keys.accountEnd(id), value: encodeRecord({ account: id, documents: 'keep' }) },
      { key: head, value: unreadable }
    ],
    deletes: [keys.account(id)]
  })
  const failed: string[] = []
  const finish = () => finishAccountEnds(world.service, (account) => failed.push(account))
  await finish()
  expect(failed).toEqual([id])
  for (const doc of good) expect((await ledger.findHead(doc))?.owner.kind).toBe('anonymous')
  expect(await storage.list(keys.accountSessions(id))).toEqual([])
  expect(await storage.list(keys.ownedBy('account', id))).toHaveLength(1)
  await storage.commit({ puts: [{ key: head, value: before?.value ?? unreadable }] })
  await finish()
  expect(failed).toEqual([id])
  expect((await ledger.findHead(bad))?.owner.kind).toBe('anonymous')
  expect(await storage.list(keys.accountEnds())).toEqual([])
})

test('[ACCT-7] with an external issuer the chosen name stays, the page says where the password is, and typing the address deletes the account', async () => {
  const issuer: Issuer = await startIssuer()
  const outside = await startWorld({ clock, env: { AGMD_AUTH_URL: issuer.url, AGMD_AUTH_CLIENT_ID: 'docs' } })
  issuer.person = { sub: 'person-1', name: 'Ana', email: 'ana@example.org', email_verified: true }
  const visitor = newVisitor()
  const enter = (): Promise<unknown> => visitor.visit(`${outside.url}/sign-in?return_to=%2Faccount`)
  const who = async (): Promise<Json> => (await visitor.request(`${outside.url}/api/me`)).json()
  await enter()
  expect(visitor.page.text).toContain('You can change your password there.')
  expect(visitor.page.text).not.toContain('/account/password')
  expect((await visitor.request(`${outside.url}/account/password`)).status).toBe(404)
  await visitor.submit('/account/name', { name: 'Anouk' })
  await enter()
  expect((await who()).user.name).toBe('Anouk')
  await visitor.visit(`${outside.url}/account/delete-account`)
  await visitor.submit('/account/delete-account', { confirmation: 'ana@example' })
  expect(errorAt(visitor, 'confirmation')).toBe('This does not match.')
  expect(visitor.page.text).toContain('value="ana@example"')
  const before = (await who()).user.id
  await visitor.submit('/account/delete-account', { confirmation: 'Ana@example.org' })
  expect(visitor.page.text).toContain('You may still be signed in at')
  expect(await outside.service.storage.list(['identity'])).toEqual([])
  await enter()
  expect((await who()).user.id).not.toBe(before)
  await outside.stop()
  await issuer.stop()
})

test('[ACCT-8] "Forgot password?" explains the reset link in place; fields have labels, keep input except secrets, and declare their kind to password managers', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in`)
  expect(visitor.page.text).toMatch(/<details class="fold"><summary>Forgot password\?<\/summary>\s*<p>Ask the person who runs this server/)
  await visitor.submit('/sign-in', { email: 'typed@example.org', password: 'not this one' })
  expect(visitor.page.text).toContain('value="typed@example.org"')
  expect(errorAt(visitor, 'password')).toBe('Wrong email or password.')
  expect(visitor.page.text).toMatch(/name="email"[^>]*autocomplete="username"/)
  expect(visitor.page.text).toMatch(/name="password"[^>]*autocomplete="current-password"/)
  await visitor.visit(`${world.url}/sign-up`)
  await visitor.submit('/sign-up', { email: 'no address', name: 'Typed Name', password })
  expect(errorAt(visitor, 'email')).toBe('Enter a valid email address.')
  expect(visitor.page.text).toContain('value="Typed Name"')
  expect(visitor.page.text).not.toContain(password)
  expect(visitor.page.text).toMatch(/name="password"[^>]*autocomplete="new-password"/)
})

test('[ACCT-20] signing up leads to the person’s documents unless another page asked; compute nodes stay collapsed while there is none', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-up`)
  await visitor.submit('/sign-up', { email: 'direct@example.org', password })
  expect(new URL(visitor.page.url).pathname).toBe('/')
  await visitor.visit(`${world.url}/account`)
  expect(visitor.page.text).toContain('<details class="fold"><summary>Use your own computer for pictures and speech</summary>')
  expect(visitor.page.text).not.toMatch(/compute node/i)
  expect(visitor.page.text).toContain('<option value="366">1 year</option>')
  await visitor.submit('/account/nodes', { name: 'Laptop' })
  await visitor.visit(`${world.url}/account`)
  expect(visitor.page.text).toContain('<h2 id="nodes">Compute nodes</h2>')
  expect(visitor.page.text).not.toContain('<summary>Use your own computer')
  expect(visitor.page.text).toContain('Laptop')
})

test('[ACCT-21] the language chosen on a page takes precedence over the browser’s', async () => {
  const languageOf = async (cookie: string, asked: string): Promise<string | undefined> => {
    const page = await fetch(`${world.url}/pub/none`, { headers: { cookie, 'accept-language': asked, accept: 'text/html' } })
    return /<html lang="(\w+)"/.exec(await page.text())?.[1]
  }
  expect(await languageOf('', 'de')).toBe('de')
  expect(await languageOf('agmd-language=de', 'en')).toBe('de')
  expect(await languageOf('agmd-language=en', 'de')).toBe('en')
  expect(await languageOf('agmd-language=tlh', 'en')).toBe('en')
})

test('[ACCT-9] account forms are valid only with the token of their session', async () => {
  const [ana, bob] = [await join(), await join()]
  await ana.visitor.visit(`${world.url}/account/delete-account`)
  const token = /name="token" value="([^"]+)"/.exec(ana.visitor.page.text)?.[1] ?? ''
  for (const path of ['name', 'password', 'delete-account']) {
    const answer = await bob.visitor.request(`${world.url}/account/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ token, name: 'x', current_password: password, password: 'another horse battery' }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
    })
    expect(answer.status, path).toBe(403)
  }
  expect(await status(bob.visitor)).toBe(200)
})

test('[ACCT-10] after a crash at any commit of a deletion, each document ends up as without a crash', async () => {
  let left = Infinity
  const failing = await startWorld({
    clock,
    storage: (storage) => ({
      get: (key) => storage.get(key),
      list: (prefix, range) => storage.list(prefix, range),
      watch: (prefix, wake) => storage.watch(prefix, wake),
      close: () => storage.close(),
      commit: (batch) => (left-- > 0 ? storage.commit(batch) : Promise.reject(new Error('the process died')))
    })
  })
  const { service } = failing
  // Each round lets one more commit succeed before the crash.
  for (let commits = 0, ended = false; !ended; commits++) {
    const account = (await createAccount(service, { email: `crash-${commits}@example.org`, password })) as Account
    const { token } = await openSession(service, account.id, 'app', 'a test')
    const send = async (path: string, json: unknown): Promise<Json> =>
      (await failing.ask('POST', `/api/docs${path}`, { json, headers: { Authorization: `Bearer ${token}` } })).json
    const docs = [(await send('', { content: '# Linked' })).id, (await send('', { content: '# Alone' })).id]
    await send(`/${docs[0]}/shares`, { role: 'edit' })
    await service.storage.commit({
      puts: [{ key: keys.accountEnd(account.id), value: encodeRecord({ account: account.id, documents: 'trash' }) }],
      deletes: [keys.account(account.id)]
    })
    left = commits
    const failures: unknown[] = []
    const fail = (_account: string, error: unknown): number => failures.push(error)
    await finishAccountEnds(service, fail)
    ended = failures.length === 0
    left = Infinity
    failures.length = 0
    await finishAccountEnds(service, fail)
    expect(failures).toEqual([])
    const heads = await Promise.all(docs.map((doc) => service.ledger.findHead(doc)))
    const expected = { owner: { kind: 'anonymous' }, trashedUntil: expect.any(Number) }
    expect(heads, `after ${commits} commits`).toMatchObject([expected, expected])
  }
  await failing.stop()
})

test('[ACCT-11] a new name appears in documents in the trash too; of concurrent names all show the same', async () => {
  const { visitor } = await join()
  const docs = [await create(visitor, '# Open'), await create(visitor, '# Thrown away')]
  await ask(visitor, 'DELETE', `/api/docs/${docs[1]}`)
  await ask(visitor, 'PATCH', '/api/me', { name: 'Grace' })
  await ask(visitor, 'POST', `/api/docs/${docs[1]}/undelete`)
  const ownerOf = async (doc: string): Promise<string> =>
    ((await (await ask(visitor, 'GET', `/api/docs/${doc}`)).json()) as Json).owner.name
  expect(await Promise.all(docs.map(ownerOf))).toEqual(['Grace', 'Grace'])
  await Promise.all(['One', 'Two', 'Three'].map((name) => ask(visitor, 'PATCH', '/api/me', { name })))
  const { user } = (await (await ask(visitor, 'GET', '/api/me')).json()) as Json
  expect(await Promise.all(docs.map(ownerOf))).toEqual([user.name, user.name])
})

test('[WORDS-5] server-rendered pages use the browser’s language, name it, and vary by it', async () => {
  const german = newVisitor({ headers: { 'Accept-Language': 'de-CH,de;q=0.9,en;q=0.5' } })
  await german.visit(`${world.url}/sign-in`)
  expect(german.page.text).toContain('<html lang="de">')
  expect(german.page.text).toContain('Passwort vergessen?')
  expect(german.page.headers.get('Vary')).toContain('Accept-Language')
  await german.submit('/sign-in', { email: 'typed@example.org', password: 'not this one' })
  expect(errorAt(german, 'password')).toBe('E-Mail oder Passwort ist falsch.')
  await signUp(world.url, 'ludwig@example.org', german)
  for (const path of [
    '/account',
    '/account/password',
    '/account/delete-account',
    '/device',
    '/sign-out',
    '/auth/reset?token=x',
    '/auth/oauth2/device'
  ]) {
    await german.visit(`${world.url}${path}`)
    expect(german.page.text, path).toContain('<html lang="de">')
    expect(german.page.text, path).not.toMatch(/\b(?:the|your|Sign|Delete|password|account|and)\b(?![^<]*>)/)
  }
  const nothing = await german.visit(`${world.url}/pub/abcdefghijkl`)
  expect(nothing.text).toContain('Diese Seite gibt es nicht')
  for (const language of ['fr', 'en-GB,de;q=0.3', '*']) {
    const other = newVisitor({ headers: { 'Accept-Language': language } })
    expect((await other.visit(`${world.url}/sign-in`)).text).toContain('<html lang="en">')
  }
})
