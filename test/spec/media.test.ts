/** Media jobs and the relay, with nodes that say what a test tells them to (specification, Node media). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Signed, dialIn, newSigned } from '../support/nodes.ts'
import { png } from '../support/media.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let ana: Signed
beforeAll(async () => {
  world = await startWorld()
  ana = await newSigned(world, 'ana@example.org')
})
afterAll(() => world.stop())

test('[MEDIA-1] smoke', async () => {
  const { token } = await ana.nodeToken()
  const node = await dialIn(world, token)
  const doc = await ana.document()
  const started = await doc.ask('POST', '/media/ocr', { body: png(3, 3), type: 'image/png' })
  expect(started.json).toMatchObject({ status: expect.stringMatching(/queued|running/) })
  expect(started.status).toBe(202)
  const job = await node.next()
  await node.answer(job.job, { text: 'hello' })
  const done = await doc.ask('GET', `/media/ocr/${started.json.ocrId}`, { query: { wait: 5 } })
  expect(done.json).toMatchObject({ status: 'done', text: 'hello', result: { text: 'hello' } })
  const image = await doc.ask('POST', '/media/image', { json: { prompt: 'x', width: 64, height: 64 } })
  const next = await node.next()
  await node.answer(next.job, {}, { bytes: png(64, 64), contentType: 'image/png' })
  const shown = await doc.ask('GET', `/media/image/${image.json.jobId}`, { query: { wait: 5 } })
  expect(shown.json).toMatchObject({ status: 'done' })
  expect((await fetch(shown.json.url)).status).toBe(200)
  node.die()
})
