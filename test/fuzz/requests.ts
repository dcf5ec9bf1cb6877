/**
 * Request fuzz: valid, mutated and hostile requests, made from `/openapi.json`, with the credentials of every role. Nothing may crash, every answer
 * must match the description, and a 5xx answer must have an explanation. A request that is refused, or that only reads, must not write anything.
 *
 * The seed decides the requests. Their ids and versions come from answers. A failing request is printed in full.
 */
import assert from 'node:assert/strict'
import { Agent, request as httpRequest } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import type { Batch, Key, Storage } from '../../server/domain/ports.ts'
import type { AuditKind, AuditRecord } from '../../server/domain/records/audit.ts'
import { decodeRecord, type Head } from '../../server/domain/records/keys.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { errorMeanings } from '../../shared/errors.ts'
import { openApi } from '../../server/http/openapi.ts'
import { roles } from '../../shared/roles.ts'
import { testClock } from '../support/clock.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { firstTools } from '../support/mcp.ts'
import { samples } from '../support/media.ts'
import { seeded } from '../support/typist.ts'
import { ask, type Json, startWorld, type World } from '../support/world.ts'
import { brokenBody, hostileValue, mutated, pick, type Random, validValue, written } from './request-values.ts'

interface Operation {
  readonly id: string
  readonly method: string
  /** The path, with its parameters in braces. */
  readonly path: string
  readonly query: readonly Json[]
  readonly types: Readonly<Record<string, Json>>
  readonly statuses: ReadonlySet<number>
}

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: Buffer
  /** The operation that the path belongs to, if there is one. */
  readonly operation: Operation | undefined
}

interface Heard {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly ms: number
}

export interface Report {
  readonly requests: number
  readonly refused: number
  readonly done: number
  /** How often each status occurred. */
  readonly statuses: Record<string, number>
  /** The slowest answer, in milliseconds. */
  readonly slowest: { readonly ms: number; readonly of: string }
  /** Memory in use after a tenth of all requests and after all of them, in bytes, with no document open. */
  readonly memory: { readonly before: number; readonly after: number }
}

// ——— the described operations ———

/** Replaces the references in a part of the description. */
const resolved = (description: Json, part: Json): Json => {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => resolved(description, each))
  const [, , kind, name] = String(part.$ref ?? '').split('/')
  if (name !== undefined) return resolved(description, description.components[kind ?? ''][name])
  return Object.fromEntries(Object.entries(part).map(([field, value]) => [field, resolved(description, value)]))
}

/** Returns the statuses that a description allows. An error is valid if the service defines its status. */
const statusesOf = (responses: object): Set<number> =>
  new Set(Object.keys(responses).flatMap((status) => (status === '4XX' ? errorStatuses : [Number(status)])))
const errorStatuses = Object.values(errorMeanings).map(({ status }) => status)

/** Returns the operations of the table. All other routes only read. */
const operationsOf = (description: Json): Operation[] =>
  Object.entries(resolved(description, description.paths) as Record<string, Json>).flatMap(([path, methods]) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => methods[method]?.tags.includes('site') === false)
      .map((method) => {
        const { operationId, parameters = [], requestBody, responses } = methods[method]
        return {
          id: operationId as string,
          method: method.toUpperCase(),
          path,
          query: (parameters as Json[]).filter((parameter) => parameter.in === 'query'),
          types: Object.fromEntries(
            Object.entries((requestBody?.content ?? {}) as Record<string, Json>).map(([type, { schema }]) => [type, schema])
          ),
          statuses: statusesOf(responses as object)
        }
      })
  )

/** Number of ids that are remembered of each kind. They come from answers, and the newest are kept. */
const keptMax = 30

class Known {
  readonly pools: Record<string, string[]> = {}

  add(kind: string, value: unknown): void {
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return
    const pool = (this.pools[kind] ??= [])
    if (!pool.includes(String(value))) pool.push(String(value))
    if (pool.length > keptMax) pool.shift()
  }

  /** Collects ids from an answer. Ids of a document that other tests may delete are left out. */
  learn(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > 4) return
    for (const [name, member] of Object.entries(value).slice(0, 50)) {
      if (/^(version|revisionId|commentId|replyId|suggestionId|taskId|requestId|setId|jobId|resultVersion)$/.test(name))
        this.add(name === 'resultVersion' ? 'version' : name, member)
      else this.learn(member, depth + 1)
    }
  }
}

interface Credential {
  readonly key?: string
  readonly bearer?: string
  /** The document that the credential opens. */
  readonly doc?: string
}

