/**
 * Runs the convergence fuzz: 25 seeds, or 200 with `npm run test:all`. `npm run fuzz convergence` runs any number. `AGMD_TEST_SEEDS` sets
 * their number, and `AGMD_TEST_SEED` the first one.
 */
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { converges } from './convergence.ts'

const seeds = Number(process.env['AGMD_TEST_SEEDS'] ?? repeats(25, 200))
const first = Number(process.env['AGMD_TEST_SEED'] ?? 1_000)
/** Number of seeds that run at once. While one waits for the disk or a socket, another one computes. */
const lanes = Number(process.env['AGMD_TEST_LANES'] ?? 2)

/** Seeds that once failed, with a description of each bug. */
const failedOnce: readonly (readonly [number, string])[] = [
  [30, 'a replacement of the text that begins with a line ending left the line ending there'],
  [133, 'an update that its socket left behind kept the client id for ever, and its owner could not come back']
]

for (const [seed, what] of failedOnce)
  test(`[FUZZ-1] seed ${seed}: ${what}`, async () => {
    await expect(converges(seed)).resolves.toBeUndefined()
  })

test(`[FUZZ-1] browsers, agents and restarts converge to the same bytes and lose nothing acknowledged (seeds ${first}–${first + seeds - 1})`, async () => {
  let next = first
  const failures: string[] = []
  const lane = async (): Promise<void> => {
    while (next < first + seeds && failures.length === 0)
      await converges(next++).catch((error: unknown) => failures.push(error instanceof Error ? error.message : String(error)))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  expect(failures).toEqual([])
})
