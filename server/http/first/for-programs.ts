/**
 * The response to a program that requests the address that people open. It consists of the text, preceded by a comment that explains the service, the
 * caller's rights, and the calls that the caller can make. A program that knows nothing about the service needs only this one request to begin.
 */
import { createHash } from 'node:crypto'
import { headMark } from '../../../shared/document-head.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import type { Caller } from '../../domain/rights/caller.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { listTasks } from '../../domain/review/tasks.ts'
import { readText } from '../bind.ts'
import type { Context, Http } from '../context.ts'
import { namesTag } from '../etag.ts'

/** The maximum length of an assignment's instructions in the comment, in UTF-16 units. */
const instructionsUnitsMax = 1000
/** The maximum number of assignments that the comment names. */
const assignmentsMax = 3

const may: Readonly<Record<Role, string>> = {
  view: 'you may read',
  comment: 'you may read and comment',
  suggest: 'you may read, comment and suggest',
  edit: 'you may read, comment, suggest and edit',
  owner: 'you may do everything'
}

/** Converts other people's text to a single line that cannot end the comment. */
const quoted = (text: string, charsMax: number): string => {
  const line = plainName(text, charsMax)
  return (
    JSON.stringify(line.replaceAll(/--(!?)>/g, '-- $1>')) +
    (line.length < text.trim().length - 1 && line.length >= charsMax - 2 ? ' …' : '')
  )
}

const editFields = (version: string): string =>
  `"baseVersion": "${version}", "operations": [{"op": "replace", "find": "words of the text", "with": "new words"}]`

const callsFor = (role: Role, api: string, version: string): string[] => {
  const comment = `comment: POST ${api}/comments {"find": "words of the text", "body": "…"}`
  if (includesRole(role, 'edit'))
    return [`edit: POST ${api}/edits {${editFields(version)}}; with "mode": "suggest" it only proposes`, comment]
  if (includesRole(role, 'suggest')) return [`suggest: POST ${api}/edits {"mode": "suggest", ${editFields(version)}}`, comment]
  return includesRole(role, 'comment') ? [comment] : []
}

type Read = Output<'readContent'>

/** Returns the lines about the link's assignment, or about the open assignments. */
const assignmentLines = async (http: Http, caller: Caller, doc: string, api: string, { assignment }: Read): Promise<string[]> => {
  if (assignment !== undefined) {
    const { taskId, title, instructions, status, next } = assignment
    return [
      `assignment of this link: ${quoted(title, limits.titleUnitsMax)}, ${status}; in full: GET ${api}/tasks/${taskId}`,
      `instructions: ${quoted(instructions, instructionsUnitsMax)}`,
      `next: ${next}`
    ]
  }
  const { tasks } = await listTasks(http.service, caller, doc, {})
  const open = tasks.filter(({ status }) => status === 'open' || status === 'started')
  if (open.length === 0) return []
  const named = open.slice(0, assignmentsMax).map(({ title, status }) => `${quoted(title, limits.titleUnitsMax)} (${status})`)
  return [`open assignments: ${open.length}: ${named.join(', ')}${open.length > named.length ? ', …' : ''}; GET ${api}/tasks`]
}

/** Returns the comment, including the line break after it. */
const headOf = async (http: Http, caller: Caller, doc: string, read: Read): Promise<string> => {
  const { baseUrl } = http.service
  const api = `${baseUrl}/api/docs/${doc}`
  const role = caller.role ?? 'view'
  const { event } = await http.service.ledger.head(doc)
  return [
    `${headMark} The text begins on the next line after it, and that is line 1; never send this comment back.`,
    `title: ${quoted(read.title, limits.titleUnitsMax)}`,
    `role: ${role} (${may[role]})`,
    `version: ${read.version}`,
    ...(await assignmentLines(http, caller, doc, api, read)),
    ...callsFor(role, api, read.version),
    ...(includesRole(role, 'comment')
      ? ['with every call: X-Share-Key: the key of this link; X-Agent-Author: your name; JSON bodies']
      : []),
    `follow: GET ${api}/events?since=${event}&wait=${limits.eventWaitSecondsMax}`,
    `text only: GET ${baseUrl}/d/${doc}.md?key=…; by section or lines: GET ${api}/content?key=…&section=Heading`,
    `guide: ${baseUrl}/agents.md`,
    '-->\n'
  ].join('\n')
}

/** Whether a program accepts more than Markdown and JSON. Such a program has not chosen a format. */
const takesAnything = (ctx: Context): boolean => {
  const accept = ctx.get('Accept')
  return accept === '' || accept.includes('*/*') || accept.includes('text/html')
}

/** Parameters that select a part of the text, or another version. A caller who knows these parameters does not need the comment. */
const views = ['version', 'section', 'lines', 'since', 'values']

/** Whether the response to a request for a document's address has the comment before the text. */
export const wantsHead = (ctx: Context): boolean => takesAnything(ctx) && views.every((name) => ctx.query[name] === undefined)

/** Sends the comment and the text. Throws the errors of a read of the text. */
export const sendWithHead = async (http: Http, ctx: Context, doc: string): Promise<void> => {
  const { caller, answer } = await readText(http, ctx)
  const read = answer as unknown as Read
  const head = await headOf(http, caller, doc, read)
  // The tag begins with the version, so that a program can send it as `If-Match`. The rest identifies the comment, which can change without the text.
  const tag = `${read.version}+${createHash('sha256').update(head).digest('hex').slice(0, 8)}`
  ctx.set('ETag', `"${tag}"`)
  ctx.set('X-Doc-Version', read.version)
  ctx.set('Cache-Control', 'private, no-store')
  ctx.status = namesTag(ctx, tag) ? 304 : 200
  if (ctx.status === 304) return
  ctx.type = 'text/markdown; charset=utf-8'
  ctx.body = head + read.content
}
