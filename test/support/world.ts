/**
 * The vocabulary of the tests: a world with a real server, and people who read, replace, share and type. Nothing is mocked. Requests use HTTP, and
 * edits use a WebSocket with the standard provider.
 */
import { mkdtemp } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { liveFrame as frameOf } from '../../server/live/frame.ts'
import type { Role } from '../../shared/roles.ts'
import { removeAll, start as startBare, type StartOptions, type World as BareWorld } from './start.ts'

type Fields = Record<string, unknown>

/** A JSON value whose structure the tests know. */
// eslint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Ask {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  /** A value that is sent as JSON. */
  readonly json?: unknown
  /** A body that is sent unchanged. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

/** A refused request, with its problem document. */
export class Refused extends Error {
  readonly code: string
  readonly status: number
  readonly problem: Json

  constructor(answer: Answer) {
    super(`${answer.status} ${answer.text.slice(0, 300)}`)
    this.code = answer.json?.code
    this.status = answer.status
    this.problem = answer.json
  }
}

export const ask = async (url: string, method: string, path: string, what: Ask = {}): Promise<Answer> => {
  const headers: Record<string, string> = { ...what.headers }
  if (what.key !== undefined) headers['X-Share-Key'] = what.key
  if (what.json !== undefined) headers['Content-Type'] = 'application/json'
  if (what.type !== undefined) headers['Content-Type'] = what.type
  const query = new URLSearchParams(Object.entries(what.query ?? {}).map(([name, value]) => [name, String(value)])).toString()
  const body = what.json === undefined ? what.body : JSON.stringify(what.json)
  const response = await fetch(`${url}${path}${query === '' ? '' : `?${query}`}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
    ...(what.signal === undefined ? {} : { signal: what.signal })
  })
  const text = await response.text()
  const json: Json = response.headers.get('Content-Type')?.includes('json') === true ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, json }
}

/** Resolves when the condition holds. Throws after `seconds`. */
export const until = async (condition: () => unknown, what = 'the condition', seconds = 10): Promise<void> => {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${seconds} s`)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
}

/** Waits for a promise. Returns `waiting` if it has not settled in time. */
export const settledWithin = async <T>(promise: Promise<T>, milliseconds: number): Promise<T | 'waiting'> =>
  Promise.race([promise, new Promise<'waiting'>((resolve) => setTimeout(() => resolve('waiting'), milliseconds))])

/** An open editor of a person, with the provider that browsers use. */
export interface Editor {
  readonly ydoc: Y.Doc
  readonly ytext: Y.Text
  readonly provider: HocuspocusProvider
  /** Close codes received so far, and the reasons why tokens were refused. */
  readonly closes: readonly { code: number; reason: string }[]
  readonly refusals: readonly string[]
  /** Stateless messages of the server. */
  readonly messages: readonly Json[]
  text(): string
  type(at: number, insert: string): void
  erase(at: number, length: number): void
  /** Resolves when the server has acknowledged everything that was typed. */
  saved(): Promise<void>
  /** Resolves when the text is equal to this one, or satisfies the condition. */
  shows(wanted: string | ((text: string) => boolean)): Promise<void>
  /** Closes the connection, like a network failure. */
  close(): void
}

export interface ConnectOptions {
  readonly ydoc?: Y.Doc
  /** Resolves before the document is synced. Used for callers who will be refused. */
  readonly eager?: boolean
  readonly name?: string
}

/** A socket that may be closed while it connects. The provider removes its own listener first, and the error would otherwise end the test process. */
class ClosableSocket extends WebSocket {
  constructor(...words: ConstructorParameters<typeof WebSocket>) {
    super(...words)
    this.on('error', () => undefined)
  }
}

const open = new Set<() => void>()

