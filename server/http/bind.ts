/** Binds the operations table as HTTP routes (REST). Requests take the same steps as every other call (way.ts). */
import { ok } from 'node:assert'
import { Readable } from 'node:stream'
import type { z } from 'zod'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { modeNames, modeOf, type Operation, refuseUnknown } from '../../shared/operation.ts'
import { type Input, type OperationName, operations } from '../../shared/operations/index.ts'
import { writeCookie } from '../auth/cookies.ts'
import { readCredentials } from '../auth/credentials.ts'
import type { Credentials } from '../domain/rights/access.ts'
import { namedType } from '../domain/media/assets.ts'
import type { Caller, RequestStamp } from '../domain/rights/caller.ts'
import { versionsNamed } from '../domain/text/content.ts'
import { openFile, type readSpeechAudio } from '../domain/media/media.ts'
import { encoded, type Encoded } from '../domain/text/reading.ts'
import { findSession, rotateSession } from '../domain/accounts/sessions.ts'
import { bodyOf, mediaType, parseBody, parseForm, readFields } from './body.ts'
import type { Context, Http } from './context.ts'
import { namesTag } from './etag.ts'
import { asksForStream, streamEvents, streamInput } from './event-stream.ts'
import { type Asked, checked, digest, whoIs } from './perform.ts'
import type { Routers } from './routers.ts'
import { admit, answerTo, check, type CallAdapter, handle, limit, nothing, type Received, type Step, walk } from './way.ts'

const noQuery = new URLSearchParams()

// `ctx.URL` is not used, because it is an empty object if the Host header is invalid.
const queryOf = ({ querystring }: Context): URLSearchParams => (querystring === '' ? noQuery : new URLSearchParams(querystring))

const writes = (ctx: Context): boolean => ctx.method !== 'GET' && ctx.method !== 'HEAD'

// ——— Retries ———

const stampOf = ({ ctx, name, doc, credentials }: Asked, { body }: Received): RequestStamp | null => {
  const key = ctx.req.headers['idempotency-key']
  if (typeof key !== 'string' || !writes(ctx)) return null
  if (key === '') throw invalid('Idempotency-Key', 'must not be empty')
  if (key.length > limits.idempotencyKeyUnitsMax)
    throw invalid('Idempotency-Key', `must be at most ${limits.idempotencyKeyUnitsMax} characters`)
  const query = [...queryOf(ctx)]
    .filter(([field]) => field !== 'key')
    .toSorted(([one], [other]) => one.localeCompare(other))
    .toString()
  return {
    // People who share a link are different callers. None of them may receive the response to another's request.
    id: digest(whoIs(credentials, ctx.state.address), credentials.author ?? '', doc, ctx.method, ctx.path, name, key),
    fingerprint: digest(query, ctx.get('If-Match'), mediaType(ctx.req), body)
  }
}

// ——— Input ———

const invalid = (path: string, message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path, message }] })

/** Accepts `?dryRun=1` and similar forms. The schema checks any other value. */
const flag = (text: string): unknown =>
  text === '1' || text === 'true' || text === '' ? true : text === '0' || text === 'false' ? false : text

const fromQuery = ({ operation, ctx }: Asked): Record<string, unknown> => {
  const { shape } = operation.input
  const fields: Record<string, unknown> = {}
  const query = queryOf(ctx)
  refuseQuery(query, operation)
  for (const field of operation.rest.query ?? []) {
    const values = [field, ...(otherNames[field] ?? [])].flatMap((name) => query.getAll(name))
    if (values.length > 1) throw invalid(field, 'must be given once')
    if (values[0] === undefined) continue
    fields[field] = isFlag(shape[field]) ? flag(values[0]) : field === 'mode' ? modeOf(values[0]) : values[0]
  }
  return fields
}

/** The query parameters that every request can have: the share key and the author's name. */
const credentialNames = ['key', 'author']

/** Checks the names of the query parameters. Throws `invalid_request`. */
const refuseQuery = (query: URLSearchParams, { rest, elsewhere }: Operation): void => {
  if (rest.oauth === true) return
  const { query: fields = [] } = rest
  const spellings = [...credentialNames, ...fields.flatMap((field) => otherNames[field] ?? [])]
  const names = [...query.keys()].filter((name) => !spellings.includes(name))
  refuseUnknown(Object.fromEntries(names.map((name) => [name, true])), fields, elsewhere)
}

