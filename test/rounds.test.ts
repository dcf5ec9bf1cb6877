import { expect, test } from 'vitest'
import { createRounds } from '../server/live/rounds.ts'
import { limits } from '../shared/limits.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('[LIVE-31] the edits of one document never wait for a round', async () => {
  let now = 0
  const rounds = createRounds(() => now)
  for (let n = 0; n < 100; n++) {
    let isHandled = false
    rounds.enter('one', () => (isHandled = true))
    await turn()
    expect(isHandled).toBe(true)
    now += limits.roundMs / 10
  }
})

test('[LIVE-31] the edits of several documents are handled together, and a canceled one is not handled', async () => {
  let now = 0
  const rounds = createRounds(() => now)
  const handled: string[][] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const enter = (doc: string): (() => void) =>
    rounds.enter(doc, () => {
      handled.push([doc])
      if (doc === 'last') resolve()
    })
  for (let n = 0; n < limits.roundDocumentsMin; n++) enter(`early ${n}`)
  await turn()
  expect(handled).toHaveLength(limits.roundDocumentsMin)
  now += limits.roundMs
  enter('first')
  await turn()
  // The round has not begun, so documents that are edited later take part in it.
  expect(handled).toHaveLength(limits.roundDocumentsMin)
  enter('canceled')()
  enter('last')
  await done
  expect(handled.slice(limits.roundDocumentsMin).flat()).toEqual(['first', 'last'])
})
