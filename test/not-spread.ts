/** Skips the tests that cannot pass on several nodes. A test that fails can also disturb the next files of its process. */
import { beforeEach } from 'vitest'
import { whyNotSpread } from './support/not-spread.ts'

const runsAll = process.env['AGMD_TEST_LISTED'] === '1'

beforeEach(({ skip, task }) => {
  const why = runsAll ? undefined : whyNotSpread(task.name)
  if (why !== undefined) skip(why)
})