/** Alternative spellings of query parameters. The server must not ignore these spellings. */
const otherNames: Readonly<Record<string, readonly string[]>> = { dryRun: ['dryrun', 'dry_run', 'dry-run'], mode: modeNames }

const isFlag = (schema: z.core.$ZodType | undefined): boolean => {
  const { def } = (schema as unknown as { def?: { type: string; innerType?: { def: { type: string } } } } | undefined) ?? {}
  return def?.type === 'boolean' || def?.innerType?.def.type === 'boolean'
}

/** HTTP conditions that writes do not support. If the server ignored them, it would make exactly the write that the caller wanted to prevent. */
const unknownConditions = ['If-None-Match', 'If-Unmodified-Since', 'If-Modified-Since', 'If-Range']

/**
 * Adds the base version from the headers. A caller can send `If-Match` or `X-Doc-Version` (a header of the response to a read) instead of the field
 * `baseVersion`. Throws `versions_differ`, or `invalid_request` for any other condition.
 */
const withPrecondition = (raw: Record<string, unknown>, ctx: Context): Record<string, unknown> => {
  const unknown = writes(ctx) ? unknownConditions.find((name) => ctx.get(name) !== '') : undefined
  if (unknown !== undefined)
    throw new ServiceError('invalid_request', {
      hint: 'Send the version that you read in If-Match or as baseVersion.',
      details: [{ path: unknown, message: 'is not a condition for this request' }]
    })
  const header = ctx.get('If-Match') || ctx.get('X-Doc-Version')
  if (header === '') return raw
  const { baseVersion } = raw
  const same = typeof baseVersion !== 'string' || versionsNamed(baseVersion).join() === versionsNamed(header).join()
  if (!same) throw new ServiceError('versions_differ', { ifMatch: header, baseVersion })
  return { ...raw, baseVersion: header }
}

const parseInput = (asked: Asked, { body, file }: Received): Record<string, unknown> => {
  const { operation, ctx } = asked
  const form = (operation.rest.oauth === true || operation.rest.form === true) && mediaType(ctx.req) === 'application/x-www-form-urlencoded'
  const none = !writes(ctx) || file !== null
  const sent = none ? {} : form ? parseForm(body) : parseBody(ctx.req, body, operation.rest.body === 'markdown')
  // The program probably meant to send a file, but the file does not exist.
  if (operation.replaces === true && body.length === 0 && sent['content'] === '')
    throw new ServiceError('invalid_request', {
      details: [{ path: 'body', message: 'is empty' }],
      hint: 'Send the new text. To empty the document, send {"content": ""} as application/json.'
    })
  refuseDryRun(asked, sent)
  const normalised = operation.normalise?.(sent) ?? sent
  const query = fromQuery(asked)
  const twice = Object.keys(query).find((field) => normalised[field] !== undefined && normalised[field] !== query[field])
  if (twice !== undefined) throw invalid(twice, 'differs between the body and the query')
  const raw = { ...normalised, ...query, ...pathFields(ctx) }
  return checked(operation, 'baseVersion' in operation.input.shape ? withPrecondition(raw, ctx) : raw)
}

/** Refuses a dry run if the operation has none, because a dry run must never write. Throws `invalid_request`. */
const refuseDryRun = ({ operation, ctx }: Asked, sent: Record<string, unknown>): void => {
  if (!writes(ctx) || 'dryRun' in operation.input.shape) return
  const named = [...queryOf(ctx).keys(), ...Object.keys(sent)].find((name) => /^dry[-_]?run$/i.test(name))
  if (named !== undefined) throw invalid(named, 'does not apply to this request; nothing was done')
}

const pathFields = (ctx: Context): Record<string, unknown> => {
  const { id: _document, ...fields } = (ctx as Context & { params: Record<string, string> }).params
  return fields
}

// ——— Responses ———

const wantsJson = (ctx: Context, reply: 'markdown' | 'record'): boolean => {
  const text = ['text/markdown', 'text/plain']
  const found = ctx.accepts(reply === 'record' ? ['application/json', ...text] : [...text, 'application/json'])
  if (found === false) throw new ServiceError('not_acceptable')
  return found === 'application/json'
}

const beforeText = Buffer.from('{"content":')

/** Returns a response in JSON. Only the text is encoded once for all callers; the other fields can differ from caller to caller. */
const jsonWithText = ({ json }: Encoded, { content: _text, ...fields }: Record<string, unknown>): Buffer =>
  Buffer.concat([beforeText, json, Buffer.from(`,${JSON.stringify(fields).slice(1)}`)])