/** Operations that end the run for other callers. They are tried rarely. */
const ending = new Set(['deleteDocument', 'revokeSessions', 'revokeSession', 'revokeShare', 'claimDocument'])

/** The world of one run, with its documents and callers. */
class Fuzz {
  readonly random: Random
  readonly world: World
  readonly issuer: Issuer
  readonly clock: ReturnType<typeof testClock>
  readonly operations: readonly Operation[]
  readonly known = new Known()
  readonly credentials: Credential[] = []
  readonly #bearers: string[] = []

  constructor(world: World, issuer: Issuer, clock: ReturnType<typeof testClock>, seed: number) {
    this.world = world
    this.issuer = issuer
    this.clock = clock
    this.random = seeded(seed)
    this.operations = operationsOf(JSON.parse(JSON.stringify(openApi(world.url))))
  }

  /** Creates new documents with links of every role, and new sessions. The earlier ones may be gone. */
  async renew(): Promise<void> {
    const { world, credentials } = this
    credentials.length = 0
    if (this.#bearers.length === 0)
      for (const name of ['ana', 'bob']) {
        const account = await createAccount(world.service, { email: `${name}@example.org`, password: 'correct horse battery' })
        assert(account !== undefined)
        this.#bearers.push(account.id)
      }
    const [ana = '', bob = ''] = await Promise.all(
      this.#bearers.map(async (id) => (await openSession(world.service, id, 'app', 'fuzz')).token)
    )
    const agent = await this.issuer.agentToken({ aud: world.url })
    for (const pool of Object.values(this.known.pools)) pool.length = 0
    const content = '# Plan\n\nIntro.\n\n## Risks\n\n- one\n- two\n\n```sheet #s\n1,2\n```\n'
    for (const bearer of [undefined, ana]) {
      const headers: Record<string, string> = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }
      const { json } = await ask(world.url, 'POST', '/new', { json: { content }, headers })
      this.known.add('doc', json.id)
      this.known.learn(json)
      const at = `/api/docs/${json.id}`
      const own = json.key === undefined ? { headers } : { key: json.key as string }
      for (const role of roles) {
        const share = (await ask(world.url, 'POST', `${at}/shares`, { ...own, json: { role } })).json
        this.known.add('share', share.id)
        credentials.push({ key: share.secret, doc: json.id }, { key: share.secret, bearer: bob, doc: json.id })
      }
      for (const body of ['Hm.', 'Why?'])
        this.known.learn((await ask(world.url, 'POST', `${at}/comments`, { ...own, json: { body, find: 'Intro.' } })).json)
      this.known.learn(
        (await ask(world.url, 'POST', `${at}/suggestions`, { ...own, json: { operation: 'replace', find: 'one', text: '1' } })).json
      )
      const { task } = (await ask(world.url, 'POST', `${at}/tasks`, { ...own, json: { requestId: 'r', title: 't', instructions: 'i' } }))
        .json
      this.known.add('taskId', task.id)
      credentials.push(
        { key: new URL(task.share.url).searchParams.get('key') ?? '', doc: json.id },
        { ...(bearer === undefined ? { key: json.key } : { bearer }), doc: json.id }
      )
    }
    credentials.push(
      {},
      { key: 'A'.repeat(32) },
      { bearer: ana },
      { bearer: ana },
      { bearer: bob },
      { bearer: agent },
      { bearer: 'asess_none' }
    )
  }

  // ——— creating requests ———

  request(): Sent {
    const { random } = this
    let operation = pick(random, this.operations)
    while (ending.has(operation.id) && random(10) > 0) operation = pick(random, this.operations)
    const kind = random(20)
    if (kind === 0) return this.#stray(operation)
    if (kind === 1) return this.#tool()
    const credential = pick(random, this.credentials)
    const headers = this.#headers(credential)
    const { type, body } = this.#body(operation)
    if (type !== undefined) headers['Content-Type'] = type
    const doc = random(8) === 0 ? undefined : credential.doc
    return { method: operation.method, target: `${this.#path(operation, doc)}${this.#query(operation)}`, headers, body, operation }
  }

