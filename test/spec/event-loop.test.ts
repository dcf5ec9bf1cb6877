/** However large and unusual a caller's input is, the server continues to answer other callers. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lane } from '../../server/threads/lane.ts'
import { createTexts, type TextJob } from '../../server/threads/texts.ts'
import { limits } from '../../shared/limits.ts'
import { withLineFeeds } from '../../shared/text/line-ends.ts'
import { post } from '../support/mcp.ts'
import { type Answer, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const json = 'application/json'

// ——— request bodies ———

test('[LOOP-1] a JSON body with too many values, or nested too deep, returns 400 on every interface and changes nothing', async () => {
  const owner = await world.create('as it was')
  const keys = Array.from({ length: limits.jsonValuesMax }, (_none, index) => `"key ${index}":1`).join(',')
  const deep = `"a":${'['.repeat(limits.jsonDepthMax)}${' '.repeat(limits.jsonCheckedBytesMin)}${']'.repeat(limits.jsonDepthMax)}`
  for (const fields of [keys, deep]) {
    const body = `{${fields},"content":"other"}`
    const answers: Answer[] = [
      await world.ask('POST', '/new', { body, type: json }),
      await owner.ask('PUT', '/content', { body, type: json }),
      await owner.ask('POST', '/edits', { body, type: json })
    ]
    for (const { status, json: problem } of answers) {
      expect(status).toBe(400)
      expect(problem).toMatchObject({ code: 'invalid_request', details: [{ path: 'body', message: expect.stringMatching(/values|deep/) }] })
    }
    expect((await post(world.url, body, { 'X-Share-Key': owner.key })).status).toBe(400)
  }
  expect((await owner.read()).content).toBe('as it was')
})

test('[LOOP-1] text full of brackets, quotes and commas counts as one value', async () => {
  const owner = await world.create('x')
  const content = '{[,]}"\\'.repeat(10_000)
  await owner.replace(content)
  expect((await owner.read()).content).toBe(content)
})

test('[LOOP-2] a request with more fields than any operation returns 400, as JSON and as a form', async () => {
  const fields = Object.fromEntries(Array.from({ length: limits.fieldsMax + 1 }, (_none, index) => [`field ${index}`, 1]))
  const refused = await world.ask('POST', '/new', { json: { ...fields, content: 'x' } })
  expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  const form = new URLSearchParams(fields as never).toString()
  const type = 'application/x-www-form-urlencoded'
  expect(await world.ask('POST', '/new', { body: form, type })).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
})

test('[LOOP-3] a name of more than 4,096 bytes is refused before parsing, wherever it is; long text is not a name', async () => {
  const owner = await world.create('x')
  const long = 'content'.padEnd(4097, 't')
  const padding = 'y'.repeat(8192)
  const refused = async (json: string): Promise<void> => {
    const { status, text } = await owner.ask('PUT', '/content', { body: json, type: 'application/json' })
    expect(status, text).toBe(400)
    expect(text).toContain('4096 bytes')
  }
  await refused(JSON.stringify({ [long]: 1, content: padding }))
  await refused(JSON.stringify({ content: padding, [long.padEnd(10_000_000, 't')]: 1 }).replace(/":1}$/, '" \n: 1}'))
  await refused(JSON.stringify({ content: { a: [padding, { [long]: 1 }] } }))
  const content = `${'"name": '.repeat(60_000)}\n`
  expect(await owner.ask('PUT', '/content', { json: { content } })).toMatchObject({ status: 200 })
  const { text } = await owner.ask('PUT', '/content', { json: { [long.slice(1)]: 1, content: padding } })
  expect(text).toContain('Leave ontent')
})

test('[LOOP-4] line endings of every kind become LF, no matter what is around them', () => {
  for (const text of ['', 'a', '\r', '\r\n', '\n\r', 'a\r\rb', '\r\r\n\n', 'a\r\n😀\rb\uFEFF\r'])
    expect(withLineFeeds(text)).toBe(text.replaceAll(/\r\n?/g, '\n'))
})

// ——— answers ———

/** Returns every page of a list, following `nextAfter`. */
const pages = async (read: (after: number) => Promise<Answer>): Promise<Answer['json'][]> => {
  const all = []
  for (let after: number | null = 0; after !== null; after = all.at(-1)?.nextAfter ?? null) all.push((await read(after)).json)
  return all
}

