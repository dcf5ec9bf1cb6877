import { defineConfig } from 'vitest/config'

const fuzz = ['test/fuzz/**/*.test.ts', 'test/**/*.fuzz.test.ts']
const slow = ['test/browser/**', 'test/faults/**', ...fuzz]

/** Fast tests, then faults and fuzz together, then the browser: one beside the other would measure its neighbours. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    passWithNoTests: true,
    projects: [
      project('fast', 1, 30, ['test/**/*.test.ts'], slow),
      project('fuzz', 2, 600, fuzz, []),
      project('faults', 2, 600, ['test/faults/**/*.test.ts'], fuzz),
      project('browser', 3, 240, ['test/browser/**/*.test.ts'], fuzz)
    ]
  }
})

function project(name: string, groupOrder: number, timeoutSeconds: number, include: string[], exclude: string[]) {
  const milliseconds = timeoutSeconds * 1000
  return {
    test: {
      name,
      include,
      exclude,
      environment: 'node',
      setupFiles: ['test/seed.ts'],
      testTimeout: milliseconds,
      hookTimeout: milliseconds,
      sequence: { groupOrder }
    }
  }
}
