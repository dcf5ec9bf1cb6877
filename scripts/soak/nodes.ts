/**
 * Runs the tests of `test/spec` with two nodes on one PostgreSQL: `npm run soak nodes [file…]`. Each connection of a test goes to the next node. It
 * prints which files passed. It exits with 1 if a test fails that is not on the list in test/support/not-spread.ts. `AGMD_TEST_LISTED=1` also runs
 * the tests on the list.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { whyNotSpread } from '../../test/support/not-spread.ts'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly status: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string; readonly failureMessages: readonly string[] }[]
  }[]
}

// The run takes a long time and must not slow the machine down.
setPriority(10)
const folder = await mkdtemp(join(tmpdir(), 'agmd-soak-'))
const file = join(folder, 'report.json')
const files = process.argv.slice(2)
const child = spawn(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project=fast',
    '--maxWorkers=2',
    // The run has a low priority.
    '--testTimeout=120000',
    '--hookTimeout=120000',
    '--silent',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile=${file}`,
    ...(files.length === 0 ? ['test/spec'] : files)
  ],
  { env: { ...process.env, AGMD_TEST_STORAGE: 'postgres', AGMD_TEST_NODES: '2' }, stdio: 'inherit' }
)
await once(child, 'exit')
const report = JSON.parse(await readFile(file, 'utf8')) as Report
await rm(folder, { recursive: true })

const failures: string[] = []
const totals = { files: 0, passed: 0, listed: 0 }
for (const { name, message, status, assertionResults } of report.testResults) {
  const path = relative(process.cwd(), name)
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  const wrong = failed.filter(({ title }) => whyNotSpread(title) === undefined)
  for (const { title, failureMessages } of wrong) failures.push(`${path}: ${title}\n  ${failureMessages[0]?.split('\n')[0] ?? ''}`)
  // A file can also fail before its first test or after its last one.
  const isBroken = assertionResults.length === 0 || (status === 'failed' && failed.length === 0)
  if (isBroken) failures.push(`${path}: ${message}`)
  const passed = assertionResults.filter(({ status }) => status === 'passed').length
  const listed = assertionResults.filter(({ status, title }) => status !== 'passed' && whyNotSpread(title) !== undefined).length
  totals.files += 1
  totals.passed += passed
  totals.listed += listed
  console.log(`${wrong.length > 0 || isBroken ? 'FAIL' : 'ok  '} ${path}: ${passed} passed, ${listed} on the list, ${wrong.length} failed`)
}
console.log(`${totals.files} files: ${totals.passed} tests passed, ${totals.listed} on the list, ${failures.length} failed`)
for (const failure of failures) console.log(failure)
process.exit(failures.length === 0 ? 0 : 1)
