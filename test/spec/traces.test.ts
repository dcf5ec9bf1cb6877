/** The traces that the server sends to a collector of OpenTelemetry. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/clock.ts'
import { createTraces } from '../../server/metrics/traces.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { type Collector, type ReceivedSpan, startCollector } from '../support/collector.ts'
import { withLimit } from '../support/limits.ts'
import { call } from '../support/mcp.ts'
import { ask, startWorld, until, type World } from '../support/world.ts'

const batchMilliseconds = limits.traceBatchSeconds * 1000

interface Traced {
  readonly world: World
  readonly collector: Collector
  /** Lets the server send its waiting spans. Resolves when the collector has a span that satisfies the condition. */
  receive(wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
}

const startTraced = async (env: Record<string, string> = {}): Promise<Traced> => {
  const clock = testClock()
  const collector = await startCollector()
  const started = await startWorld({ clock, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...env } })
  let stopped: Promise<void> | undefined
  const world = { ...started, stop: () => (stopped ??= started.stop()) }
  onTestFinished(async () => {
    await world.stop()
    await collector.close()
  })
  const receive = async (wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> => {
    await until(() => {
      clock.advance(batchMilliseconds)
      return collector.spans().some(wanted)
    }, 'the span')
    return collector.spans().find(wanted) as ReceivedSpan
  }
  return { world, collector, receive }
}

const named =
  (name: string) =>
  (span: ReceivedSpan): boolean =>
    span.name === name

const childOf =
  (parent: ReceivedSpan, name: string) =>
  (span: ReceivedSpan): boolean =>
    span.name === name && span.traceId === parent.traceId