const connectEditor = async (url: string, doc: string, key: string, options: ConnectOptions = {}): Promise<Editor> => {
  const ydoc = options.ydoc ?? new Y.Doc()
  const closes: { code: number; reason: string }[] = []
  const refusals: string[] = []
  const messages: Json[] = []
  const socket = new HocuspocusProviderWebsocket({
    url: `${url.replace('http', 'ws')}/collab`,
    WebSocketPolyfill: ClosableSocket,
    delay: 50,
    minDelay: 50,
    maxDelay: 200,
    onClose: ({ event }) => {
      closes.push({ code: event.code, reason: event.reason })
      // The page's own client does the same: it does not retry after the server has closed the connection permanently.
      if (event.code >= 4400 && event.code < 4500) socket.disconnect()
    }
  })
  const provider = new HocuspocusProvider({
    websocketProvider: socket,
    name: doc,
    document: ydoc,
    token: key,
    onAuthenticationFailed: ({ reason }) => {
      refusals.push(reason)
    },
    onStateless: ({ payload }) => {
      messages.push(JSON.parse(payload) as Json)
    }
  })
  provider.attach()
  if (options.name !== undefined) provider.setAwarenessField('user', { name: options.name })
  const ytext = ydoc.getText('content')
  const close = (): void => {
    open.delete(close)
    provider.destroy()
    socket.destroy()
  }
  open.add(close)
  if (options.eager !== true)
    await until(() => provider.isSynced || refusals.length > 0 || closes.length > 0, `opening ${doc}`).then(() => {
      if (!provider.isSynced) throw new Error(`not opened: ${JSON.stringify({ refusals, closes })}`)
    })
  return {
    ydoc,
    ytext,
    provider,
    closes,
    refusals,
    messages,
    text: () => ytext.toString(),
    type: (at, insert) => ytext.insert(at, insert),
    erase: (at, length) => ytext.delete(at, length),
    saved: () => until(() => provider.isSynced && !provider.hasUnsyncedChanges, 'saving'),
    shows: (wanted) =>
      until(
        () => (typeof wanted === 'string' ? ytext.toString() === wanted : wanted(ytext.toString())),
        `the text ${String(wanted)}`
      ).catch((error: Error) => {
        throw new Error(`${error.message}; it is ${JSON.stringify(ytext.toString().slice(0, 300))}`, { cause: error })
      }),
    close
  }
}

/** A person or agent with their own link to one document. */
export interface Person {
  readonly doc: string
  readonly key: string
  /** Sends any request about the document. The path begins after `/api/docs/{id}`. */
  ask(method: string, path: string, what?: Ask): Promise<Answer>
  read(): Promise<{ content: string; version: string }>
  at(version: string): Promise<string>
  /** Replaces the text. Rejects with `Refused`. */
  replace(content: string, options?: Fields & { ifMatch?: string; query?: Ask['query']; headers?: Ask['headers'] }): Promise<Json>
  share(role: Role, fields?: Fields): Promise<Person & { readonly link: Json }>
  events(query?: Ask['query']): Promise<Json>
  revisions(query?: Ask['query']): Promise<Json>
  connect(options?: ConnectOptions): Promise<Editor>
}

/** Returns the holder of a link at a server. */
export const personAt = (url: string, doc: string, key: string): Person => {
  const send = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
    ask(url, method, `/api/docs/${doc}${path}`, { key, ...what })
  const must = async (method: string, path: string, what?: Ask): Promise<Answer> => {
    const answer = await send(method, path, what)
    if (answer.status >= 300) throw new Refused(answer)
    return answer
  }
  return {
    doc,
    key,
    ask: send,
    async read() {
      const { text, headers } = await must('GET', '/content')
      return { content: text, version: headers.get('X-Doc-Version') ?? '' }
    },
    at: async (version) => (await must('GET', '/content', { query: { version } })).text,
    async replace(content, { ifMatch, query, headers, ...fields } = {}) {
      const all = { ...headers, ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) }
      return (await must('PUT', '/content', { json: { content, ...fields }, headers: all, ...(query && { query }) })).json
    },
    async share(role, fields = {}) {
      const { json } = await must('POST', '/shares', { json: { role, ...fields } })
      return { ...personAt(url, doc, json.secret), link: json }
    },
    events: async (query = {}) => (await must('GET', '/events', { query })).json,
    revisions: async (query = {}) => (await must('GET', '/revisions', { query })).json,
    connect: (options) => connectEditor(url, doc, key, options)
  }
}

export interface World extends BareWorld {
  /** Secrets that the service has issued so far. */
  readonly secrets: Set<string>
  ask(method: string, path: string, what?: Ask): Promise<Answer>
  /** Creates a document and returns its owner. */
  create(fields?: Fields | string): Promise<Person & { readonly created: Json }>
  person(doc: string, key: string): Person
  /** Sends bytes over a plain TCP connection. Resolves with all received bytes when the server closes the connection or `done` is satisfied. */
  raw(request: string | Uint8Array, done?: (answer: string) => boolean): Promise<string>
  /** Opens a WebSocket without a provider, which sends and receives frames as bytes. */
  socket(options?: SocketOptions): Promise<RawSocket>
  /** Stops the server and starts another one on the same folder. */
  restart(options?: StartOptions): Promise<World>
}

