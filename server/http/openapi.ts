/** `/openapi.json`, derived from the operations table (specification, Versioning: OpenAPI 3.1.0, interface version 0.2.0). */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type ErrorCode, errorCodes, errorMeanings } from '../../shared/errors.ts'
import { mediaTypes } from '../../shared/media-types.ts'
import { type Operation, pathParameters } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'

const interfaceVersion = '0.2.0'

const ProblemSchema = z
  // Open: several codes say more under names of their own (`currentVersion`, `requiredRole`, …).
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string(),
    error: z.string(),
    message: z.string(),
    code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
    hint: z.string(),
    retryable: z.boolean(),
    requestId: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional()
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' })

/** Errors of the device login (RFC 6749, 5.2), with our own code beside them. */
const OAuthErrorSchema = z
  .object({
    error: z.string(),
    error_description: z.string(),
    interval: z.number().int().optional(),
    code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
    requestId: z.string()
  })
  .meta({ id: 'OAuthError' })

/** Errors that any operation of this kind can answer, beside its own. */
const commonErrors = (operation: Operation): ErrorCode[] => [
  'invalid_request',
  'rate_limited',
  'internal',
  'storage_unavailable',
  'credential_invalid',
  ...(operation.on === 'document'
    ? (['credential_required', 'forbidden', 'not_found', 'document_deleted', 'too_complex', 'busy'] as const)
    : []),
  ...(operation.on === 'account' ? (['credential_required', 'account_required'] as const) : []),
  ...(operation.rest.method === 'GET'
    ? []
    : (['malformed_json', 'body_too_large', 'unsupported_media_type', 'idempotency_key_reused', 'storage_full'] as const))
]

const errorResponses = (operation: Operation): Record<string, object> => {
  const codes = [...new Set([...commonErrors(operation), ...operation.errors])]
  const byStatus = Map.groupBy(codes, (code) => errorMeanings[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${errorMeanings[code].message}`).join(' '),
        content:
          operation.rest.oauth === true
            ? { 'application/json': { schema: OAuthErrorSchema } }
            : { 'application/problem+json': { schema: ProblemSchema } }
      }
    ])
  )
}

const versionHeaders = z.object({ ETag: z.string(), 'X-Doc-Version': z.string() })

const success = (operation: Operation): object => {
  const json = { 'application/json': { schema: operation.output } }
  if (operation.rest.reply === 'file')
    return { description: 'The file.', content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } } }
  if (operation.rest.reply === undefined) return { description: 'Done.', content: json }
  return {
    description: 'The Markdown, or JSON when that is accepted.',
    headers: versionHeaders,
    content: { 'text/markdown': { schema: z.string() }, ...json }
  }
}

const successes = (operation: Operation): Record<string, object> => {
  const { status = 200, repeatStatus = status } = operation.rest
  return Object.fromEntries([status, repeatStatus].map((each) => [String(each), success(operation)]))
}

const pick = (shape: z.ZodRawShape, names: readonly string[]): z.ZodObject =>
  z.object(Object.fromEntries(names.flatMap((name) => (shape[name] === undefined ? [] : [[name, shape[name]]]))))

const parametersOf = (operation: Operation, path: string): NonNullable<ZodOpenApiOperationObject['requestParams']> => {
  const { shape } = operation.input
  const inPath = pathParameters(path)
  const query = pick(shape, operation.rest.query ?? [])
  const header = z.object({
    ...('baseVersion' in shape
      ? { 'If-Match': z.string().optional().meta({ description: 'The version that was read; the same as baseVersion.' }) }
      : {}),
    ...(operation.rest.method === 'GET'
      ? {}
      : {
          'Idempotency-Key': z.string().max(200).optional().meta({ description: 'Makes the request safe to retry for 24 hours.' }),
          'X-Agent-Author': z.string().optional().meta({ description: 'Name of the guest or agent, unverified.' })
        })
  })
  return {
    path: z.object(
      Object.fromEntries(
        inPath.map((name) => [name, name === 'id' ? z.string().meta({ description: 'Document id.' }) : (shape[name] ?? z.string())])
      )
    ),
    query,
    header
  } as NonNullable<ZodOpenApiOperationObject['requestParams']>
}

/** The fields that stand in the body. */
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
    const file = { schema: z.string().meta({ format: 'binary' }) }
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
  const markdown = operation.rest.body === 'markdown' ? { 'text/markdown': { schema: z.string() } } : {}
  const form =
    operation.rest.oauth === true || operation.rest.form === true ? { 'application/x-www-form-urlencoded': { schema: fields } } : {}
  const content = { 'application/json': { schema: fields }, ...markdown, ...form }
  return { requestBody: { required: !fields.safeParse({}).success, content } }
}

const securityOf = (operation: Operation): object[] => {
  if (operation.on === 'account') return [{ bearer: [] }]
  const keys = [{ shareKey: [] }, { shareKeyQuery: [] }]
  // An account, and the role by a key beside it or by owning the document.
  if (operation.needs !== undefined) return [...keys.map((key) => ({ ...key, bearer: [] })), { bearer: [] }]
  const credentials = [...keys, { bearer: [] }]
  return operation.on === 'service' ? [{}, ...credentials] : credentials
}

const entry = (name: string, operation: Operation, path: string, alias: boolean): ZodOpenApiOperationObject =>
  ({
    operationId: alias ? `${name}At${path.replaceAll(/\W+(\w)?/g, (_match, letter?: string) => letter?.toUpperCase() ?? '')}` : name,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(operation.role === undefined ? {} : { 'x-role': operation.role }),
    tags: [operation.on],
    security: securityOf(operation),
    requestParams: parametersOf(operation, path),
    ...bodyOf(operation, path),
    responses: { ...successes(operation), ...errorResponses(operation) }
  }) as ZodOpenApiOperationObject

const paths = (): ZodOpenApiPathsObject => {
  const found: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, operation] of Object.entries(operations) as [string, Operation][])
    for (const [index, path] of [operation.rest.path, ...(operation.rest.also ?? [])].entries())
      (found[path] ??= {})[operation.rest.method.toLowerCase()] = entry(name, operation, path, index > 0)
  return found as ZodOpenApiPathsObject
}

/** The interface description. */
export const openApi = (baseUrl: string): object =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'agmd',
      version: interfaceVersion,
      description:
        'Live Markdown for people and agents. Versions are opaque; read one from ETag and send it back as If-Match or baseVersion.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'document', description: 'Needs a role on the document.' },
      { name: 'account', description: 'Needs a signed-in account, or an agent.' },
      { name: 'service', description: 'Open to everyone.' }
    ],
    paths: paths(),
    components: {
      securitySchemes: {
        shareKey: { type: 'apiKey', in: 'header', name: 'X-Share-Key' },
        shareKeyQuery: { type: 'apiKey', in: 'query', name: 'key' },
        bearer: { type: 'http', scheme: 'bearer', description: 'App session (asess_) or agent token (ai_).' }
      }
    }
  })
