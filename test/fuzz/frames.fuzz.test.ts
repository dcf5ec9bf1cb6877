/** A short run of the frame fuzz. `npm run fuzz frames` runs it for longer. `AGMD_TEST_SEED` changes the frames. */
import { expect, test } from 'vitest'
import { fuzzFrames } from './frames.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? 2_000)

test(`[SOCKET-16] random and mutated frames of every role crash nothing, change nothing and leave nothing behind (seed ${seed})`, async () => {
  // Hocuspocus would print each refused frame with its stack.
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  const { before, after } = await fuzzFrames(8_000, seed)
  expect(after).toBeLessThan(before * 1.1)
})
