/** The first call leads to the next one: the answers to a program that received a link and nothing else. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { headMark } from '../../shared/document-head.ts'
import { roles } from '../../shared/roles.ts'
import { refused, told as toldBy } from '../support/mcp.ts'
import { assignmentOf, requestFor } from '../support/reviews.ts'
import { type Answer, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const open = (doc: string, key: string | undefined, accept: string | undefined, method = 'GET'): Promise<Answer> =>
  world.ask(method, `/d/${doc}${key === undefined ? '' : `?key=${key}`}`, { headers: accept === undefined ? {} : { Accept: accept } })

/** Divides an answer into its head and the text after it. */
const parted = (text: string): { head: string; content: string } => {
  const end = text.indexOf('-->\n')
  return { head: text.slice(0, end), content: text.slice(end + 4) }
}

test('[FIRST-6] a program that accepts anything gets the text after a head, which says what it may do and how', async () => {
  const owner = await world.create('---\ntitle: "Ends --> it"\n---\n# Notes\n\nWords.\n')
  const { content: text, version } = await owner.read()
  await owner.ask('POST', '/tasks', { json: requestFor({ title: 'Check --!> it' }) })
  for (const accept of ['*/*', undefined, 'text/markdown, text/html, */*', 'image/avif,*/*;q=0.5']) {
    const answer = await open(owner.doc, owner.key, accept)
    expect(answer.headers.get('Content-Type'), accept).toBe('text/markdown; charset=utf-8')
    const { head, content } = parted(answer.text)
    expect(content).toBe(text)
    expect(head.startsWith(headMark)).toBe(true)
    for (const told of [
      'title: "Ends -- > it"',
      'role: owner',
      `version: ${version}`,
      '1: "Check -- !> it" (open)',
      '/edits',
      '/agents.md'
    ])
      expect(head).toContain(told)
    expect(head).not.toContain(owner.key)
    expect(answer.headers.get('Vary')).toContain('Accept')
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    expect(answer.headers.get('X-Doc-Version')).toBe(version)
  }
  for (const role of roles) {
    const { key } = await owner.share(role)
    const { head } = parted((await open(owner.doc, key, '*/*')).text)
    expect(head).toContain(`role: ${role}`)
    expect(head.includes('\nedit: POST'), role).toBe(role === 'edit' || role === 'owner')
    expect(head.includes('\nsuggest: POST'), role).toBe(role === 'suggest')
    expect(head.includes('\ncomment: POST'), role).toBe(role !== 'view')
  }
})

test('[FIRST-6] a request for only Markdown or JSON, a part or a version reads the text without the head', async () => {
  const owner = await world.create('# One\n\n## Two\n\nHere.\n')
  expect((await open(owner.doc, owner.key, 'text/markdown')).text).toBe('# One\n\n## Two\n\nHere.\n')
  expect((await open(owner.doc, owner.key, 'application/json')).json).toMatchObject({ title: 'One' })
  expect((await world.ask('GET', `/d/${owner.doc}?key=${owner.key}&section=Two`)).text).toBe('## Two\n\nHere.\n')
  expect((await world.ask('GET', `/d/${owner.doc}.md?key=${owner.key}`)).text).toBe('# One\n\n## Two\n\nHere.\n')
})

test('[FIRST-6] HEAD, If-None-Match and If-Match work with the tag of the head', async () => {
  const owner = await world.create('# One\n')
  const answer = await open(owner.doc, owner.key, '*/*')
  const tag = answer.headers.get('ETag') ?? ''
  const head = await open(owner.doc, owner.key, '*/*', 'HEAD')
  expect(head).toMatchObject({ status: 200, text: '' })
  expect(head.headers.get('ETag')).toBe(tag)
  expect(Number(head.headers.get('Content-Length'))).toBe(Buffer.byteLength(answer.text))
  const again = (): Promise<Answer> => world.ask('GET', `/d/${owner.doc}?key=${owner.key}`, { headers: { 'If-None-Match': tag } })
  expect((await again()).status).toBe(304)
  // The head lists open tasks, so it has changed although the text is the same.
  await owner.ask('POST', '/tasks', { json: requestFor() })
  expect((await again()).status).toBe(200)
  expect((await owner.replace('# Two\n', { ifMatch: tag })).changed).toBe(true)
  await expect(owner.replace('# Three\n', { ifMatch: tag })).rejects.toMatchObject({ code: 'version_conflict' })
})

test('[FIRST-7] the HTML of the page has title and pointer for callers who may read it, for any text', async () => {
  for (const content of ['# <i>Herons</i> & co\n\nWords.\n', '']) {
    const owner = await world.create({ content, title: '<i>Herons</i> & co' })
    const { status, text } = await open(owner.doc, owner.key, page)
    expect(status).toBe(200)
    expect(text).toContain('<title>&lt;i&gt;Herons&lt;/i&gt; &amp; co</title>')
    expect(text).toContain('<h1>&lt;i&gt;Herons&lt;/i&gt; &amp; co</h1>')
    expect(text).toContain('href="/agents.md"')
    expect((await open(owner.doc, undefined, page)).text).not.toContain('Herons')
  }
})

