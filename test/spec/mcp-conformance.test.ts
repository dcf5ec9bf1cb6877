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

test.each([
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']],
  ['2026-07-28', ['server-stateless', 'tools-list', 'caching', 'http-header-validation']]
])(
  '[MCP-27] the conformance suite passes for version %s, but for what test/mcp-conformance.yml names',
  { timeout: 120_000 },
  async (revision, scenarios) => {
    const world = await start()
    const folder = await mkdtemp(join(tmpdir(), 'agmd-conformance-'))
    const args = [suite, 'server', '--url', `${world.url}/mcp`, '--requirements', revision, '--expected-failures', baseline]
    // It ends with 1 when a scenario fails that is not named, or passes though it is.
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--output-dir', folder], {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024
    })
    for (const scenario of scenarios) expect(stdout).toMatch(new RegExp(`[✓✗] ${scenario}: [1-9]`))
    await rm(folder, { recursive: true })
    await world.stop()
  }
)
