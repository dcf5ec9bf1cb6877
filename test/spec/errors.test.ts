import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ErrorCode, errorMeanings, ServiceError } from '../../shared/errors.ts'
import { limits, rateLimits } from '../../shared/limits.ts'
import { nearestCalls } from '../../server/http/nearest-calls.ts'
import { testClock } from '../support/clock.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { comment, decide, postComment, postSuggestion, suggest } from '../support/annotations.ts'
import { type Assignment, assign, close, requestFor } from '../support/reviews.ts'
import { joined, samples } from '../support/media.ts'
import { type Answer, type Ask, type Person, startWorld, type World } from '../support/world.ts'

const store = faultyStore()

let world: World
let owner: Person
beforeAll(async () => {
  world = await startWorld({ storage: store.storage, env: { AGMD_ASSET_MEGABYTES: '1' } })
  owner = await world.create('text')
})
afterAll(() => world.stop())

const ownHints: readonly ErrorCode[] = [
  'method_not_allowed',
  'unsupported_media_type',
  'not_found',
  'version_conflict',
  'already_started',
  'not_starter'
]

const isProblem = ({ status, headers, json }: Answer, code: ErrorCode): void => {
  const {
    status: expected,
    message,
    hint,
    retryable = false
  } = errorMeanings[code] as { status: number; message: string; hint: string; retryable?: boolean }
  // Some errors have a more specific next step than their code.
  const nextStep: unknown = ownHints.includes(code) ? expect.stringMatching(/.{20,}/) : hint
  expect(json, JSON.stringify({ status, json })).toMatchObject({
    code,
    title: message,
    status: expected,
    error: message,
    hint: nextStep,
    retryable
  })
  expect(status).toBe(expected)
  expect(headers.get('Content-Type')).toMatch(/^application\/problem\+json/)
  expect(json.type).toBe(`urn:agmd:error:${code}`)
  expect(json.message).toBe(json.detail)
  expect(json.requestId).toMatch(/^[\w-]{8,}$/)
  expect(headers.get('X-Request-Id')).toBe(json.requestId)
  expect(headers.get('Cache-Control')).toBe('no-store')
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
}

const put = (what: Ask = {}): Promise<Answer> => owner.ask('PUT', '/content', { json: { content: 'x' }, ...what })

/** Creates an assignment that Ada has started. */
const started = async (): Promise<Assignment> => {
  const assignment = await assign(world, owner)
  await assignment.by('Ada').start()
  return assignment
}

/** One way to cause each code. Codes that need more than a request have separate tests. */
const upload = (more: Uint8Array): Promise<Answer> =>
  owner.ask('POST', '/assets', { body: joined(samples['flac']?.bytes as Uint8Array, more), type: 'audio/flac' })

