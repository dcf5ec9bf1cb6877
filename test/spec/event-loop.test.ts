/** What callers send and store may be as large and odd as it likes: others are answered meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest'
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

// ——— bodies ———

test('[LOOP-1] a JSON body of too many values, or nested too deep, is 400 on every face and changes nothing', async () => {
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
      expect(problem).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(/values|deep/) })
    }
    expect((await post(world.url, body, { 'X-Share-Key': owner.key })).status).toBe(400)
  }
  expect((await owner.read()).content).toBe('as it was')
})

test('[LOOP-1] a text full of brackets, quotes and commas is a text', async () => {
  const owner = await world.create('x')
  const content = '{[,]}"\\'.repeat(10_000)
  await owner.replace(content)
  expect((await owner.read()).content).toBe(content)
})

test('[LOOP-2] a request of more fields than any operation has is 400, as JSON and as a form', async () => {
  const fields = Object.fromEntries(Array.from({ length: limits.fieldsMax + 1 }, (_none, index) => [`field ${index}`, 1]))
  const refused = await world.ask('POST', '/new', { json: { ...fields, content: 'x' } })
  expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  const form = new URLSearchParams(fields as never).toString()
  const type = 'application/x-www-form-urlencoded'
  expect(await world.ask('POST', '/new', { body: form, type })).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
})

test('[LOOP-3] a name as long as a document means no field, and is answered at once', async () => {
  const owner = await world.create('x')
  const name = `content${'t'.repeat(10_000_000)}`
  const start = performance.now()
  const { status } = await owner.ask('PUT', '/content', { json: { [name]: 1, content: 'y' } })
  expect(status).toBe(200)
  // Comparing it letter by letter with the names of fields took half a minute.
  expect(performance.now() - start).toBeLessThan(5_000)
})

test('[LOOP-4] line ends of every kind become LF, whatever stands around them', () => {
  for (const text of ['', 'a', '\r', '\r\n', '\n\r', 'a\r\rb', '\r\r\n\n', 'a\r\n😀\rb\uFEFF\r'])
    expect(withLineFeeds(text)).toBe(text.replaceAll(/\r\n?/g, '\n'))
})
