import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const fuzz = ['test/fuzz/**/*.test.ts', 'test/**/*.fuzz.test.ts']
const slow = ['test/browser/**', 'test/faults/**', ...fuzz]

/** More space for new objects: tests create much garbage in a short time. This saves a tenth of the CPU time of a process. */
const roomy = ['--min-semi-space-size=16', '--max-semi-space-size=32']

/** Node keeps the compiled code of a module there: a service that a test starts is ready in half of the CPU time. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/**
 * Files that take long although they are small: Vitest begins with the largest ones. If they began last, a group would end with a single process at
 * work.
 */
const long = [
  'faults/event-loop',
  'faults/growth',
  'fuzz/convergence.fuzz',
  'faults/kill',
  'spec/cli',
  'admin',
  'migrate',
  'spec/journey',
  'spec/start'
]
const isLong = ({ moduleId }: TestSpecification): boolean => long.some((name) => moduleId.endsWith(`/test/${name}.test.ts`))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
    return (await super.sort(files)).toSorted((a, b) => groupOf(a) - groupOf(b) || Number(isLong(b)) - Number(isLong(a)))
  }
}

/**
 * Fast tests, then faults and fuzz together, then the browser: one next to the other would measure its neighbors. Files of a shared project run
 * one after the other in the same processes: modules are loaded, compiled and warmed once, which is half of the CPU time of the fast tests.
 * Such a file leaves nothing behind: no changed global, no running server. Faults and fuzz measure memory and the event loop: each file has a
 * process of its own.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the smallest machine has cores: a page that waits leaves its core to another.
    maxWorkers: 3,
    passWithNoTests: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('fast', 1, 30, ['test/**/*.test.ts'], slow, 'shared'),
      project('fuzz', 2, 600, fuzz, [], 'own'),
      project('faults', 2, 600, ['test/faults/**/*.test.ts'], fuzz, 'own'),
      project('browser', 3, 240, ['test/browser/**/*.test.ts'], fuzz, 'shared')
    ]
  }
})

function project(
  name: string,
  groupOrder: number,
  timeoutSeconds: number,
  include: string[],
  exclude: string[],
  processes: 'shared' | 'own'
) {
  const milliseconds = timeoutSeconds * 1000
  return {
    test: {
      name,
      include,
      exclude,
      environment: 'node',
      isolate: processes === 'own',
      execArgv: processes === 'shared' ? roomy : [],
      setupFiles: ['test/seed.ts', ...(process.env['AGMD_TEST_NODES'] === undefined ? [] : ['test/not-spread.ts'])],
      testTimeout: milliseconds,
      hookTimeout: milliseconds,
      sequence: { groupOrder }
    }
  }
}
