/** Stops the server under load. `npm run soak stop` runs this for longer. */
import { expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { stopUnderLoad } from './stopping.ts'

test('[SOCKET-17] a stop while people type and programs write takes at most ten seconds and loses nothing acknowledged', async () => {
  const { code, stopSeconds, acknowledged, lost } = await stopUnderLoad({ typists: 60, requestsPerSecond: 30, seconds: 2 })
  expect(code).toBe(0)
  expect(stopSeconds).toBeLessThan(limits.stopSecondsMax)
  expect(acknowledged).toBeGreaterThan(100)
  expect(lost).toEqual([])
})
