import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodes } from '../../shared/errors.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { assignmentOf, close, requestFor } from '../support/reviews.ts'
import { type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
let api: Json
beforeAll(async () => {
  world = await startWorld()
  api = (await world.ask('GET', '/openapi.json')).json
})
afterAll(() => world.stop())

const table = Object.entries(operations) as unknown as [string, Operation][]
const root = join(import.meta.dirname, '..', '..')
const snapshotPath = join(root, 'test', 'openapi.snapshot.json')

/** Returns the description without the parts that differ between starts. */
const settled = (): Json => ({ ...api, servers: [{ url: 'https://agmd.test' }] })

/** Returns the methods of a path. Parameters of the path are next to its methods. */
const methodsOf = (methods: object): string[] => Object.keys(methods).filter((name) => name !== 'parameters')

/** Returns the target of a reference. */
const resolved = (value: Json): Json => {
  if (value?.$ref === undefined) return value
  const [, , kind, name] = value.$ref.split('/')
  return api.components[kind][name]
}

test('[OPENAPI-1] /openapi.json is OpenAPI 3.1.0 of interface version 0.2.0, open to everyone', async () => {
  expect(api).toMatchObject({ openapi: '3.1.0', info: { version: '0.2.0' }, servers: [{ url: world.url }] })
})

test.each(table)('[OPENAPI-2] %s is described at each of its paths, with its errors', (name, operation) => {
  const { method, path, also = [], status = 200 } = operation.rest
  for (const each of [path, ...also]) {
    const described = api.paths[each]?.[method.toLowerCase()]
    expect(described?.operationId, each).toMatch(new RegExp(`^${name}`))
    expect(Object.keys(described.responses)).toEqual(expect.arrayContaining([String(status), '4XX']))
    expect(described['x-errors'] ?? []).toEqual(operation.errors)
    for (const parameter of operation.rest.query ?? [])
      expect((described.parameters ?? []).map(resolved)).toContainEqual(expect.objectContaining({ name: parameter, in: 'query' }))
  }
})

test('[OPENAPI-2] nothing beyond the table is described, and the error codes are the closed list', () => {
  const described = Object.values(api.paths as Record<string, object>).flatMap(methodsOf)
  const plain = Object.values(api.paths as Record<string, Record<string, Json>>)
    .flatMap((methods) => methodsOf(methods).map((method) => methods[method]))
    .filter(({ tags }) => tags.includes('site'))
  expect(described.length - plain.length).toBe(table.reduce((sum, [, { rest }]) => sum + 1 + (rest.also?.length ?? 0), 0))
  expect(api.components.schemas.ErrorCode.enum).toEqual(errorCodes)
})

/**
 * Routes that are not described: forms for people, requests by the pages, and the identity broker, which describes itself
 * (`/.well-known/openid-configuration`).
 */
const notDescribed =
  /^\/(?:sign-out|account\/|device$|auth\/(?:callback|invite|reset|interaction)|sw\.js|diagram\/|embed\/|docs(?:$|\/)|favicon\.ico)|oauth2|\\\/drawings|\\\/docs\\\/pictures/

/** Route patterns with the parameter names of the description. */
const patterns: Readonly<Record<string, string>> = {
  '/^\\/d\\/([^/.]+)$/': '/d/{id}',
  '/^\\/pub\\/([^/.]+)$/': '/pub/{id}',
  '/^\\/f\\/([A-Za-z0-9_-]{24})\\.([a-z0-9]+)$/': '/f/{file}'
}

test('[OPENAPI-6] every public route of the routers is described, and every described one exists', () => {
  const bound = world.routes
    .filter(({ path }) => !notDescribed.test(path))
    .flatMap(({ path, methods }) => methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${patterns[path] ?? path}`))
  const described = Object.entries(api.paths as Record<string, object>).flatMap(([path, methods]) =>
    methodsOf(methods).map((method) => `${method.toUpperCase()} ${path}`)
  )
  expect([...new Set(bound)].toSorted()).toEqual(described.toSorted())
})

test('[OPENAPI-7] it is at most 120 KB, shares its error answers, and is sent compressed, with a tag', async () => {
  const ask = (headers: Record<string, string>): Promise<Response> => fetch(`${world.url}/openapi.json`, { headers })
  const plain = await ask({ 'Accept-Encoding': 'identity' })
  expect((await plain.arrayBuffer()).byteLength).toBeLessThanOrEqual(120 * 1024)
  for (const methods of Object.values(api.paths as Record<string, Record<string, Json>>))
    for (const { responses } of methodsOf(methods).map((method) => methods[method]))
      for (const [status, response] of Object.entries(responses as Record<string, Json>))
        if (status.startsWith('4') || status.startsWith('5')) expect(Object.keys(response)).toEqual(['$ref'])
  for (const encoding of ['br', 'gzip']) {
    const answer = await ask({ 'Accept-Encoding': encoding })
    expect(answer.headers.get('Content-Encoding')).toBe(encoding)
    expect(answer.headers.get('Vary')).toContain('Accept-Encoding')
    expect(await answer.json()).toEqual(api)
  }
  const tag = plain.headers.get('ETag') ?? ''
  expect((await ask({ 'If-None-Match': tag })).status).toBe(304)
  expect((await ask({ 'If-None-Match': '"other"' })).status).toBe(200)
})

test('[OPENAPI-3] redocly lint reports nothing', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-openapi-'))
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(settled()))
  await writeFile(join(folder, 'redocly.yaml'), JSON.stringify({ extends: ['recommended'], telemetry: 'off' }))
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true', NO_COLOR: '1' }
  const cli = join(root, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js')
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [cli, 'lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json', '--max-problems', '20'],
    { cwd: folder, env: { ...process.env, ...quiet } }
  ).catch((error: { stdout: string; stderr: string }) => error)
  await rm(folder, { recursive: true })
  const found = JSON.parse(stdout.slice(stdout.indexOf('{')) || `{"stderr":${JSON.stringify(stderr)}}`) as Json
  expect(found.totals, JSON.stringify(found.problems?.slice(0, 5))).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})

test('[OPENAPI-4] the description equals the committed one: a change to the interface is a change to this file', async () => {
  const text = `${JSON.stringify(settled(), null, 2)}\n`
  if (process.env['AGMD_UPDATE_SNAPSHOTS'] === '1') await writeFile(snapshotPath, text)
  // AGMD_UPDATE_SNAPSHOTS=1 writes the file.
  expect(JSON.parse(await readFile(snapshotPath, 'utf8'))).toEqual(JSON.parse(text))
})

/** Merges the parts of a schema into one object. */
const whole = (schema: Json): Json => {
  const { allOf = [], properties = {}, required = [] } = resolved(schema)
  const parts = allOf.map(whole)
  return {
    type: 'object',
    properties: Object.assign({}, properties, ...parts.map((part: Json) => part.properties)),
    required: [...required, ...parts.flatMap((part: Json) => part.required)]
  }
}

/**
 * Returns the faults of a value according to its schema. The function supports the part of JSON Schema 2020-12 that zod uses. An unknown keyword is a
 * fault as well.
 */
const violations = (schema: Json, value: Json, at = ''): string[] => {
  if (schema.$ref !== undefined) return violations(api.components.schemas[schema.$ref.split('/').at(-1)], value, at)
  const found: string[] = []
  const known = new Set([
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    'anyOf',
    'allOf',
    'additionalProperties',
    'description',
    'example',
    'examples',
    'maxLength',
    'minimum',
    'maximum',
    'propertyNames',
    'id',
    'format',
    'pattern'
  ])
  for (const keyword of Object.keys(schema)) if (!known.has(keyword)) found.push(`${at}: unknown keyword ${keyword}`)
  if (schema.anyOf !== undefined && !schema.anyOf.some((each: Json) => violations(each, value, at).length === 0))
    found.push(`${at}: none of anyOf`)
  if (schema.allOf !== undefined) {
    // These are parts of one object, and each part omits the fields of the others.
    found.push(...violations(whole(schema), value, at))
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
  if (schema.type !== undefined && ![schema.type].flat().includes(kind) && !(schema.type === 'number' && kind === 'integer'))
    found.push(`${at}: ${kind}, not ${schema.type}`)
  if (schema.enum !== undefined && !schema.enum.includes(value)) found.push(`${at}: ${value} is not in the enum`)
  if (schema.const !== undefined && schema.const !== value) found.push(`${at}: not ${schema.const}`)
  if (kind === 'array') value.forEach((item: Json, index: number) => found.push(...violations(schema.items ?? {}, item, `${at}/${index}`)))
  if (kind !== 'object') return found
  for (const name of schema.required ?? []) if (!(name in value)) found.push(`${at}: ${name} is missing`)
  for (const [name, each] of Object.entries(value)) {
    const property = schema.properties?.[name]
    if (property !== undefined) found.push(...violations(property, each, `${at}/${name}`))
    // Response schemas are open by default, but those of this service list every field.
    else if (schema.properties !== undefined && (schema.additionalProperties ?? false) === false)
      found.push(`${at}: ${name} is not described`)
  }
  return found
}

/** Returns the answers of every operation on review assignments. */
const taskAnswers = async (owner: Person): Promise<[string, string, Json][]> => {
  const json = requestFor()
  const [created, again] = [await owner.ask('POST', '/tasks', { json }), await owner.ask('POST', '/tasks', { json })]
  const assignment = assignmentOf(world, created.json.task)
  const one = '/api/docs/{id}/tasks/{taskId}'
  return [
    ['/api/docs/{id}/tasks', 'post', created],
    ['/api/docs/{id}/tasks', 'post', again],
    ['/api/docs/{id}/tasks', 'post', await owner.ask('POST', '/tasks', { json: { ...json, title: 'Other' } })],
    [`${one}/start`, 'post', await assignment.by('Ada').start()],
    [`${one}/report`, 'post', await assignment.by('Ada').report({ commentIds: ['unknown'] })],
    [`${one}/report`, 'post', await assignment.by('Ada').report()],
    [`${one}/close`, 'post', await close(owner, assignment)],
    [one, 'get', await owner.ask('GET', `/tasks/${assignment.id}`)],
    ['/api/docs/{id}/tasks', 'get', await (await owner.share('view')).ask('GET', '/tasks')]
  ]
}

test('[OPENAPI-8] answers list the fields that are always present, each once', () => {
  for (const [name, ...fields] of [
    ['Document', 'id', 'title', 'role', 'version', 'capabilities', 'doc'],
    ['Edited', 'ok', 'version', 'revisionId', 'changed', 'results', 'diff'],
    ['Comment', 'id', 'body', 'author', 'status', 'anchor', 'replies'],
    ['Suggestion', 'id', 'operation', 'status', 'original', 'text', 'note'],
    ['Share', 'id', 'secret', 'role', 'url'],
    ['Problem', 'code', 'message', 'hint', 'retryable']
  ] as const) {
    const { required, properties } = whole(api.components.schemas[name])
    expect(required, name).toEqual(expect.arrayContaining(fields))
    expect(new Set(required).size, name).toBe(required.length)
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining(required))
  }
  expect(whole(api.components.schemas.ProposedSuggestion).required).not.toContain('id')
  const { reason, replies } = whole(api.components.schemas.Suggestion).properties
  expect([reason, replies]).not.toContain(undefined)
  expect(whole(api.components.schemas.Suggestion).required).not.toContain('reason')
  expect(api.components.parameters.brief.description).toContain('may be absent')
})

test('[OPENAPI-5] answers have the described shape', async () => {
  const owner = await world.create('# One\n')
  const editor = await owner.connect()
  editor.type(0, 'x')
  await editor.saved()
  const json = { Accept: 'application/json' }
  const edits = [{ op: 'append', markdown: 'x' }]
  const asked: [string, string, Json][] = [
    ['/api/docs', 'post', await world.ask('POST', '/api/docs', { json: { content: 'a' } })],
    ['/api/docs/{id}', 'get', await owner.ask('GET', '')],
    ['/api/docs/{id}/content', 'put', await owner.ask('PUT', '/content', { json: { content: '# Two\n', label: 'l' } })],
    ['/api/docs/{id}/content', 'put', await owner.ask('PUT', '/content', { json: { content: '# Three\n' }, query: { dryRun: 1 } })],
    ['/api/docs/{id}/content', 'put', await owner.ask('PUT', '/content', { json: { content: 'x', baseVersion: owner.created.version } })],
    ['/api/docs/{id}/content', 'get', await owner.ask('GET', '/content', { headers: json })],
    ['/api/docs/{id}/revisions', 'get', await owner.ask('GET', '/revisions')],
    ['/api/docs/{id}/revisions/{revisionId}', 'get', await owner.ask('GET', '/revisions/1', { headers: json })],
    ['/api/docs/{id}/restore', 'post', await owner.ask('POST', '/restore', { json: { revision: 1 } })],
    ['/api/docs/{id}/shares', 'post', await owner.ask('POST', '/shares', { json: { role: 'view' } })],
    ['/api/docs/{id}/shares', 'post', await owner.ask('POST', '/shares', { json: { role: 'king' } })],
    ['/api/docs/{id}/shares', 'get', await owner.ask('GET', '/shares')],
    ...(await taskAnswers(owner)),
    ['/api/docs/{id}/comments', 'post', await owner.ask('POST', '/comments', { json: { body: 'c', find: 'One' } })],
    ['/api/docs/{id}/comments', 'get', await owner.ask('GET', '/comments')],
    ['/api/docs/{id}/edits', 'post', await owner.ask('POST', '/edits', { json: { operations: edits } })],
    ['/api/docs/{id}/edits', 'post', await owner.ask('POST', '/edits', { json: { operations: edits, mode: 'suggest' } })],
    ['/api/docs/{id}/edits', 'post', await owner.ask('POST', '/edits', { json: { operations: edits, mode: 'suggest', dryRun: true } })],
    ['/api/docs/{id}/suggestions', 'get', await owner.ask('GET', '/suggestions')],
    ['/api/docs/{id}/events', 'get', await owner.ask('GET', '/events')],
    ['/api/docs/{id}', 'get', await world.ask('GET', `/api/docs/${owner.doc}`)],
    ['/api/health', 'get', await world.ask('GET', '/api/health')],
    ['/api/docs/{id}', 'delete', await owner.ask('DELETE', '')]
  ]
  for (const [path, method, answer] of asked) {
    const { responses } = api.paths[path][method]
    const response = resolved(responses[String(answer.status)] ?? responses['4XX'])
    expect(response, `${method} ${path} ${answer.status}`).toBeDefined()
    const type = answer.headers.get('Content-Type').split(';')[0]
    expect(violations(response.content[type].schema, answer.json), `${method} ${path} ${answer.status}`).toEqual([])
  }
})
