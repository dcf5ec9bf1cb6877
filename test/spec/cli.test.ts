/** The command-line client against a real server: every command, every example, every exit code. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts.ts'
import { openSession } from '../../server/domain/sessions.ts'
import { globalOptions } from '../../shared/commands/command.ts'
import { commands } from '../../shared/commands/index.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { buildClient, type Machine, newMachine, nodes, type Ran } from '../support/cli.ts'
import { samples } from '../support/media.ts'
import { comment, suggest } from '../support/remarks.ts'
import { assign } from '../support/reviews.ts'
import { type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
let client: string
let here: Machine
beforeAll(async () => {
  client = await buildClient()
  world = await startWorld({ clientFile: client })
  here = await newMachine(world.url)
})
afterAll(async () => {
  await world.stop()
  await here.remove()
})

const linkOf = ({ doc, key }: Person): string => `${world.url}/d/${doc}?key=${key}`

/** A document of this text, in a file. */
const pulled = async (file: string, content = '# Notes\n\nFirst words.\n\nMiddle.\n\nLast words.\n'): Promise<Person> => {
  const owner = await world.create(content)
  expect((await here.agmd('docs', 'pull', linkOf(owner), '-o', file)).code).toBe(0)
  return owner
}

const text = async (owner: Person): Promise<string> => (await owner.read()).content

// ——— the program ———

test('[CLI-1] the client is one file of at most 200 KB that runs without an ending under any package.json, on every Node here', async () => {
  expect(statSync(client).size).toBeLessThanOrEqual(200 * 1024)
  for (const type of ['module', 'commonjs', undefined]) {
    const folder = here.path(`in-${type}`)
    mkdirSync(folder)
    if (type !== undefined) writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(folder, 'agmd'), await (await import('node:fs/promises')).readFile(client))
    for (const node of nodes()) {
      const { code, stdout } = await here.shell(`'${node}' '${join(folder, 'agmd')}' --version`)
      expect({ type, node, code, stdout }).toEqual({ type, node, code: 0, stdout: 'agmd 0.2.0\n' })
      expect((await here.shell(`'${node}' '${join(folder, 'agmd')}' api GET /api/health`)).json.ok).toBe(true)
    }
  }
})

test('[CLI-2] the commands are those of the table: in help, in `commands --json`, and as the service tells them', async () => {
  const { json } = await here.agmd('commands', '--json')
  const { json: served } = await world.ask('GET', '/api/cli/commands')
  expect({ ...json, service: world.url }).toEqual(served)
  expect(json.commands.map(({ command }: Json) => command)).toEqual(commands.map(({ words }) => words))
  const { stdout } = await here.agmd()
  for (const { words, summary } of commands) expect(stdout).toContain(`${words} `)
  expect(commands.every(({ summary }) => summary.endsWith('.'))).toBe(true)
  // Every operation that has a command is one, and every option is explained.
  const named = (Object.values(operations) as Operation[]).flatMap(({ cli }) => (cli === undefined ? [] : [cli]))
  for (const words of named) expect(commands.map((command) => command.words)).toContain(words)
  for (const { words, options, positionals } of commands)
    for (const { name, summary } of [...options, ...positionals, ...globalOptions]) expect(summary, `${words} ${name}`).not.toBe('')
})

test('[CLI-2] every command tells how it is used, with examples first', async () => {
  for (const { words, examples } of commands.slice(0, 60).filter((_command, index) => index % 6 === 0)) {
    const { code, stdout } = await here.agmd(...words.split(' '), '--help')
    expect({ words, code }).toEqual({ words, code: 0 })
    expect(stdout).toContain(`Examples\n  ${examples[0]}`)
  }
  expect(await here.agmd('help', 'docs', 'push')).toEqual(await here.agmd('docs', 'push', '-h'))
})

/** What an example runs in: a fresh document with a comment, a suggestion, an assignment and a file. */
const prepared = async (machine: Machine, example: string, token: string): Promise<Record<string, string>> => {
  const owner = await world.create({ title: 'Notes', content: '# Notes\n\nFirst words.\n\nLast words.\n' })
  const { task } = await assign(world, owner)
  const url = linkOf(owner)
  machine.write('draft.md', '# Draft\n')
  writeFileSync(machine.path('picture.png'), samples['png']?.bytes ?? '')
  rmSync(machine.path('.agmd'), { recursive: true, force: true })
  if (example.includes('notes.md')) await machine.agmd('docs', 'pull', url, '-o', 'notes.md', '--force')
  return {
    URL: url,
    COMMENT: (await comment(owner, { body: 'Hm.' }, { headers: { Authorization: `Bearer ${token}` } })).id,
    SUGGESTION: (await suggest(owner, { operation: 'insert', text: 'x' })).id,
    SHARE: (await owner.share('view')).link.id,
    TASK: task.id,
    TASK_URL: task.share.url,
    VERSION: task.startingVersion
  }
}

const newAccount = async (email: string): Promise<Account> =>
  (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account

const session = async (account: Account): Promise<string> => (await openSession(world.service, account.id, 'app', 'a test')).token

const idOf = async (token: string): Promise<string> => {
  const { json } = await world.ask('GET', '/api/me/sessions', { headers: { Authorization: `Bearer ${token}` } })
  return json.sessions.find(({ current }: Json) => current).id
}

const plain = commands.filter(({ endless, words }) => endless !== true && words !== 'login')

test('[CLI-3] every example of every command does what it says', { timeout: 120_000 }, async () => {
  const machine = await newMachine(world.url)
  const ana = await newAccount('ana@example.org')
  // What others do with the account must not stand in the way of what these two are for.
  let token = await session(ana)
  const ends = /^(auth|logout)/
  for (const { words, examples } of plain)
    for (const example of examples) {
      rememberIn(machine, token)
      const env = await prepared(machine, example, token)
      const other: Record<string, string> = words === 'auth revoke' ? { SESSION: await idOf(await session(ana)) } : {}
      if (words === 'tasks report') await machine.shell('agmd tasks start "$TASK_URL" --author Ben', { env })
      const { code, stderr } = await machine.shell(example, { env: { ...env, ...other } })
      expect({ example, code, stderr }).toEqual({ example, code: 0, stderr: expect.any(String) })
      if (ends.test(words)) token = await session(ana)
    }
  await machine.remove()
})

/** A session as `agmd login` leaves it. */
const rememberIn = (machine: Machine, token: string): void => {
  const folder = machine.path('.config/agmd')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'hosts.json'), JSON.stringify({ [world.url]: { token, user: 'ana' } }), { mode: 0o600 })
}