const ways: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  invalid_request: () => put({ json: { content: 7 } }),
  malformed_json: () => put({ json: undefined, body: '{"content":', type: 'application/json' }),
  versions_differ: () => put({ json: { content: 'x', baseVersion: 'a' }, headers: { 'If-Match': 'b' } }),
  credential_required: () => world.ask('GET', `/api/docs/${owner.doc}`),
  credential_invalid: () => world.ask('GET', `/api/docs/${owner.doc}`, { key: 'A'.repeat(32) }),
  forbidden: async () => (await owner.share('view')).ask('PUT', '/content', { json: { content: 'x' } }),
  account_required: () => owner.ask('POST', '/claim', { json: {} }),
  origin_refused: () => put({ headers: { Origin: 'https://elsewhere.example' } }),
  not_found: () => world.ask('GET', '/api/nowhere'),
  unknown_version: () => owner.ask('GET', '/content', { query: { version: '9-000000000000' } }),
  method_not_allowed: () => owner.ask('DELETE', '/content'),
  not_acceptable: () => owner.ask('GET', '/content', { headers: { Accept: 'image/png' } }),
  last_owner_link: async () => {
    const last = await world.create('x')
    return last.ask('DELETE', `/shares/${last.key}`)
  },
  version_conflict: () => put({ headers: { 'If-Match': '9-000000000000' } }),
  document_deleted: async () => {
    const gone = await world.create('x')
    await gone.ask('DELETE', '', { query: { permanent: 1 } })
    return gone.ask('GET', '')
  },
  content_too_large: () => put({ json: undefined, body: 'x'.repeat(limits.contentUnitsMax + 1), type: 'text/markdown' }),
  body_too_large: () => owner.ask('POST', '/shares', { json: { role: 'view', label: 'x'.repeat(limits.bodyBytesMax) } }),
  unsupported_media_type: () => put({ json: undefined, body: '<p>', type: 'text/html' }),
  asset_quota_exceeded: () => upload(new Uint8Array(1024 * 1024)),
  range_not_satisfiable: async () => {
    const { url } = (await upload(new Uint8Array())).json
    return world.ask('GET', new URL(url).pathname, { headers: { Range: 'bytes=999-' } })
  },
  idempotency_key_reused: async () => {
    const headers = { 'Idempotency-Key': 'reused' }
    await owner.ask('POST', '/shares', { json: { role: 'view' }, headers })
    return owner.ask('POST', '/shares', { json: { role: 'edit' }, headers })
  },
  task_link_required: async () => owner.ask('POST', `/tasks/${(await assign(world, owner)).id}/start`),
  request_id_conflict: async () => {
    await assign(world, owner, { requestId: 'conflict' })
    return owner.ask('POST', '/tasks', { json: requestFor({ requestId: 'conflict', title: 'Other' }) })
  },
  not_started: async () => (await assign(world, owner)).by('Ada').report(),
  already_started: async () => (await started()).by('Bob').start(),
  not_starter: async () => (await started()).by('Bob').report(),
  already_reported: async () => {
    const assignment = await started()
    await assignment.by('Ada').report()
    return assignment.by('Ada').report({ summary: 'Other.' })
  },
  task_closed: async () => {
    const assignment = await started()
    await close(owner, assignment)
    return assignment.by('Ada').report()
  },
  unknown_reviewed_version: async () => (await started()).by('Ada').report({ reviewedVersion: '9-000000000000' }),
  unknown_ids: async () => (await started()).by('Ada').report({ commentIds: ['unknown'] }),
  not_author: async () => {
    const { id } = await comment(owner, { body: 'x' })
    return (await owner.share('comment')).ask('DELETE', `/comments/${id}`)
  },
  already_decided: async () => {
    const { id } = await suggest(owner, { operation: 'insert', text: 'x' })
    await decide(owner, id, 'reject')
    return decide(owner, id, 'accept')
  },
  stale_step: async () => {
    const at = { step: 1, operation: 'insert' }
    await owner.ask('PUT', '/drafts/stale', { json: { ...at, text: 'x' } })
    return owner.ask('PUT', '/drafts/stale', { json: { ...at, text: 'y' } })
  },
  suggestion_fixed: async () => {
    const fixed = await world.create('one two three')
    await fixed.ask('PUT', '/drafts/fixed', { json: { step: 1, operation: 'delete', find: 'one' } })
    return fixed.ask('PUT', '/drafts/fixed', { json: { step: 2, operation: 'delete', find: 'three' } })
  },
  target_changed: async () => {
    const changing = await world.create('one two')
    const { id } = await suggest(changing, { operation: 'delete', find: 'one' })
    await changing.replace('two')
    return decide(changing, id, 'accept')
  },
  text_too_large: () => postComment(owner, { body: 'x'.repeat(limits.annotationBytesMax + 1) }),
  target_not_found: () => postSuggestion(owner, { operation: 'delete', find: 'no such words' }),
  target_ambiguous: async () => postComment(await world.create('a fish, a fish'), { body: 'x', find: 'fish' }),
  too_many_changes: async () => {
    const textOf = (word: string): string => Array.from({ length: 101 }, () => `same\n${word}\n`).join('')
    const what = { query: { as: 'suggestions' }, json: { content: textOf('new') } }
    return (await world.create(textOf('old'))).ask('PUT', '/content', what)
  },
  too_many_ids: async () => (await started()).by('Ada').report({ commentIds: Array.from({ length: limits.taskIdsMax + 1 }, () => 'id') })
}

