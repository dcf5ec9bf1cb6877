import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { freePort } from '../support/free-port.ts'
import { start, startProcess } from '../support/start.ts'
import { settledWithin } from '../support/world.ts'

test('[START-1] a request during the start is answered once the server is ready', async () => {
  const port = await freePort()
  const starting = start({ env: { AGMD_PORT: String(port) } })
  const asked: Promise<number | 'refused'>[] = []
  let started = false
  void starting.then(() => (started = true))
  while (!started) {
    asked.push(
      fetch(`http://127.0.0.1:${port}/api/health`).then(
        ({ status }) => status,
        () => 'refused' as const
      )
    )
    await new Promise((resolve) => setImmediate(resolve))
  }
  const world = await starting
  const answers = await settledWithin(Promise.all(asked), 5000)
  if (answers === 'waiting') throw new Error('somebody was not answered')
  expect(new Set(answers).isSubsetOf(new Set([200, 'refused']))).toBe(true)
  expect(answers).toContain(200)
  await world.stop()
})

test('[START-2] if the port is taken, a sentence names the setting, and the process exits with 1', async () => {
  const first = await start()
  const { port } = new URL(first.url)
  await expect(startProcess({ env: { AGMD_PORT: port } })).rejects.toThrow(
    `ended with 1: agmd cannot listen on 127.0.0.1:${port}: another program is using it. Set AGMD_PORT or AGMD_HOST to a different value.\n`
  )
  await first.stop()
})

const project = resolve(import.meta.dirname, '../..')
const launched: { launcher: ChildProcess; folder: string }[] = []
afterEach(async () => {
  for (const { launcher, folder } of launched.splice(0)) {
    launcher.kill('SIGTERM')
    launcher.stdout?.destroy()
    await rm(folder, { recursive: true, force: true })
  }
})

/** Starts the service with a command. Resolves once it serves requests. `gone` resolves when the process of the service has ended. */
const launch = async (command: string, words: string[]): Promise<{ launcher: ChildProcess; url: string; gone: Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-launched-'))
  const port = await freePort()
  const env = { ...process.env, AGMD_PORT: String(port), AGMD_HOST: '127.0.0.1', AGMD_DATA_DIR: folder, AGMD_LOG_FORMAT: 'json' }
  const launcher = spawn(command, words, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
  launched.push({ launcher, folder })
  // The service inherits the pipe of its launcher. The pipe closes when the last process that can write to it has ended.
  const gone = new Promise<void>((ended) => launcher.stdout.once('close', ended))
  await new Promise<void>((serves, failed) => {
    launcher.stdout.setEncoding('utf8').on('data', (text: string) => text.includes(' serves ') && serves())
    void gone.then(() => failed(new Error('the service ended before it served')))
  })
  return { launcher, url: `http://127.0.0.1:${port}`, gone }
}

const within = async (ended: Promise<void>): Promise<'ended' | 'still there'> =>
  (await settledWithin(ended, limits.stopSecondsMax * 1000)) === 'waiting' ? 'still there' : 'ended'

test('[START-3] a SIGTERM to `npm start` stops the service', async () => {
  const { launcher, url, gone } = await launch('npm', ['start'])
  launcher.kill('SIGTERM')
  expect(await within(gone)).toBe('ended')
  await expect(fetch(url)).rejects.toThrow()
})

test('[START-4] the service stops when its launcher or npm is killed', async () => {
  const direct = await launch(process.execPath, ['scripts/launch.mjs', 'start'])
  direct.launcher.kill('SIGKILL')
  expect(await within(direct.gone)).toBe('ended')
  await expect(fetch(direct.url)).rejects.toThrow()
  const byNpm = await launch('npm', ['start'])
  byNpm.launcher.kill('SIGKILL')
  expect(await within(byNpm.gone)).toBe('ended')
  await expect(fetch(byNpm.url)).rejects.toThrow()
})