test('[TRACE-1] without an address, the server loads no code for traces', async () => {
  // A module whose resolution is reported stands for all code of traces. Other tests have loaded it in this process.
  const source = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { start } = await import('./test/support/start.ts')
    const world = await start({ env: JSON.parse(process.argv[1]) })
    await world.stop()
    process.send(loaded)
    process.exit()`
  const modulesOf = async (env: Record<string, string>): Promise<string[]> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source, JSON.stringify(env)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
    const [modules] = (await once(child, 'message')) as [string[]]
    return modules.filter((url) => /\/metrics\/(?:traces|otlp)\.ts/.test(url))
  }
  expect(await modulesOf({ OTEL_SERVICE_NAME: 'docs' })).toEqual([])
  expect(await modulesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toHaveLength(2)
})

test('[TRACE-2] [TRACE-3] requests become spans, which reach the collector with its headers and the name of the server', async () => {
  const { world, collector, receive } = await startTraced({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20YTpi, x-tenant = docs',
    OTEL_SERVICE_NAME: 'the docs'
  })
  const alice = await world.create('# One\n')
  await ask(world.url, 'GET', '/readyz')
  const answer = await ask(world.url, 'GET', `/api/docs/${alice.doc}`, { key: alice.key })
  const span = await receive(named('GET /api/docs/{id}'))
  expect(span).toMatchObject({
    kind: 2,
    status: {},
    facts: {
      'http.request.method': 'GET',
      'http.route': '/api/docs/{id}',
      'http.response.status_code': 200,
      'agmd.request_id': answer.headers.get('X-Request-Id')
    }
  })
  expect(BigInt(span.endTimeUnixNano)).toBeGreaterThan(BigInt(span.startTimeUnixNano))
  expect(collector.messages[0]).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: 'Basic YTpi', 'x-tenant': 'docs', 'content-type': 'application/json' },
    resource: { 'service.name': 'the docs', 'service.version': 'test' }
  })
  await ask(world.url, 'POST', '/nowhere/at-all')
  expect((await receive(named('POST'))).facts['http.response.status_code']).toBe(404)
  const requests = collector.spans().filter(({ kind }) => kind === 2)
  expect(requests.map(({ name }) => name).toSorted()).toEqual(['GET /api/docs/{id}', 'POST', 'POST /api/docs'])
})

test('[TRACE-4] tools, commits and opened documents have spans that belong to their request', async () => {
  const { world, receive } = await startTraced()
  const alice = await world.create('one\n')
  await call(world.url, 'append_doc', { doc: alice.doc, key: alice.key, content: 'two' })
  const request = await receive(named('POST /mcp'))
  const tool = await receive(named('tools/call append_doc'))
  expect(tool).toMatchObject({
    kind: 1,
    traceId: request.traceId,
    parentSpanId: request.spanId,
    facts: { 'gen_ai.tool.name': 'append_doc' }
  })
  const opened = await receive(childOf(request, 'open document'))
  expect(opened).toMatchObject({ parentSpanId: tool.spanId, facts: { 'agmd.document': alice.doc } })
  const commit = await receive(childOf(request, 'commit'))
  expect(commit.facts['agmd.commit.puts']).toBeGreaterThan(0)
  expect(commit.facts['agmd.commit.bytes']).toBeGreaterThan(0)
  expect(BigInt(commit.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano))

  await call(world.url, 'read_doc', { doc: alice.doc, key: 'wrong-key-of-somebody' })
  expect(await receive(named('tools/call read_doc'))).toMatchObject({ status: { code: 2 }, facts: { 'error.type': 'credential_invalid' } })
})

test('[TRACE-4] work that a request leaves for later is not part of that request', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  const traces = createTraces({
    endpoint: collector.url,
    headers: {},
    serviceName: 'agmd',
    version: 'test',
    ratio: 1,
    clock: systemClock,
    warn: () => undefined
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let later = Promise.resolve()
  await traces.trace('request', {}, () => {
    // The callback runs in the asynchronous context of the request.
    later = ended.then(() => traces.trace('later', {}, () => Promise.resolve()))
    return traces.trace('part', {}, () => Promise.resolve())
  })
  end()
  await later
  await traces.stop()
  const [part, request, late] = collector.spans()
  expect(part).toMatchObject({ name: 'part', traceId: request?.traceId, parentSpanId: request?.spanId })
  expect(late?.name).toBe('later')
  expect(late?.traceId).not.toBe(request?.traceId)
  expect(late?.parentSpanId).toBeUndefined()
})

test('[TRACE-5] no span has a secret, a path, a query or text', async () => {
  const { world, collector, receive } = await startTraced()
  const alice = await world.create({ content: '# Plans of Zanzibar\n\nsalary\n' })
  const words = ['Zanzibar', 'salary', 'needle', 'Mallory', 'wrong-key']
  await ask(world.url, 'GET', `/d/${alice.doc}?key=${alice.key}&q=needle`)
  await ask(world.url, 'GET', `/d/${alice.doc}.md?key=wrong-key`)
  await ask(world.url, 'GET', `/salary/${alice.key}`)
  await ask(world.url, 'PROPFIND', '/salary')
  await ask(world.url, 'GET', `/api/docs/${alice.doc}`, { headers: { Authorization: `Bearer ${alice.key}`, 'X-Agent-Author': 'Mallory' } })
  await call(world.url, 'read_doc', { doc: `${world.url}/d/${alice.doc}?key=${alice.key}` })
  await call(world.url, `salary ${alice.key}`, {}).catch(() => undefined)
  const page = await alice.connect({ name: 'Mallory' })
  page.type(0, 'needle')
  await page.saved()
  await receive((span) => span.name === 'commit' && span.parentSpanId === undefined)
  await receive(named('tools/call read_doc'))
  const sent = collector.messages.map(({ body }) => body).join('\n')
  for (const word of [...words, `/d/${alice.doc}`, alice.key, ...world.secrets]) expect(sent, word).not.toContain(word)
})

const trace = 'a'.repeat(32)
const parent = 'b'.repeat(16)

test('[TRACE-6] a valid traceparent is continued, and its sender decides about sampling', async () => {
  const { world, collector, receive } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0' })
  await world.create('one\n')
  await ask(world.url, 'GET', '/api/health', { headers: { traceparent: `00-${trace}-${parent}-00` } })
  await ask(world.url, 'GET', '/api/health', { headers: { traceparent: `00-${trace}-${parent}-03` } })
  expect(await receive(named('GET /api/health'))).toMatchObject({ traceId: trace, parentSpanId: parent })
  expect(collector.spans()).toHaveLength(1)
  const later = { c: (id: string) => `01-${trace}-${id}-01`, d: (id: string) => `fe-${trace}-${id}-01-more-fields` }
  for (const [digit, headerFor] of Object.entries(later)) {
    const id = digit.repeat(16)
    await ask(world.url, 'GET', '/api/health', { headers: { traceparent: headerFor(id) } })
    expect(await receive(({ parentSpanId }) => parentSpanId === id)).toMatchObject({ traceId: trace })
  }
})

test.each([
  '',
  'x'.repeat(10_000),
  `00-${trace}-${parent}`,
  `00-${trace}-${parent}-01-`,
  `01-${trace}-${parent}`,
  `01-${trace}-${parent}-01x`,
  `01-${trace}-${parent}-0100`,
  `1-${trace}-${parent}-01`,
  `ff-${trace}-${parent}-01`,
  `00-${trace.toUpperCase()}-${parent}-01`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace}-${parent}-0g`
])('[TRACE-6] an invalid traceparent begins a new trace: %j', async (traceparent) => {
  const { world, receive } = await startTraced()
  await ask(world.url, 'GET', '/api/health', { headers: { traceparent } })
  const span = await receive(named('GET /api/health'))
  expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect([trace, '0'.repeat(32)]).not.toContain(span.traceId)
  expect(span.parentSpanId).toBeUndefined()
})

