/** The command-line client against a real server: every command, every example and every exit code. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { type Command, globalOptions } from '../../shared/commands/command.ts'
import { commands } from '../../shared/commands/index.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { isLong } from '../support/repeats.ts'
import { buildClient, type Machine, newMachine, nodes, type Ran, type Running } from '../support/cli.ts'
import { withLimit } from '../support/limits.ts'
import { samples } from '../support/media.ts'
import { startSharedNode } from '../support/nodes.ts'
import { asAuthor, comment, suggest } from '../support/annotations.ts'
import { assign } from '../support/reviews.ts'
import { signUp } from '../support/visitor.ts'
import { type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
let client: string
let here: Machine
beforeAll(async () => {
  client = await buildClient()
  world = await startWorld({ clientFile: client, env: { AGMD_NODE_ACCOUNTS: 'node@example.org' } })
  await startSharedNode(world, 'node@example.org')
  here = await newMachine(world.url)
})
afterAll(async () => {
  await world.stop()
  await here.remove()
})

const linkOf = ({ doc, key }: Person): string => `${world.url}/d/${doc}?key=${key}`

/** Creates a document with this text and pulls it into a file. */
const pulled = async (file: string, content = '# Notes\n\nFirst words.\n\nMiddle.\n\nLast words.\n'): Promise<Person> => {
  const owner = await world.create(content)
  expect((await here.agmd('docs', 'pull', linkOf(owner), '-o', file)).code).toBe(0)
  return owner
}

const text = async (owner: Person): Promise<string> => (await owner.read()).content

// ——— the program ———

test('[CLI-1] the client is one file of at most 200 KB that runs without an extension under any package.json, on every Node here', async () => {
  expect(statSync(client).size).toBeLessThanOrEqual(200 * 1024)
  for (const type of ['module', 'commonjs', undefined]) {
    const folder = here.path(`in-${type}`)
    mkdirSync(folder)
    if (type !== undefined) writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    copyFileSync(client, join(folder, 'agmd'))
    for (const node of nodes()) {
      const { code, stdout } = await here.shell(`'${node}' '${join(folder, 'agmd')}' --version`)
      expect({ type, node, code, stdout }).toEqual({ type, node, code: 0, stdout: 'agmd 0.2.0\n' })
      expect((await here.shell(`'${node}' '${join(folder, 'agmd')}' api GET /api/health`)).json.ok).toBe(true)
    }
  }
})

test('[CLI-2] the commands come from the table: in help, in `commands --json`, and from the service', async () => {
  const { json } = await here.agmd('commands', '--json')
  const { json: served } = await world.ask('GET', '/api/cli/commands')
  expect({ ...json, service: world.url }).toEqual(served)
  expect(json.commands.map(({ command }: Json) => command)).toEqual(commands.map(({ words }) => words))
  const { stdout } = await here.agmd()
  for (const { words } of commands) expect(stdout).toContain(`${words} `)
  expect(commands.every(({ summary }) => summary.endsWith('.'))).toBe(true)
  // Every operation with a command is listed, and every option is explained.
  const named = (Object.values(operations) as Operation[]).flatMap(({ cli }) => (cli === undefined ? [] : [cli]))
  for (const words of named) expect(commands.map((command) => command.words)).toContain(words)
  for (const { words, options, positionals } of commands)
    for (const { name, summary } of [...options, ...positionals, ...globalOptions]) expect(summary, `${words} ${name}`).not.toBe('')
})

test('[CLI-2] every command explains its use, with examples first', async () => {
  for (const { words, examples } of commands.slice(0, 60).filter((_command, index) => index % 6 === 0)) {
    const { code, stdout } = await here.agmd(...words.split(' '), '--help')
    expect({ words, code }).toEqual({ words, code: 0 })
    expect(stdout).toContain(`Examples\n  ${examples[0]}`)
  }
  expect(await here.agmd('help', 'docs', 'push')).toEqual(await here.agmd('docs', 'push', '-h'))
})

/** Mentions an account in a document of that account. */
const mention = async (headers: Record<string, string>): Promise<void> => {
  const ask = async (method: string, path: string, json?: object): Promise<Json> => (await world.ask(method, path, { headers, json })).json
  const { user } = await ask('GET', '/api/me')
  const { id } = await ask('POST', '/api/docs', { content: 'Mine.' })
  const { secret } = await ask('POST', `/api/docs/${id}/shares`, { role: 'comment' })
  await comment(world.person(id, secret), { body: `@${user.name}, look.` }, asAuthor('Bo'))
}

/** Prepares an example: a new document with a comment, a suggestion, an assignment and a file. */
const prepared = async (machine: Machine, example: string, token: string): Promise<Record<string, string>> => {
  const owner = await world.create({ title: 'Notes', content: '# Notes\n\nFirst words.\nMore words.\n' })
  const { task } = await assign(world, owner)
  const url = linkOf(owner)
  machine.write('draft.md', '# Draft\n')
  writeFileSync(machine.path('picture.png'), samples['png']?.bytes ?? '')
  writeFileSync(machine.path('recording.wav'), samples['wav']?.bytes ?? '')
  const headers = { Authorization: `Bearer ${token}` }
  const made = async (path: string, json: object): Promise<Json> => (await owner.ask('POST', path, { headers, json })).json
  rmSync(machine.path('.agmd'), { recursive: true, force: true })
  if (example.includes('notes.md')) await machine.agmd('docs', 'pull', url, '-o', 'notes.md', '--force')
  // Without an entry in the inbox, the command would wait as long as the example allows.
  if (example.includes('--wait')) await mention(headers)
  const { id: commentId } = await comment(owner, { body: 'Hm.' }, { headers })
  return {
    URL: url,
    COMMENT: commentId,
    REPLY: (await made(`/comments/${commentId}/replies`, { body: 'Oh.' })).id,
    SUGGESTION: (await suggest(owner, { operation: 'insert', text: 'x' }, { headers: { Authorization: `Bearer ${token}` } })).id,
    SHARE: (await owner.share('view')).link.id,
    TASK: task.id,
    TASK_URL: task.share.url,
    VERSION: task.startingVersion,
    ...(example.includes('$TOKEN_ID') && {
      TOKEN_ID: (await world.ask('POST', '/api/me/tokens', { headers, json: { name: 'bot' } })).json.token.id
    }),
    ...(/\$DOC\b/.test(example) && { DOC: (await world.ask('POST', '/api/docs', { headers, json: { content: 'Mine.' } })).json.id }),
    ...(example.includes('$JOB') && { JOB: (await made('/media/speak', { text: 'Hello' })).jobId }),
    ...(/\$NODE\b/.test(example) && { NODE: (await world.ask('POST', '/api/me/nodes', { headers, json: {} })).json.node.id }),
    ...(example.includes('$NODE_TOKEN') && { NODE_TOKEN: (await world.ask('POST', '/api/me/nodes', { headers, json: {} })).json.token })
  }
}

const newAccount = async (email: string): Promise<Account> =>
  (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account

const session = async (account: Account): Promise<string> => (await openSession(world.service, account.id, 'app', 'a test')).token

const idOf = async (token: string): Promise<string> => {
  const { json } = await world.ask('GET', '/api/me/sessions', { headers: { Authorization: `Bearer ${token}` } })
  return json.sessions.find(({ current }: Json) => current).id
}

/** Whether a command waits for a person or never ends. Such commands are tested where they are stopped ([CLI-16]). */
const waiting = (words: string, example: string): boolean =>
  words === 'docs watch' || example === 'agmd login --no-browser' || example.endsWith(' agmd node')
const examplesOf = (chosen: readonly Command[]): { words: string; example: string }[] =>
  chosen.flatMap(({ words, examples }) => examples.map((example) => ({ words, example })))

const tryExamples = async (chosen: readonly Command[], account: Account): Promise<void> => {
  const machine = await newMachine(world.url)
  // Other tests with the same account must not interfere with these tests.
  let token = await session(account)
  for (const { words, example } of examplesOf(chosen).filter((each) => !waiting(each.words, each.example))) {
    rememberIn(machine, token)
    const env = await prepared(machine, example, token)
    const other: Record<string, string> = {
      TOKEN: token,
      ...(words === 'auth revoke' ? { SESSION: await idOf(await session(account)) } : {})
    }
    if (words === 'tasks report') await machine.shell('agmd tasks start "$TASK_URL" --author Ben', { env })
    const { code, stderr } = await machine.shell(example, { env: { ...env, ...other } })
    expect({ example, code, stderr }).toEqual({ example, code: 0, stderr: expect.any(String) })
    if (/^(auth|logout)/.test(words)) token = await session(account)
  }
  await machine.remove()
}

// Each example needs a document and one to four processes, so the short run takes every third command.
test('[CLI-3] every example of every command does what it says', { timeout: 240_000 }, async () => {
  const tried = commands.filter((_command, index) => isLong || index % 3 === 1)
  const groups = [...Map.groupBy(tried, (_command, index) => index % 3).values()]
  await Promise.all(groups.map(async (chosen, index) => tryExamples(chosen, await newAccount(`ana${index}@example.org`))))
})

/** Stores a session as `agmd login` does. */
const rememberIn = (machine: Machine, token: string): void => {
  const folder = machine.path('.config/agmd')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'hosts.json'), JSON.stringify({ [world.url]: { token, user: 'ana' } }), { mode: 0o600 })
}

