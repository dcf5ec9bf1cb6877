/** Actions for the commands that make more than one call to the service. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { type Client, errorFrom, inHeader } from '../shared/client.ts'
import { describeCommands } from '../shared/commands/describe.ts'
import { ServiceError } from '../shared/errors.ts'
import { limits } from '../shared/limits.ts'
import { isDocumentId } from '../shared/names.ts'
import { replacesSections } from '../shared/operations/edit-forms.ts'
import type { OperationName, Output, Request as InputOf } from '../shared/operations/index.ts'
import type { Action, Call } from './call.ts'
import { completion } from './completion.ts'
import { doctor } from './doctor.ts'
import { Failure } from './failure.ts'
import { mustReadText } from './files.ts'
import { commandList } from './help.ts'
import { forgetDocument, knownKey } from './hosts.ts'
import { login, logout, openInBrowser } from './login.ts'
import { mcp } from './mcp.ts'
import { mediaActions, mediaFile } from './media.ts'
import { node } from './node/node.ts'
import { type DocumentAddress, addressOf, sendWith, tokenFor } from './service.ts'
import { eventLine, inboxWords, wordsFor } from './show.ts'
import { diff, status, toldProposals } from './compare.ts'
import { create } from './create.ts'
import { pull } from './pull.ts'
import { push } from './push.ts'
import { maskedLink, oneLine, readInput } from './terminal.ts'
import { upgrade } from './upgrade.ts'
import { watch } from './watch.ts'

// ——— one operation ———

/** Any operation of the client. Field types are not checked here, because the service checks the values. */
type Loose = (...given: readonly unknown[]) => Promise<unknown>

const loose = (client: Client, name: OperationName): Loose => client[name] as unknown as Loose

/** Returns the only assignment that the link can see, for a command line that names no assignment. Throws `usage` if there is not exactly one. */
const onlyTask = async (client: Client, address: DocumentAddress): Promise<string> => {
  const { tasks } = await client.listTasks(address.doc)
  const [task] = tasks
  if (task !== undefined && tasks.length === 1) return task.id
  throw new Failure(
    'usage',
    `TASK is missing: this link has ${tasks.length} assignments.`,
    'Pass an assignment. agmd tasks list DOC lists them.'
  )
}

/** Runs a command whose only call is to its operation. */
export const callOperation: Action = async (call) => {
  const { command } = call.parsed
  const name = command.operation as OperationName
  const onDocument = command.positionals[0]?.name === 'DOC'
  const address = onDocument ? call.address() : undefined
  const client = call.client(address)
  const needsTask = command.positionals.some(({ field, required }) => field === 'taskId' && !required)
  const task = needsTask && address !== undefined && call.fields['taskId'] === undefined ? { taskId: await onlyTask(client, address) } : {}
  if (command.destroys === true) await call.confirm(`${command.summary} Continue?`)
  const input = { ...call.fields, ...task }
  const answer = await (address === undefined ? loose(client, name)(input) : loose(client, name)(address.doc, input))
  // A document in the trash can still be restored with its key, so the key is kept until the document is erased.
  if (isErased(name, answer) && address !== undefined) forgetDocument(address.origin, address.doc)
  tellAnswer(call, name, answer)
}

const isErased = (name: OperationName, answer: unknown): boolean =>
  name === 'deleteDocument' && (answer as Output<'deleteDocument'>).restorableUntil === null

const tellAnswer = (call: Call, name: OperationName, answer: unknown): void => {
  const masks = !call.terminal.flags.showKeys && call.parsed.command.tellsLink !== true
  const words = wordsFor(masks)[name] as ((answer: unknown) => string) | undefined
  call.answer(answer, () => words?.(answer) ?? JSON.stringify(answer, null, 2))
}

// ——— reading and writing ———

const cat: Action = async (call) => {
  const address = call.address()
  const found = await call.client(address).readContent(address.doc, call.fields)
  if (call.terminal.flags.json) return call.answer(found, () => found.content)
  return call.terminal.text(found.content)
}

const showRevision: Action = async (call) => {
  const address = call.address()
  const found = await call.client(address).readRevision(address.doc, call.fields as InputOf<'readRevision'>)
  if (call.terminal.flags.json) return call.answer(found, () => found.content)
  return call.terminal.text(found.content)
}

/**
 * Restores a revision. If the caller names no base version, the client first reads the current version. The restore can then not replace text that
 * was written later.
 */