test('[FIRST-8] an unreadable page always returns the same 404, and 410 to holders of a key of a deleted document', async () => {
  const [owner, other, gone] = [await world.create('# One'), await world.create('# Other'), await world.create('# Gone')]
  await gone.ask('DELETE', '')
  const of = async (doc: string, key?: string): Promise<[number, string, string | null]> => {
    const { status, text, headers } = await open(doc, key, page)
    return [status, text, headers.get('ETag')]
  }
  const [status, text, tag] = await of('unknownunknown', other.key)
  expect([status, tag]).toEqual([404, null])
  expect(text).toContain('<div id="app">')
  // The browser may have stored a key that the address does not contain.
  const [without, ...others] = await Promise.all([owner.doc, gone.doc, 'unknownunknown'].map((doc) => of(doc)))
  expect(without?.slice(0, 2)).toEqual([200, text])
  expect(others).toEqual([without, without])
  for (const [doc, key] of [
    [owner.doc, other.key],
    [owner.doc, 'A'.repeat(32)],
    ['unknownunknown', owner.key],
    ['x', owner.key]
  ] as const)
    expect(await of(doc, key), `${doc} ${key}`).toEqual([404, text, null])
  expect((await of(gone.doc, gone.key))[0]).toBe(410)
  // The page in the browser's cache must not be treated as unchanged.
  const kept = (await world.ask('GET', '/', { headers: { Accept: page } })).headers.get('ETag') ?? ''
  expect((await world.ask('GET', `/d/unknownunknown?key=${other.key}`, { headers: { Accept: page, 'If-None-Match': kept } })).status).toBe(
    404
  )
  for (const [doc, key, expected] of [
    [owner.doc, undefined, 401],
    ['unknownunknown', undefined, 401],
    [owner.doc, 'A'.repeat(32), 401],
    ['unknownunknown', owner.key, 404],
    [gone.doc, gone.key, 410]
  ] as const)
    expect((await open(doc, key, '*/*')).status, `${doc} ${key}`).toBe(expected)
})

test('[FIRST-9] the link of an assignment shows it wherever its holder reads first; no other link does', async () => {
  const owner = await world.create('# One\n')
  const { json } = await owner.ask('POST', '/tasks', { json: requestFor({ title: 'Check the tone', instructions: 'Is it\nkind?' }) })
  const { id, by } = assignmentOf(world, json.task)
  const reader = by()
  const { key } = reader
  const reads = async (who: Person): Promise<unknown[]> => [
    (await who.ask('GET', '')).json.assignment,
    (await who.ask('GET', '/content', { headers: { Accept: 'application/json' } })).json.assignment,
    (await toldBy(world.url, 'read_doc', { doc: who.doc, key: who.key })).assignment
  ]
  const told = { taskId: id, title: 'Check the tone', instructions: 'Is it\nkind?', status: 'open' }
  for (const assignment of await reads(reader)) expect(assignment).toMatchObject(told)
  const [inMetadata, , byTool] = (await reads(reader)) as { next: string }[]
  expect(inMetadata?.next).toBe(`POST ${world.url}/api/docs/${owner.doc}/tasks/${id}/start`)
  expect(byTool?.next).toContain('start_review_task')
  const { head } = parted((await open(owner.doc, key, '*/*')).text)
  for (const each of ['"Check the tone", open', 'instructions: "Is it kind?"', `next: ${inMetadata?.next}`]) expect(head).toContain(each)
  const started = await by('Ada').start()
  expect(started.json.next).toContain(`/tasks/${id}/report`)
  expect((await by('Ada').report()).json.next).toContain('Nothing is left')
  for (const who of [owner, await owner.share('suggest')]) expect(await reads(who)).toEqual([undefined, undefined, undefined])
})

test('[SLIP-9] text with the head before it is refused by every way of writing', async () => {
  const owner = await world.create('# One\n')
  const { text } = await open(owner.doc, owner.key, '*/*')
  const before = (await owner.events()).latest
  const ways: Promise<Answer>[] = [
    owner.ask('PUT', '/content', { json: { content: text } }),
    owner.ask('PUT', '/content', { body: `\uFEFF\r\n${text}`, type: 'text/markdown' }),
    owner.ask('PUT', '/content', { json: { content: text, mode: 'suggest' } }),
    owner.ask('POST', '/edits', { json: { operations: [{ op: 'set_document', markdown: text }] } }),
    world.ask('POST', '/api/docs', { json: { content: text } })
  ]
  for (const answer of await Promise.all(ways)) {
    expect(answer, answer.text).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
    expect(answer.text).toContain('leave that comment out')
  }
  expect(JSON.stringify(await refused(world.url, 'replace_doc', { doc: owner.doc, key: owner.key, content: text, force: true }))).toContain(
    'leave that comment out'
  )
  expect((await owner.read()).content).toBe('# One\n')
  expect((await owner.events()).latest).toBe(before)
})
