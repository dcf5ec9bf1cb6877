import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '../../shared/commands/index.ts'
import type { Operation } from '../../shared/operation.ts'
import { fencesOf } from '../../shared/fences/fences.ts'
import { operations } from '../../shared/operations/index.ts'
import { post, rpc, told } from '../support/mcp.ts'
import { type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const run = promisify(execFile)
const guides = ['/agents.md', '/cli.md', '/api/quickstart', '/llms.txt', '/skills/agmd/SKILL.md', '/auth.md']
const read = async (path: string): Promise<string> => (await world.ask('GET', path)).text
const blocks = (guide: string, language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]+?)\n\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')

/** Creates the document that the examples use. */
const document = (): Promise<Person & { readonly created: Json }> => world.create({ title: 'Notes', content: '# Notes\n\nFirst words.\n' })

test.each(guides)('[GUIDE-1] %s needs no credentials, names this service and has no dead links', async (path) => {
  const { status, headers, text } = await world.ask('GET', path)
  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toMatch(path === '/llms.txt' ? /^text\/plain/ : /^text\/markdown/)
  const addresses = [...text.matchAll(/https?:\/\/[^\s)`"'*$|]+/g)]
    .map(([address]) => address.replace(/[.,;:]+$/, ''))
    .filter((address) => !address.includes('…'))
  expect(addresses.length).toBeGreaterThan(0)
  for (const address of addresses) {
    const url = new URL(address)
    expect(url.origin, address).toBe(world.url)
    if (/\/(ID|d|api\/docs)(\/|$)|\/new$|device|^\/(account|auth)/.test(url.pathname)) continue
    expect((await world.ask('GET', url.pathname)).status, address).not.toBe(404)
  }
})

test('[GUIDE-11] the published MCP address lists names with underscores', async () => {
  const papers = ['README.md', 'docs/mcp.md'].map((path) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8'))
  const texts = [...papers, ...(await Promise.all(guides.map(read)))]
  const said = texts.flatMap((text) =>
    [...text.matchAll(/(resource=)?(?:BASE_URL|https?:\/\/[\w.:-]+)\/mcp\b([^\s`')]*`? ?\w*)/g)].filter(([, bare]) => bare === undefined)
  )
  expect(said.length).toBeGreaterThan(7)
  const others = said.filter(([, , rest = '']) => !rest.startsWith('?names=underscore'))
  expect(others.map(([, , rest]) => rest)).toEqual(['` lists'])
})

test.each(['/agents.md', '/api/quickstart'])('[GUIDE-2] the shell examples of %s, pasted in order, do what they say', async (path) => {
  const examples = blocks(await read(path), 'sh')
  expect(examples.length).toBeGreaterThan(3)
  // `curl -f` fails if the service refuses the request.
  const pasted = examples.map((example, index) => `${example}\necho "=== ${index}"`).join('\n')
  const { stdout } = await run('sh', ['-eu', '-c', pasted])
  const said = stdout.split(/=== \d+\n/)
  examples.forEach((example, index) => expect(said[index]?.length, example).toBeGreaterThan(10))
  const [, doc = '', key = ''] = /\/d\/([\w-]+)\?key=([\w-]+)/.exec(stdout) ?? []
  const content = (await world.ask('GET', `/d/${doc}.md`, { key })).text
  expect(content).toMatch(path === '/agents.md' ? /Clear words\. And more\.\n\n- a point\n\n## Open\n/ : /Better words/)
  if (path !== '/agents.md') return
  const { comments } = (await world.ask('GET', `/api/docs/${doc}/comments`, { key })).json
  expect(comments).toMatchObject([{ anchored: true, target: { quote: 'Clear words' } }])
})

test('[GUIDE-3] every JSON example of the guides is accepted unchanged', async () => {
  const examples = blocks(await read('/agents.md'), 'json')
  expect(examples).toHaveLength(2)
  for (const example of examples) {
    const { doc, key } = await document()
    const filled = example.replaceAll('/d/ID', `/d/${doc}`).replaceAll('key=KEY', `key=${key}`)
    expect((await post(world.url, filled)).json.result.isError, example).toBeUndefined()
  }
})

test('[GUIDE-4] every edit that the skill shows works', async () => {
  const skill = await read('/skills/agmd/SKILL.md')
  const edits = [...skill.matchAll(/`(\{"op":.+?\})`/g)].map(([, edit = '']) => JSON.parse(edit) as Json)
  expect(edits.map(({ op }) => op)).toEqual([
    'replace',
    'delete',
    'insert',
    'append',
    'replace_section',
    'replace_lines',
    'replace_all',
    'append_row',
    'set_cell',
    'check',
    'append_item'
  ])
  const lists = '- [ ] task\n\n| Name | Count |\n|---|---|\n| one | 1 |\n'
  for (const edit of edits) {
    const owner = await world.create(`# Notes\n\nThese are old words. …\n\n## Heading\n\nMore\n\n${lists}`)
    expect(
      (await told(world.url, 'replace_doc', { doc: owner.doc, key: owner.key, baseVersion: (await owner.read()).version, edits: [edit] }))
        .changed,
      JSON.stringify(edit)
    ).toBe(true)
  }
})

test('[GUIDE-5] the skill is consistent: its head, its size, and the same text by get_skill', async () => {
  const skill = await read('/skills/agmd/SKILL.md')
  const [, name, description] = /^---\nname: ([a-z0-9-]{1,64})\ndescription: (.+)\n---\n/.exec(skill) ?? []
  expect(name).toBe('agmd')
  expect(description?.length).toBeLessThanOrEqual(1024)
  expect(skill.split('\n').length).toBeLessThan(500)
  const { json } = await rpc(world.url, 'tools/call', { name: 'svc_get_skill' }, { query: '?names=underscore' })
  expect(json.result.structuredContent.skill).toBe(skill)
})

const table = Object.entries(operations) as unknown as [string, Operation][]

test('[GUIDE-6] the guide for agents names every operation, with its role', async () => {
  const guide = await read('/agents.md')
  for (const [name, { rest, role }] of table) expect(guide, name).toContain(`| \`${rest.method} ${rest.path}\` | ${role ?? ''}`)
})

test('[GUIDE-7] the commands match the table, for people and for programs', async () => {
  const { json } = await world.ask('GET', '/api/cli/commands')
  expect(json.commands.map(({ command }: Json) => command)).toEqual(commands.map(({ words }) => words))
  const push = json.commands.find(({ command }: Json) => command === 'docs push')
  expect(push).toMatchObject({ usage: 'agmd docs push DOC [OPTION…]', method: 'PUT', path: '/api/docs/{id}/content', role: 'edit' })
  expect(push.options).toContainEqual(expect.objectContaining({ name: 'dry-run', in: 'query', type: 'boolean' }))
  const comment = json.commands.find(({ command }: Json) => command === 'comments add')
  expect(comment.options).toContainEqual(expect.objectContaining({ name: 'body', in: 'body', required: true, type: 'string' }))
  const guide = await read('/cli.md')
  for (const { words } of commands) expect(guide).toContain(`### agmd ${words}\n`)
  for (const example of commands.flatMap(({ examples }) => examples)) expect(guide).toContain(`${example}\n`)
})

test.each([
  [{ Accept: '*/*' }, true],
  [{ Accept: 'text/markdown' }, true],
  [{ Accept: 'text/markdown, text/plain;q=0.9' }, true],
  [{ Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, false],
  [{ Accept: '*/*', 'Sec-Fetch-Site': 'same-origin' }, false]
])('[GUIDE-8] `/` returns the quickstart to %j: %s', async (headers, guide) => {
  const answer = await world.ask('GET', '/', { headers: headers as Record<string, string> })
  expect(answer.text.startsWith('# agmd: quickstart')).toBe(guide)
  expect(answer.headers.get('Vary')).toContain('Accept')
})

test.each(['/agents.md', '/skills/agmd/SKILL.md'])('[GUIDE-9] %s shows every kind of component', async (path) => {
  const example = /^````markdown\n([\s\S]+?)\n````$/m.exec(await read(path))?.[1] ?? ''
  const fences = fencesOf(example)
  expect(fences.map(({ kind }) => kind)).toEqual(['board', 'chat', 'sheet', 'chart', 'widget'])
  const owner = await world.create({ title: 'Components', content: example })
  await owner.ask('POST', '/publish')
  const html = (await world.ask('GET', `/pub/${owner.doc}`)).text
  // The page contains no unknown component, and the formulas and the chart show the results that the guide describes.
  expect(html).not.toContain('component-note')
  expect(html).not.toContain('component-error')
  for (const shown of ['In progress', 'my-agent', '>42<', '<svg']) expect(html).toContain(shown)
})