test('[TRACE-7] a share of the traces is sampled, each as a whole', async () => {
  const { world, collector, receive } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0.5' })
  const alice = await world.create('one\n')
  const reads = 200
  for (let read = 0; read < reads; read++) await ask(world.url, 'GET', '/api/health')
  for (let edit = 0; edit < 20; edit++) await alice.replace(`${edit}\n`)
  await ask(world.url, 'GET', '/openapi.json', { headers: { traceparent: `00-${trace}-${parent}-01` } })
  await receive(({ traceId }) => traceId === trace)
  const spans = collector.spans()
  const sampled = spans.filter(named('GET /api/health')).length
  // The probability of a count outside of this range is less than one in a million.
  expect(sampled).toBeGreaterThan(reads * 0.3)
  expect(sampled).toBeLessThan(reads * 0.7)
  const ids = new Set(spans.map(({ spanId }) => spanId))
  for (const { parentSpanId } of spans) if (parentSpanId !== undefined && parentSpanId !== parent) expect(ids).toContain(parentSpanId)
})

test('[TRACE-8] a collector that does not answer delays no request, and the number of waiting spans is limited', async () => {
  await withLimit('traceBatchSpansMax', 2, async () => {
    await withLimit('traceWaitingSpansMax', 5, async () => {
      const { world, collector } = await startTraced()
      const held: ServerResponse[] = []
      collector.answer((response) => held.push(response))
      for (let count = 0; count < 40; count++) expect((await ask(world.url, 'GET', '/api/health')).status).toBe(200)
      await until(() => held.length === 1, 'the first message')
      // The requests have not waited until the server gave up.
      expect(held[0]?.destroyed).toBe(false)
      expect(collector.spans()).toHaveLength(2)
      collector.answer((response) => response.end('{}'))
      held[0]?.end('{}')
      await world.stop()
      expect(collector.spans()).toHaveLength(7)
    })
  })
})

test('[TRACE-9] a collector that is away costs dropped spans and one warning, until it is back', async () => {
  const { world, collector, receive } = await startTraced()
  const said = (): { level: string; message: string; dropped?: number }[] =>
    world.lines.map((line) => JSON.parse(line)).filter(({ message }) => /collector|traces/.test(message))
  let refused = 0
  collector.answer((response) => {
    refused += 1
    if (refused % 2 === 1) response.destroy()
    else response.writeHead(503).end()
  })
  for (let round = 1; round <= 4; round++) {
    await ask(world.url, 'GET', '/api/health')
    await receive(() => refused >= round)
  }
  expect(said()).toMatchObject([{ level: 'warn' }])
  const dropped = collector.spans().length
  collector.answer((response) => response.end('{}'))
  await ask(world.url, 'GET', '/openapi.json')
  await receive(named('GET /openapi.json'))
  await until(() => said().length === 2, 'the second record')
  expect(said()[1]?.dropped).toBeGreaterThanOrEqual(4)
  expect(said()[1]?.dropped).toBeLessThanOrEqual(dropped)
})

test('[TRACE-10] a server that stops sends the waiting spans, but does not wait for a collector that hangs', async () => {
  const one = await startTraced()
  await ask(one.world.url, 'GET', '/api/health')
  expect(one.collector.spans().some(named('GET /api/health'))).toBe(false)
  await one.world.stop()
  expect(one.collector.spans().some(named('GET /api/health'))).toBe(true)
  await withLimit('traceStopMsMax', 50, async () => {
    const other = await startTraced()
    other.collector.answer(() => undefined)
    await ask(other.world.url, 'GET', '/api/health')
    await other.world.stop()
    expect(other.collector.messages.length).toBe(1)
  })
})