const remove = async ({ folder: given, besides }: StartOptions, folder: string): Promise<void> => {
  if (given === undefined && besides === undefined) await removeAll(folder)
}

export const startWorld = async (options: StartOptions = {}): Promise<World> => {
  const folder = options.besides?.folder ?? options.folder ?? (await mkdtemp(join(tmpdir(), 'agmd-test-')))
  const bare = await startBare({ ...options, folder })
  const secrets = new Set<string>()
  const noting = async (method: string, path: string, what?: Ask): Promise<Answer> => {
    const answer = await ask(bare.url, method, path, what)
    for (const secret of [answer.json?.key, answer.json?.secret]) if (typeof secret === 'string') secrets.add(secret)
    return answer
  }
  return {
    ...bare,
    secrets,
    ask: noting,
    async create(fields = {}) {
      const answer = await noting('POST', '/api/docs', { json: typeof fields === 'string' ? { content: fields } : fields })
      if (answer.status !== 201) throw new Refused(answer)
      return { ...personAt(bare.url, answer.json.id, answer.json.key), created: answer.json }
    },
    person: (doc, key) => personAt(bare.url, doc, key),
    raw: (request, done) => rawExchange(bare.url, request, done),
    socket: (how) => openSocket(bare.url, how),
    async restart(again = {}) {
      for (const close of open) close()
      await bare.stop()
      const next = await startWorld({ ...options, ...again, folder })
      for (const secret of secrets) next.secrets.add(secret)
      return { ...next, stop: () => next.stop().then(() => remove(options, folder)) }
    },
    async stop() {
      for (const close of open) close()
      await bare.stop()
      await remove(options, folder)
    }
  }
}

// ——— connections without a provider ———

const rawExchange = (url: string, request: string | Uint8Array, done: (answer: string) => boolean = () => false): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    const end = (): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(5000, end)
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (done(answer)) end()
    })
    socket.on('end', end)
    socket.on('error', (error) => (answer === '' ? reject(error) : end()))
    socket.write(request)
  })

export interface RawSocket {
  readonly frames: Uint8Array[]
  /** Returns how the socket was closed, or undefined while it is open. */
  closed(): { code: number; reason: string } | undefined
  send(frame: Uint8Array | string): void
  /** Sends the token and resolves when the document has answered. */
  open(doc: string, key: string): Promise<void>
  end(): Promise<{ code: number; reason: string }>
  /** Stops reading until `resume` is called. */
  pause(): void
  resume(): void
  /** Sends a frame. Resolves when the network has accepted it, and otherwise never. */
  sent(frame: Uint8Array): Promise<void>
  close(): void
}

export interface SocketOptions {
  readonly origin?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

const openSocket = (url: string, { origin, path = '/collab', headers }: SocketOptions = {}): Promise<RawSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {
      ...(origin !== undefined && { origin }),
      ...(headers && { headers })
    })
    const frames: Uint8Array[] = []
    let closed: { code: number; reason: string } | undefined
    const close = (): void => {
      open.delete(close)
      socket.terminate()
    }
    socket.on('message', (data: Buffer) => frames.push(new Uint8Array(data)))
    socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }))
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => reject(new Error(`upgrade answered ${response.statusCode}`)))
    const raw: RawSocket = {
      frames,
      closed: () => closed,
      send: (frame) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(frame)
      },
      async open(doc, key) {
        raw.send(frameOf(doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key))))
        await until(() => closed !== undefined || frames.length > 0, 'an answer to the token')
      },
      async end() {
        await until(() => closed !== undefined, 'the end of the socket')
        return closed as { code: number; reason: string }
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      sent: (frame) => new Promise((resolve) => socket.send(frame, (error) => error ?? resolve())),
      close
    }
    open.add(close)
    socket.on('open', () => resolve(raw))
  })

export { frameOf }

/** Returns a sync frame with an update. */
export const updateFrame = (doc: string, update: Uint8Array): Uint8Array =>
  frameOf(doc, 0, (encoder) => (encoding.writeVarUint(encoder, 2), encoding.writeVarUint8Array(encoder, update)))
