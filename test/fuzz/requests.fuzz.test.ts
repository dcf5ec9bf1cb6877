/**
 * Runs the request fuzz: 800 requests, or 2,000 with `npm run test:all`. `npm run fuzz requests` runs for longer. `AGMD_TEST_REQUESTS` and
 * `AGMD_TEST_SEED` change the run.
 */
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { fuzzRequests } from './requests.ts'

const count = Number(process.env['AGMD_TEST_REQUESTS'] ?? repeats(800, 2_000))
const seed = Number(process.env['AGMD_TEST_SEED'] ?? 1)

test(`[BUDGET-11] requests of every role, valid and hostile, are answered as described, and refused ones write nothing (seed ${seed})`, async () => {
  const { requests, refused, done, statuses } = await fuzzRequests(count, seed)
  expect(requests).toBe(count)
  // If all requests were refused, the fuzz would test nothing.
  expect(done).toBeGreaterThan(count / 10)
  expect(refused).toBeGreaterThan(count / 10)
  expect(Object.keys(statuses).filter((status) => Number(status) >= 500 && status !== '503')).toEqual([])
})