test('[LOOP-7] an outline comes in pages, each heading on one; the last page says so', async () => {
  const owner = await world.create('# a\n\ntext\n\n'.repeat(2500))
  const read = (after: number): Promise<Answer> => owner.ask('GET', '/outline', { query: { after } })
  const all = await pages(read)
  expect(all.map(({ headings, total }) => [headings.length, total])).toEqual([
    [2000, 2500],
    [500, 2500]
  ])
  const lines = all.flatMap(({ headings }) => headings.map(({ line }: { line: number }) => line))
  expect(lines).toEqual(Array.from({ length: 2500 }, (_none, index) => 1 + 4 * index))
  expect((await owner.ask('GET', '/outline', { query: { limit: 1 } })).json).toMatchObject({ headings: [{ line: 1 }], nextAfter: 1 })
  expect((await owner.ask('GET', '/outline', { query: { limit: 2001 } })).status).toBe(400)
})

test('[LOOP-8] an attribution comes in pages of runs of lines, each line on one', async () => {
  const owner = await world.create({ content: 'Ana\n'.repeat(6), author: 'Ana' })
  await owner.ask('PUT', '/content', { json: { content: 'Ana\nBen\n'.repeat(6), author: 'Ben' } })
  const all = await pages((after) => owner.ask('GET', '/attribution', { query: { after, limit: 5 } }))
  expect(all.length).toBeGreaterThan(1)
  const whole = (await owner.ask('GET', '/attribution')).json
  expect(whole.nextAfter).toBeNull()
  expect(all.flatMap(({ lines }) => lines)).toEqual(whole.lines)
  expect(whole.lines.at(-1).lastLine).toBe(12)
})

test('[LOOP-13] a difference that is too large is cut at a line, and says so', async () => {
  const owner = await world.create('a\n\n'.repeat(6000))
  const { version } = await owner.read()
  await owner.replace(Array.from({ length: 6000 }, (_none, index) => `${index}\n\n`).join(''))
  const { json } = await owner.ask('GET', '/diff', { query: { from: version } })
  expect(json.truncated).toBe(true)
  expect(json.hunks).toHaveLength(limits.comparisonHunksMax)
  await owner.replace('small\n')
  expect((await owner.ask('GET', '/diff', { query: { from: (await owner.read()).version } })).json).toMatchObject({ truncated: false })
})

// ——— large texts ———

const manyLines = (from: number): string => Array.from({ length: 20_000 }, (_none, index) => `line ${from + index}\n`).join('')

test('[LOOP-9] a large document replaced while somebody types is the text that was sent; guarded by a version it is 409, or merged', async () => {
  const owner = await world.create(manyLines(0))
  const editor = await owner.connect()
  const typed = (word: string): void => editor.type(editor.text().length, word)
  const reversed = manyLines(0).split('\n').toReversed().join('\n')
  const replacing = owner.replace(reversed)
  typed('while it was compared')
  await replacing
  await editor.saved()
  const { content, version } = await owner.read()
  // The typed text came entirely before or entirely after the replacement.
  expect([reversed, `${reversed}while it was compared`]).toContain(content)
  typed('since then')
  await editor.saved()
  const stale = await owner.ask('PUT', '/content', { json: { content: manyLines(7), baseVersion: version } })
  expect(stale).toMatchObject({ status: 409, json: { code: 'version_conflict' } })
  expect(stale.json.diff).toContain('since then')
  const merged = await owner.replace(`first\n${content}`, { baseVersion: version, onConflict: 'merge' })
  expect(merged).toMatchObject({ ok: true, merged: true })
  expect((await owner.read()).content).toBe(`first\n${content}since then`)
})