test.each(Object.entries(ways))('[ERROR-1] %s is a problem document with its status, hint and request id', async (code, way) => {
  isProblem(await way(), code as ErrorCode)
})

// These codes need a broken or full store, a stopping process, or many requests.
const elsewhere: ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'internal',
  'storage_corrupt',
  'storage_unavailable',
  'storage_full',
  'shutting_down'
]
// Pages and OAuth responses report sign-in errors (identity tests).
const ofIdentity: ErrorCode[] = [
  'form_expired',
  'sign_in_failed',
  'issuer_unavailable',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'access_denied',
  'already_claimed'
]
// Errors of media jobs occur only with compute nodes, so the media tests check them.
const ofMedia: ErrorCode[] = ['engine_unavailable', 'job_not_done', 'media_queue_full', 'node_offline', 'too_many_nodes']
// The token tests cover this code.
const ofTokens: ErrorCode[] = ['too_many_tokens']
// An operator has disabled the account or taken the document down (operator tests).
const ofOperators: ErrorCode[] = ['account_disabled', 'taken_down']
// The slip tests cover the strict server.
const ofSlips: ErrorCode[] = ['version_required']
// Errors for large text need a full queue, or text that is slower than any known one (event-loop tests).
const ofTexts: ErrorCode[] = ['busy', 'too_complex']
test('[ERROR-1] every code has a test here', () => {
  expect(
    [...Object.keys(ways), ...elsewhere, ...ofIdentity, ...ofMedia, ...ofTexts, ...ofTokens, ...ofSlips, ...ofOperators].toSorted()
  ).toEqual(Object.keys(errorMeanings).toSorted())
})

test('[ERROR-2] a failing or full store returns 503 or 507, can be retried, and a bug is a 500 without details', async () => {
  const own = await startWorld({ storage: store.storage })
  const person = await own.create('text')
  await person.read()
  await own.service.ledger.idle()
  const failures: [Error, ErrorCode][] = [
    [new ServiceError('storage_unavailable'), 'storage_unavailable'],
    [new ServiceError('storage_full'), 'storage_full'],
    [new ServiceError('storage_corrupt'), 'storage_corrupt'],
    [new Error('the secret detail'), 'internal']
  ]
  for (const [error, code] of failures) {
    store.fault = error
    const answer = await person.ask('PUT', '/content', { json: { content: `by ${code}` } })
    store.fault = undefined
    isProblem(answer, code)
    expect(answer.text).not.toContain('secret detail')
    if (answer.json.retryable === true) expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect((await person.read()).content).toBe('text')
  }
  const made = await person.replace('after all')
  expect(await person.read()).toEqual({ content: 'after all', version: made.version })
  await own.stop()
})

test('[ERROR-3] a 401 says how to authenticate', async () => {
  const challenge = `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource"`
  const { headers } = await world.ask('GET', `/api/docs/${owner.doc}`)
  expect(headers.get('WWW-Authenticate')).toBe(challenge)
  const invalid = await world.ask('GET', `/api/docs/${owner.doc}`, { key: 'nonsense' })
  expect(invalid.headers.get('WWW-Authenticate')).toBe(`${challenge}, error="invalid_token"`)
})

