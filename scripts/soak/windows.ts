/**
 * Runs the kill tests, the convergence fuzz and the hostile frames with windows of different lengths, in which edits and commits wait for each other:
 * `npm run soak windows [milliseconds…]`, 0, 1, 5, 25 and 100 by default. `AGMD_TEST_KILL_ROUNDS` sets the number of kills for each length, 10 by
 * default. It exits with 1 if a test fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { join } from 'node:path'

const files = [
  'test/faults/kill.test.ts',
  'test/faults/put-while-typing.test.ts',
  'test/fuzz/convergence.fuzz.test.ts',
  'test/fuzz/frames.fuzz.test.ts',
  'test/update-check.test.ts',
  'test/spec/socket-pressure.test.ts',
  'test/spec/live.test.ts'
]
const preload = join(import.meta.dirname, '../../test/support/windows.ts')

// The run takes a long time and must not slow the machine down.
setPriority(10)
const given = process.argv.slice(2)
let isGreen = true
for (const window of given.length === 0 ? ['0', '1', '5', '25', '100'] : given) {
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=2', '--silent', '--reporter=dot', ...files],
    {
      env: {
        AGMD_TEST_KILL_ROUNDS: '10',
        ...process.env,
        AGMD_TEST_WINDOW_MS: window,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`
      },
      stdio: 'inherit'
    }
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  console.log(`windows of ${window} ms: ${code === 0 ? 'green' : 'FAILED'} in ${Math.round((performance.now() - begun) / 1000)} s`)
  isGreen &&= code === 0
}
process.exit(isGreen ? 0 : 1)