  #headers({ key, bearer }: Credential): Record<string, string> {
    const { random } = this
    const { version = [] } = this.known.pools
    return {
      ...(key === undefined ? {} : { 'X-Share-Key': key }),
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(random(10) === 0 ? { 'Idempotency-Key': `k${random(20)}` } : {}),
      ...(random(10) === 0
        ? { 'If-Match': random(3) === 0 || version.length === 0 ? headerOf(hostileValue(random)) : pick(random, version) }
        : {}),
      ...(random(10) === 0 ? { 'X-Agent-Author': headerOf(hostileValue(random)) } : {}),
      ...(random(20) === 0 ? { Accept: pick(random, ['text/html', 'application/json', 'image/png', '*/*;q=0', '\u00ff']) } : {})
    }
  }

  #path({ path }: Operation, doc?: string): string {
    const { random, known } = this
    return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      if (name === 'id' && doc !== undefined) return doc
      const pool = known.pools[name === 'id' ? 'doc' : name] ?? []
      if (pool.length > 0 && random(10) > 0) return encodeURIComponent(pick(random, pool))
      return encodeURIComponent(wellFormed(hostileValue(random))).slice(0, 2000) || '%20'
    })
  }

  #query({ query }: Operation): string {
    const { random, known } = this
    const fields = new URLSearchParams()
    for (const { name, schema } of query) {
      if (random(3) > 0) continue
      // The clock stands still, so a request that waits would wait forever.
      const value =
        name === 'wait'
          ? pick(random, ['0', '-1', 'long', ''])
          : random(4) === 0
            ? hostileValue(random)
            : validValue(random, schema, name, known.pools)
      fields.append(name, wellFormed(value).slice(0, 4000))
      if (random(30) === 0) fields.append(name, 'twice')
    }
    if (random(30) === 0) fields.append(pick(random, ['dryrun', 'dry_run', 'key', '__proto__', 'baseversion']), '1')
    const text = fields.toString()
    return text === '' ? '' : `?${text}`
  }

  #body({ method, types }: Operation): { readonly type: string | undefined; readonly body: Buffer } {
    const { random, known } = this
    const names = Object.keys(types)
    if (method === 'GET' || (names.length === 0 && random(5) > 0)) return { type: undefined, body: none }
    const type =
      names.length === 0 || random(20) === 0
        ? pick(random, ['application/json', 'text/plain', 'image/png', 'text/html', ''])
        : pick(random, names)
    const sample = Object.values(samples).find((each) => each.type === type)
    if (/^(?:image|audio|video)\//.test(type)) return { type, body: Buffer.from(sample?.bytes ?? 'RIFF no sound') }
    const schema = types[type] ?? types['application/json'] ?? {}
    const valid = validValue(random, schema, 'body', known.pools)
    const fields = typeof valid === 'object' && valid !== null ? (valid as Record<string, unknown>) : { content: valid }
    // Media jobs also accept long waits in their bodies.
    const given = random(3) === 0 ? mutated(random, fields) : fields
    delete given['wait']
    if (type === 'text/markdown') return { type, body: Buffer.from(wellFormed(given['content'] ?? 'text')) }
    if (type === 'application/x-www-form-urlencoded')
      return {
        type,
        body: Buffer.from(new URLSearchParams(Object.entries(given).map(([name, value]) => [name, wellFormed(value)])).toString())
      }
    const json = written(given)
    return { type, body: random(15) === 0 ? brokenBody(random, json) : Buffer.from(json) }
  }

  /** Returns a request with another method or an unknown path. */
  #stray(operation: Operation): Sent {
    const { random } = this
    const method = pick(random, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
    const path = this.#path(operation)
    const target = pick(random, [
      path,
      `${path}/`,
      `/${path}`,
      path.replace('/api', '/API'),
      `${path}%2f..`,
      `${path}/${encodeURIComponent(wellFormed(hostileValue(random))).slice(0, 1000)}`,
      path.slice(0, random(path.length) + 1),
      `${path}?${'a=b&'.repeat(random(50))}`
    ])
    const headers = this.#headers(pick(random, this.credentials))
    return {
      method,
      target,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: method === 'GET' || method === 'HEAD' ? none : Buffer.from('{}'),
      operation: undefined
    }
  }

  #tool(): Sent {
    const { random, known } = this
    const names = [...firstTools, 'create_review_task', 'report_review_task', 'get_skill', 'nothing']
    const [doc = ''] = known.pools['doc'] ?? []
    const fields = {
      doc,
      content: 'text',
      body: 'Hm.',
      find: 'one',
      operation: 'replace',
      text: 'x',
      taskId: pick(random, known.pools['taskId'] ?? ['none']),
      force: true
    }
    const args = { ...(random(2) === 0 ? mutated(random, fields) : fields), wait: 0 }
    const message = written({
      jsonrpc: '2.0',
      id: random(5),
      method: random(10) === 0 ? hostileValue(random) : 'tools/call',
      params: { name: `svc.${pick(random, names)}`, arguments: args }
    })
    const headers = { ...this.#headers(pick(random, this.credentials)), 'Content-Type': 'application/json' }
    return {
      method: 'POST',
      target: '/mcp',
      headers,
      body: random(10) === 0 ? brokenBody(random, message) : Buffer.from(message),
      operation: undefined
    }
  }
}

