import { expect, test } from 'vitest'
import { functionsIn, percentile } from '../scripts/functions.ts'

test('[HOUSE-17] the longest function has at most 120 lines of logic, and nine tenths have at most 40', () => {
  const measured = functionsIn()
  expect(measured.length).toBeGreaterThan(1000)
  expect(measured.filter(({ logic }) => logic > 120)).toEqual([])
  expect(percentile(measured, 'logic', 0.9)).toBeLessThanOrEqual(40)
})
