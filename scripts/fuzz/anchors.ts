/**
 * Runs the anchor fuzz for any number of seeds: `npm run fuzz anchors [seeds] [first]`. It exits with 1 at the first failing seed. Add that seed to
 * test/anchors.test.ts.
 */
import { anchorsHold } from '../../test/fuzz/anchors.ts'

const words = process.argv.slice(2).map(Number)
const seeds = words[0] ?? 10_000
const first = words[1] ?? Date.now() % 1_000_000_000

console.log(`anchors: ${seeds} seeds from ${first}`)
const sum = { anchors: 0, together: 0, missed: 0 }
try {
  for (let seed = first; seed < first + seeds; seed++) {
    const { anchors, together, missed } = anchorsHold(seed)
    sum.anchors += anchors
    sum.together += together
    sum.missed += missed
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
console.log(
  `anchors: ${seeds} seeds with ${sum.anchors} anchors, none on other text; ${sum.missed} of ${sum.together} that stand whole were missed`
)
