/**
 * Loaded before the server in its process (`--import`): measures the turns of its event loop and reports them to the parent on request.
 *
 * A turn is the main thread's work between two checks of a timer, in milliseconds of its own processor time: on a busy machine the wall clock would
 * include other processes.
 */
import { isMainThread } from 'node:worker_threads'

/** The turns since the last report: the longest, and how many were longer than each bound. */
export interface Turns {
  readonly count: number
  /** Longest first, at most 1,000; milliseconds. */
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
  // The parent may exit without notice.
  process.channel?.unref()
}
