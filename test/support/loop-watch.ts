/**
 * Loaded before the server in its process (`--import`). It measures the turns of the event loop and reports them to the parent process on request.
 *
 * A turn is the work of the main thread between two checks of a timer. It is measured in milliseconds of the thread's CPU time, because on a
 * busy machine the wall clock would include other processes.
 */
import { isMainThread } from 'node:worker_threads'

/** The turns since the last report: the longest ones, and the number of turns that were longer than each bound. */
export interface Turns {
  readonly count: number
  /** The longest turns first, at most 1,000, in milliseconds. */
  readonly longest: readonly number[]
  /** Resident memory of the process, in bytes. */
  readonly rss: number
}

const lookMs = 5
const keptMax = 1000

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

if (isMainThread && process.channel !== undefined) {
  let before = cpuMs()
  let turns: number[] = []
  const look = (): void => {
    const now = cpuMs()
    turns.push(now - before)
    before = now
  }
  setInterval(look, lookMs).unref()
  process.on('message', () => {
    look()
    const longest = turns.toSorted((one, other) => other - one).slice(0, keptMax)
    process.send?.({ count: turns.length, longest, rss: process.memoryUsage.rss() } satisfies Turns)
    turns = []
    before = cpuMs()
  })
  // The parent process may exit without notice.
  process.channel?.unref()
}