test.each([
  ['GET', '/api/docs/x/contents', 'GET /api/docs/{id}/content'],
  ['GET', '/api/documents/x/content', 'GET /api/docs/{id}/content'],
  ['POST', '/api/docs/x/comment', 'POST /api/docs/{id}/comments'],
  ['GET', '/api/docs/x/comments/c1/reply', 'POST /api/docs/{id}/comments/{commentId}/replies'],
  ['GET', '/docs/x/events', 'GET /api/docs/{id}/events'],
  ['GET', '/api/share', 'GET /api/']
])('[ERROR-18] %s %s does not exist, and the answer names the likely call', async (method, path, meant) => {
  const { status, json } = await world.ask(method, path)
  expect(status).toBe(404)
  expect(json.hint).toContain(meant)
  expect(json.hint).toContain('/openapi.json')
})

test.each([
  ['POST', '/api/docs/x/comment', ['POST /api/docs/{id}/comments']],
  ['GET', '/docs/x', ['GET /api/docs/{id}']],
  ['HEAD', '/v1/documents/x', ['GET /api/docs/{id}']],
  ['GET', '/api/docs/x/history', ['GET /api/docs/{id}/revisions']],
  ['POST', '/api/docs/x/suggestions/s1/reject', ['POST /api/docs/{id}/suggestions/{suggestionId}']],
  ['PUT', '/api/docs/x/comments/c1', ['PATCH /api/docs/{id}/comments/{commentId}', 'GET /api/docs/{id}/comments/{commentId}']],
  ['DELETE', '/api/docs/x/comment/c1', ['DELETE /api/docs/{id}/comments/{commentId}']],
  ['DELETE', '/api/docs/x/comments/c1/replies/r1', ['DELETE /api/docs/{id}/replies/{replyId}']],
  ['PATCH', '/api/docs/x/suggestions/s1/replies/r1', ['PATCH /api/docs/{id}/replies/{replyId}']],
  ['POST', '/api/docs/x/delete', ['DELETE /api/docs/{id}']],
  ['PUT', '/api/trash/x', []]
])('[ERROR-18] %s %s suggests %j and nothing else', (method, path, meant) => {
  expect(nearestCalls(method, path)).toEqual(meant)
})

test('[ERROR-18] a 405 names the methods and the likely call; addresses without a near match suggest nothing', async () => {
  const { json } = await world.ask('POST', `/api/docs/${owner.doc}/content`, { key: owner.key })
  expect(json).toMatchObject({ code: 'method_not_allowed', allow: ['GET', 'HEAD', 'PATCH', 'PUT'] })
  expect(json.hint).toContain('PATCH /api/docs/{id}/content')
  for (const path of ['/api/nowhere/at/all', `/api/${'x/'.repeat(500)}`, `/api/${'y'.repeat(5000)}`])
    expect((await world.ask('GET', path)).json).toMatchObject({ status: 404, hint: 'GET /openapi.json lists every address.' })
})

