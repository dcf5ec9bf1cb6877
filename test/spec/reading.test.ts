import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const plan = '# Plan\n\nIntro.\n\n## Risks\n\n- one\n- two\n\n## Costs\n\nMuch.\n'

test.each([
  [{ section: 'Risks' }, '## Risks\n\n- one\n- two\n\n'],
  [{ section: '# Plan' }, plan],
  [{ section: 'plan > costs' }, '## Costs\n\nMuch.\n'],
  [{ lines: '7-8' }, '- one\n- two'],
  [{ lines: '3' }, 'Intro.'],
  [{ lines: '12-999' }, 'Much.\n']
])('[READ-1] %j returns that part, as text and as JSON, with the version of the whole', async (query, part) => {
  const owner = await world.create(plan)
  const text = await owner.ask('GET', '/content', { query })
  expect({ status: text.status, text: text.text, etag: text.headers.get('etag') }).toEqual({
    status: 200,
    text: part,
    etag: `"${owner.created.version}"`
  })
  const { json } = await owner.ask('GET', '/content', { query, headers: { Accept: 'application/json' } })
  expect(json).toEqual({ content: part, version: owner.created.version, title: 'Plan' })
})

test('[READ-2] since returns the changes since any version ever issued', async () => {
  const owner = await world.create(plan)
  const { version } = await owner.replace(plan.replace('Much.', 'None.'))
  await owner.replace(plan.replace('Much.', 'None.').replace('Intro.', 'Hello.'))
  const since = async (query: Record<string, string>): Promise<string> => (await owner.ask('GET', '/content', { query })).text
  expect(await since({ since: version })).toContain('-Intro.\n+Hello.')
  expect(await since({ since: version })).not.toContain('Much.')
  expect(await since({ since: `"${owner.created.version}"` })).toContain('-Much.\n+None.')
  expect(await since({ since: owner.created.version, version })).not.toContain('Hello.')
})

test('[READ-3] a missing, ambiguous or double part is refused', async () => {
  const owner = await world.create('# A\n\n## Notes\n\n# B\n\n## Notes\n')
  const refusals: [Record<string, string>, number, string][] = [
    [{ section: 'Nowhere' }, 422, 'target_not_found'],
    [{ section: 'Notes' }, 422, 'target_ambiguous'],
    [{ lines: '99' }, 422, 'target_not_found'],
    [{ lines: '3-2' }, 422, 'target_not_found'],
    [{ lines: '0' }, 400, 'invalid_request'],
    [{ lines: 'x' }, 400, 'invalid_request'],
    [{ since: '9-000000000000' }, 404, 'unknown_version'],
    [{ section: 'A', lines: '1' }, 400, 'invalid_request']
  ]
  for (const [query, status, code] of refusals)
    expect(await owner.ask('GET', '/content', { query }), JSON.stringify(query)).toMatchObject({ status, json: { code } })
})

test('[READ-4] the outline lists headings with lines and sizes', async () => {
  const owner = await world.create(plan)
  const { json } = await owner.ask('GET', '/outline')
  expect(json).toEqual({
    version: owner.created.version,
    title: 'Plan',
    units: plan.length,
    lines: 13,
    headings: [
      { level: 1, title: 'Plan', line: 1, lastLine: 12, units: plan.length },
      { level: 2, title: 'Risks', line: 5, lastLine: 8, units: 23 },
      { level: 2, title: 'Costs', line: 10, lastLine: 12, units: 16 }
    ],
    total: 3,
    nextAfter: null
  })
  await owner.replace('none')
  expect((await owner.ask('GET', '/outline')).json.headings).toEqual([])
  expect((await owner.ask('GET', '/outline', { query: { version: owner.created.version } })).json.headings).toHaveLength(3)
})

test('[READ-5] two versions are compared in either direction', async () => {
  const owner = await world.create('a\nb\n')
  const { version } = await owner.replace('a\nc\n')
  const { json } = await owner.ask('GET', '/diff', { query: { from: owner.created.version } })
  expect(json).toEqual({
    fromVersion: owner.created.version,
    toVersion: version,
    changed: true,
    truncated: false,
    diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c',
    hunks: [{ line: 2, removed: ['b'], added: ['c'] }]
  })
  expect((await owner.ask('GET', '/diff', { query: { from: version, to: owner.created.version } })).json.diff).toContain('-c\n+b')
  expect((await owner.ask('GET', '/diff', { query: { from: version } })).json).toMatchObject({ changed: false, diff: '', hunks: [] })
})

test('[READ-6] onConflict=merge keeps both changes if they do not overlap, and refuses otherwise', async () => {
  const owner = await world.create('a\nb\nc\nd\ne\n')
  const base = owner.created.version
  await owner.replace('A\nb\nc\nd\ne\n')
  const put = (content: string) => owner.ask('PUT', '/content', { query: { onConflict: 'merge' }, json: { content, baseVersion: base } })
  const answer = await put('a\nb\nc\nd\nE\n')
  expect(answer).toMatchObject({ status: 200, json: { merged: true, changed: true } })
  expect((await owner.read()).content).toBe('A\nb\nc\nd\nE\n')
  expect((await owner.ask('GET', '/revisions')).json.revisions[0]).toMatchObject({ cause: 'merge', version: answer.json.version })
  expect(await put('x\nb\nc\nd\ne\n')).toMatchObject({ status: 409, json: { code: 'version_conflict', merge: { clean: false } } })
  expect((await owner.read()).content).toBe('A\nb\nc\nd\nE\n')
  const none = await owner.ask('PUT', '/content', { query: { onConflict: 'merge' }, json: { content: 'x' } })
  expect(none).toMatchObject({ status: 400, json: { details: [{ path: 'baseVersion' }] } })
  expect((await owner.replace('plain', { baseVersion: answer.json.version })).merged).toBeUndefined()
})