test('[CLI-3] the first steps of the guide lead from nothing to a document', async () => {
  const machine = await newMachine()
  await machine.shell('rm bin/agmd')
  const guide = (await world.ask('GET', '/cli.md')).text
  const steps = [...guide.slice(0, guide.indexOf('## Commands')).matchAll(/^```sh\n([\s\S]+?)\n```$/gm)].map(([, step = '']) => step)
  expect(steps).toHaveLength(3)
  const env = { URL: linkOf(await world.create('# Theirs\n')), PATH: `${machine.path('.local/bin')}:${machine.env['PATH']}` }
  for (const step of steps) {
    const { code, stderr } = await machine.shell(step, { env })
    expect({ step, code, stderr }).toMatchObject({ step, code: 0 })
  }
  expect(machine.read('theirs.md')).toBe('# Theirs\n')
  await machine.remove()
})

test('[CLI-3] the examples of the guide can be run in order, on one document', { timeout: 120_000 }, async () => {
  const machine = await newMachine(world.url)
  const token = await session(await newAccount('reader@example.org'))
  const guide = (await world.ask('GET', '/cli.md')).text
  const steps = [...guide.matchAll(/^```sh\n([\s\S]+?)\n```$/gm)].map(([, step = '']) => step)
  machine.write('draft.md', '# Draft\n')
  writeFileSync(machine.path('picture.png'), samples['png']?.bytes ?? '')
  const made = (await machine.shell(steps[1] ?? '')).stdout
  const url = /https?:\S+/.exec(made)?.[0] ?? ''
  const [, doc = '', key = ''] = /\/d\/([\w-]+)\?key=([\w-]+)/.exec(url) ?? []
  rememberIn(machine, token)
  const headers = { Authorization: `Bearer ${token}` }
  const post = async (path: string, json: object): Promise<Json> =>
    (await world.ask('POST', `/api/docs/${doc}/${path}`, { headers, key, json })).json
  const { task } = await post('tasks', { requestId: 'r', title: 't', instructions: 'i' })
  // Commands for accounts and for machines are left out, and so are those that wait.
  const isMeant = (line: string): boolean =>
    /^\S.*agmd (docs|comments|replies|suggestions|share|revisions|publish|events|assets|tasks) /.test(`x ${line}`) &&
    !/docs (watch|claim|delete|list)/.test(line)
  const lines = steps.slice(3).flatMap((step) => step.split('\n').filter(isMeant))
  expect(lines.length).toBeGreaterThan(50)
  // The examples of the commands are tried one by one in any run. Here they meet the same document. An assignment is started before its report.
  for (const line of lines.filter((each, index) => isLong || index % 3 === 0 || each.includes('tasks start'))) {
    const { id: commentId } = await post('comments', { body: 'Hm.' })
    const env = {
      URL: url,
      COMMENT: commentId,
      REPLY: (await post(`comments/${commentId}/replies`, { body: 'Oh.' })).id,
      SUGGESTION: (await post('suggestions', { operation: 'insert', text: 'x' })).id,
      SHARE: (await post('shares', { role: 'view' })).id,
      TASK: task.id,
      TASK_URL: task.share.url,
      VERSION: task.startingVersion
    }
    const { code, stderr } = await machine.shell(line, { env })
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) })
  }
  await machine.remove()
})

// ——— files and documents ———

test('[CLI-4] a document is created from a file, pulled, changed and pushed; the file contains only the Markdown', async () => {
  here.write('four.md', '# Four\n')
  const made = await here.agmd('docs', 'create', '-f', 'four.md')
  expect(made.stdout).toMatch(new RegExp(`^${world.url}/d/[\\w-]+\\?key=[\\w-]{32}\n$`))
  expect(here.read('four.md')).toBe('# Four\n')
  expect((await here.agmd('docs', 'push', 'four.md', '--json')).json).toMatchObject({ changed: false })
  here.write('four.md', '# Four\n\nMore.\n')
  const pushed = await here.agmd('docs', 'push', 'four.md', '--json')
  expect(pushed.json).toMatchObject({ ok: true, changed: true, merged: false, file: 'four.md' })
  expect(await here.agmd('docs', 'cat', 'four.md')).toMatchObject({ code: 0, stdout: '# Four\n\nMore.\n' })
  const again = await here.agmd('docs', 'pull', made.stdout.trim(), '-o', 'copy.md')
  expect({ code: again.code, text: here.read('copy.md') }).toEqual({ code: 0, text: '# Four\n\nMore.\n' })
  expect(here.read('.agmd/.gitignore')).toBe('*\n')
  expect((await here.agmd('docs', 'status', 'copy.md', '--json')).json).toMatchObject({ state: 'same', version: pushed.json.version })
})

test('[CLI-5] a push on an older version writes nothing, here or there, and exits with 5', async () => {
  const owner = await pulled('five.md')
  await owner.replace('# Notes\n\nOther words.\n\nMiddle.\n\nLast words.\n')
  here.write('five.md', '# Notes\n\nFirst words.\n\nMiddle.\n\nFinal words.\n')
  const { code, json } = await here.agmd('docs', 'push', 'five.md', '--json')
  expect({ code, json }).toMatchObject({ code: 5, json: { error: { code: 'merge_needed', clean: true, exitCode: 5 } } })
  expect(await text(owner)).toContain('Last words.')
  expect(here.read('five.md')).toContain('First words.')
  const shown = await here.agmd('docs', 'push', 'five.md', '--merge', '--dry-run')
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('+Final words.') })
  expect(await text(owner)).toContain('Last words.')
  expect((await here.agmd('docs', 'push', 'five.md', '--merge', '--json')).json).toMatchObject({ merged: true, changed: true })
  expect(await text(owner)).toBe('# Notes\n\nOther words.\n\nMiddle.\n\nFinal words.\n')
  expect(here.read('five.md')).toBe(await text(owner))
})

test('[CLI-34] a push makes suggestions with its note, granularity and label, and a dry run makes none', async () => {
  const owner = await pulled('proposed.md')
  here.write('proposed.md', '# Notes\n\nMy first words.\n\nMiddle.\n\nMy last words.\n')
  const listed = async () => (await owner.ask('GET', '/suggestions')).json.suggestions
  const tried = await here.agmd('docs', 'push', 'proposed.md', '--suggest', '--granularity', 'section', '--dry-run')
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/^This would suggest 1 change:\n[^]*\+My first words\./) })
  expect((await here.agmd('docs', 'append', linkOf(owner), '--text', 'x', '--suggest', '--dry-run')).stdout).toMatch(
    /^This would suggest 1 change:/
  )
  expect(await here.agmd('docs', 'push', 'proposed.md', '--note', 'why', '--json')).toMatchObject({
    json: { error: { code: 'invalid_request' } }
  })
  expect(await listed()).toEqual([])
  expect((await here.agmd('docs', 'push', 'proposed.md', '--suggest', '--granularity', 'section', '--note', 'why')).stdout).toContain(
    'Suggested 1 change.'
  )
  expect(await listed()).toMatchObject([{ note: 'why' }])
  await here.agmd('docs', 'push', 'proposed.md', '--suggest', '--label', 'a label')
  expect(await listed()).toMatchObject([{ note: 'a label' }, { note: 'a label' }, { note: 'why' }])
  expect(await text(owner)).toContain('First words.')
})

