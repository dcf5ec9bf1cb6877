import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { start, startProcess } from '../support/start.ts'
import { ask, settledWithin, until } from '../support/world.ts'

test('[START-1] a request during start-up is answered once the server is ready', async () => {
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
const launched = new Set<ChildProcess>()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agmd-launched-'))
})
afterEach(() => {
  for (const launcher of launched) {
    launcher.kill('SIGTERM')
    launcher.stdout?.destroy()
  }
  launched.clear()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Launched {
  readonly npm: ChildProcess
  readonly url: string
  /** Resolves when the process of the service, and all processes that started it, have ended. */
  readonly gone: Promise<void>
  /** Resolves when the output contains this text. */
  printed(text: string): Promise<void>
}

/** Runs `npm start` on the folder. `preload` is the source of a module that each Node process loads first. */
const npmStart = async (preload = ''): Promise<Launched> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    AGMD_PORT: String(port),
    AGMD_HOST: '127.0.0.1',
    AGMD_DATA_DIR: folder,
    AGMD_LOG_FORMAT: 'json',
    ...(preload !== '' && { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` })
  }
  const npm = spawn('npm', ['start'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  launched.add(npm)
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  // Every process inherits the pipe of npm. The pipe closes when the last process that can write to it has ended.
  const gone = new Promise<void>((ended) => npm.stdout.once('close', ended))
  let isGone = false
  void gone.then(() => (isGone = true))
  const printed = (text: string): Promise<void> =>
    until(() => output.includes(text) || isGone, text, 90).then(() => {
      if (!output.includes(text)) throw new Error(`everything ended before it printed "${text}": ${output}`)
    })
  return { npm, url, gone, printed }
}

/** The processes of `npm start`: npm, which may start a shell, then the launcher, then the server. */
const processesOf = async ({ npm }: Launched): Promise<Record<'npm' | 'shell' | 'launcher' | 'server', number>> => {
  const server = Number(await readFile(join(folder, 'lock'), 'utf8'))
  const parentOf = async (pid: number): Promise<number> =>
    Number(/^PPid:\t(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
  const launcher = await parentOf(server)
  return { npm: npm.pid as number, shell: await parentOf(launcher), launcher, server }
}

/** A start needs a multiple of its usual time on a busy machine. The time for the end is a rule. */
const patient = { timeout: 120_000 }

const within = async (ended: Promise<void>): Promise<'ended' | 'still there'> =>
  (await settledWithin(ended, 10_000)) === 'waiting' ? 'still there' : 'ended'

/** The document to which each start writes, and the text that the server has acknowledged. */
let written: { path: string; key: string; content: string } | undefined

/** Expects that the server has everything that an earlier one acknowledged. Writes something more, which it acknowledges. */
const checkAndWrite = async (url: string, content: string): Promise<void> => {
  if (written === undefined) {
    const { json } = await ask(url, 'POST', '/api/docs', { json: { content: 'begun' } })
    written = { path: `/api/docs/${json.id}/content`, key: json.key, content: 'begun' }
  }
  expect((await ask(url, 'GET', written.path, { key: written.key })).text).toBe(written.content)
  expect((await ask(url, 'PUT', written.path, { key: written.key, json: { content } })).status).toBe(200)
  written = { ...written, content }
}

const endsFor = async (who: 'npm' | 'shell' | 'launcher' | 'server', signal: NodeJS.Signals): Promise<void> => {
  const started = await npmStart()
  await started.printed(' serves ')
  await checkAndWrite(started.url, `before ${signal} to the ${who}`)
  process.kill((await processesOf(started))[who], signal)
  expect(await within(started.gone)).toBe('ended')
  await expect(fetch(started.url)).rejects.toThrow()
}

test('[START-8] `npm start` serves documents, guides, MCP, sign-in and published pages with the built server', patient, async () => {
  const started = await npmStart()
  await started.printed(' serves ')
  const { json: made } = await ask(started.url, 'POST', '/api/docs', { json: { content: '# Built' } })
  const published = await ask(started.url, 'POST', `/api/docs/${made.id}/publish`, { key: made.key, json: {} })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const texts = [
    await ask(started.url, 'GET', '/agents.md'),
    await ask(started.url, 'GET', '/openapi.json'),
    await ask(started.url, 'POST', '/mcp', { json: list }),
    await ask(started.url, 'GET', '/.well-known/openid-configuration'),
    await ask(started.url, 'GET', new URL(published.json.url).pathname)
  ]
  expect(texts.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(texts.at(-1)?.text).toContain('Built')
  // The process runs no sources.
  const { server } = await processesOf(started)
  expect(await readFile(`/proc/${server}/cmdline`, 'utf8')).toContain('dist/server/main.js')
  started.npm.kill('SIGTERM')
  await started.gone
})

test.each(['npm', 'launcher', 'server'] as const)(
  '[START-3] [START-5] a SIGTERM to the %s of `npm start` stops the service, and nothing acknowledged is lost',
  patient,
  (who) => endsFor(who, 'SIGTERM')
)

test.each(['npm', 'shell', 'launcher'] as const)(
  '[START-4] [START-5] the service stops when the %s of `npm start` is killed, and nothing acknowledged is lost',
  patient,
  (who) => endsFor(who, 'SIGKILL')
)

test('[START-6] if npm is killed while the launcher still prepares the start, no server is left behind', patient, async () => {
  const opened = join(folder, 'opened')
  // The launcher reads the lock file when it begins.
  const holding = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const read = fs.readFileSync
    let isHeld = false
    fs.readFileSync = (path, ...how) => {
      if (!isHeld && process.argv[1].endsWith('launch.mjs') && String(path).endsWith('package-lock.json')) {
        isHeld = true
        fs.writeSync(1, 'held')
        while (!fs.existsSync(${JSON.stringify(opened)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      }
      return read(path, ...how)
    }
    syncBuiltinESMExports()`
  const started = await npmStart(holding)
  await started.printed('held')
  const ended = once(started.npm, 'exit')
  started.npm.kill('SIGKILL')
  await ended
  await writeFile(opened, '')
  expect(await within(started.gone)).toBe('ended')
})

test('[START-9] a build before a command leaves the standard output to the command', patient, async () => {
  const copy = join(folder, 'copy')
  for (const part of ['package.json', 'package-lock.json', 'scripts', 'shared', 'server', 'web', 'cli', 'dist'])
    await cp(join(project, part), join(copy, part), { recursive: true })
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'))
  await writeFile(join(copy, 'dist/server/.build-hash'), 'outdated')
  // The build of the pages says much, and takes long. That of the server says nothing.
  const talking = `if (process.argv[1]?.endsWith('vite.js')) console.log('said by a build')`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['scripts/launch.mjs', 'start', 'admin', 'backup', '--help'], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(talking)}` }
  })
  expect(stderr).toContain('said by a build')
  expect(stdout).toMatch(/^usage: [^]*backup/)
  expect(stdout).not.toContain('said by a build')
})

test('[START-7] the launcher kills a server that hangs, ten seconds after the signal', patient, async () => {
  // The launcher's timer of ten seconds fires immediately.
  const hanging = `
    const wait = setTimeout
    if (process.argv[1].endsWith('launch.mjs')) globalThis.setTimeout = (run, ms) => wait(run, ms === 10_000 ? 0 : ms)
    if (process.argv[1].endsWith('main.ts')) process.on('SIGTERM', () => { for (;;); })`
  const started = await npmStart(hanging)
  await started.printed(' serves ')
  started.npm.kill('SIGTERM')
  expect(await within(started.gone)).toBe('ended')
})