const none = Buffer.alloc(0)

const wellFormed = (value: unknown): string => (typeof value === 'string' ? value : written(value)).toWellFormed()

/** Returns a value with only the characters that a header can contain. */
const headerOf = (value: unknown): string =>
  wellFormed(value)
    .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '')
    .slice(0, 2000)

// ——— sending requests ———

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Time after which an answer counts as missing, in milliseconds. */
const answerMsMax = 30_000

const send = ({ method, target, headers, body }: Sent, url: string): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const { hostname, port } = new URL(url)
    const length = body.length > 0 || !['GET', 'HEAD'].includes(method) ? { 'Content-Length': String(body.length) } : {}
    const outgoing = httpRequest(
      { agent, hostname, port, method, path: target, headers: { ...headers, ...length }, timeout: answerMsMax },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.once('error', reject)
        incoming.once('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            type: incoming.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
            ms: performance.now() - begun
          })
        )
      }
    )
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')))
    outgoing.once('error', reject)
    outgoing.end(body)
  })

// ——— invariants ———

/**
 * A store that records every commit. On request, it reports that another node has written every record that was read. This empties the service's
 * bounded caches, so that the fuzz measures only memory that no limit bounds.
 */
const createWatched = () => {
  const commits: Batch[] = []
  const read = new Map<string, Key>()
  const wakes: ((keys: readonly Key[], isForeign: boolean) => void)[] = []
  const around = (storage: Storage): Storage => ({
    ...storage,
    get(key) {
      read.set(JSON.stringify(key), key)
      return storage.get(key)
    },
    commit: (batch) => {
      commits.push(batch)
      return storage.commit(batch)
    },
    watch(prefix, wake) {
      if (prefix.length === 0) wakes.push(wake)
      return storage.watch(prefix, wake)
    }
  })
  const forget = (): void => {
    for (const wake of wakes) wake([...read.values()], true)
    read.clear()
  }
  return { commits, around, forget }
}

/** Kinds of audit records about the caller itself, which a refused request may write, too. */
const aboutCallers: ReadonlySet<AuditKind> = new Set(['link.used', 'sign-in.failed'])

/** Returns the changes in a commit, except for the uses of links and sessions. */
const changesOf = ({ puts = [], deletes = [] }: Batch, heads: Map<string, unknown>): string[] => {
  const changed = deletes.map((key) => `- ${key.join(' ')}`)
  for (const { key, value } of puts) {
    const [kind, doc, part] = key
    if (kind === 'session' || part === 'used') continue
    if (kind === 'audit' && aboutCallers.has(decodeRecord<AuditRecord>(value).kind)) continue
    if (kind === 'd' && key.length === 2) {
      const now = JSON.stringify(decodeRecord<Head>(value))
      const same = heads.get(String(doc)) === now
      heads.set(String(doc), now)
      if (same) continue
    }
    changed.push(key.join(' '))
  }
  return changed
}

/** Codes of 5xx answers that have an explanation in this world, which has no compute node. */
const explained = new Set(['node_offline', 'engine_unavailable'])

