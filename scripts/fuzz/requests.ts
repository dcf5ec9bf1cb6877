/**
 * Runs the request fuzz for any number of requests: `npm run fuzz requests [count] [seed]`, 100,000 by default. It exits with 1 at the first request
 * that breaks a rule. Write a test for that request.
 */
import { fuzzRequests } from '../../test/fuzz/requests.ts'

const words = process.argv.slice(2).map(Number)
const count = words[0] ?? 100_000
const seed = words[1] ?? Date.now() % 1_000_000_000

console.log(`requests: ${count} from seed ${seed}`)
const begun = performance.now()
let said = 0
try {
  const report = await fuzzRequests(count, seed, (done) => {
    if (done < said + 5_000) return
    said = done
    console.log(`${done} requests, ${Math.round((performance.now() - begun) / 1000)} s`)
  })
  console.log(JSON.stringify(report, null, 2))
  const { before, after } = report.memory
  console.log(`requests: none broke a rule; memory ${Math.round((after / before - 1) * 100)} % beyond that of the first tenth`)
  process.exit(after > before * 1.1 ? 1 : 0)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
