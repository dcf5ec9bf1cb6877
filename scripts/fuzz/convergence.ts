/**
 * Runs the convergence fuzz for any number of seeds: `npm run fuzz convergence [seeds] [first]`. It exits with 1 at the first failing seed. Add that
 * seed to test/fuzz/convergence.fuzz.test.ts.
 */
import { converges } from '../../test/fuzz/convergence.ts'

const words = process.argv.slice(2).map(Number)
const seeds = words[0] ?? 1_000
const first = words[1] ?? Date.now() % 1_000_000_000

console.log(`convergence: ${seeds} seeds from ${first}`)
const begun = performance.now()
for (let seed = first; seed < first + seeds; seed++) {
  try {
    await converges(seed)
  } catch (error) {
    console.error(error instanceof Error ? `${error.message}\n${(error.cause as Error)?.stack ?? error.stack}` : error)
    process.exit(1)
  }
  const done = seed - first + 1
  if (done % 50 === 0) console.log(`${done} seeds, ${Math.round((performance.now() - begun) / done)} ms each`)
}
console.log(`convergence: ${seeds} seeds, none failed`)
process.exit(0)
