/**
 * Runs the property tests among the fast tests with new cases: `npm run fuzz properties [seeds] [first]`, 20 seeds by default. It exits with 1 at the
 * first failing seed. fast-check prints the counterexample, which you then add to its test.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const words = process.argv.slice(2).map(Number)
const seeds = words[0] ?? 20
const first = words[1] ?? Date.now() % 1_000_000_000

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^(?:browser|faults|fuzz)\//.test(name))
  .map((name) => join('test', name))
const withProperties = files.filter((name) => /\bfc\.assert\(/.test(readFileSync(name, 'utf8')))
const tests = withProperties.map((name) => name.replace('-contract.ts', '.test.ts'))

console.log(`properties: ${seeds} seeds from ${first} in ${tests.length} files`)
for (let seed = first; seed < first + seeds; seed++) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', '--reporter=dot', ...tests],
    { env: { ...process.env, AGMD_TEST_SEED: String(seed) }, stdio: 'inherit' }
  )
  if (status !== 0) {
    console.error(`properties: seed ${seed} failed`)
    process.exit(1)
  }
}
console.log(`properties: ${seeds} seeds hold`)
