/** The authors of lines, and the names of revisions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testClock } from '../support/clock.ts'
import { startWorld, type World } from '../support/world.ts'

const clock = testClock()
let world: World

beforeAll(async () => {
  world = await startWorld({ clock })
})

afterAll(() => world.stop())

const minute = 60_000

test('[BLAME-1] each line of any version shows its last author, its other authors, and the time', async () => {
  const owner = await world.create({ content: 'one\ntwo\nthree\n', author: 'Ana' })
  const { version: first } = await owner.read()
  clock.advance(5 * minute)
  await owner.ask('POST', '/edits', { json: { operations: [{ op: 'replace', find: 'two', with: 'two and a half' }], author: 'planner' } })
  clock.advance(5 * minute)
  const editor = await owner.connect()
  editor.type(0, 'typed\n')
  await editor.saved()
  const { json } = await owner.ask('GET', '/attribution')
  const at = json.lines.map((line: { at: string }) => Date.parse(line.at))
  expect(at[0] - at[2]).toBe(5 * minute)
  expect(at[2] - at[1]).toBe(5 * minute)
  expect(json).toMatchObject({
    version: (await owner.read()).version,
    lines: [
      { line: 1, lastLine: 1, authorKind: 'guest' },
      { line: 2, lastLine: 2, author: 'Ana', authors: ['Ana'] },
      { line: 3, lastLine: 3, author: 'planner', authors: ['Ana', 'planner'] },
      { line: 4, lastLine: 4, author: 'Ana' }
    ]
  })
  const { json: then } = await owner.ask('GET', `/attribution?version=${first}`)
  expect(then).toMatchObject({ version: first, lines: [{ line: 1, lastLine: 3, author: 'Ana' }] })
  expect((await owner.ask('GET', '/attribution?version=9-000000000000')).json.code).toBe('unknown_version')
})

test('[BLAME-2] words keep their author when others replace the document around them, move them past a checkpoint, or insert them again', async () => {
  const owner = await world.create({ content: 'mine\n', author: 'Ana' })
  await owner.ask('PUT', '/content', { json: { content: 'before\nmine\nafter\n', author: 'Ben' } })
  const editor = await owner.connect()
  for (let n = 0; n < 1200; n++) editor.type(0, 'x')
  await editor.saved()
  const { json } = await owner.ask('GET', '/attribution')
  expect(json.lines).toMatchObject([
    { line: 1, authors: expect.arrayContaining(['Ben']) },
    { line: 2, lastLine: 2, author: 'Ana', authors: ['Ana'] },
    { line: 3, author: 'Ben' }
  ])
})

test('[BLAME-3] an empty document has one line without an author', async () => {
  const owner = await world.create('')
  expect((await owner.ask('GET', '/attribution')).json.lines).toEqual([
    { line: 1, lastLine: 1, author: null, authorKind: null, authors: [], at: null }
  ])
})

test('[REV-7] a revision can be named, renamed and unnamed; an unknown one is 404', async () => {
  const owner = await world.create('one')
  await owner.replace('two')
  const label = (id: number, value: string | null) => owner.ask('PATCH', `/revisions/${id}`, { json: { label: value } })
  expect((await label(1, 'First draft')).json).toMatchObject({ id: 1, label: 'First draft', cause: 'create' })
  expect((await owner.revisions()).revisions[1]).toMatchObject({ id: 1, label: 'First draft' })
  await label(1, null)
  expect((await owner.revisions()).revisions[1].label).toBeNull()
  expect((await label(99, 'x')).status).toBe(404)
  expect((await owner.ask('PATCH', '/revisions/1', { json: { label: 5 } })).status).toBe(400)
})
