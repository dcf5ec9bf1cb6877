/** The resources and prompts of the MCP endpoint. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { connectClient, rpc } from '../support/mcp.ts'
import { type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const text = '# Plan\n\nIntro.\n\n## Risks & costs\n\nMany.\n'

const ask = async (method: string, params: object, headers: Record<string, string> = {}, query = ''): Promise<Json> =>
  (await rpc(world.url, method, params, { headers, query })).json

const keyOf = ({ key }: Person): Record<string, string> => ({ 'X-Share-Key': key })

test('[MCP-38] a document, its outline, a section, comments and suggestions can be read as resources', async () => {
  const owner = await world.create(text)
  await owner.ask('POST', '/comments', { json: { body: 'Why?', find: 'Intro.' } })
  await owner.ask('POST', '/suggestions', { json: { operation: 'replace', find: 'Many.', text: 'Few.' } })
  const read = async (path: string): Promise<Json> => {
    const uri = `agmd://doc/${owner.doc}${path}`
    const [content, ...others] = (await ask('resources/read', { uri }, keyOf(owner))).result.contents
    expect([content.uri, others]).toEqual([uri, []])
    return content
  }
  expect(await read('')).toMatchObject({ mimeType: 'text/markdown', text })
  expect(await read(`/section/${encodeURIComponent('Plan > Risks & costs')}`)).toMatchObject({ text: '## Risks & costs\n\nMany.\n' })
  expect(JSON.parse((await read('/outline')).text).headings.map(({ title }: Json) => title)).toEqual(['Plan', 'Risks & costs'])
  expect(JSON.parse((await read('/comments')).text).comments).toMatchObject([{ body: 'Why?' }])
  expect(JSON.parse((await read('/suggestions')).text).suggestions).toMatchObject([{ text: 'Few.' }])
})

test('[MCP-38] a resource is refused like its operation, and an unknown one says so', async () => {
  const owner = await world.create(text)
  const other = await world.create('other')
  const read = async (uri: unknown, person?: Person): Promise<Json> =>
    (await ask('resources/read', { uri }, person === undefined ? {} : keyOf(person))).error
  const uri = `agmd://doc/${owner.doc}`
  expect(await read(uri)).toMatchObject({ code: -32602, data: { error: { code: 'credential_required', hint: expect.any(String) } } })
  expect((await read(uri, other)).data.error.code).toBe('not_found')
  expect(await read(`${uri}/section/Nowhere`, owner)).toMatchObject({ code: -32002, data: { error: { code: 'target_not_found' } } })
  for (const odd of [`${uri}/secrets`, `${uri}/section/`, `${uri}/section/%`, `${uri}?key=x`, 'agmd://doc/', 'file:///etc/passwd', 7])
    expect((await read(odd, owner)).code, String(odd)).toBe(-32602)
  const guest = await owner.share('view')
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  expect((await read(uri, guest)).data.error.code).toBe('credential_invalid')
})

test('[MCP-39] the parts of the connection’s document are listed, else the documents of the account', async () => {
  const owner = await world.create(text)
  const { resources } = (await ask('resources/list', {}, keyOf(owner), `?doc=${owner.doc}`)).result
  expect(resources.map(({ uri }: Json) => uri)).toEqual(
    ['', '/outline', '/comments', '/suggestions'].map((path) => `agmd://doc/${owner.doc}${path}`)
  )
  expect((await ask('resources/list', {}, keyOf(owner))).result.resources).toEqual([])
  const { resourceTemplates } = (await ask('resources/templates/list', {})).result
  expect(resourceTemplates.map(({ uriTemplate }: Json) => uriTemplate)).toContain('agmd://doc/{id}/section/{heading}')
  const account = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const bearer = { Authorization: `Bearer ${(await openSession(world.service, account.id, 'app', 'test')).token}` }
  const made: string[] = []
  for (let n = 0; n < 60; n++) made.push((await world.ask('POST', '/api/docs', { headers: bearer, json: { title: `Doc ${n}` } })).json.id)
  const pages: Json[] = [(await ask('resources/list', {}, bearer)).result]
  while (pages.at(-1).nextCursor !== undefined)
    pages.push((await ask('resources/list', { cursor: pages.at(-1).nextCursor }, bearer)).result)
  expect(pages.length).toBeGreaterThan(1)
  const uris: string[] = pages.flatMap((page) => page.resources.map(({ uri }: Json) => uri))
  expect(uris.toSorted()).toEqual(made.map((id) => `agmd://doc/${id}`).toSorted())
  expect((await ask('resources/list', {}, { Authorization: 'Bearer nonsense' })).error.data.error.code).toBe('credential_invalid')
})

test('[MCP-40] prompts name only listed tools, and unknown ones are refused', async () => {
  const owner = await world.create(text)
  for (const query of ['', '?tools=read', '?tools=read,review', `?names=underscore&doc=${owner.doc}&role=comment`]) {
    const listed = (await ask('tools/list', {}, {}, query)).result.tools.map(({ name }: Json) => name)
    const { prompts } = (await ask('prompts/list', {}, {}, query)).result
    expect(prompts.map(({ name }: Json) => name)).toEqual(['review', 'summarise_changes'])
    for (const { name, arguments: takes } of prompts) {
      const given = takes.some((each: Json) => each.name === 'doc') ? { doc: owner.doc } : {}
      const { messages } = (await ask('prompts/get', { name, arguments: given }, {}, query)).result
      const said: string = messages[0].content.text
      expect(said).toContain(owner.doc)
      for (const [tool] of said.matchAll(/svc[._]\w+/g)) expect(listed, query).toContain(tool)
    }
  }
  expect((await ask('prompts/list', {}, {}, '?tools=media')).result.prompts).toEqual([])
  const get = async (params: object): Promise<number> => (await ask('prompts/get', params)).error.code
  expect(await get({ name: 'review' })).toBe(-32602)
  expect(await get({ name: 'constructor' })).toBe(-32602)
  expect(await get({ name: 'review', arguments: { doc: 'x', mood: 'good' } })).toBe(-32602)
})

test('[MCP-4] the official client reads resources and prompts', async () => {
  const owner = await world.create(text)
  const client = await connectClient(world.url, `?doc=${owner.doc}&key=${owner.key}`)
  const { resources } = await client.listResources()
  expect((await client.readResource({ uri: resources[0]?.uri ?? '' })).contents).toMatchObject([{ text }])
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(5)
  expect((await client.listPrompts()).prompts).toHaveLength(2)
  expect((await client.getPrompt({ name: 'review', arguments: { focus: 'style' } })).messages[0]?.content).toMatchObject({
    text: expect.stringContaining('style')
  })
  await client.close()
})
