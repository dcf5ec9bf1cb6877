/** `/openapi.json`, which is derived from the operations table (OpenAPI 3.1). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { createDocument, type ZodOpenApiComponentsObject, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type ErrorCode, errorCodes } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { mediaTypes } from '../../shared/media-types.ts'
import { type Operation, pathParameters } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { MediaJob } from '../../shared/operations/media.ts'
import type { Context } from './context.ts'
import { namesTag } from './etag.ts'
import { pack, type Packed, sendPacked } from './compressed-pages.ts'
import { plainPaths } from './openapi-plain.ts'
import { withShared } from './openapi-shared.ts'
import type { Routers } from './routers.ts'

const interfaceVersion = '0.2.0'

const ErrorCodes = z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]).meta({ id: 'ErrorCode' })

const ProblemSchema = z
  // The object is open, because several codes have additional fields (`currentVersion`, `requiredRole`, …).
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string(),
    error: z.string(),
    message: z.string(),
    code: ErrorCodes,
    hint: z.string(),
    retryable: z.boolean(),
    requestId: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional()
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' })

/** Device login errors (RFC 6749, 5.2), with the service's error code as an additional field. */
const OAuthErrorSchema = z
  .object({
    error: z.string(),
    error_description: z.string(),
    interval: z.number().int().optional(),
    code: ErrorCodes,
    requestId: z.string()
  })
  .meta({ id: 'OAuthError' })

const isOAuth = (operation: Operation): boolean => operation.rest.oauth === true

/** A single response, `4XX`, represents all errors. The `x-errors` field of each operation lists the codes. */
const errorReferences = (oauth: boolean): Record<string, object> => {
  const reference = { $ref: `#/components/responses/${oauth ? 'OAuthError' : 'Error'}` }
  return { '4XX': reference }
}

/** The responses that all operations share, with the media types of problem documents. */
const sharedResponses = (): Record<string, object> => ({
  Error: {
    description: 'Errors. The answer names the next step.',
    content: { 'application/problem+json': { schema: ProblemSchema } }
  },
  OAuthError: { description: 'An OAuth error.', content: { 'application/json': { schema: OAuthErrorSchema } } }
})

const versionHeaders = z.object({ ETag: z.string(), 'X-Doc-Version': z.string() })

const success = (operation: Operation): object => {
  const json = { 'application/json': { schema: operation.output } }
  if (operation.rest.reply === 'file') return { description: 'The file.', content: { 'application/octet-stream': {} } }
  if (operation.rest.reply === undefined) return { description: 'OK', content: json }
  return {
    description: 'The Markdown, or JSON if requested.',
    headers: versionHeaders,
    content: { 'text/markdown': {}, ...json }
  }
}

const successes = (operation: Operation): Record<string, object> => {
  const { status = 200, repeatStatus = status } = operation.rest
  return Object.fromEntries([status, repeatStatus].map((each) => [String(each), success(operation)]))
}

const pick = (shape: z.ZodRawShape, names: readonly string[]): z.ZodObject =>
  z.object(Object.fromEntries(names.flatMap((name) => (shape[name] === undefined ? [] : [[name, shape[name]]]))))

const DocumentId = z.string().meta({ description: 'Document id.', param: { id: 'id' } })
const IfMatch = z
  .string()
  .optional()
  .meta({ description: 'The version that you read; same as baseVersion.', param: { id: 'IfMatch' } })
const Brief = z.boolean().optional().meta({ description: 'A short answer: required fields may be absent.' })

const parametersOf = (operation: Operation, path: string): NonNullable<ZodOpenApiOperationObject['requestParams']> => {
  const { shape } = operation.input
  const inPath = pathParameters(path)
  const query = pick('brief' in shape ? { ...shape, brief: Brief } : shape, operation.rest.query ?? [])
  const header = z.object('baseVersion' in shape ? { 'If-Match': IfMatch } : {})
  return {
    path: z.object(Object.fromEntries(inPath.map((name) => [name, name === 'id' ? DocumentId : (shape[name] ?? z.string())]))),
    query,
    header
  } as NonNullable<ZodOpenApiOperationObject['requestParams']>
}

/** Returns the schema of the fields in the request body. */
const fieldsOf = (operation: Operation, path: string): z.ZodObject => {
  const elsewhere = new Set([
    ...pathParameters(path),
    ...(operation.rest.query ?? []).filter((name) => !['label', 'dryRun', 'baseVersion'].includes(name))
  ])
  return pick(
    operation.input.shape,
    Object.keys(operation.input.shape).filter((name) => !elsewhere.has(name))
  )
}

const bodyOf = (operation: Operation, path: string): object => {
  if (operation.rest.body === 'media') {
    // The body is a file, which has no schema (OpenAPI 3.1, 4.8.14.1).
    const file = {}
    const { kinds, fields = false } = operation.rest.media ?? {}
    const types = mediaTypes.filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    const json = fields ? { 'application/json': { schema: fieldsOf(operation, path) } } : {}
    return {
      requestBody: { required: true, content: { ...Object.fromEntries(types.map(({ contentType }) => [contentType, file])), ...json } }
    }
  }
  if (operation.rest.method === 'GET' || operation.rest.method === 'DELETE') return {}
  const fields = fieldsOf(operation, path)
  if (Object.keys(fields.shape).length === 0) return {}
  const markdown = operation.rest.body === 'markdown' ? { 'text/markdown': {} } : {}
  const form =
    operation.rest.oauth === true || operation.rest.form === true ? { 'application/x-www-form-urlencoded': { schema: fields } } : {}
  const content = { 'application/json': { schema: fields }, ...markdown, ...form }
  return { requestBody: { required: !fields.safeParse({}).success, content } }
}