test('[CLI-6] if both changed the same text, the file gets both between marks, and nothing is pushed while it has marks', async () => {
  const owner = await pulled('six.md')
  await owner.replace('# Notes\n\nTheir words.\n\nMiddle.\n\nLast words.\n')
  here.write('six.md', '# Notes\n\nMy words.\n\nMiddle.\n\nFinal words.\n')
  expect((await here.agmd('docs', 'push', 'six.md')).code).toBe(exitCodes.conflict)
  expect(here.read('six.md')).not.toContain('<<<<<<<')
  const { code, json } = await here.agmd('docs', 'push', 'six.md', '--merge', '--json')
  expect({ code, json }).toMatchObject({ code: 5, json: { error: { code: 'merge_conflict', conflicts: 1 } } })
  const marked = here.read('six.md')
  expect(marked).toMatch(/<<<<<<< .*\nMy words\.\n\|{7} before\nFirst words\.\n=======\nTheir words\.\n>>>>>>> /)
  expect(marked).toContain('Final words.')
  for (const extra of [[], ['--merge'], ['--suggest']])
    expect(await here.agmd('docs', 'push', 'six.md', ...extra, '--json')).toMatchObject({
      code: 5,
      json: { error: { code: 'markers_left' } }
    })
  expect((await here.agmd('docs', 'status', 'six.md', '--json')).json.markedLines).toEqual([3, 5, 9])
  expect((await here.agmd('docs', 'status', 'six.md')).stdout).toMatch(/still has conflict markers \(line 3, /)
  expect(await text(owner)).toContain('Their words.')
  here.write('six.md', '# Notes\n\nOur words.\n\nMiddle.\n\nFinal words.\n')
  expect((await here.agmd('docs', 'status', 'six.md', '--json')).json.markedLines).toEqual([])
  expect((await here.agmd('docs', 'push', 'six.md')).code).toBe(0)
  expect(await text(owner)).toBe('# Notes\n\nOur words.\n\nMiddle.\n\nFinal words.\n')
})

test('[CLI-6] neither --force nor a new document accepts the marks of a merge without an explicit option', async () => {
  const owner = await pulled('forced.md')
  const marked = 'a\n<<<<<<< mine\nb\n=======\nc\n>>>>>>> theirs\n'
  here.write('forced.md', marked)
  here.write('fresh.md', marked)
  for (const words of [
    ['docs', 'push', 'forced.md', '--force'],
    ['docs', 'push', 'forced.md', '--force', '--suggest'],
    ['docs', 'create', '-f', 'fresh.md']
  ])
    expect(await here.agmd(...words, '--json')).toMatchObject({ code: 5, json: { error: { code: 'markers_left', lines: [2, 6] } } })
  expect((await here.run(['docs', 'create', '-f', '-'], { input: marked })).stderr).toMatch(
    /^agmd: The text still has conflict markers.*--keep-marks/s
  )
  expect(await text(owner)).not.toContain('<<<<<<<')
  expect((await here.agmd('docs', 'push', 'forced.md', '--keep-marks')).code).toBe(0)
  expect((await here.agmd('docs', 'create', '-f', 'fresh.md', '--keep-marks')).code).toBe(0)
  expect(await text(owner)).toBe(marked)
})

test('[CLI-6] a document about conflict marks may be pushed', async () => {
  const about = 'Git writes\n\n<<<<<<< mine\n=======\n>>>>>>> theirs\n'
  const owner = await pulled('about.md', about)
  here.write('about.md', `${about}\nMore.\n`)
  expect((await here.agmd('docs', 'push', 'about.md')).code).toBe(0)
  expect(await text(owner)).toBe(`${about}\nMore.\n`)
})

test('[CLI-7] a pull never discards changes in a file', async () => {
  const owner = await pulled('seven.md')
  here.write('seven.md', '# Notes\n\nMy words.\n\nMiddle.\n\nLast words.\n')
  expect((await here.agmd('docs', 'pull', 'seven.md', '--json')).json).toMatchObject({ result: 'kept' })
  await owner.replace('# Notes\n\nFirst words.\n\nMiddle.\n\nTheir end.\n')
  expect(await here.agmd('docs', 'pull', 'seven.md', '--json')).toMatchObject({ code: 5, json: { error: { code: 'file_changed' } } })
  expect(here.read('seven.md')).toContain('My words.')
  expect((await here.agmd('docs', 'pull', 'seven.md', '--merge', '--json')).json).toMatchObject({ result: 'merged' })
  expect(here.read('seven.md')).toBe('# Notes\n\nMy words.\n\nMiddle.\n\nTheir end.\n')
  here.write('mine.md', 'my own')
  expect(await here.agmd('docs', 'pull', linkOf(owner), '-o', 'mine.md', '--json')).toMatchObject({
    code: 5,
    json: { error: { code: 'file_changed' } }
  })
  expect(here.read('mine.md')).toBe('my own')
  expect((await here.agmd('docs', 'pull', linkOf(owner), '-o', 'mine.md', '--force')).code).toBe(0)
  expect(here.read('mine.md')).toBe(await text(owner))
})

/** Creates a proxy to the service. `before` runs before an answer arrives. */
const detour = async (before: (request: IncomingMessage) => void): Promise<Elsewhere> => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const { method = 'GET', headers, url } = request
    const onward = httpRequest(`${world.listening}${url}`, { method, headers }, (answer) => {
      before(request)
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  return serving(server, requests)
}

test('[CLI-7] a file saved during a push keeps its contents', async () => {
  const owner = await world.create('one\n\ntwo\n\nthree\n')
  const machine = await newMachine()
  let save = ''
  const way = await detour(({ method }) => {
    if (method === 'PUT' && save !== '') machine.write('saved.md', save)
  })
  const url = ['--url', way.url]
  await machine.agmd('docs', 'pull', `${way.url}/d/${owner.doc}?key=${owner.key}`, '-o', 'saved.md', ...url)
  await owner.replace('ONE\n\ntwo\n\nthree\n')
  machine.write('saved.md', 'one\n\ntwo\n\nTHREE\n')
  save = 'one\n\nTWO\n\nTHREE\n'
  expect(await machine.agmd('docs', 'push', 'saved.md', '--merge', '--json', ...url)).toMatchObject({
    code: 5,
    json: { error: { code: 'file_changed' } }
  })
  expect(machine.read('saved.md')).toBe(save)
  save = ''
  expect((await machine.agmd('docs', 'push', 'saved.md', '--merge', ...url)).code).toBe(0)
  expect(machine.read('saved.md')).toBe('ONE\n\nTWO\n\nTHREE\n')
  expect(await text(owner)).toBe('ONE\n\nTWO\n\nTHREE\n')
  await way.close()
  await machine.remove()
})

test('[CLI-8] a file that was not pulled does not replace text without an explicit option', async () => {
  const owner = await world.create('theirs\n')
  here.write('eight.md', 'mine\n')
  const push = (...words: string[]): Promise<Ran> => here.agmd('docs', 'push', linkOf(owner), '-f', 'eight.md', '--json', ...words)
  expect(await push()).toMatchObject({ code: 2, json: { error: { code: 'not_pulled' } } })
  expect(await text(owner)).toBe('theirs\n')
  const { version } = await owner.read()
  expect(await push('--base-version', version)).toMatchObject({ code: 0, json: { changed: true } })
  await owner.replace('theirs again\n')
  expect(await push('--base-version', version)).toMatchObject({ code: 5 })
  expect(await push('--force')).toMatchObject({ code: 0 })
  expect(await text(owner)).toBe('mine\n')
})

test('[CLI-9] a file keeps its line endings, permissions and link; no other files are left', async () => {
  const owner = await pulled('nine.md', 'one\n\ntwo\n\nthree\n')
  const target = here.write('target.md', 'one\r\n\r\ntwo\r\n\r\nTHREE\r\n')
  rmSync(here.path('nine.md'))
  symlinkSync(target, here.path('nine.md'))
  chmodSync(here.path('target.md'), 0o640)
  await owner.replace('ONE\n\ntwo\n\nthree\n')
  expect((await here.agmd('docs', 'push', 'nine.md', '--merge')).code).toBe(0)
  expect(await text(owner)).toBe('ONE\n\ntwo\n\nTHREE\n')
  expect(here.read('target.md')).toBe('ONE\r\n\r\ntwo\r\n\r\nTHREE\r\n')
  expect({ mode: statSync(here.path('target.md')).mode & 0o777, link: lstatSync(here.path('nine.md')).isSymbolicLink() }).toEqual({
    mode: 0o640,
    link: true
  })
  expect(readdirSync(here.home).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('[CLI-9] a link to a file that does not exist yet stays a link; a folder is refused', async () => {
  const owner = await world.create('one\n')
  symlinkSync('later.md', here.path('dangling.md'))
  expect((await here.agmd('docs', 'pull', linkOf(owner), '-o', 'dangling.md')).code).toBe(0)
  expect(lstatSync(here.path('dangling.md')).isSymbolicLink()).toBe(true)
  expect(here.read('later.md')).toBe('one\n')
  mkdirSync(here.path('folder'))
  for (const words of [
    ['docs', 'create', '-f', 'folder'],
    ['docs', 'pull', linkOf(owner), '-o', 'folder']
  ])
    expect((await here.agmd(...words)).stderr).toBe('agmd: folder is a folder.\n  Pass a file.\n')
})

test('[CLI-28] an emptied file does not empty its document without confirmation', async () => {
  const owner = await pulled('emptied.md')
  here.write('emptied.md', '')
  expect(await here.agmd('docs', 'push', 'emptied.md')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(await here.onTerminal(['docs', 'push', 'emptied.md'], { input: 'n\n' })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('emptied.md is empty. Empty the document too?')
  })
  expect(await text(owner)).toContain('First words.')
  expect((await here.agmd('docs', 'push', 'emptied.md', '--yes')).code).toBe(0)
  expect(await text(owner)).toBe('')
})

test('[CLI-14] in a pipe revisions and documents are byte-identical', async () => {
  const hostile = 'a\u001b[31mb\u202e\tno end'
  const owner = await world.create(hostile)
  for (const words of [
    ['revisions', 'show', linkOf(owner), '1'],
    ['docs', 'cat', linkOf(owner)],
    ['docs', 'pull', linkOf(owner), '-o', '-']
  ]) {
    expect((await here.agmd(...words)).stdout).toBe(hostile)
    expect((await here.onTerminal(words)).stdout).toBe('ab\tno end\r\n')
  }
  here.write('hostile.md', `${hostile}\u001b]0;x\u0007`)
  const dry = ['docs', 'push', linkOf(owner), '-f', 'hostile.md', '--force', '--dry-run']
  expect((await here.onTerminal(dry)).stdout).not.toContain('\u001b')
})

// ——— errors ———

test('[CLI-29] an error says what is wrong: the argument, the role, the places', async () => {
  const owner = await world.create('one fish\ntwo fish\n')
  const said = async (...words: string[]): Promise<string> => (await here.agmd(...words)).stderr
  expect(await said('docs', 'append', linkOf(await owner.share('view')), '--text', 'x')).toMatch(
    /\n {2}this needs the role suggest; yours is view\n {2}Ask the owner for a link with the required role/
  )
  expect(await said('comments', 'add', linkOf(owner), '-m', '   ')).toMatch(/\n {2}--body: must not be blank\n {2}Correct the fields above/)
  expect(await said('share', 'create', linkOf(owner), 'king')).toMatch(/\n {2}ROLE: must be "view" or/)
  expect(await said('docs', 'edit', linkOf(owner), '--find', 'fish', '--delete')).toMatch(
    /\n {2}line 1: …one \[here\] two fish…\n {2}line 2: .*\n {2}Choose a place with --occurrence/
  )
  expect(await said('comments', 'add', linkOf(owner), '-m', 'x', '--find', 'two', '--line', '1')).toMatch(
    /^agmd: This text does not begin on line 1, but on 2\.\n {2}line 2: /
  )
  const edits = '[{"op":"delete","find":"three"},{"op":"delete","find":"fish"}]'
  expect(await said('docs', 'edit', linkOf(owner), '--operations', edits)).toMatch(/\n {2}operation 0: .*\n {2}operation 1: /)
  expect(await said('docs', 'edit', linkOf(owner), '--operations', '[{"op":"append","markdown":"x","sction":"y"}]')).toContain(
    'did you mean section?'
  )
  const { task } = await assign(world, owner)
  await here.agmd('tasks', 'start', task.share.url, '--author', 'Ben')
  const report = ['tasks', 'report', task.share.url, '-m', 'Fine.', '--author', 'Ben', '--reviewed-version']
  expect(await said(...report, task.startingVersion, '--comment-ids', 'nothing')).toMatch(/\n {2}unknown comments: nothing\n/)
  expect(await said(...report, '9-000000000000')).toContain('agmd docs info')
  expect(await said('docs', 'edit', linkOf(owner), '--find', 'twoo fish', '--delete')).toMatch(/\n {2}similar text on line 2: two fish\n/)
  expect((await here.agmd('docs', 'cat', ` ${linkOf(owner)}\n`)).code).toBe(0)
  expect(await text(owner)).toBe('one fish\ntwo fish\n')
})

test('[EDIT-28] the client replaces a section only with the version that was read', async () => {
  const owner = await world.create('# Plan\n\nMuch.\n')
  const { version } = await owner.read()
  for (const name of ['op', 'type']) {
    const list = JSON.stringify([{ [name]: 'replace_section', section: 'Plan', markdown: 'None.' }])
    const run = (...more: string[]): Promise<Ran> => here.agmd('docs', 'edit', linkOf(owner), '--operations', list, ...more)
    const { code, stderr } = await run()
    expect({ code, said: stderr }).toEqual({ code: exitCodes.usage, said: expect.stringMatching(/replace_section[^]*--base-version/) })
    expect((await run('--dry-run')).stdout).toContain('+None.')
    expect(await text(owner)).toBe('# Plan\n\nMuch.\n')
  }
  const list = '[{"op":"replace_section","section":"Plan","markdown":"None."}]'
  expect((await here.agmd('docs', 'edit', linkOf(owner), '--operations', list, '--base-version', version)).code).toBe(0)
  expect(await text(owner)).toBe('# Plan\n\nNone.\n')
})

test('[CLI-35] a command that needs an account says how to sign in, and asks for no link', async () => {
  for (const words of [
    ['token', 'list'],
    ['token', 'create', '--name', 'bot'],
    ['auth', 'status'],
    ['auth', 'sessions'],
    ['docs', 'list']
  ]) {
    const { code, stderr } = await here.agmd(...words)
    expect({ words, code, stderr }).toEqual({
      words,
      code: exitCodes.signIn,
      stderr: expect.stringContaining('\n  Sign in: agmd login.\n')
    })
    expect(stderr).not.toMatch(/link|key|share/i)
  }
  // A link opens a document as well.
  const { doc } = await world.create('x')
  expect((await here.agmd('docs', 'info', doc)).stderr).toContain('Add the share URL of the document, or sign in: agmd login.')
})

test('[CLI-30] a name or token that a header cannot carry is reported as such; a line break after a token is not part of it', async () => {
  const url = linkOf(await world.create('x'))
  for (const [words, env] of [
    [['--author', 'A\nB'], {}],
    [['--author', 'A\u0007'], {}],
    [[], { AGMD_AUTHOR: 'A\u001b[31m' }],
    [[], { AGMD_TOKEN: 'asess_\u0000x'.replace('\u0000', '\u0001') }],
    [[], { AGMD_TOKEN: 'asess_ä' }]
  ] as readonly (readonly [readonly string[], Record<string, string>])[]) {
    const ran = await here.run(['comments', 'add', url, '-m', 'x', ...words], { env })
    expect(ran, ran.stderr).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^agmd: (--author|AGMD_AUTHOR|AGMD_TOKEN) (contains|has)/)
    })
  }
  const token = await session(await newAccount('trimmed@example.org'))
  expect((await here.run(['auth', 'status'], { env: { AGMD_TOKEN: `${token}\n` } })).stdout).toContain('trimmed@example.org')
})

test('[CLI-31] with a session and a link the refused one is named, with the next step', async () => {
  const owner = await pulled('both.md')
  const env = { AGMD_TOKEN: `asess_${'A'.repeat(50)}` }
  for (const words of [
    ['docs', 'cat', 'both.md'],
    ['docs', 'cat', linkOf(owner)],
    ['docs', 'push', 'both.md']
  ])
    if (words[1] !== 'push' || here.write('both.md', 'new\n'))
      expect(await here.run(words, { env })).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^agmd: AGMD_TOKEN is not a session of .*\n.*unset it to continue with the link alone/s)
      })
  expect(await here.run(['docs', 'list', '--json'], { env })).toMatchObject({ code: 4, json: { error: { code: 'session_ended' } } })
  const machine = await newMachine(world.url)
  const token = await session(await newAccount('ended@example.org'))
  rememberIn(machine, token)
  await world.ask('DELETE', `/api/me/sessions/${await idOf(token)}`, { headers: { Authorization: `Bearer ${token}` } })
  expect((await machine.agmd('docs', 'cat', linkOf(owner))).stderr).toMatch(
    /^agmd: The session with .* has ended\.\n.*agmd login.*agmd logout/s
  )
  await machine.agmd('logout')
  expect((await machine.agmd('docs', 'cat', linkOf(owner))).code).toBe(0)
  // The client reports that a link has ended, even if the session is valid.
  const gone = `${world.url}/d/${owner.doc}?key=${'A'.repeat(32)}`
  const sound = { AGMD_TOKEN: await session(await newAccount('sound@example.org')) }
  expect(await here.run(['docs', 'cat', gone], { env: sound })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('The link has ended')
  })
  await machine.remove()
})