const restore: Action = async (call) => {
  const address = call.address()
  const client = call.client(address)
  const fields = call.fields as InputOf<'restoreRevision'>
  const baseVersion = fields.baseVersion ?? (await client.readDocument(address.doc)).version
  const done = await client.restoreRevision(address.doc, { ...fields, baseVersion })
  call.answer(done, () => {
    if (done.diff !== undefined) return done.diff === '' ? 'There is nothing to change.' : call.terminal.shown(done.diff)
    if (!done.changed || done.revisionId === null) return 'There is nothing to restore: the text is the same.'
    // The service saves unsaved text as a revision before it restores, so the revision before this one has the previous text.
    return `Restored as version ${done.version}. To undo this: agmd revisions restore URL ${done.revisionId - 1}`
  })
}

const edit = async (call: Call, operations: InputOf<'editContent'>['operations']): Promise<void> => {
  const address = call.address()
  const { label, baseVersion, dryRun, granularity, note } = call.fields as Partial<InputOf<'editContent'>>
  const suggests = call.flag('suggest') === true
  // The client never replaces text that the caller might not have read. An operation on a section names the section without quoting its text.
  if (baseVersion === undefined && !suggests && dryRun !== true && replacesSections(operations))
    throw new ServiceError('version_required', { message: 'replace_section replaces text only if you name the version that you read.' })
  const done = await call.client(address).editContent(address.doc, {
    operations,
    ...(suggests ? { mode: 'suggest' } : {}),
    ...(granularity === undefined ? {} : { granularity }),
    ...(note === undefined ? {} : { note }),
    ...(label === undefined ? {} : { label }),
    ...(baseVersion === undefined ? {} : { baseVersion }),
    ...(dryRun === undefined ? {} : { dryRun })
  })
  call.answer(done, () => {
    if (suggests) return toldProposals(call, done, dryRun === true)
    if (dryRun === true) return done.diff === '' ? 'There is nothing to change.' : call.terminal.shown(done.diff)
    return done.changed ? `Changed; version ${done.version}` : 'Nothing changed.'
  })
}

const append: Action = (call) => {
  const section = call.words('section')
  return edit(call, [{ op: 'append', markdown: call.words('text') ?? '', ...(section === undefined ? {} : { section }) }])
}