test('[ERROR-4] a 405 names the methods in Allow', async () => {
  for (const [path, allow] of [
    [`/api/docs/${owner.doc}/content`, 'GET, HEAD, PATCH, PUT'],
    [`/api/docs/${owner.doc}`, 'DELETE, GET, HEAD, PATCH'],
    ['/api/health', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/new', 'GET, HEAD, POST']
  ] as const) {
    const answer = await world.ask(path.endsWith('/content') ? 'DELETE' : path.endsWith(owner.doc) ? 'PUT' : 'PATCH', path)
    isProblem(answer, 'method_not_allowed')
    expect(answer.headers.get('Allow')).toBe(allow)
  }
  isProblem(await world.ask('POST', '/api/nowhere'), 'not_found')
  const options = await world.ask('OPTIONS', `/api/docs/${owner.doc}`)
  expect({ status: options.status, allow: options.headers.get('Allow') }).toEqual({ status: 204, allow: 'DELETE, GET, HEAD, PATCH' })
})

test.each(['{', '', 'null', '[]', '"text"', '7', '{"content":"a"}x', '\ufeff{}x', "{'content':'a'}", '{"content":"a",}'])(
  '[ERROR-5] a body that is not a JSON object returns 400: %j',
  async (body) => {
    const answer = await put({ json: undefined, body, type: 'application/json' })
    isProblem(answer, body === '' ? 'invalid_request' : 'malformed_json')
  }
)

test('[ERROR-6] invalid input names each field with its path', async () => {
  const answer = await put({ json: { content: 7, label: ['x'], dryRun: 'soon' } })
  isProblem(answer, 'invalid_request')
  expect(answer.json.details.map((detail: { path: string }) => detail.path).toSorted()).toEqual(['content', 'dryRun', 'label'])
  const long = await put({ json: { content: 'x', label: 'x'.repeat(limits.labelUnitsMax + 1) } })
  expect(long.json.details).toEqual([{ path: 'label', message: expect.any(String) }])
  isProblem(await world.ask('POST', '/new', { json: { title: 'x'.repeat(limits.titleUnitsMax + 1) } }), 'invalid_request')
})

test('[ERROR-7] a repeated query parameter returns 400', async () => {
  for (const [path, method] of [
    ['/events?since=1&since=2', 'GET'],
    ['/content?version=a&version=b', 'GET'],
    ['/content?dryRun=1&dryRun=0', 'PUT']
  ] as const) {
    const answer = await owner.ask(method, path, method === 'PUT' ? { json: { content: 'x' } } : {})
    isProblem(answer, 'invalid_request')
    expect(answer.json.details[0].message).toContain('once')
  }
})

test.each(['text/html', 'application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'nonsense'])(
  '[ERROR-8] a body of a different media type returns 415: %s',
  async (type) => {
    isProblem(await put({ json: undefined, body: 'x', type }), 'unsupported_media_type')
    isProblem(await owner.ask('POST', '/shares', { body: '{"role":"view"}', type }), 'unsupported_media_type')
  }
)

test('[ERROR-8] a compressed body returns 415; JSON with parameters or a +json type is accepted', async () => {
  isProblem(await put({ headers: { 'Content-Encoding': 'gzip' } }), 'unsupported_media_type')
  for (const type of ['application/json; charset=utf-8', 'application/vnd.agmd+json'])
    expect((await owner.ask('POST', '/shares', { body: '{"role":"view"}', type })).status).toBe(201)
})

test.each([
  '/api/health#x',
  '/api\\health',
  '/api/health%00',
  '/api/docs/x%2fcontent',
  '/api/docs/x%5Ccontent',
  '/api/%zz',
  '//api/health',
  'http://elsewhere.example/api/health',
  '*',
  '/api/hea lth',
  '/api/he\u00e4lth'
])('[ERROR-9] an odd request target returns 400: %j', async (target) => {
  const answer = await world.raw(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, 'latin1'))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect((await world.ask('GET', '/api/health')).status).toBe(200)
})

test.each(['', 'Host: \r\n', 'Host: [\r\n', 'Host: a b\r\n', 'Host: x/y?z#\r\n', 'Host: localhost:99999\r\n'])(
  '[ERROR-9] an odd Host does not fail the request: %j',
  async (host) => {
    const version = host === '' ? '1.0' : '1.1'
    const answer = await world.raw(`GET /api/docs/${owner.doc}?key=${owner.key} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /)
  }
)

test.each([
  'NONSENSE\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
  '\0\0\0\0\r\n\r\n'
])('[ERROR-10] bytes that are not HTTP get 400 and a closed connection: %#', async (bytes) => {
  expect(await world.raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect((await world.ask('GET', '/api/health')).status).toBe(200)
})

test('[ERROR-11] deep JSON and names of Object.prototype do no harm', async () => {
  const deep = `{"role":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
  isProblem(await owner.ask('POST', '/shares', { body: deep, type: 'application/json' }), 'invalid_request')
  isProblem(
    await put({ json: undefined, body: `{"content":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`, type: 'application/json' }),
    'invalid_request'
  )
  const body = '{"__proto__":{"role":"owner","label":"polluted"},"constructor":{"prototype":{"label":"polluted"}},"role":"view"}'
  expect((await owner.ask('POST', '/shares', { body, type: 'application/json' })).status).toBe(400)
  expect(({} as Record<string, unknown>)['label']).toBeUndefined()
  expect((await owner.ask('POST', '/shares', { body: '{"__proto__":{"role":"owner"}}', type: 'application/json' })).status).toBe(400)
  for (const name of ['__proto__', 'constructor', 'toString'])
    expect([401, 404]).toContain((await world.ask('GET', `/api/docs/${name}`, { key: owner.key })).status)
})

test('[ERROR-12] writes from a foreign origin are refused; reads and our own pages are not', async () => {
  isProblem(await put({ headers: { 'Sec-Fetch-Site': 'cross-site' } }), 'origin_refused')
  isProblem(await world.ask('POST', '/new', { json: {}, headers: { Origin: 'null' } }), 'origin_refused')
  expect((await put({ headers: { Origin: world.url } })).status).toBe(200)
  expect((await owner.ask('GET', '/content', { headers: { Origin: 'https://elsewhere.example' } })).status).toBe(200)
})

test('[RATE-1] a request above the rate returns 429 with Retry-After and both headers, and passes later', async () => {
  const clock = testClock()
  const own = await startWorld({ clock, env: { AGMD_RATE_LIMITS: 'on' } })
  const person = await own.create('text')
  const first = await person.ask('PUT', '/content', { json: { content: 'x' } })
  expect(first.headers.get('RateLimit')).toBe(`"write";r=${rateLimits.write.burst - 1};t=1`)
  expect(first.headers.get('RateLimit-Policy')).toBe(
    `"write";q=${rateLimits.write.burst};w=${rateLimits.write.burst / rateLimits.write.perSecond}`
  )
  let answer = first
  for (let count = 0; count < rateLimits.write.burst; count++)
    answer = await person.ask('PUT', '/content', { json: { content: 'x' }, query: { dryRun: 1 } })
  isProblem(answer, 'rate_limited')
  expect(answer.headers.get('Retry-After')).toBe('1')
  expect(answer.headers.get('RateLimit')).toBe('"write";r=0;t=1')
  expect(answer.headers.get('RateLimit-Policy')).toMatch(/^"write"/)
  expect((await person.read()).content).toBe('x')
  clock.advance(1000)
  expect((await person.ask('PUT', '/content', { json: { content: 'y' } })).status).toBe(200)
  await own.stop()
})

test.each(['GET', 'POST'])('[RATE-2] one address may create a limited number of documents, by %s /new', async (method) => {
  const clock = testClock()
  const own = await startWorld({ clock, env: { AGMD_RATE_LIMITS: 'on' } })
  let answer = await own.ask(method, '/new')
  for (let count = 0; count < rateLimits.create.burst; count++) answer = await own.ask(method, '/new')
  isProblem(answer, 'rate_limited')
  expect(rateLimits.create).toEqual({ burst: 300, perSecond: 300 / 3600 })
  expect(answer.headers.get('Retry-After')).toBe('12')
  await own.stop()
})

test('[RATE-3] guessing keys is stopped, and counts only for the guesser', async () => {
  const clock = testClock()
  const own = await startWorld({ clock, env: { AGMD_RATE_LIMITS: 'on', AGMD_TRUST_PROXY: '1' } })
  const person = await own.create('text')
  const guess = (from: string): Promise<Answer> =>
    own.ask('GET', `/api/docs/${person.doc}`, { key: 'B'.repeat(32), headers: { 'X-Forwarded-For': from } })
  for (let count = 0; count < rateLimits.failedKey.burst; count++) expect((await guess('192.0.2.1')).status).toBe(401)
  isProblem(await guess('192.0.2.1'), 'rate_limited')
  expect((await guess('192.0.2.2')).status).toBe(401)
  await own.stop()
})