test('[CLI-10] the exit code gives the kind of error, and JSON on standard error the details', async () => {
  const owner = await world.create('one\n')
  const view = await owner.share('view')
  const told = async (expected: number, code: string, ...words: string[]): Promise<void> => {
    const ran = await here.agmd(...words, '--json')
    expect({ words, code: ran.code, stdout: ran.stdout, error: ran.json?.error?.code }).toEqual({
      words,
      code: expected,
      stdout: '',
      error: code
    })
    expect(ran.json.error).toMatchObject({ message: expect.any(String), hint: expect.any(String), exitCode: expected })
  }
  await told(2, 'usage', 'docs', 'cat')
  await told(2, 'target_not_found', 'docs', 'edit', linkOf(owner), '--find', 'nowhere', '--with', 'x')
  await told(3, 'not_found', 'comments', 'resolve', linkOf(owner), 'A'.repeat(16))
  await told(3, 'file_not_found', 'docs', 'create', '-f', 'missing.md')
  await told(4, 'forbidden', 'docs', 'append', linkOf(view), '--text', 'x')
  await told(4, 'credential_required', 'docs', 'cat', owner.doc)
  await told(4, 'credential_invalid', 'docs', 'cat', `${world.url}/d/${owner.doc}?key=${'A'.repeat(32)}`)
  await owner.ask('DELETE', '')
  await told(3, 'document_deleted', 'docs', 'cat', linkOf(owner))
  const down = await here.agmd('--url', 'http://127.0.0.1:9', 'docs', 'list', '--json')
  expect(down).toMatchObject({ code: 7, json: { error: { code: 'service_unreachable' } } })
  const { requestId } = (await here.agmd('docs', 'cat', owner.doc, '--json')).json.error
  expect(requestId).toEqual(expect.any(String))
  const words = await here.agmd('docs', 'cat', owner.doc)
  expect(words.stderr).toMatch(/^agmd: .+\n {2}.+agmd login.*\n {2}request [\w-]+\n$/)
})

