/**
 * Runs the anchor fuzz: 1,000 seeds, or 10,000 with `npm run test:all`. `AGMD_TEST_SEEDS` sets their number, and `AGMD_TEST_SEED` the first
 * one.
 */
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { anchorsHold, type Tally } from './anchors.ts'

const seeds = Number(process.env['AGMD_TEST_SEEDS'] ?? repeats(1_000, 10_000))
const first = Number(process.env['AGMD_TEST_SEED'] ?? 1)

test(`[FUZZ-2] under concurrent edits, replacements, restores and accepts anchors stay on their text or report that it is gone (seeds ${first}–${first + seeds - 1})`, () => {
  const sum: Tally = { anchors: 0, together: 0, missed: 0 }
  for (let seed = first; seed < first + seeds; seed++) {
    const tally = anchorsHold(seed)
    sum.anchors += tally.anchors
    sum.together += tally.together
    sum.missed += tally.missed
  }
  // A service that reports every anchor as gone would pass the other checks. Therefore, an anchor whose words end up together may almost never be
  // reported as gone.
  expect(sum.missed).toBeLessThan(sum.together / 100)
})