const shareKeys: Record<string, string[]>[] = [{ shareKey: [] }, { shareKeyQuery: [] }]
const credentials: Record<string, string[]>[] = [...shareKeys, { bearer: [] }]

const securityOf = (operation: Operation): object[] => {
  if (operation.on === 'account') return [{ bearer: [] }]
  // Unless a link is sufficient, the operation requires a sign-in as well as a role, which a share key or ownership of the document gives.
  if (operation.needs === 'access') return credentials
  if (operation.needs !== undefined) return [...shareKeys.map((key) => ({ ...key, bearer: [] })), { bearer: [] }]
  return operation.on === 'service' ? [{}, ...credentials] : credentials
}

/** Returns the description of an operation. At its other addresses, it names the first one. */
const descriptionOf = ({ description, rest }: Operation, alias: boolean): { readonly description?: string } =>
  description === undefined ? {} : { description: alias ? `See ${rest.method} ${rest.path}.` : description }

const entry = (name: string, operation: Operation, path: string, alias: boolean): ZodOpenApiOperationObject =>
  ({
    operationId: alias ? `${name}At${path.replaceAll(/\W+(\w)?/g, (_match, letter?: string) => letter?.toUpperCase() ?? '')}` : name,
    summary: operation.summary,
    ...descriptionOf(operation, alias),
    ...(operation.role === undefined ? {} : { 'x-role': operation.role }),
    tags: [operation.on],
    ...(securityOf(operation) !== credentials && { security: securityOf(operation) }),
    requestParams: parametersOf(operation, path),
    ...bodyOf(operation, path),
    // The errors of this operation, in addition to those of every operation.
    ...(operation.errors.length > 0 && { 'x-errors': operation.errors }),
    responses: { ...successes(operation), ...errorReferences(isOAuth(operation)) }
  }) as ZodOpenApiOperationObject

const paths = (): ZodOpenApiPathsObject => {
  const found: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, operation] of Object.entries(operations) as [string, Operation][])
    for (const [index, path] of [operation.rest.path, ...(operation.rest.also ?? [])].entries())
      (found[path] ??= {})[operation.rest.method.toLowerCase()] = entry(name, operation, path, index > 0)
  for (const [path, method, described] of plainPaths(errorReferences(false))) (found[path] ??= {})[method] = described
  return found as ZodOpenApiPathsObject
}

/**
 * Omits facts that the reader knows: the exact integer range of JavaScript, the pattern of the format `date-time`, and the rule that a response has no
 * additional fields. Later versions may add fields to responses.
 */
const shorter = ({ jsonSchema, io }: { jsonSchema: Record<string, unknown>; io: 'input' | 'output' }): void => {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern']
  if (io === 'output' && jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties']
}

/** Returns the API description. */
export const openApi = (baseUrl: string): object =>
  withShared(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: 'agmd',
          version: interfaceVersion,
          description:
            'Live Markdown for people and agents. Versions are opaque; read one from ETag and send it back as If-Match or baseVersion. ' +
            `Every POST, PUT, PATCH and DELETE takes two more headers: Idempotency-Key (at most ${limits.idempotencyKeyUnitsMax} characters) makes it safe to ` +
            `retry for ${limits.idempotencyHours} hours, and X-Agent-Author names the guest or agent, unverified.`,
          license: { name: 'MIT', identifier: 'MIT' }
        },
        servers: [{ url: baseUrl }],
        security: [...credentials],
        tags: [
          { name: 'document', description: 'Needs a role on the document.' },
          { name: 'account', description: 'Needs a signed-in account, or an agent.' },
          { name: 'service', description: 'Open to everyone.' },
          { name: 'site', description: 'Pages, guides and discovery.' }
        ],
        paths: paths(),
        components: {
          schemas: { MediaJob },
          responses: sharedResponses() as NonNullable<ZodOpenApiComponentsObject['responses']>,
          securitySchemes: {
            shareKey: { type: 'apiKey', in: 'header', name: 'X-Share-Key' },
            shareKeyQuery: { type: 'apiKey', in: 'query', name: 'key' },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description: 'App session (asess_), personal access token (apat_), agent token (ai_), or OAuth access token.'
            }
          }
        }
      },
      { override: shorter }
    )
  )

/** Binds `GET /openapi.json`. The description is created and compressed at the first request. */
export const bindOpenApi = (baseUrl: string, routers: Routers): void => {
  let made: { readonly tag: string; readonly packed: Promise<Packed> } | undefined
  const make = (): NonNullable<typeof made> => {
    const description = JSON.stringify(openApi(baseUrl))
    return { tag: createHash('sha256').update(description).digest('base64url').slice(0, 22), packed: pack(description) }
  }
  routers.of('/openapi.json').get('/openapi.json', async (koa) => {
    const ctx = koa as unknown as Context
    const { tag, packed } = (made ??= make())
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'public, max-age=300')
    ctx.set('ETag', `"${tag}"`)
    ctx.vary('Accept-Encoding')
    if (namesTag(ctx, tag)) ctx.status = 304
    else sendPacked(ctx, await packed, 'application/json')
  })
}