const isRefusal = ({ status, text }: Heard, { target }: Sent): boolean =>
  status >= 400 || (target === '/mcp' && /"isError":true|^\{"jsonrpc":"2.0","id":[^,]*,"error"/.test(text))

/** Statuses that any address may return: 400 for a malformed target or header, and 431 for one that is too long. */
const protocolStatuses = new Set([400, 431])

/** Throws if an answer has a fault. */
const judge = (sent: Sent, heard: Heard): void => {
  const { status, type, text } = heard
  const json = type.includes('json') && text !== '' ? (JSON.parse(text) as Json) : undefined
  if (status >= 500) assert(explained.has(json?.code), `an unexplained ${status}`)
  if (sent.operation !== undefined && /^\/[^?]*$/.test(sent.target.split('?')[0] ?? '') && status >= 400)
    assert(sent.operation.statuses.has(status) || protocolStatuses.has(status), `${status} is not described`)
  if (status >= 400 && type.includes('json') && sent.method !== 'HEAD' && sent.target !== '/mcp')
    assert(typeof json?.code === 'string' || json?.error !== undefined, 'a refusal without a code')
}

const tell = ({ method, target, headers, body }: Sent, heard: Heard | undefined, why: string): string =>
  `${why}\n${method} ${target}\n${JSON.stringify(headers)}\n${body.subarray(0, 2000).toString()}\n→ ${heard?.status} ${heard?.text.slice(0, 600)}`

const collect = (): number => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Sends `count` requests. Throws an `AssertionError` with the request, its answer and the fault. */
export const fuzzRequests = async (count: number, seed: number, progress: (done: number) => void = () => undefined): Promise<Report> => {
  const { commits, around, forget } = createWatched()
  const heads = new Map<string, unknown>()
  const clock = testClock(Date.now())
  const issuer = await startIssuer()
  const env = { AGMD_AGENT_ISSUER: issuer.url, AGMD_IDLE_UNLOAD_SECONDS: '1', AGMD_LOG_LEVEL: 'error' }
  const world = await startWorld({ clock, env, storage: around })
  const fuzz = new Fuzz(world, issuer, clock, seed)
  const report = { statuses: {} as Record<string, number>, refused: 0, done: 0, slowest: { ms: 0, of: '' }, before: 0 }

  /** Waits until all work has finished, so that each commit belongs to the request before it. */
  const settle = async (): Promise<void> => {
    await world.service.ledger.idle()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const tally = (sent: Sent, heard: Heard): void => {
    report.statuses[heard.status] = (report.statuses[heard.status] ?? 0) + 1
    if (heard.ms > report.slowest.ms) report.slowest = { ms: heard.ms, of: `${sent.method} ${sent.operation?.path ?? sent.target}` }
    if (isRefusal(heard, sent)) report.refused++
    else report.done++
  }
  const sendOne = async (sent: Sent): Promise<Heard> => {
    const heard = await send(sent, world.url).catch((error: Error) => {
      throw new Error(tell(sent, undefined, error.message), { cause: error })
    })
    try {
      judge(sent, heard)
    } catch (error) {
      throw new Error(tell(sent, heard, (error as Error).message), { cause: error })
    }
    tally(sent, heard)
    if (heard.type.includes('json') && heard.status < 300 && heard.text !== '') fuzz.known.learn(JSON.parse(heard.text))
    return heard
  }
  const alone = async (): Promise<void> => {
    const sent = fuzz.request()
    for (const batch of commits.splice(0)) changesOf(batch, heads)
    const heard = await sendOne(sent)
    await settle()
    const changed = commits.splice(0).flatMap((batch) => changesOf(batch, heads))
    // `GET /new` creates a document for programs, as the guide says.
    const onlyReads = sent.method === 'HEAD' || (sent.method === 'GET' && heard.status !== 303)
    const mustNot = isRefusal(heard, sent) || onlyReads
    if (mustNot && changed.length > 0) throw new Error(tell(sent, heard, `changed ${changed.slice(0, 5).join(', ')}`))
  }
  /** Advances the time until no document is open. */
  const rest = async (): Promise<void> => {
    for (let turns = 0; turns < 30; turns++) {
      await settle()
      clock.advance(60_000)
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (turns > 2 && world.counts().documents === 0) return
    }
    throw new Error('documents stay in memory')
  }

  try {
    await fuzz.renew()
    const warm = Math.floor(count / 10)
    for (let done = 0; done < count;) {
      if (done % 250 === 0) {
        await rest()
        await fuzz.renew()
        await settle()
        // Forgets documents that are no longer used, so that only memory of the service is measured.
        heads.clear()
        forget()
        for (const batch of commits.splice(0)) changesOf(batch, heads)
        progress(done)
      }
      if (report.before === 0 && done >= warm) {
        await rest()
        forget()
        report.before = collect()
      }
      // Sometimes sends many requests at once. It is then unknown which of them wrote something.
      if (fuzz.random(100) === 0) {
        const many = Array.from({ length: Math.min(16, count - done) }, () => fuzz.request())
        await Promise.all(many.map(sendOne))
        await settle()
        done += many.length
      } else {
        await alone()
        done += 1
      }
    }
    await rest()
    forget()
    const faults = world.lines.filter((line) => line.includes('"level":"error"'))
    assert.deepEqual(faults, [], 'the log has failures')
    const { before, ...counted } = report
    return { requests: count, ...counted, memory: { before, after: collect() } }
  } finally {
    await world.stop()
    await issuer.stop()
  }
}