test('[LOOP-9] a large document in which everything has moved is replaced, and other requests hardly notice', async () => {
  const owner = await world.create(manyLines(0).repeat(5))
  const other = manyLines(0).split('\n').toReversed().join('\n').repeat(5)
  await owner.replace(other)
  expect((await owner.read()).content).toBe(other)
})

test('[LOOP-9] a merge that is too large is left out of the answer, which says so', async () => {
  const text = `${'x'.repeat(999)}\n`.repeat(1200)
  const owner = await world.create(text)
  const { version } = await owner.read()
  await owner.ask('POST', '/edits', { json: { operations: [{ op: 'append', markdown: 'end' }] } })
  const { status, json: problem } = await owner.ask('PUT', '/content', { json: { content: `start\n${text}`, baseVersion: version } })
  expect(status).toBe(409)
  expect(problem).toMatchObject({ mergeOmitted: true, hint: expect.stringContaining('onConflict=merge') })
  expect(problem.merge).toBeUndefined()
  expect((await owner.replace(`start\n${text}`, { baseVersion: version, onConflict: 'merge' })).merged).toBe(true)
})

// ——— queues for text jobs ———

const lane = (waitingMax = 100, waitingOfHolderMax = 100): Lane<TextJob, unknown> =>
  new Lane({ entry: new URL('../../server/threads/text-worker.ts', import.meta.url), secondsMax: 20, waitingMax, waitingOfHolderMax })
const job = (before: string, after: string): TextJob => ({ name: 'diff', input: [before, after] })

test('[LOOP-10] holders take turns: a holder with many jobs waits for its own', async () => {
  const own = lane()
  const order: string[] = []
  const run = (holder: string, number: number): Promise<unknown> =>
    own.run(holder, job('a', `b${number}`)).then(() => order.push(`${holder}${number}`))
  await Promise.all([run('many', 0), run('many', 1), run('many', 2), run('many', 3), run('other', 0), run('third', 0)])
  expect(order.slice(0, 4).toSorted()).toEqual(['many0', 'many1', 'other0', 'third0'])
})

test('[LOOP-10] a queue is bounded, per holder and in total', async () => {
  const own = lane(3, 2)
  const runs = [1, 2, 3, 4].map((number) => own.run('a', job('a', String(number))))
  const others = [own.run('b', job('a', 'b')), own.run('c', job('a', 'b'))]
  const results = await Promise.allSettled([...runs, ...others])
  // One job runs, two jobs of one holder wait, and one job of another holder waits.
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(results[3]).toMatchObject({ reason: { why: 'full' } })
})

test('[LOOP-10] a job that finds the queue of its document full is refused with busy and the time to wait', async () => {
  const texts = createTexts()
  const runs = Array.from({ length: limits.textWaitingOfDocumentMax + 2 }, (_none, index) =>
    texts.do('a document', 'diff', 'a'.repeat(limits.textInlineUnitsMax), String(index))
  )
  const results = await Promise.allSettled(runs)
  expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
    { reason: { code: 'busy', details: { retryAfterSeconds: 5 } } }
  ])
})

test('[LOOP-10] jobs with one name share a run, and a newer job replaces a waiting one', async () => {
  const own = lane()
  const first = own.run('a', job('1', '2'), { name: 'a 1', slot: 'a' })
  expect(own.run('a', job('1', '2'), { name: 'a 1', slot: 'a' })).toBe(first)
  const second = own.run('a', job('1', '3'), { name: 'a 2', slot: 'a' })
  const third = own.run('a', job('1', '4'), { name: 'a 3', slot: 'a' })
  await expect(second).rejects.toMatchObject({ why: 'replaced' })
  expect(await third).toEqual([{ from: 0, to: 1, insert: '4' }])
  await first
})
