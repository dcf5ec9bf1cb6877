/** A clock that stands still until a test advances it. */
import type { Clock } from '../../server/domain/ports.ts'

export interface TestClock extends Clock {
  /** Advances the time and runs due callbacks in order. */
  advance(milliseconds: number): void
  /** Whether at least `count` callbacks are due this many milliseconds from now. */
  awaits(milliseconds: number, count?: number): boolean
}

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** Creates a clock. It starts later than the date of any file in these tests. */
export const testClock = (start = Date.UTC(2030, 0, 1)): TestClock => {
  let time = start
  const timers = new Set<Timer>()
  const next = (until: number): Timer | undefined =>
    [...timers].filter((timer) => timer.at <= until).toSorted((one, other) => one.at - other.at)[0]
  return {
    now: () => time,
    awaits: (milliseconds, count = 1) => [...timers].filter(({ at }) => at === time + milliseconds).length >= count,
    after(milliseconds, run) {
      const timer = { at: time + milliseconds, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      const until = time + milliseconds
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        timers.delete(timer)
        time = Math.max(time, timer.at)
        timer.run()
      }
      time = until
    }
  }
}
