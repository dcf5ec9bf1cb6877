import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { start } from '../support/start.ts'

const suite = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js')
const baseline = join(import.meta.dirname, '..', 'mcp-conformance.yml')

test('[MCP-27] the conformance suite passes, but for what test/mcp-conformance.yml names', { timeout: 120_000 }, async () => {
  const world = await start()
  const folder = await mkdtemp(join(tmpdir(), 'agmd-conformance-'))
  const args = [suite, 'server', '--url', `${world.url}/mcp`, '--expected-failures', baseline, '--output-dir', folder]
  // It ends with 1 when a scenario fails that is not named, or passes though it is.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 })
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]`))
  await rm(folder, { recursive: true })
  await world.stop()
})
