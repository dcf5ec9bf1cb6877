/**
 * Rewrites hints in terms of tools. The service writes its hints for HTTP, such as `POST /api/docs/{id}/edits`. A connection gets the tool instead,
 * under its listed name: `svc_replace_doc`.
 */
import type { ErrorCode } from '../../shared/errors.ts'
import { type Operation, pathParameters } from '../../shared/operation.ts'
import { type OperationName, operations } from '../../shared/operations/index.ts'
import { operationTools } from './tools.ts'

/** Hints for errors that have a different solution with tools. HTTP calls in these hints also become tools. */
const hints: Partial<Readonly<Record<ErrorCode, string>>> = {
  invalid_request: 'Correct the arguments and call again.',
  credential_required: 'Pass a share URL as doc, or its key as key; or connect with an account.',
  not_found: 'Check doc and its key. Use a list tool to find ids.',
  unknown_version: 'Read the document and use the version in the response.',
  version_required: 'Read the document and send its version as baseVersion.',
  version_conflict:
    'Read the document again (view diff with since), merge your change into it, and send it with the new version; or use edits.',
  target_changed: 'Read that part again, and base your edit or suggestion on the current text.',
  target_not_found: 'Read the document (view outline lists its sections) and copy words, a line or a heading that it contains.',
  unknown_reviewed_version: 'Report the version that GET /api/docs/{id}/content returned.',
  document_deleted:
    'The owner can restore the document until restorableUntil with POST /api/docs/{id}/undelete. Create a new document with POST /api/docs.',
  account_required: 'Ask your user to connect with an account session (Authorization: Bearer); a link is not enough.',
  rate_limited: 'Wait retryAfterSeconds, then try again.',
  node_offline: 'Tell your user that no compute node is connected. Try again once a node is connected.',
  engine_unavailable: 'Tell your user that no connected compute node can do this.',
  task_link_required: 'Pass task.share.url of the assignment as doc.'
}

/** For operations that have no tool: the tool to call instead, with its arguments. */
const waysOf: Partial<Readonly<Record<OperationName, string>>> = {
  readOutline: 'read_doc {view: "outline"}',
  readDocument: 'read_doc {view: "info"}',
  readAttribution: 'read_doc {view: "authors"}',
  readDiff: 'read_doc {since}',
  readRevision: 'read_doc {version}',
  readComment: 'list_comments {id}',
  readSuggestion: 'list_suggestions {id}',
  readShare: 'list_shares {id}',
  patchContent: 'replace_doc {edits}',
  editContent: 'replace_doc {edits}',
  listTrash: 'list_docs {trash: true}',
  undeleteDocument: 'delete_doc {restore: true}'
}

const entries = Object.entries(operations) as unknown as readonly (readonly [OperationName, Operation])[]

/** Returns a call's operation. A path can begin with `…` instead of its first segments, as in `…/start`. */
const operationOf = (method: string, path: string): readonly [OperationName, Operation] | undefined =>
  entries.find(([, { rest }]) => {
    const paths = [rest.path, ...(rest.also ?? [])]
    return rest.method === method && paths.some((own) => (path.startsWith('…') ? own.endsWith(path.slice(1)) : own === path))
  })

/** Returns the names in a query or a body, as a hint shows them: `?since=CURSOR`, `{"body"}`. */
const namesIn = (query: string, body: string): string[] => [
  ...query
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0] ?? '')
    .filter((name) => name !== ''),
  ...body.split('"').filter((_part, index) => index % 2 === 1)
]

/** Matches a call in a hint: method, path, query, and fields of the body. */
const callPattern = /\b(GET|POST|PUT|PATCH|DELETE) ((?:…|\/)[\w/{}]{0,90})(\?[\w=&]{1,60})?( \{[^{}]{0,60}\})?/g

const toolFor = (to: string, method: string, path: string, query: string, body: string): string | undefined => {
  const [name, { mcp, rest }] = operationOf(method, path) ?? [undefined, {} as Partial<Operation>]
  const way = name && waysOf[name]
  if (way !== undefined) return `${to}${way}`
  if (mcp === undefined || rest === undefined) return undefined
  const names = [...pathParameters(rest.path).filter((field) => field !== 'id'), ...namesIn(query, body)]
  const { called = {} } = operationTools.find((tool) => tool.name === mcp) ?? {}
  return `${to}${mcp}${names.length === 0 ? '' : ` {${names.map((field) => called[field] ?? field).join(', ')}}`}`
}

/** Returns a hint that names arguments instead of headers. It leaves out the device login, which no tool can start. */
const withArguments = (hint: string): string =>
  hint
    .replace(' or a device login (POST /api/cli/device/start)', '')
    .replace('Send the media type in the header Accept: text/markdown or application/json.', 'Leave it out: a tool returns Markdown.')
    .replace('no X-Agent-Author', 'no author')
    .replace('X-Agent-Author:', 'author')
    .replace('the version from its ETag', 'its version')
    .replace('If-Match or as baseVersion', 'baseVersion')

/** Returns a hint that names tools instead of HTTP calls. `to` is the beginning of tool names on that connection, such as `svc.`. */
export const hintForTools = (hint: string, to: string): string =>
  withArguments(hint).replaceAll(
    callPattern,
    (call: string, method: string, path: string, query = '', body = '') => toolFor(to, method, path, query, body) ?? call
  )

/**
 * Returns the next step after an error, in the form of `hintForTools`. `said` is the hint for HTTP. `isOwn` is true if that hint is specific to this
 * refusal.
 */
export const hintAfter = (code: ErrorCode, said: string, isOwn: boolean, to: string): string =>
  hintForTools((isOwn ? undefined : hints[code]) ?? said, to)

/** Returns a response whose `undo` is a tool with its arguments instead of an HTTP call. */
export const withUndoByTool = (answer: Readonly<Record<string, unknown>>, to: string): Readonly<Record<string, unknown>> => {
  const undo = answer['undo'] as { readonly body: object } | undefined
  return undo === undefined ? answer : { ...answer, undo: { tool: `${to}${operations.restoreRevision.mcp}`, arguments: undo.body } }
}
