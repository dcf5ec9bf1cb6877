/** Times such as "3 min. ago" that move on while they are shown. */
import { effect } from '@preact/signals'
import { afterEach, expect, test, vi } from 'vitest'
import { passingTime } from '../web/text/passing.ts'

afterEach(() => void vi.useRealTimers())

test('[REVIEW-126] times that are shown move on with the clock, and nothing runs while none is shown', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  const seen: number[] = []
  const stop = effect(() => void seen.push(passingTime()))
  vi.advanceTimersByTime(60_000)
  expect(seen.map((time) => time - 1_800_000_000_000)).toEqual([0, 30_000, 60_000])
  stop()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(60_000)
  expect(passingTime()).toBe(1_800_000_120_000)
  expect(vi.getTimerCount()).toBe(0)
})