interface Elsewhere {
  readonly url: string
  readonly requests: IncomingMessage[]
  close(): Promise<unknown>
}

/** Creates another server that gives the same answer to every request. */
const elsewhere = async (
  status: number,
  headers: Record<string, string>,
  body: string | ((path: string) => string)
): Promise<Elsewhere> => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    response.writeHead(status, headers).end(typeof body === 'string' ? body : body(request.url ?? ''))
  })
  return serving(server, requests)
}

const serving = async (server: Server, requests: IncomingMessage[]): Promise<Elsewhere> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => new Promise((resolve) => server.close(resolve)) }
}

test('[CLI-10] too many requests exit with 6; a foreign answer is reported as such', async () => {
  const busy = await elsewhere(
    429,
    { 'Content-Type': 'application/problem+json' },
    '{"code":"rate_limited","status":429,"detail":"Too many.","requestId":"r1"}'
  )
  expect(await here.agmd('--url', busy.url, 'docs', 'list', '--json')).toMatchObject({
    code: 6,
    json: { error: { code: 'rate_limited', requestId: 'r1' } }
  })
  expect((await here.agmd('--url', busy.url, 'api', 'GET', '/api/health')).code).toBe(6)
  await busy.close()
  const proxy = await elsewhere(502, { 'Content-Type': 'text/html' }, '<h1>Bad gateway</h1>')
  expect((await here.agmd('--url', proxy.url, 'docs', 'list')).code).toBe(7)
  await proxy.close()
})

test('[CLI-11] an impossible command line is refused before anything is sent, with the likely meaning', async () => {
  const url = linkOf(await world.create('x'))
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['doc'], /Did you mean: agmd docs\n/],
    [['push', 'notes.md'], /Did you mean: agmd docs push\n/],
    [['docs', 'psuh'], /Did you mean: agmd docs push\n/],
    [['docs', 'push', '--mrge', 'x.md'], /Did you mean --merge\?/],
    [['docs', 'cat', url, 'again'], /"again" is an extra argument/],
    [['docs', 'push', url, 'x.md'], /To pass it as the file, write -f x\.md/],
    [[url], /There is no command "http.*key=.{4}…"/],
    [['docs', 'status', `<${url}>`], /is not linked to a document/],
    [['docs', 'cat', url, '--lines'], /--lines needs a value/],
    [['docs', 'cat', url, '--lines', '--json'], /--lines needs a value/],
    [['docs', 'push', '--merge=yes', 'x.md'], /--merge takes no value/],
    [['comments', 'list', url, '--status', 'closed'], /--status must be open, resolved, all/],
    [['comments', 'add', url], /--body is missing/],
    [['comments', 'add', url, '-m', 'x', '--line', 'two'], /--line must be a whole number/],
    [['docs', 'edit', url, '--operations', '{'], /--operations must be JSON/],
    [['docs', 'cat', 'nowhere.md'], /is not a share URL, a document id or a pulled file/],
    [['docs', 'cat', `${world.url}/pub/x`], /This address is not a document/],
    [['docs', 'delete', url], /Add --yes/],
    [['completion', 'tcsh'], /bash, zsh or fish/],
    [['docs', 'pull', url, '-o', 'a.md', '--output', 'b.md'], /--output was given 2 times/],
    [['docs', 'cat', url, '--author', 'A', '--author', 'B'], /--author was given 2 times/],
    [['--json'], /"No command was given."/],
    [['docs', '--json'], /"Several commands begin with agmd docs."/]
  ]
  for (const [words, said] of cases) {
    const { code, stdout, stderr } = await here.agmd(...words)
    expect({ words, code, stdout, stderr }).toEqual({ words, code: 2, stdout: '', stderr: expect.stringMatching(said) })
  }
})

// ——— secrets ———

test('[CLI-12] keys and tokens are in one file for its owner only, and are printed only when a link is made', async () => {
  const machine = await newMachine(world.url)
  const made = (await machine.agmd('docs', 'create', '--title', 'T', '--json')).json
  // The file must have these permissions from the start, because a later read would repair them.
  const modes = (): object => ({
    file: statSync(machine.path('.config/agmd/hosts.json')).mode & 0o777,
    folder: statSync(machine.path('.config/agmd')).mode & 0o777
  })
  expect(modes()).toEqual({ file: 0o600, folder: 0o700 })
  const token = await session(await newAccount('twelve@example.org'))
  const said = [await machine.run(['login', '--with-token'], { input: `${token}\n` })]
  const share = (await machine.agmd('share', 'create', made.id, 'edit', '--json')).json
  await machine.agmd('docs', 'pull', `${world.url}/d/${made.id}?key=${share.key}`, '-o', 'twelve.md')
  for (const words of ['share list', 'docs info', 'tasks list', 'docs outline', 'events', 'docs open'])
    for (const json of [[], ['--json']]) said.push(await machine.run([...words.split(' '), made.id, ...json], { env: { BROWSER: 'true' } }))
  said.push(
    await machine.agmd('doctor'),
    await machine.agmd('auth', 'status', '--json'),
    await machine.agmd('docs', 'push', 'twelve.md', '--json')
  )
  const heard = said.map(({ stdout, stderr }) => stdout + stderr).join('\n') + machine.read('.agmd/twelve.md.json')
  for (const secret of [token, made.key, share.key]) expect(heard).not.toContain(secret)
  expect((await machine.agmd('share', 'list', made.id, '--show-keys')).stdout).toContain(share.key)
  const hosts = machine.path('.config/agmd/hosts.json')
  chmodSync(hosts, 0o644)
  await machine.agmd('docs', 'info', made.id)
  expect(statSync(hosts).mode & 0o777).toBe(0o600)
  // No option takes a secret as its value.
  const named = commands.flatMap(({ options }) => options).filter(({ name }) => /token|secret|password|key/.test(name))
  expect(named.filter(({ type }) => type !== 'boolean')).toEqual([])
  await machine.remove()
})

test('[CLI-12] of several links to a document the one with the highest role is used for its id; a file keeps its own', async () => {
  const machine = await newMachine(world.url)
  const owner = await world.create('one\n')
  await machine.agmd('docs', 'pull', linkOf(owner), '-o', 'own.md')
  await machine.agmd('docs', 'pull', linkOf(await owner.share('view')), '-o', 'view.md')
  const role = async (doc: string): Promise<string> => (await machine.agmd('docs', 'info', doc, '--json')).json.role
  expect([await role(owner.doc), await role('own.md'), await role('view.md')]).toEqual(['owner', 'owner', 'view'])
  // If a file was pulled with only a session, a link that is also known does not restrict it.
  const token = await session(await newAccount('several@example.org'))
  const { json: own } = await world.ask('POST', '/api/docs', { headers: { Authorization: `Bearer ${token}` }, json: { content: 'one' } })
  const env = { AGMD_TOKEN: token }
  const { url } = (await machine.run(['share', 'create', own.id, 'view', '--json'], { env })).json
  await machine.run(['docs', 'pull', own.id, '-o', 'account.md'], { env })
  await machine.agmd('docs', 'pull', url, '-o', 'narrow.md')
  expect((await machine.run(['docs', 'info', 'account.md', '--json'], { env })).json.role).toBe('owner')
  await machine.remove()
})

