import assert from 'node:assert/strict'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { admin as runAdmin, commands } from '../server/admin.ts'
import { parseWords } from '../server/admin/command.ts'
import { createProgress } from '../server/admin/progress.ts'
import { emptyStreams, type Outcome, startAdmin } from './support/operator.ts'
import { startProcess } from './support/start.ts'
import { newVisitor, password, signIn } from './support/visitor.ts'

const admin = (words: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> => startAdmin(words, env).outcome

const context = {
  env: {},
  version: 'test',
  progress: () => () => undefined,
  input: async () => '',
  ...emptyStreams(),
  settings: () => assert.fail('this command needs no settings')
}

test('[ADMIN-1] while the server runs, admin commands print links for a new account and a new password', async () => {
  const world = await startProcess({ env: { AGMD_SIGN_UP: 'invite' } })
  const env = { AGMD_DATA_DIR: world.folder, AGMD_BASE_URL: world.url }
  const { code, out } = await admin(['invite', 'Ana@Example.org'], env)
  expect(code).toBe(0)
  const [link = '', note] = out.split('\n')
  expect(note).toBe('This link works once, within 168 hours.')
  const visitor = newVisitor()
  await visitor.visit(link)
  await visitor.submit('/auth/invite', { password: 'forgotten long ago' })
  expect(visitor.page.url).toBe(`${world.url}/account`)
  const reset = await admin(['reset', 'ana@example.org'], env)
  await visitor.visit(reset.out.split('\n')[0] ?? '')
  await visitor.submit('/auth/reset', { password })
  expect((await signIn(world.url, 'ana@example.org')).page.url).toBe(`${world.url}/`)
  await world.stop()
})

test('[ADMIN-3] useless links are refused', async () => {
  const world = await startProcess({ env: { AGMD_SIGN_UP: 'invite' } })
  const env = { AGMD_DATA_DIR: world.folder, AGMD_BASE_URL: world.url }
  const visitor = newVisitor()
  await visitor.visit((await admin(['invite', 'ana@example.org'], env)).out.split('\n')[0] ?? '')
  await visitor.submit('/auth/invite', { password })
  const outcomes = [
    [await admin(['invite', 'ANA@example.org'], env), 'already has an account'],
    [await admin(['reset', 'bob@example.org'], env), 'No account has the email address bob@example.org'],
    [await admin(['invite', 'bob@example.org'], { ...env, AGMD_SIGN_UP: 'closed' }), 'AGMD_SIGN_UP is closed'],
    [await admin(['invite', 'bob@example.org'], { ...env, AGMD_DATA_DIR: join(world.folder, 'none') }), 'Start the server once']
  ] as const
  for (const [{ code, out, err }, says] of outcomes) {
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toContain(says)
  }
  expect((await admin(['reset', 'ana@example.org'], { ...env, AGMD_SIGN_UP: 'closed' })).code).toBe(0)
  await world.stop()
})

test.each([
  [[], 'usage'],
  [['invite'], 'usage'],
  [['remove', 'ana@example.org'], 'usage'],
  [['invite', 'ana@example.org', 'bob@example.org'], 'usage'],
  [['invite', 'nobody'], 'not an email address']
])('[ADMIN-2] an invalid command exits with 64 and gives the reason: %j', async (words, says) => {
  const { code, out, err } = await admin(words, { AGMD_BASE_URL: 'http://localhost:1' })
  expect({ code, out }).toEqual({ code: 64, out: '' })
  expect(err).toContain(says)
})

test('[ADMIN-4] the overview lists every command, and --help prints the page of a command', async () => {
  const overview = (await admin(['--help'], {})).out
  const names = Object.keys(commands)
  expect(
    overview
      .split('\n')
      .filter((line) => /^ {2}\w/.test(line))
      .map((line) => line.trim().split(' ')[0])
  ).toEqual(names)
  for (const [name, { help, usage }] of Object.entries(commands)) {
    expect(help).toContain(`npm start -- admin ${name} ${usage}`.trim())
    expect((await runAdmin([name, '--help'], context)).output).toBe(help)
  }
})

test('[ADMIN-5] progress is a bar with rate and remaining time on a terminal, and lines of JSON elsewhere', () => {
  const shownOn = (isTerminal: boolean): string => {
    let text = ''
    const show = createProgress((piece) => (text += piece), isTerminal)
    for (const done of [0, 2, 4]) show({ phase: 'copying', done: done * 1024 * 1024, total: 4 * 1024 * 1024, unit: 'bytes' })
    return text
  }
  const last = shownOn(true).split('\r').at(-1)
  expect(last).toMatch(/copying {3}\[#{30}\] 100 % {2}4\.0 MiB of 4\.0 MiB {2}[\d.]+ MiB\/s\n$/)
  const lines = shownOn(false)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ phase: 'copying', done: 4194304, total: 4194304, unit: 'bytes', secondsLeft: 0 })
  expect(lines[0]).toMatchObject({ done: 0, secondsLeft: null })
})

test('[ADMIN-7] an installed program names its own command in help and messages', async () => {
  const { out } = await admin(['--help'], { AGMD_STARTED_AS: 'agmd-server' })
  expect(out).toContain('usage: agmd-server admin COMMAND')
  expect(out).not.toContain('npm')
  const { code, err } = await admin(['nonsense'], { AGMD_STARTED_AS: 'agmd-server' })
  expect([code, err.split('\n').slice(0, 3)]).toEqual([64, ['There is no command "nonsense".', '', 'usage: agmd-server admin COMMAND …']])
})

// Only root can own files of others.
test.skipIf(process.getuid?.() !== 0)('[ADMIN-8] root cannot run a command for the data folder of another user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-owner-'))
  await chown(folder, 12345, 12345)
  const { code, err } = await admin(['backup', '--to', `${folder}-place`], { AGMD_DATA_DIR: folder })
  expect(code).toBe(1)
  expect(err).toContain(`${folder} belongs to the user with the id 12345. Run the command as this user`)
  await rm(folder, { recursive: true })
})

test('[ADMIN-2] with an external issuer, no links are created', async () => {
  const { code, err } = await admin(['invite', 'ana@example.org'], { AGMD_AUTH_URL: 'https://id.example.org' })
  expect(code).toBe(64)
  expect(err).toContain('https://id.example.org')
})

test('[ADMIN-9] ids may begin with a hyphen, even in options that are repeated', () => {
  const { values, positionals } = parseWords(
    'help',
    ['-FAeIUWG3JVKfA1W', '--doc', '-GAeIUWG3JVKfA1W', '--doc=-HAeIUWG3JVKfA1W', '--owner', '-IAeIUWG3JVKfA1W'],
    { doc: { type: 'string', multiple: true }, owner: { type: 'string' } },
    1
  )
  expect(positionals).toEqual(['-FAeIUWG3JVKfA1W'])
  expect({ ...values }).toEqual({ doc: ['-GAeIUWG3JVKfA1W', '-HAeIUWG3JVKfA1W'], owner: '-IAeIUWG3JVKfA1W' })
})
