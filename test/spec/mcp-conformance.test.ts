import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import { agreeAs } from '../support/program.ts'
import { freePort } from '../support/free-port.ts'
import { start } from '../support/start.ts'
import { newVisitor, password } from '../support/visitor.ts'

const suite = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js')
const baseline = join(import.meta.dirname, '..', 'mcp-conformance.yml')

test.each([
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']],
  ['2026-07-28', ['server-stateless', 'tools-list', 'caching', 'http-header-validation']]
])(
  '[MCP-27] the conformance suite passes for version %s, except for the list in test/mcp-conformance.yml',
  { timeout: 120_000 },
  async (revision, scenarios) => {
    const world = await start()
    const folder = await mkdtemp(join(tmpdir(), 'agmd-conformance-'))
    const args = [suite, 'server', '--url', `${world.url}/mcp`, '--requirements', revision, '--expected-failures', baseline]
    // The suite exits with 1 if an unlisted scenario fails or a listed one passes.
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--output-dir', folder], {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024
    })
    for (const scenario of scenarios) expect(stdout).toMatch(new RegExp(`[✓✗] ${scenario}: [1-9]`))
    await rm(folder, { recursive: true })
    await world.stop()
  }
)

test('[MCP-27] the conformance suite of authorization passes: metadata, and a code for a token', { timeout: 120_000 }, async () => {
  const world = await start()
  const email = 'ana@example.org'
  await createAccount(world.service, { email, name: 'Ana', password })
  const folder = await mkdtemp(join(tmpdir(), 'agmd-conformance-'))
  const port = await freePort()
  const back = `http://127.0.0.1:${port}/callback`
  const registered = await fetch(`${world.url}/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Suite', redirect_uris: [back], token_endpoint_auth_method: 'none' })
  })
  const { client_id: id } = (await registered.json()) as { client_id: string }
  const asked = ['--url', world.url, '--client-id', id, '--resource', `${world.url}/mcp`, '--port', String(port)]
  const running = execFile(process.execPath, [suite, 'authorization', ...asked, '--output-dir', folder], { cwd: folder })
  let said = ''
  // The suite prints the address that a person opens, and waits for the person to return.
  const agreed = new Promise<void>((resolve, reject) => {
    running.stdout?.on('data', (chunk: string) => {
      const before = said
      said += chunk
      const address = /^http\S+authorize\?\S+$/m
      const [url] = said.match(address) ?? []
      if (url === undefined || address.test(before)) return
      const visitor = newVisitor({ stopAt: back })
      const come = async (): Promise<void> => void (await fetch(await agreeAs(new URL(url), email, 'edit', visitor)))
      come().then(resolve, reject)
    })
  })
  await Promise.all([once(running, 'exit'), agreed])
  expect(running.exitCode).toBe(0)
  for (const scenario of ['authorization-server-metadata-endpoint: 2', 'authorization-code-grant: 1'])
    expect(said).toContain(`✓ ${scenario} passed, 0 failed`)
  await rm(folder, { recursive: true })
  await world.stop()
})
