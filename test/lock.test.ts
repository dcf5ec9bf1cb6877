import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Entry {
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Entry>>
}

/**
 * Matches the packages of the linter, the formatter and knip's parser for other platforms. `node scripts/complete-lock.mjs --integrity` fills them
 * in.
 */
const tools = /^node_modules\/@(oxlint|oxlint-tsgolint|oxfmt|oxc-parser)\/(?!.*linux-x64(-gnu)?$)/

test('[HOUSE-6] every package of the lock is tied to its bytes, except tools for systems whose packages the registry lacked', () => {
  const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true)
  expect(entries.length).toBeGreaterThan(300)
  for (const [path, { integrity, dev, optional, os }] of entries)
    if (integrity === undefined)
      expect({ path, dev, optional, os }).toEqual({ path: expect.stringMatching(tools), dev: true, optional: true, os: expect.any(Array) })
    else expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
})