test('[CLI-12] commands that run at once lose no key', async () => {
  const machine = await newMachine(world.url)
  const made = await Promise.all(Array.from({ length: 6 }, () => machine.agmd('docs', 'create', '--json')))
  const { [world.url]: host } = JSON.parse(machine.read('.config/agmd/hosts.json')) as Json
  expect(new Set(host.keys.map(({ doc }: Json) => doc))).toEqual(new Set(made.map(({ json }) => json.id)))
  await machine.remove()
})

test('[CLI-13] an address of another service is refused and nothing is sent there; a token goes only to its own service', async () => {
  const trap = await elsewhere(200, { 'Content-Type': 'application/json' }, '{"content":"x","version":"1-abc","title":"x","role":"view"}')
  const foreign = `${trap.url}/d/abcdefghijklmnop?key=${'K'.repeat(32)}`
  const env = { AGMD_TOKEN: 'asess_secret' }
  for (const words of [['docs', 'cat'], ['docs', 'pull', '-o', 'foreign.md'], ['api', 'GET'], ['mcp']]) {
    const { code, json } = await here.run([...words, foreign, '--json'], { env })
    expect({ words, code, json }).toMatchObject({ code: 2, json: { error: { code: 'foreign_origin' } } })
    expect(JSON.stringify(json)).not.toContain('KKKK')
  }
  expect(trap.requests).toHaveLength(0)
  // A service that the person reached without naming it gets the key of its link, but no token for another service.
  const free = await newMachine()
  expect((await free.run(['docs', 'cat', foreign], { env })).code).toBe(0)
  expect(trap.requests[0]?.headers).toHaveProperty('x-share-key', 'K'.repeat(32))
  expect(trap.requests[0]?.headers).not.toHaveProperty('authorization')
  await trap.close()
  await free.remove()
})

test('[CLI-13] the program that a service offers knows that service, and refuses links of others', async () => {
  const bytes = (await world.ask('GET', '/downloads/agmd')).text
  const machine = await newMachine()
  writeFileSync(machine.path('bin/agmd'), bytes)
  expect((await machine.shell('agmd api GET /api/health')).json.ok).toBe(true)
  const ran = await machine.shell('agmd docs cat "https://docs.example/d/abcdefghijklmnop" --json')
  expect(ran).toMatchObject({ code: 2, json: { error: { code: 'foreign_origin' } } })
  await machine.remove()
})

test('[CLI-32] without encryption nothing is sent to another machine unless allowed, which is stored for its service', async () => {
  const machine = await newMachine()
  const url = 'http://docs.example.invalid:8080'
  const link = `${url}/d/abcdefghijklmnop?key=${'K'.repeat(32)}`
  for (const words of [
    ['docs', 'cat', link],
    ['docs', 'list', '--url', url],
    ['login', '--url', url],
    ['api', 'GET', link],
    ['mcp', link],
    ['upgrade', '--url', url]
  ]) {
    const { code, json } = await machine.run([...words, '--json'], { env: { AGMD_TOKEN: 'asess_secret' } })
    expect({ words, code, json }).toMatchObject({
      code: 2,
      json: { error: { code: 'not_encrypted', hint: expect.stringContaining('--insecure-http') } }
    })
  }
  const node = await machine.run(['node', '--url', url, '--json'], { env: { AGMD_NODE_TOKEN: 'anode_x', AGMD_NODE_ALLOW: 'x' } })
  expect(node.code).toBe(2)
  expect(machine.has('.config/agmd/hosts.json')).toBe(false)
  // No server answers at this address. The error shows that the client has sent a request.
  const asked = { code: 7, json: { error: { code: 'service_unreachable' } } }
  expect(await machine.run(['docs', 'cat', link, '--json'], { env: { AGMD_INSECURE_HTTP: '1' } })).toMatchObject(asked)
  expect(await machine.agmd('docs', 'cat', link, '--json')).toMatchObject({ code: 2 })
  expect(await machine.agmd('docs', 'cat', link, '--insecure-http', '--json')).toMatchObject(asked)
  expect(await machine.agmd('docs', 'cat', link, '--json')).toMatchObject(asked)
  expect(JSON.parse(machine.read('.config/agmd/hosts.json'))).toEqual({ [url]: { insecureHttp: true } })
  expect(await machine.agmd('docs', 'cat', link.replace('8080', '8081'), '--json')).toMatchObject({ code: 2 })
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'agmd.localhost'])
    expect(await machine.agmd('docs', 'cat', link.replace('docs.example.invalid:8080', `${host}:9`), '--json'), host).toMatchObject(asked)
  await machine.remove()
})

// ——— terminals ———

const hostile = 'a\u001b[31mred\u001b]0;title\u0007\u009b2Jb\u202ec\u001bPq\u001b\\d'

test('[CLI-14] on a terminal text by others cannot control it; in a pipe a document is unchanged', async () => {
  const owner = await world.create(`${hostile}\n`)
  await comment(owner, { body: hostile }, { headers: { 'X-Agent-Author': 'Eve' } })
  expect((await here.agmd('docs', 'cat', linkOf(owner))).stdout).toBe(`${hostile}\n`)
  const steering = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/
  for (const words of [
    ['docs', 'cat'],
    ['comments', 'list'],
    ['revisions', 'show', '1'],
    ['api', 'GET', '/comments']
  ]) {
    const [group = '', name = '', ...rest] = words
    const place = group === 'api' ? `/api/docs/${owner.doc}${rest.pop()}?key=${owner.key}` : linkOf(owner)
    const { stdout } = await here.onTerminal([group, name, place, ...rest])
    expect(stdout, words.join(' ')).toContain('red')
    expect(stdout, words.join(' ')).not.toMatch(steering)
  }
  // JSON keeps every character, in escaped form.
  const { stdout, json } = await here.onTerminal(['docs', 'cat', linkOf(owner), '--json'])
  expect(stdout).not.toMatch(steering)
  expect(json.content).toBe(`${hostile}\n`)
  // Tables and messages contain no control characters.
  expect((await here.agmd('comments', 'list', linkOf(owner))).stdout).not.toMatch(/[\u001b\u009b\u202e]/)
})

