import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import longRun from './long-run.json' with { type: 'json' }

/** Returns the ids of the rules in test/SPEC.md in order, from list items that begin with `**XXX-1**`. */
function ruleIds(): string[] {
  const spec = readFileSync(join(import.meta.dirname, 'SPEC.md'), 'utf8')
  return [...spec.matchAll(/\*\*([A-Z][A-Z0-9]*-\d+)\*\*/g)].map(([, id = '']) => id)
}

/** Returns the sources of the tests. Contract suites count as well; they are next to the `.test.ts` files that run them. */
const sources = (): string[] =>
  globSync('**/*.ts', { cwd: import.meta.dirname }).map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'))

/** Returns the ids at the beginning of test titles, in square brackets. Several ids may follow each other. */
function testedIds(): Set<string> {
  const beginnings = sources().flatMap((source) =>
    [...source.matchAll(/['"`]((?:\[[A-Z][A-Z0-9]*-\d+\]\s*)+)/g)].map(([, ids = '']) => ids)
  )
  return new Set(beginnings.flatMap((ids) => ids.match(/[A-Z][A-Z0-9]*-\d+/g) ?? []))
}

test('[HOUSE-4] every rule of test/SPEC.md has a test, and every test a rule', () => {
  const rules = ruleIds()
  expect(rules.length).toBeGreaterThan(0)
  expect([...testedIds()].sort()).toEqual([...new Set(rules)].sort())
})

test('[HOUSE-5] no rule id is used twice', () => {
  const rules = ruleIds()
  expect(rules.filter((id, index) => rules.indexOf(id) !== index)).toEqual([])
})

test('[HOUSE-21] each entry of test/long-run.json names one test', () => {
  const titles = sources().flatMap((source) => [...source.matchAll(/['"`](\[[A-Z][A-Z0-9]*-\d+\].*)/g)].map(([, title = '']) => title))
  const count = (beginning: string): number => titles.filter((title) => title.startsWith(beginning)).length
  const entries = Object.values(longRun).flat()
  expect(entries.length).toBeGreaterThan(0)
  expect(entries.map((entry) => [entry, count(entry.split(' … ')[0] ?? '')]).filter(([, found]) => found !== 1)).toEqual([])
})