const presentMarkdown = (ctx: Context, answer: Record<string, unknown>, reply: 'markdown' | 'record'): void => {
  const version = String(answer['version'])
  ctx.set('ETag', `"${version}"`)
  ctx.set('X-Doc-Version', version)
  ctx.set('Cache-Control', 'private, no-store')
  ctx.vary('Accept')
  const text = (answer as { [encoded]?: Encoded })[encoded]
  // JSON for the same version is a different representation. A 304 is valid only for the text that the client has.
  if (!ctx.path.endsWith('.md') && wantsJson(ctx, reply)) {
    ctx.type = 'json'
    ctx.body = text === undefined ? answer : jsonWithText(text, answer)
    return
  }
  ctx.status = 200
  if (namesTag(ctx, version)) {
    ctx.status = 304
    return
  }
  ctx.type = 'text/markdown; charset=utf-8'
  const bytes = text?.bytes
  ctx.body = bytes === undefined ? String(answer['content']) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Sends a file that only the caller may read. The file must not run or load anything, no matter where it is opened. */
const presentFile = async (ctx: Context, answer: Record<string, unknown>): Promise<void> => {
  const { contentType, size, [openFile]: open } = answer as unknown as Awaited<ReturnType<typeof readSpeechAudio>>
  ctx.set('Content-Security-Policy', "default-src 'none'; sandbox")
  ctx.set('Cache-Control', 'private, no-store')
  ctx.status = 200
  ctx.type = contentType
  ctx.length = size
  if (ctx.method !== 'HEAD') ctx.body = Readable.from((await open()).read(0, size - 1), { objectMode: false })
  ctx.length = size
}

const writeAnswer = async ({ ctx, operation, name }: Asked, answer: Record<string, unknown>): Promise<void> => {
  const { reply, status = 200, repeatStatus = status } = operation.rest
  if (reply === 'file') return presentFile(ctx, answer)
  if (reply !== undefined) return presentMarkdown(ctx, answer, reply)
  ctx.status = answer['created'] === false ? repeatStatus : status
  ctx.set('Cache-Control', 'no-store')
  if (name === 'createDocument') ctx.set('Location', String(answer['url']))
  if (writes(ctx) && typeof answer['version'] === 'string') ctx.set('ETag', `"${answer['version']}"`)
  ctx.body = answer
  return undefined
}

const bytesMaxOf = (operation: Operation): number => (operation.rest.large === true ? limits.contentBodyBytesMax : limits.bodyBytesMax)

/** Receives the fields of a request, or its file. */
const receive = async ({ http, ctx, operation }: Asked): Promise<Received> => {
  if (!writes(ctx)) return nothing
  if (operation.rest.body === 'media') return receiveFile(http, ctx, operation)
  return { body: await readFields(ctx.req, bytesMaxOf(operation)), file: null }
}

/** Receives a file of the declared type. If the type is not accepted, throws `unsupported_media_type` before reading the body. */
const receiveFile = async (http: Http, { req }: Context, { rest }: Operation): Promise<Received> => {
  const { kinds, bytesMax = limits.assetBytesMax, fields = false } = rest.media ?? {}
  const named = mediaType(req)
  if (fields && named === 'application/json') return { body: await readFields(req, limits.contentBodyBytesMax), file: null }
  const type = namedType(named, kinds)
  const upload = await http.service.blobs.receive(bodyOf(req, bytesMax))
  return { body: Buffer.from(upload.hash), file: { type, upload } }
}

/** The REST interface, which writes results to the HTTP response. */
const face: CallAdapter<Record<string, unknown>> = {
  receive,
  stamp: stampOf,
  check: parseInput,
  async present(asked, answer) {
    await writeAnswer(asked, answer)
    return answer
  }
}

/** Refuses two different keys, because the server would ignore one of them, and it must never ignore a wrong key. */
const refuseSeveralKeys = (ctx: Context, query: URLSearchParams): void => {
  const sent = [ctx.get('X-Share-Key'), ...query.getAll('key')].filter((key) => key !== '')
  if (sent.length > 1 && new Set(sent).size > 1)
    throw new ServiceError('credential_invalid', {
      message: 'The request has several different keys.',
      hint: 'Send one key, in X-Share-Key or in the query.'
    })
}

/**
 * Returns the credentials of a request. For a write, a browser's cookie is valid only if the browser says that one of our pages sent the request
 * (`Sec-Fetch-Site` or `Origin`). Requests from other sites have already been refused. A stale cookie counts as no cookie.
 */
const credentialsOf = async (http: Http, ctx: Context, query: URLSearchParams): Promise<Credentials> => {
  const credentials = readCredentials(ctx.req.headers, query, http.cookies.session)
  if (credentials.cookie === undefined) return credentials
  const { cookie, ...others } = credentials
  const found = others.bearer === undefined ? await findSession(http.service, 'browser', cookie) : undefined
  if (found === undefined) return others
  if (writes(ctx) && ctx.get('Sec-Fetch-Site') !== 'same-origin' && ctx.get('Origin') === '') throw new ServiceError('origin_refused')
  await freshCookie(http, ctx, cookie, found.session.expiresAt)
  return credentials
}

/** Sends a browser the new secret of its session if the current secret is due for rotation. */
export const freshCookie = async (
  { service, cookies }: Pick<Http, 'service' | 'cookies'>,
  ctx: Context,
  token: string,
  expiresAt: number
): Promise<void> => {
  const next = await rotateSession(service, token)
  if (next === undefined) return
  writeCookie(ctx.res, cookies, cookies.session, next, Math.ceil((expiresAt - service.clock.now()) / 1000))
}

/** Sends the event feed as a stream. */
const stream: Step = async ({ asked, caller, input }) => {
  ok(caller !== undefined && input !== undefined)
  await streamEvents(asked.http, asked.ctx, caller, asked.doc, streamInput(asked.ctx, input as Input<'listEvents'>))
}

/** Returns what a request asks for: the operation, its document and the credentials. */
const askedOf = async (http: Http, ctx: Context, name: OperationName): Promise<Asked> => {
  const operation: Operation = operations[name]
  const query = queryOf(ctx)
  ctx.state.oauth = operation.rest.oauth === true
  const credentials = await credentialsOf(http, ctx, query)
  refuseSeveralKeys(ctx, query)
  const doc = operation.on === 'document' ? ((ctx as Context & { params: Record<string, string> }).params['id'] ?? '') : ''
  return { http, ctx, name, operation, doc, credentials }
}

/** Runs one operation for a request and writes its response. Throws the operation's errors. */
export const handleRequest = async (http: Http, ctx: Context, name: OperationName): Promise<Record<string, unknown>> => {
  const asked = await askedOf(http, ctx, name)
  if (name !== 'listEvents' || ctx.method !== 'GET' || !asksForStream(ctx)) return answerTo(asked, face)
  await walk(asked, face, [limit, admit, check, stream])
  return {}
}

/** Reads the text of a document for a request, and returns the text with its caller. Does not write a response. Throws the errors of the read. */
export const readText = async (http: Http, ctx: Context): Promise<{ caller: Caller; answer: Record<string, unknown> }> => {
  const { caller, answer } = await walk(await askedOf(http, ctx, 'readContent'), face, [limit, admit, check, handle])
  ok(caller !== undefined && answer !== undefined)
  return { caller, answer }
}

/**
 * Finds the caller who requests a document's page, or the error that refuses the request. The rules and limits are the same as for reading the text.
 */
export const findReader = async (http: Http, ctx: Context, doc: string): Promise<Caller | ServiceError> => {
  const query = queryOf(ctx)
  try {
    const credentials = await credentialsOf(http, ctx, query)
    refuseSeveralKeys(ctx, query)
    // A page request without a credential does not count as a read.
    if ([credentials.key, credentials.bearer, credentials.cookie].every((credential) => credential === undefined))
      return new ServiceError('credential_required')
    const asked = { http, ctx, name: 'readContent', operation: operations.readContent, doc, credentials } as const
    const { caller } = await walk(asked, face, [limit, admit])
    ok(caller !== undefined)
    return caller
  } catch (error) {
    // The page itself shows the error to people.
    if (error instanceof ServiceError) return error
    throw error
  }
}

/** Returns a path with `:id` instead of `{id}`. Path parameters never contain a slash. */
const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Adds the routes of every operation in the table. */
export const bindOperations = (http: Http, routers: Routers): void => {
  for (const name of Object.keys(operations) as OperationName[]) {
    const { method, path, also } = operations[name].rest as Operation['rest']
    for (const each of [path, ...(also ?? [])])
      routers.of(each).register(routerPath(each), [method], async (ctx) => {
        await handleRequest(http, ctx as unknown as Context, name)
      })
  }
}
