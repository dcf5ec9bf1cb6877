/**
 * Runs the frame fuzz for any number of frames: `npm run fuzz frames [count] [seed]`, 100,000 by default. It exits with 1 if a frame crashes the
 * server, changes a document, disturbs another client or leaks memory.
 */
import { fuzzFrames } from '../../test/fuzz/frames.ts'

const words = process.argv.slice(2).map(Number)
const count = words[0] ?? 100_000
const seed = words[1] ?? Date.now() % 1_000_000_000

const { log, error } = console
// Hocuspocus prints each refused frame with its stack.
for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`

log(`frames: ${count} from seed ${seed}`)
const begun = performance.now()
try {
  const { before, after } = await fuzzFrames(count, seed, (sent) =>
    log(`${sent} frames, ${Math.round((performance.now() - begun) / 1000)} s, RSS ${megabytes(process.memoryUsage.rss())}`)
  )
  log(`frames: ${count} harmless; in memory at rest ${megabytes(before)} before and ${megabytes(after)} after`)
  process.exit(after <= before * 1.1 ? 0 : 1)
} catch (failure) {
  error(failure)
  process.exit(1)
}