const editWords: Action = (call) => {
  const list = call.option('operations')
  if (list !== undefined) {
    if (!Array.isArray(list)) throw new Failure('usage', '--operations must be a JSON list.', 'agmd docs edit --help')
    return edit(call, list as InputOf<'editContent'>['operations'])
  }
  const { find, occurrence, prefix, suffix, line } = call.fields as {
    find?: string
    occurrence?: number
    prefix?: string
    suffix?: string
    line?: number
  }
  const text = call.words('with')
  const deletes = call.flag('delete') === true
  if (find === undefined || deletes === (text !== undefined))
    throw new Failure('usage', 'Give --find with --with or --delete, or --operations.', 'agmd docs edit --help')
  const where = {
    ...(occurrence === undefined ? {} : { occurrence }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(suffix === undefined ? {} : { suffix }),
    ...(line === undefined ? {} : { line })
  }
  return edit(call, [text === undefined ? { op: 'delete', find, ...where } : { op: 'replace', find, with: text, ...where }])
}

const open: Action = async (call) => {
  const { origin, doc, key } = call.address()
  const address = `${origin}/d/${doc}${key === undefined ? '' : `?key=${key}`}`
  const opened = await openInBrowser(address)
  call.answer({ ok: opened, url: maskedLink(address) }, () =>
    opened ? `Opened ${maskedLink(address)}` : `No browser was found on this machine. The document is at ${maskedLink(address)}`
  )
}

// ——— events ———

const events: Action = async (call) => {
  const address = call.address()
  const client = call.client(address)
  const { json } = call.terminal.flags
  const { since: given, ...filters } = call.fields as { since?: string; wait?: string }
  if (call.flag('follow') !== true) {
    const page = await client.listEvents(address.doc, call.fields)
    return call.answer(page, () => [...page.events.map(eventLine), `latest ${page.latest}`].join('\n'))
  }
  for (let since: string | number = given ?? 'latest'; ;) {
    const page = await client.listEvents(address.doc, { ...filters, since, wait: limits.eventWaitSecondsMax } as InputOf<'listEvents'>)
    for (const event of page.events) {
      if (json) call.terminal.line(event)
      else call.terminal.print(eventLine(event))
    }
    since = page.latest
  }
}

const inbox: Action = async (call) => {
  const address = call.positional('DOC') === undefined ? undefined : call.address()
  const page = await call.client(address).readInbox(call.fields)
  call.answer(page, () => inboxWords(page))
}

// ——— files and assignments ———

const upload: Action = async (call) => {
  const address = call.address()
  const file = call.words('file') ?? ''
  const made = await call
    .client(address)
    .uploadAsset(address.doc, { name: call.words('name') ?? basename(file) }, { file: mediaFile(file) })
  tellAnswer(call, 'uploadAsset', made)
}

/** Derives a request id from the title and the instructions, so that a repeated command does not create a second assignment. */
const requestIdOf = (title: string, instructions: string): string =>
  `agmd-${createHash('sha256')
    .update(JSON.stringify([title, instructions]))
    .digest('hex')
    .slice(0, 16)}`

const createTask: Action = async (call) => {
  const address = call.address()
  const title = call.words('title') ?? ''
  const instructions = call.words('instructions') ?? ''
  const requestId = call.words('request-id') ?? requestIdOf(title, instructions)
  const made = await call.client(address).createTask(address.doc, { requestId, title, instructions })
  tellAnswer(call, 'createTask', made)
}

// ——— other commands ———

const fieldOf = (given: string): [string, unknown] => {
  const equals = given.indexOf('=')
  if (equals < 1) throw new Failure('usage', `--field must be NAME=VALUE, not "${oneLine(given)}".`, 'agmd api --help')
  const text = given.slice(equals + 1)
  try {
    return [given.slice(0, equals), JSON.parse(text)]
  } catch {
    return [given.slice(0, equals), text]
  }
}

const rawBody = async (call: Call): Promise<string | undefined> => {
  const file = call.words('body-file')
  if (file !== undefined) return file === '-' ? readInput() : mustReadText(file)
  const given = call.option('field')
  return Array.isArray(given) ? JSON.stringify(Object.fromEntries(given.map((each: string) => fieldOf(each)))) : undefined
}

const keyOfPath = (path: string, origin: string): string | undefined => {
  const doc = /^\/(?:api\/docs|d)\/([\w-]+)/.exec(path)?.[1]
  return doc !== undefined && isDocumentId(doc) ? knownKey(origin, doc) : undefined
}

/** Returns the fields of a response. If the response is not a JSON object, returns an empty object. */
const problemIn = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const api: Action = async (call) => {
  const method = (call.positional('METHOD') ?? '').toUpperCase()
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].includes(method))
    throw new Failure('usage', `${oneLine(method)} is not a method.`, 'agmd api --help')
  const path = call.positional('PATH') ?? ''
  const address = /^https?:/i.test(path) ? addressOf(path, call.words('url')) : undefined
  const origin = address?.origin ?? call.origin()
  const url = new URL(path, origin)
  if (address === undefined && (!path.startsWith('/') || url.origin !== origin))
    throw new Failure('usage', 'PATH must begin with /.', 'agmd api GET /api/health')
  const token = tokenFor(origin, call.words('url'))
  const key = address?.key ?? (url.searchParams.has('key') ? undefined : keyOfPath(url.pathname, origin))
  const body = await rawBody(call)
  const response = await sendWith({ origin, key, implied: address?.implied ?? true, token, author: undefined })(
    new URL(`${url.pathname}${url.search}`, origin),
    {
      method,
      headers: {
        Accept: 'application/json, text/markdown;q=0.9, */*;q=0.5',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(call.author === undefined ? {} : { 'X-Agent-Author': inHeader(call.author) }),
        ...(body === undefined ? {} : { 'Content-Type': call.words('type') ?? 'application/json' })
      },
      ...(body === undefined ? {} : { body })
    }
  )
  const said = response.text()
  call.terminal.text(said)
  if (!response.ok) throw errorFrom(response.status, problemIn(said))
}

const listCommands: Action = async (call) => {
  call.terminal.result(describeCommands(), () => commandList(call.terminal))
}

const own: Readonly<Record<string, Action>> = {
  login,
  logout,
  'docs create': create,
  'docs pull': pull,
  'docs push': push,
  'docs status': status,
  'docs diff': diff,
  'docs cat': cat,
  'revisions restore': restore,
  'revisions show': showRevision,
  'docs append': append,
  'docs edit': editWords,
  'docs open': open,
  'docs watch': watch,
  events,
  inbox,
  'assets upload': upload,
  ...mediaActions,
  node,
  'tasks create': createTask,
  api,
  mcp,
  commands: listCommands,
  completion,
  doctor,
  upgrade
}

/** Returns the action that runs a command. */
export const actionOf = (words: string): Action => own[words] ?? callOperation