test('[CLI-14] colors are for terminals, and for people who want them', async () => {
  const coloured = '\u001b['
  expect((await here.agmd('docs')).stdout).not.toContain(coloured)
  expect((await here.onTerminal(['docs'])).stdout).toContain(coloured)
  expect((await here.onTerminal(['docs', '--no-color'])).stdout).not.toContain(coloured)
  expect((await here.onTerminal(['docs'], { env: { NO_COLOR: '1' } })).stdout).not.toContain(coloured)
  expect((await here.run(['docs'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(coloured)
})

test('[CLI-14] on a terminal the client asks before it merges or destroys', async () => {
  const owner = await pulled('asked.md')
  await owner.replace('# Notes\n\nOther words.\n\nMiddle.\n\nLast words.\n')
  here.write('asked.md', '# Notes\n\nFirst words.\n\nMiddle.\n\nFinal words.\n')
  const no = await here.onTerminal(['docs', 'push', 'asked.md'], { input: 'n\n' })
  expect(no).toMatchObject({ code: 5, stdout: expect.stringContaining('Merge and push? [y/N]') })
  expect(await text(owner)).toContain('Last words.')
  expect((await here.onTerminal(['docs', 'push', 'asked.md'], { input: 'y\n' })).code).toBe(0)
  expect(await text(owner)).toBe('# Notes\n\nOther words.\n\nMiddle.\n\nFinal words.\n')
  expect((await here.onTerminal(['docs', 'delete', 'asked.md'], { input: 'n\n' })).code).toBe(1)
  expect((await here.onTerminal(['docs', 'delete', 'asked.md'], { input: 'y\n' })).code).toBe(0)
})

// ——— signing in ———

/** Starts a login. Resolves once the login has shown its code; it then polls every second for the approval. */
const startLogin = async (machine: Machine, ...words: string[]): Promise<Running> => {
  const login = machine.start(['login', '--json', ...words])
  await withLimit('devicePollSeconds', 1, () => until(() => login.stdout().includes('\n'), 'the code'))
  return login
}

test('[CLI-15] login shows the code, waits for the approval, and stores the session; logout ends it on the service too', async () => {
  const machine = await newMachine(world.url)
  const ana = await signUp(world.url, 'login@example.org')
  const login = await startLogin(machine, '--name', 'The laptop')
  const shown = JSON.parse(login.stdout()) as Json
  expect(Object.keys(shown)).toEqual(['user_code', 'verification_uri', 'verification_uri_complete', 'expires_in'])
  await ana.visit(shown.verification_uri_complete)
  expect(ana.page.text).toContain('The laptop')
  await ana.submit('/device', { decision: 'approve' })
  const { code, stdout } = await login.ended
  expect({ code, said: JSON.parse(stdout.split('\n')[1] ?? '') as Json }).toMatchObject({
    code: 0,
    said: { ok: true, user: { email: 'login@example.org' } }
  })
  expect((await machine.agmd('auth', 'status')).stdout).toBe('login <login@example.org>\n')
  const { [world.url]: host } = JSON.parse(machine.read('.config/agmd/hosts.json')) as Json
  expect(await machine.agmd('logout', '--json')).toMatchObject({ code: 0, json: { ended: true } })
  expect((await world.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${host.token}` } })).status).toBe(401)
  expect(await machine.agmd('auth', 'status', '--json')).toMatchObject({ code: 4, json: { error: { code: 'credential_required' } } })
  await machine.remove()
})

test('[CLI-15] a refused login and an invalid token exit with 4 and 2', async () => {
  const machine = await newMachine(world.url)
  const ben = await signUp(world.url, 'refuser@example.org')
  const login = await startLogin(machine)
  await ben.visit((JSON.parse(login.stdout()) as Json).verification_uri_complete)
  await ben.submit('/device', { decision: 'deny' })
  const { code, stderr } = await login.ended
  expect({ code, error: (JSON.parse(stderr) as Json).error.code }).toEqual({ code: 4, error: 'not_signed_in' })
  expect((await machine.run(['login', '--with-token'], { input: 'hunter2' })).code).toBe(2)
  expect((await machine.run(['login', '--with-token'], { input: `asess_${'A'.repeat(50)}` })).code).toBe(4)
  expect(existsSync(machine.path('.config/agmd/hosts.json'))).toBe(false)
  await machine.remove()
})

// ——— commands that keep running ———

test('[CLI-16] Ctrl-C exits with 130 and leaves files unchanged', async () => {
  await pulled('notes.md')
  const before = readdirSync(here.home)
  // Running a node needs a token. The media tests cover that.
  const examples = examplesOf(commands).filter(({ words, example }) => waiting(words, example) && words !== 'node')
  const lines = [...examples.map(({ example }) => example.split(' ').slice(1)), ['events', 'notes.md', '--follow', '--since', '0']]
  expect(lines).toHaveLength(4)
  for (const words of lines) {
    const running = here.start(words)
    // The first page of events, or the first message, has been printed.
    await until(() => (words[0] === 'events' ? running.stdout() : running.stderr()) !== '', 'a word')
    running.child.kill('SIGINT')
    expect({ words, code: (await running.ended).code }).toEqual({ words, code: 130 })
  }
  expect(readdirSync(here.home)).toEqual(before)
})

test('[CLI-17] a watched file follows its document, and with --two-way the document follows the file', async () => {
  const owner = await pulled('watched.md', 'one\n\ntwo\n\nthree\n')
  const running = here.start(['docs', 'watch', 'watched.md', '--two-way', '--json'])
  await until(() => running.stdout().includes('"waiting"'), 'the watch')
  await owner.replace('ONE\n\ntwo\n\nthree\n')
  await until(() => here.read('watched.md').startsWith('ONE'), 'the change in the file')
  here.write('watched.md', 'ONE\n\ntwo\n\nTHREE\n')
  await until(async () => (await text(owner)).includes('THREE'), 'the change in the document')
  // The file is changed again, in a place that the document has not changed.
  here.write('watched.md', 'ONE\n\nTWO\n\nTHREE\n')
  await until(async () => (await text(owner)) === 'ONE\n\nTWO\n\nTHREE\n', 'the second change')
  running.child.kill('SIGINT')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  const types = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as Json).type)
  expect(types).toEqual(expect.arrayContaining(['waiting', 'pulled', 'pushed']))
})

test('[CLI-17] a watch exits with 5 if both changed the same text', async () => {
  const owner = await pulled('clash.md', 'one\n')
  const running = here.start(['docs', 'watch', 'clash.md'])
  await until(() => running.stderr() !== '', 'the watch')
  here.write('clash.md', 'mine\n')
  await owner.replace('theirs\n')
  expect((await running.ended).code).toBe(5)
  expect(here.read('clash.md')).toContain('<<<<<<<')
})

test('[CLI-17] events are printed line by line', async () => {
  const owner = await world.create('x')
  const running = here.start(['events', linkOf(owner), '--follow', '--since', '0', '--json'])
  await until(() => running.stdout().includes('doc.created'), 'the first event')
  await comment(owner, { body: 'Hm.' })
  await until(() => running.stdout().includes('comment.created'), 'the second event')
  running.child.kill('SIGINT')
  await running.ended
  for (const line of running.stdout().trim().split('\n')) expect((JSON.parse(line) as Json).seq).toEqual(expect.any(Number))
})

// ——— MCP clients ———

test('[CLI-18] an MCP client uses the service through the bridge; the model never sees a stored key', async () => {
  const owner = await pulled('tools.md')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [here.path('bin/agmd'), 'mcp', '--author', 'Claude'],
    env: { ...here.env }
  })
  const mcp = new Client({ name: 'test', version: '1' })
  await mcp.connect(transport as never)
  const { tools } = await mcp.listTools()
  expect(mcp.getServerCapabilities()?.resources).toEqual({})
  expect(tools.map(({ name }) => name)).toContain('svc_read_doc')
  const read = await mcp.callTool({ name: 'svc_read_doc', arguments: { doc: owner.doc } })
  expect(read.structuredContent).toMatchObject({ content: await text(owner) })
  expect(JSON.stringify(read)).not.toContain(owner.key)
  await mcp.callTool({ name: 'svc_append_doc', arguments: { doc: owner.doc, content: 'By a tool.' } })
  expect(await text(owner)).toContain('By a tool.')
  const { revisions } = await owner.revisions()
  expect(revisions[0].author).toBe('Claude')
  await mcp.close()
})

test('[MCP-47] a client of the version without a handshake uses the service through the bridge', async () => {
  const owner = await pulled('modern.md')
  const transport = new ModernStdioTransport({ command: process.execPath, args: [here.path('bin/agmd'), 'mcp'], env: { ...here.env } })
  const mcp = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await mcp.connect(transport)
  expect(mcp.getServerCapabilities()?.resources).toEqual({})
  const read = await mcp.callTool({ name: 'svc_read_doc', arguments: { doc: owner.doc } })
  expect(read.structuredContent).toMatchObject({ content: await text(owner) })
  await expect(mcp.readResource({ uri: `agmd://doc/${owner.doc}/section/Größe` })).rejects.toThrow(/credential/i)
  await expect(mcp.listen({ resourceSubscriptions: [`agmd://doc/${owner.doc}`] })).rejects.toThrow(/does not support subscriptions/)
  await mcp.close()
})

test('[CLI-33] a long message passes the bridge however its key was given', async () => {
  const owner = await pulled('long.md')
  const lines = [{ doc: owner.doc }, { doc: owner.doc, key: owner.key }, { doc: linkOf(owner) }].map((place, id) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'svc_append_doc', arguments: { ...place, content: `${id} ${'long '.repeat(20_000)}` } }
    })
  )
  const { stdout } = await here.run(['mcp'], { input: lines.join('\n') })
  const answers = stdout.trim().split('\n')
  for (const answer of answers) expect(JSON.parse(answer).result.structuredContent).toMatchObject({ ok: true })
  expect(answers).toHaveLength(lines.length)
})

test('[CLI-18] an invalid line, and an unreachable service, are JSON-RPC errors', async () => {
  const lines = ['{', '{"jsonrpc":"2.0","id":7,"method":"tools/list"}', '{"jsonrpc":"2.0","method":"notifications/initialized"}'].join('\n')
  const { code, stdout } = await here.run(['mcp', '--url', 'http://127.0.0.1:9'], { input: lines })
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  expect({ code, answers }).toMatchObject({
    code: 0,
    answers: expect.arrayContaining([expect.objectContaining({ id: null }), expect.objectContaining({ id: 7 })])
  })
  expect(new Set(answers.map(({ error }) => error.code))).toEqual(new Set([-32700, -32603]))
})

test('[CLI-19] a raw call is sent unchanged, with the stored key; its exit code is that of the answer', async () => {
  const owner = await pulled('raw.md')
  const path = `/api/docs/${owner.doc}`
  expect(await here.agmd('api', 'GET', path)).toMatchObject({ code: 0, json: { id: owner.doc, role: 'owner' } })
  const posted = await here.run(['api', 'POST', `${path}/comments`, '-F', 'body=Hm.', '-F', 'line=1'], {})
  expect(posted.json.comment).toMatchObject({ body: 'Hm.', line: 1 })
  const put = await here.run(['api', 'PUT', `${path}/content`, '--body-file', '-', '--type', 'text/markdown'], { input: '# Raw\n' })
  expect({ code: put.code, text: await text(owner) }).toEqual({ code: 0, text: '# Raw\n' })
  expect(await here.agmd('api', 'GET', `${path}/comments/none`)).toMatchObject({
    code: expect.any(Number),
    json: { code: expect.any(String) }
  })
  expect((await here.agmd('api', 'GET', '/api/docs/AAAAAAAAAAAAAAAA')).code).toBe(4)
})

test('[CLI-20] the link of an assignment is enough to name it, and creating it twice makes one', async () => {
  const owner = await pulled('tasks.md')
  const create = (): Promise<Ran> => here.agmd('tasks', 'create', 'tasks.md', '--title', 'Check', '-m', 'Is it kind?', '--json')
  const { task } = (await create()).json
  expect((await create()).json).toMatchObject({ created: false, task: { id: task.id } })
  const reviewer = ['--author', 'Ben', '--json']
  expect((await here.agmd('tasks', 'start', task.share.url, ...reviewer)).json.task.status).toBe('started')
  const annotation = (await here.agmd('comments', 'add', task.share.url, '-m', 'Kind.', ...reviewer)).json
  const report = ['--reviewed-version', task.startingVersion, '-m', 'Yes.', '--comment-ids', annotation.id]
  expect((await here.agmd('tasks', 'report', task.share.url, ...report, ...reviewer)).json.task.report).toMatchObject({
    commentIds: [annotation.id],
    stale: false
  })
  expect((await here.agmd('tasks', 'close', 'tasks.md', task.id, '--json')).json.task.status).toBe('closed')
  await here.agmd('tasks', 'create', linkOf(owner), '--title', 'Another', '-m', 'Is it short?')
  expect(await here.agmd('tasks', 'get', 'tasks.md', '--json')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } })
})

test('[REVIEW-179] the client shows the ids of replies, and edits and deletes replies by them', async () => {
  const owner = await world.create('text')
  const { id } = await comment(owner, { body: 'Hm.' })
  const url = linkOf(owner)
  await here.agmd('comments', 'reply', url, id, '-m', 'first')
  const shown = async (): Promise<string> => (await here.agmd('comments', 'show', url, id)).stdout
  const replyId = /, (\S+)\nfirst/.exec(await shown())?.[1] ?? ''
  expect((await here.agmd('replies', 'edit', url, replyId, '-m', 'second')).stdout).toBe('Changed.\n')
  expect(await shown()).toContain(`${replyId}\nsecond`)
  expect((await here.agmd('replies', 'delete', url, replyId)).code).not.toBe(0)
  expect((await here.agmd('replies', 'delete', url, replyId, '--yes')).stdout).toBe('Deleted.\n')
  expect(await shown()).not.toContain('second')
})

test('[CLI-21] bash completes commands, subcommands and options', async () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const line = `eval "$(agmd completion bash)"; COMP_WORDS=(agmd ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _agmd; printf '%s\\n' "\${COMPREPLY[@]}"`
    const ran = await here.shell(`bash -c ${"'"}${line.replaceAll("'", `'\\''`)}${"'"}`)
    return ran.stdout.split('\n').filter((word) => word !== '')
  }
  expect(await complete('do')).toEqual(['docs', 'doctor'])
  expect(await complete('docs', 'pu')).toEqual(['pull', 'push'])
  expect(await complete('docs', 'push', '--m')).toEqual(['--merge'])
  expect(await complete('login', '--no-b')).toEqual(['--no-browser'])
  expect(await complete('docs', 'push', 'raw')).toEqual(['raw.md'])
})

