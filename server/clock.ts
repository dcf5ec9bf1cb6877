/** The wall clock and its timers. */
import type { Clock } from './domain/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  }
}
