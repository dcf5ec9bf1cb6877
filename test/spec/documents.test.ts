import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import type { Entry, Key } from '../../server/domain/ports.ts'
import { anonymous } from '../../server/domain/rights/caller.ts'
import { capabilities } from '../../server/domain/documents/documents.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { roles } from '../../shared/roles.ts'
import { type Answer, ask, type Json, type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test.each(['/new', '/api/docs'])('[DOC-1] POST %s creates a document and returns metadata, address and owner key', async (path) => {
  const { status, headers, json } = await world.ask('POST', path, { json: { title: 'Plan', content: '# One\n' } })
  expect(status).toBe(201)
  expect(json).toMatchObject({
    title: 'Plan',
    kind: 'live',
    role: 'owner',
    effectiveRole: 'owner',
    published: false,
    publishedAt: null,
    owner: { kind: 'anonymous' }
  })
  expect(json.id).toMatch(/^[A-Za-z0-9_-]{12,22}$/)
  expect(json.key).toMatch(/^[A-Za-z0-9_-]{32}$/)
  expect(json.url).toBe(`${world.url}/d/${json.id}?key=${json.key}`)
  expect(headers.get('Location')).toBe(json.url)
  expect(new Date(json.createdAt).toISOString()).toBe(json.createdAt)
  const { doc, ...flat } = json
  expect(doc).toEqual(flat)
  expect(await world.person(json.id, json.key).read()).toEqual({ content: '# One\n', version: json.version })
})

test('[DOC-2] markdown is an alias of content; if both are sent, content wins', async () => {
  expect((await (await world.create({ markdown: 'alias' })).read()).content).toBe('alias')
  expect((await (await world.create({ markdown: 'alias', content: 'content' })).read()).content).toBe('content')
  expect((await (await world.create({ markdown: 'alias', content: '' })).read()).content).toBe('')
})

test('[DOC-2] unknown fields are refused, and the body may be the Markdown itself', async () => {
  const refused = { status: 400, json: { hint: expect.stringContaining('content') } }
  for (const json of [{ content: 'a', nonsense: { deep: [1] } }, { body: '# Lost' }, { text: '# Lost' }])
    for (const path of ['/new', '/api/docs']) expect(await world.ask('POST', path, { json })).toMatchObject(refused)
  const { status, json } = await world.ask('POST', '/new', { body: '# Raw\n', type: 'text/markdown' })
  expect(status).toBe(201)
  expect(json.title).toBe('Raw')
  expect((await world.ask('POST', '/new')).status).toBe(201)
})

test.each([
  [{ title: ' Given ', content: '# Heading' }, 'Given'],
  [{ content: '\n## The **first** heading ##\n# Second' }, 'The first heading'],
  [{ content: 'text\n\n## Section\n' }, 'text'],
  [{ content: 'text\n\n# Heading\n' }, 'Heading'],
  [{ content: '```\n# not this\n```\n# This' }, 'This'],
  [{ title: '   ', content: '\n- no **heading**\n' }, 'no heading'],
  [{ title: 'Given', content: '---\ntitle: Set\n---\n# Heading' }, 'Set'],
  [{}, 'Untitled']
])('[DOC-3] the title is the given one, else the first heading or line, else Untitled: %j', async (fields, title) => {
  const owner = await world.create(fields)
  expect(owner.created.title).toBe(title)
  expect((await owner.ask('GET', '')).json.title).toBe(title)
})

test('[DOC-31] the edit role sets a title, or lets it follow the text again; one event reports it', async () => {
  const owner = await world.create('# Heading')
  const [editor, suggester] = [await owner.share('edit'), await owner.share('suggest')]
  const name = (who: Person, title: unknown): Promise<Answer> => who.ask('PATCH', '', { json: { title } })
  const page = await owner.connect()
  expect((await name(editor, ' Minutes ')).json).toMatchObject({ title: 'Minutes', givenTitle: 'Minutes', doc: { title: 'Minutes' } })
  expect((await name(editor, 'Minutes')).status).toBe(200)
  expect((await owner.ask('GET', '')).json.title).toBe('Minutes')
  const renamed = async (): Promise<Json[]> => (await owner.events()).events.filter(({ type }: Json) => type === 'doc.renamed')
  expect(await renamed()).toMatchObject([{ payload: { title: 'Minutes', givenTitle: 'Minutes' } }])
  await until(() => page.messages.some(({ event }) => event?.type === 'doc.renamed'), 'the open page hears')
  for (const none of [null, '  ']) {
    await name(editor, 'Minutes')
    expect((await name(editor, none)).json).toMatchObject({ title: 'Heading', givenTitle: null })
  }
  expect((await renamed()).at(-1)).toMatchObject({ payload: { title: 'Heading', givenTitle: null } })
  const events = (await owner.events()).events.length
  expect((await name(suggester, 'Mine')).status).toBe(403)
  for (const bad of [undefined, 7, 'x'.repeat(limits.titleUnitsMax + 1), 'two\nlines']) expect((await name(editor, bad)).status).toBe(400)
  expect((await owner.events()).events).toHaveLength(events)
  // The title in the front matter takes precedence.
  await owner.replace('---\ntitle: Set\n---\n# Heading')
  expect((await name(editor, 'Given')).json).toMatchObject({ title: 'Set', givenTitle: 'Given' })
})

const documentsStored = async (): Promise<number> => (await world.service.storage.list(['key'])).length

test('[DOC-4] GET /new shows a page to a client that asks for HTML, and creates nothing', async () => {
  const before = await documentsStored()
  const { status, headers } = await world.ask('GET', '/new', { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  expect([200, 503]).toContain(status)
  expect(headers.get('Location')).toBeNull()
  expect(await documentsStored()).toBe(before)
})

test('[DOC-5] GET /new redirects any other client to a new document', async () => {
  const { status, headers } = await world.ask('GET', '/new')
  expect(status).toBe(303)
  const at = new URL(headers.get('Location') ?? '')
  const [, id] = /^\/d\/([\w-]+)$/.exec(at.pathname) ?? []
  expect(await world.person(id ?? '', at.searchParams.get('key') ?? '').read()).toMatchObject({ content: '' })
})

test('[BUDGET-9] no foreign page, prefetch or monitor creates a document by GET or HEAD /new', async () => {
  const before = await documentsStored()
  const visits: [string, Record<string, string>][] = [
    ['HEAD', {}],
    ['HEAD', { Accept: 'text/html' }],
    ...['cross-site', 'same-site', 'same-origin', 'none'].map((site): [string, Record<string, string>] => [
      'GET',
      { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'image', Accept: 'image/avif,image/webp,*/*;q=0.8' }
    ]),
    ['GET', { 'Sec-Fetch-Site': 'cross-site' }],
    ['GET', { 'Sec-Purpose': 'prefetch' }],
    ['GET', { Purpose: 'prefetch' }],
    ['GET', { 'X-Purpose': 'preview' }],
    ['GET', { 'X-Moz': 'prefetch' }],
    // This is an image request of an older browser.
    ['GET', { Accept: 'image/webp,image/png,*/*;q=0.8' }]
  ]
  for (const [method, headers] of visits) {
    const answer = await world.ask(method, '/new', { headers })
    expect([200, 503], `${method} ${JSON.stringify(headers)}`).toContain(answer.status)
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/(html|plain)/)
    expect(answer.headers.get('Location')).toBeNull()
  }
  expect(await documentsStored()).toBe(before)
})

test('[BUDGET-10] pages open sockets only to their own service, and prefetch no names', async () => {
  const own = await startWorld({ env: { AGMD_BASE_URL: 'https://agmd.example' } })
  const { id, key } = (await ask(own.listening, 'POST', '/new', { json: { content: '# Page' } })).json
  await ask(own.listening, 'POST', `/api/docs/${id}/publish`, { key })
  const headersOf = async (path: string): Promise<Headers> =>
    (await ask(own.listening, 'GET', path, { headers: { Accept: 'text/html' } })).headers
  const policies = (await headersOf(`/d/${id}`)).get('Content-Security-Policy')?.split('; ')
  expect(policies?.find((each) => each.startsWith('connect-src'))).toBe("connect-src 'self' wss://agmd.example")
  for (const path of ['/', `/d/${id}`, `/pub/${id}`, '/embed/widget', '/sign-in', '/nothing', '/openapi.json']) {
    const headers = await headersOf(path)
    expect(headers.get('X-DNS-Prefetch-Control'), path).toBe('off')
    expect(headers.get('Content-Security-Policy'), path).not.toMatch(/ wss?:( |;|$)/)
  }
  await own.stop()
})

test('[DOC-19] with a valid session a name that is not a document id is an unknown document, however long it is', async () => {
  const account = await createAccount(world.service, { email: 'long@example.org', password: 'correct horse battery' })
  const { token } = await openSession(world.service, account?.id ?? '', 'app', 'a test')
  for (const id of ['x', 'x'.repeat(2000), '__proto__', '%20'])
    for (const path of ['', '/content', '/outline', '/events', '/revisions/1'])
      expect(
        await world.ask('GET', `/api/docs/${id}${path}`, { headers: { Authorization: `Bearer ${token}` } }),
        `${id.slice(0, 20)} ${path}`
      ).toMatchObject({
        status: 404
      })
})

test('[DOC-6] a form post to /new is redirected to a new document', async () => {
  const { status, headers } = await world.ask('POST', '/new', { body: '', type: 'application/x-www-form-urlencoded' })
  expect(status).toBe(303)
  expect(headers.get('Location')).toMatch(/\/d\/[\w-]+\?key=[\w-]{32}$/)
})

test('[DOC-6] a form may contain title and text', async () => {
  const form = new URLSearchParams({ title: 'By form', content: 'one\r\ntwo' }).toString()
  const { headers } = await world.ask('POST', '/new', { body: form, type: 'application/x-www-form-urlencoded' })
  const address = new URL(headers.get('Location') ?? '')
  const key = address.searchParams.get('key') ?? ''
  expect((await world.ask('GET', `${address.pathname}.md`, { key })).text).toBe('one\ntwo')
  expect((await world.ask('GET', `/api${address.pathname.replace('/d/', '/docs/')}`, { key })).json.title).toBe('By form')
})

test.each(roles)('[DOC-7] the metadata shows %s its role and operations, and never the key', async (role) => {
  const owner = await world.create('# Meta')
  const person = role === 'owner' ? owner : await owner.share(role)
  const { status, json, text } = await person.ask('GET', '')
  expect(status).toBe(200)
  expect(json).toMatchObject({ id: owner.doc, title: 'Meta', role, effectiveRole: role, owner: { kind: 'anonymous' }, publishedAt: null })
  expect(json.capabilities).not.toContain('claimDocument')
  expect(json.capabilities).toEqual(capabilities({ role, task: null, identity: anonymous.identity }))
  expect(json.capabilities.includes('replaceContent')).toBe(role === 'edit' || role === 'owner')
  expect(json.capabilities.includes('deleteDocument')).toBe(role === 'owner')
  expect(text).not.toContain(owner.key)
  const { doc, ...flat } = json
  expect(doc).toEqual(flat)
})

test('[DOC-8] /d/{id}.md and …/content return the Markdown with its version, and forbid storing it', async () => {
  const owner = await world.create('# Ä\n\n😀\n')
  for (const path of [`/d/${owner.doc}.md`, `/api/docs/${owner.doc}/content`]) {
    const { status, headers, text } = await world.ask('GET', path, { query: { key: owner.key } })
    expect({ status, text }).toEqual({ status: 200, text: '# Ä\n\n😀\n' })
    expect(headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(headers.get('X-Doc-Version')).toBe(owner.created.version)
    expect(headers.get('ETag')).toBe(`"${owner.created.version}"`)
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    const head = await world.ask('HEAD', path, { key: owner.key })
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    expect(head.headers.get('ETag')).toBe(`"${owner.created.version}"`)
  }
})

test('[DOC-9] If-None-Match with the current version returns 304 without a body', async () => {
  const owner = await world.create('one')
  const held = { headers: { 'If-None-Match': `"${owner.created.version}"` } }
  const { status, text, headers } = await owner.ask('GET', '/content', held)
  expect({ status, text }).toEqual({ status: 304, text: '' })
  expect(headers.get('ETag')).toBe(`"${owner.created.version}"`)
  await owner.replace('two')
  expect(await owner.ask('GET', '/content', held)).toMatchObject({ status: 200, text: 'two' })
})

test('[DOC-10] …/content returns JSON to a client that accepts only that, and 406 to one that accepts no available type', async () => {
  const owner = await world.create('# T\n')
  const json = await owner.ask('GET', '/content', { headers: { Accept: 'application/json' } })
  expect(json.json).toEqual({ content: '# T\n', version: owner.created.version, title: 'T' })
  expect(json.headers.get('Vary')).toContain('Accept')
  const refused = await owner.ask('GET', '/content', { headers: { Accept: 'image/png' } })
  expect(refused).toMatchObject({ status: 406, json: { code: 'not_acceptable' } })
})

test('[DOC-32] JSON reads of a version contain its exact text and the current title', async () => {
  const hard = '"\\\t\u2028\u001b\u007f é 漢 😀 </script>\n'
  const owner = await world.create(hard)
  const read = async (version?: string): Promise<Json> =>
    (await owner.ask('GET', '/content', { headers: { Accept: 'application/json' }, ...(version !== undefined && { query: { version } }) }))
      .json
  const first = owner.created.version
  const { title } = await read()
  expect(await read()).toEqual({ content: hard, version: first, title })
  await owner.ask('PATCH', '', { json: { title: 'Say "it"' } })
  expect(await read()).toEqual({ content: hard, version: first, title: 'Say "it"' })
  // Each of these characters needs six bytes in JSON.
  const controls = '\u0001'.repeat(100)
  const { version } = await owner.replace(controls)
  for (let round = 0; round < 2; round++) expect(await read()).toEqual({ content: controls, version, title: 'Say "it"' })
  expect(await read(first)).toEqual({ content: hard, version: first, title: 'Say "it"' })
})

test('[DOC-11] the page address returns Markdown to a client that accepts it', async () => {
  const owner = await world.create('# Page')
  const { status, text, headers } = await world.ask('GET', `/d/${owner.doc}`, { key: owner.key, headers: { Accept: 'text/markdown' } })
  expect({ status, text }).toEqual({ status: 200, text: '# Page' })
  expect(headers.get('X-Doc-Version')).toBe(owner.created.version)
})

test('[DOC-12] any version ever issued stays readable: after edits, compaction and a restart', { timeout: 60_000 }, async () => {
  let own = await startWorld()
  let owner = await own.create('')
  const seen = new Map<string, string>([[owner.created.version, '']])
  const editor = await owner.connect()
  for (let round = 0; round < 20; round++) {
    for (let word = 0; word < 30; word++) editor.type(0, `${word} `)
    await editor.saved()
    const { content, version } = await owner.read()
    seen.set(version, content)
    // This text does not compress, so the journal grows quickly.
    const text = `round ${round}\n${randomBytes(60_000).toString('base64')}`
    seen.set((await owner.replace(text)).version, text)
    await editor.shows(text)
  }
  await until(async () => (await own.service.storage.list(['d', owner.doc, 'history'])).length > 0, 'compaction')
  const check = async (): Promise<void> => {
    for (const [version, content] of seen) expect(await owner.at(version), version).toBe(content)
  }
  await check()
  const kept = await owner.read()
  own = await own.restart()
  owner = Object.assign(own.person(owner.doc, owner.key), { created: owner.created })
  expect(await owner.read()).toEqual(kept)
  await check()
  await own.stop()
})

test('[DOC-13] a version that this document never had returns 404 unknown_version', async () => {
  const [one, other] = [await world.create('same'), await world.create('same')]
  for (const version of [other.created.version, '1-000000000000', '99-000000000000', 'nonsense', '', '*'])
    expect(await one.ask('GET', '/content', { query: { version } }), version).toMatchObject({
      status: 404,
      json: { code: 'unknown_version' }
    })
})

/** Returns all entries of the store that concern documents. */
const wholeStore = async (from: World): Promise<Entry[]> => {
  const all: Entry[] = []
  const walk = async (prefix: Key): Promise<void> => {
    all.push(...(await from.service.storage.list(prefix)))
  }
  for (const root of ['d', 'key', 'deletion', 'request']) await walk([root])
  return all
}

const contains = (entries: readonly Entry[], needle: string): Key[] =>
  entries.filter((entry) => JSON.stringify(entry.key).includes(needle) || Buffer.from(entry.value).includes(needle)).map(({ key }) => key)

test('[DOC-14] permanent deletion removes text, title, labels, events and remembered answers from the store', async () => {
  const own = await startWorld()
  const owner = await own.create({ title: 'zebra-title', content: 'zebra-text' })
  const editor = await owner.connect()
  editor.type(0, 'zebra-typed ')
  await editor.saved()
  await owner.replace('zebra-put', { label: 'zebra-label', headers: { 'Idempotency-Key': 'zebra-key', 'X-Agent-Author': 'zebra-author' } })
  await owner.share('view', { label: 'zebra-share' })
  expect(contains(await wholeStore(own), 'zebra').length).toBeGreaterThan(5)
  expect(await owner.ask('DELETE', '', { query: { permanent: 1 } })).toMatchObject({ status: 200, json: { ok: true, deleted: true } })
  const left = await wholeStore(own)
  expect(contains(left, 'zebra')).toEqual([])
  expect(left.filter(({ key }) => key[0] === 'd').map(({ key }) => key)).toEqual([['d', owner.doc]])
  await own.stop()
})

test('[DOC-15] a deleted document returns 410 to holders of its links and 401 to everyone else', async () => {
  const owner = await world.create('gone soon')
  const viewer = await owner.share('view')
  const former = await owner.share('edit')
  await owner.ask('DELETE', `/shares/${former.key}`)
  const stranger = await world.create('other')
  await owner.ask('DELETE', '')
  for (const person of [owner, viewer])
    for (const path of ['', '/content', '/shares', '/revisions'])
      expect(await person.ask('GET', path), path).toMatchObject({ status: 410, json: { code: 'document_deleted' } })
  expect(await viewer.ask('DELETE', '')).toMatchObject({ status: 410 })
  expect(await owner.ask('PUT', '/content', { json: { content: 'x' } })).toMatchObject({ status: 410 })
  const bare = await world.ask('GET', `/api/docs/${owner.doc}`)
  expect(bare).toMatchObject({ status: 401, json: { code: 'credential_required' } })
  expect(await former.ask('GET', '')).toMatchObject({ status: 401, json: { code: 'credential_invalid' } })
  expect(await world.person(owner.doc, stranger.key).ask('GET', '')).toMatchObject({ status: 404 })
})

test('[DOC-16] a document without a credential returns the same 401 whether or not it exists', async () => {
  const { doc } = await world.create('secret')
  const strip = (json: Record<string, unknown>): unknown => ({ ...json, requestId: '', instance: '' })
  const [there, nowhere] = [await world.ask('GET', `/api/docs/${doc}`), await world.ask('GET', '/api/docs/AAAAAAAAAAAAAAAA')]
  expect(there.status).toBe(401)
  expect(strip(there.json)).toEqual(strip(nowhere.json))
  expect([...there.headers.keys()]).toEqual([...nowhere.headers.keys()])
})

test('[DOC-17] a deletion closes its sockets with 4404 and ends its long polls', async () => {
  const owner = await world.create('open')
  const editor = await owner.connect()
  const poll = owner.ask('GET', '/events', { query: { since: 'latest', wait: 50 } })
  expect(await settledWithin(poll, 50)).toBe('waiting')
  await owner.ask('DELETE', '')
  await until(() => editor.closes.length > 0, 'the close', 1)
  expect(editor.closes[0]).toMatchObject({ code: 4404 })
  expect(await settledWithin(poll, 1000)).toMatchObject({ status: 200, json: { events: [{ kind: 'doc.deleted' }] } })
  expect((await world.service.ledger.findHead(owner.doc))?.deletedAt).not.toBeNull()
})

test('[DOC-18] text typed into a document after its deletion restores none of it', async () => {
  const owner = await world.create('open')
  const editor = await owner.connect()
  const deletion = owner.ask('DELETE', '', { query: { permanent: 1 } })
  editor.type(0, 'ghost ')
  expect((await deletion).status).toBe(200)
  await until(() => editor.closes.length > 0)
  await world.service.ledger.idle()
  expect(contains(await world.service.storage.list(['d', owner.doc]), '')).toEqual([])
})
