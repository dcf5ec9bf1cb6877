import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from './support/free-port.ts'

test('[HOUSE-7] `npm run dev` serves the pages from their sources and the rest from the server, at one address', async () => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'agmd-dev-'))
  const dev = spawn(process.execPath, ['scripts/dev.ts', folder], { env: { ...process.env, AGMD_PORT: String(port) } })
  try {
    // Both servers answer before the command prints its single line.
    const [line] = (await once(dev.stdout.setEncoding('utf8'), 'data')) as [string]
    expect(line).toBe(`agmd: http://localhost:${port}, documents in ${folder}. Ctrl+C ends it.\n`)
    const read = async (path: string): Promise<string> =>
      (await fetch(`http://localhost:${port}${path}`, { headers: { Accept: 'text/html' } })).text()
    expect(await read('/d/some-id')).toContain('<script type="module" src="/enter.ts"></script>')
    expect(await read('/enter.ts')).toContain('import("/main.tsx")')
    expect(JSON.parse(await read('/api/health'))).toMatchObject({ ok: true })
    expect((await fetch(`http://localhost:${port}/sw.js`)).status).toBe(404)
    const created = await fetch(`http://localhost:${port}/new`, { method: 'POST' })
    expect(await created.json()).toMatchObject({ url: expect.stringContaining(`http://localhost:${port}/d/`) })
  } finally {
    dev.kill('SIGTERM')
    await once(dev, 'exit')
    rmSync(folder, { recursive: true })
  }
  await expect(fetch(`http://localhost:${port}/api/health`)).rejects.toThrow('fetch failed')
})