test('[CLI-22] the doctor reports which checks pass and which fail', async () => {
  const well = await here.agmd('doctor', '--json')
  expect(well).toMatchObject({ code: 0, json: { ok: true } })
  const hosts = here.path('.config/agmd/hosts.json')
  chmodSync(hosts, 0o644)
  const open = await here.agmd('doctor', '--json')
  expect(open).toMatchObject({
    code: 1,
    json: { ok: false, checks: expect.arrayContaining([expect.objectContaining({ name: 'settings', ok: false })]) }
  })
  expect((await here.agmd('doctor')).code).toBe(0)
  const down = await here.agmd('doctor', '--url', 'http://127.0.0.1:9', '--json')
  expect({ code: down.code, failed: down.json.checks.filter(({ ok }: Json) => !ok).map(({ name }: Json) => name) }).toEqual({
    code: 7,
    failed: ['service']
  })
})

test('[CLI-23] an upgrade is installed only with its own checksum', async () => {
  const machine = await newMachine(world.url)
  const own = machine.path('bin/agmd')
  const before = machine.read('bin/agmd')
  expect((await machine.agmd('upgrade', '--check', '--json')).json).toMatchObject({ available: true })
  const liar = await elsewhere(200, { 'Content-Type': 'text/plain' }, (path) =>
    path.endsWith('checksum') ? `${'0'.repeat(64)}  agmd\n` : 'rm -rf /'
  )
  expect(await machine.agmd('upgrade', '--url', liar.url, '--json')).toMatchObject({
    code: 1,
    json: { error: { code: 'checksum_mismatch' } }
  })
  expect(machine.read('bin/agmd')).toBe(before)
  await liar.close()
  expect((await machine.agmd('upgrade', '--json')).json).toMatchObject({ changed: true })
  expect({ text: machine.read('bin/agmd'), mode: statSync(own).mode & 0o777 }).toEqual({
    text: (await world.ask('GET', '/downloads/agmd')).text,
    mode: 0o755
  })
  expect((await machine.agmd('upgrade', '--json')).json).toMatchObject({ changed: false })
  await machine.remove()
})

test('[CLI-24] invalid settings in the environment are named, and so are damaged files of ours', async () => {
  expect((await here.run(['docs', 'list'], { env: { AGMD_URL: 'ftp://x' } })).stderr).toContain('AGMD_URL is not the address of a service')
  const machine = await newMachine(world.url)
  mkdirSync(machine.path('.config/agmd'), { recursive: true })
  machine.write('.config/agmd/hosts.json', '{"http')
  expect(await machine.agmd('docs', 'list', '--json')).toMatchObject({ code: 1, json: { error: { code: 'config_unusable' } } })
  mkdirSync(machine.path('.agmd'))
  machine.write('.agmd/x.md.json', '{')
  expect(await machine.agmd('docs', 'status', 'x.md', '--json')).toMatchObject({ code: 1, json: { error: { code: 'config_unusable' } } })
  await machine.remove()
})

test('[CLI-25] a bridge started with a link has the rights of that link, no matter what keys are stored', async () => {
  const owner = await pulled('bridged.md')
  const weak = linkOf(await owner.share('view'))
  const append = (doc: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_append_doc', arguments: { doc, content: 'more' } } })
  const before = await text(owner)
  const { stdout } = await here.run(['mcp', weak], { input: `${append(owner.doc)}\n` })
  expect(JSON.parse(stdout).result).toMatchObject({ isError: true, structuredContent: { error: { code: 'forbidden' } } })
  const other = await pulled('other.md')
  const { stdout: said } = await here.run(['mcp', weak], { input: `${append(other.doc)}\n` })
  expect(JSON.parse(said).result.isError).toBe(true)
  expect([await text(owner), await text(other)]).toEqual([before, before])
})

test('[CLI-26] the bridge answers a malformed message with an error, and serves the next one', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })
  const { code, stdout } = await here.run(['mcp', '--url', world.url], { input: `null\n5\n[]\n${ping}\n` })
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  expect(code).toBe(0)
  expect(answers.filter(({ error }) => error?.code === -32600)).toHaveLength(3)
  expect(answers.find(({ id }) => id === 7)?.result).toEqual({})
})

test('[CLI-27] names in any script arrive unchanged', async () => {
  const owner = await pulled('named.md')
  for (const name of ['Zoë', 'Ана', '日本🎉']) await here.agmd('comments', 'add', 'named.md', '-m', 'Hm.', '--author', name)
  const { comments } = (await owner.ask('GET', '/comments')).json
  expect(comments.map(({ author }: Json) => author.name ?? author).toSorted()).toEqual(['Zoë', 'Ана', '日本🎉'].toSorted())
})
