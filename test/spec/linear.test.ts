/** Large and hostile text through the API. It is answered like small text. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('[LINEAR-4] a replacement of 200,000 lines on a stale version returns 409', async () => {
  const owner = await world.create('one\n')
  const stale = owner.created.version
  await owner.replace('two\n', { ifMatch: stale })
  const content = Array.from({ length: 200_000 }, (_line, index) => `${index}\n`).join('')
  await expect(owner.replace(content, { ifMatch: stale })).rejects.toMatchObject({ code: 'version_conflict' })
  expect((await owner.read()).content).toBe('two\n')
})
