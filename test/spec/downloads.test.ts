/** The download of the client, its checksum, and the install script. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildClient, type Machine, newMachine } from '../support/cli.ts'
import { ask, startWorld, type World } from '../support/world.ts'

let world: World
let installer: string
beforeAll(async () => {
  world = await startWorld({ clientFile: await buildClient() })
  installer = (await world.ask('GET', '/install.sh')).text
})
afterAll(() => world.stop())

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('[DOWNLOAD-1] the client, its checksum and the installer are public; the client knows this service', async () => {
  const file = await world.ask('GET', '/downloads/agmd')
  expect(file.status).toBe(200)
  expect(file.text.startsWith('#!/usr/bin/env node\n')).toBe(true)
  expect(file.text).toMatch(new RegExp(`AGMD_HOME ?= ?["\`]${world.url}["\`]`))
  const { text, headers } = await world.ask('GET', '/downloads/agmd/checksum')
  expect(text).toBe(`${sha256(file.text)}  agmd\n`)
  expect(headers.get('Content-Type')).toMatch(/^text\/plain/)
  const etag = file.headers.get('ETag') ?? ''
  expect((await world.ask('GET', '/downloads/agmd', { headers: { 'If-None-Match': etag } })).status).toBe(304)
  expect((await world.ask('HEAD', '/downloads/agmd')).headers.get('Content-Length')).toBe(String(Buffer.byteLength(file.text)))
  expect((await world.ask('GET', '/install.sh')).headers.get('Content-Type')).toMatch(/shellscript/)
  expect((await world.ask('POST', '/downloads/agmd')).status).toBe(405)
})

test('[DOWNLOAD-1] a service whose client was not built says so', async () => {
  const bare = await startWorld({ clientFile: '/nowhere/agmd' })
  for (const path of ['/downloads/agmd', '/downloads/agmd/checksum', '/install.sh'])
    expect(await bare.ask('GET', path)).toMatchObject({
      status: 404,
      json: { code: 'not_found', hint: expect.stringContaining('npm run build') }
    })
  await bare.stop()
})

const install = async (machine: Machine, script = installer, env: Record<string, string> = {}) => {
  const path = machine.write('install.sh', script)
  return machine.shell(`sh ${path}`, { env })
}

/** Creates a home folder without any installation. */
const freshHome = async (): Promise<Machine> => {
  const machine = await newMachine()
  await machine.shell('rm bin/agmd')
  return machine
}

test('[DOWNLOAD-4] an installer over plain http warns, but not on this machine or over https', async () => {
  const said = 'is not encrypted'
  expect(installer).not.toContain(said)
  for (const [baseUrl, warns] of [
    ['http://docs.example', true],
    ['https://docs.example', false]
  ] as const) {
    const own = await startWorld({ env: { AGMD_BASE_URL: baseUrl }, clientFile: await buildClient() })
    const { text } = await ask(own.listening, 'GET', '/install.sh')
    expect(text.includes(said), baseUrl).toBe(warns)
    await own.stop()
  }
})

test('[DOWNLOAD-2] the installer puts the client into ~/.local/bin, verified, and says what else to do', async () => {
  const machine = await freshHome()
  const { code, stdout } = await install(machine)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Installed .*\/\.local\/bin\/agmd \(agmd 0\.2\.0\)\n.*PATH.*\n/)
  })
  expect(machine.read('.local/bin/agmd')).toBe((await world.ask('GET', '/downloads/agmd')).text)
  expect(readdirSync(machine.path('.local/bin'))).toEqual(['agmd'])
  const elsewhere = await install(machine, installer, {
    AGMD_INSTALL_DIR: machine.path('my tools'),
    PATH: `${machine.env['PATH']}:${machine.path('my tools')}`
  })
  expect(elsewhere).toMatchObject({ code: 0, stdout: expect.stringContaining('To start: agmd --help') })
  expect((await machine.shell("'my tools/agmd' doctor --json")).json.ok).toBe(true)
  await machine.remove()
})

test('[DOWNLOAD-2] the installer installs nothing, and changes nothing, if anything is wrong', async () => {
  const machine = await freshHome()
  await install(machine)
  const before = machine.read('.local/bin/agmd')
  const liar = createServer((request, response) =>
    response.end(request.url?.endsWith('checksum') === true ? `${'0'.repeat(64)}  agmd\n` : 'something else')
  )
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
  const lying = installer.replaceAll(world.url, `http://127.0.0.1:${(liar.address() as AddressInfo).port}`)
  const gone = installer.replaceAll(world.url, 'http://127.0.0.1:9')
  expect(await install(machine, lying)).toMatchObject({ code: 1, stderr: expect.stringContaining('checksum') })
  expect(await install(machine, gone)).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be fetched') })
  // This folder has an old Node without `getBuiltinModule`.
  const old = machine.path('old')
  await machine.shell(`mkdir old && for tool in curl mktemp mkdir rm mv chmod sh; do ln -s "$(command -v $tool)" old/; done`)
  writeFileSync(join(old, 'node'), '#!/bin/sh\n[ "$1" = --version ] && echo v18.20.0\nexit 1\n', { mode: 0o755 })
  expect(await install(machine, installer, { PATH: old })).toMatchObject({ code: 1, stderr: expect.stringContaining('this is v18.20.0') })
  await machine.shell('rm old/node')
  expect(await install(machine, installer, { PATH: old })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Node 20.16 or newer is needed')
  })
  expect(readdirSync(machine.path('.local/bin'))).toEqual(['agmd'])
  expect(readFileSync(machine.path('.local/bin/agmd'), 'utf8')).toBe(before)
  await new Promise((resolve) => liar.close(resolve))
  await machine.remove()
})

test('[DOWNLOAD-3] an installer that is truncated at any point does nothing', async () => {
  const machine = await freshHome()
  const whole = installer.trimEnd()
  // The cuts end before the last line, because a cut inside that line may leave a complete call.
  const end = whole.length - 'main "$@"'.length
  // One shell runs all truncated scripts, each in a separate process.
  const cuts = Array.from({ length: 60 }, (_cut, index) => Math.floor((end * index) / 59))
  cuts.forEach((cut, index) => machine.write(`cut-${index}.sh`, installer.slice(0, cut)))
  await machine.shell('for cut in cut-*.sh; do sh "$cut" >>said.txt 2>/dev/null || true; rm "$cut"; done')
  expect({ said: machine.read('said.txt'), left: readdirSync(machine.home).toSorted() }).toEqual({ said: '', left: ['bin', 'said.txt'] })
  await machine.remove()
})
