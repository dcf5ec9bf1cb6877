/**
 * People who type, for load tests: a small client of the live protocol (docs/protocol.md), hundreds of which fit into one process. It works like the
 * standard provider: its Y.Doc survives reconnects, it syncs at every connection, and it sends updates immediately. It also knows which of its tokens
 * the server has acknowledged, because the server answers every sync step 2 and every update with one SyncStatus, in order.
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import * as Y from 'yjs'

const types = { sync: 0, auth: 2, syncReply: 4, close: 7, syncStatus: 8 } as const
const syncTypes = { step1: 0, step2: 1, update: 2 } as const
const fromServer = Symbol('server')
const retryMs = 25

/** A document, and the key that opens it. */
export interface Target {
  readonly url: string
  readonly doc: string
  readonly key: string
  /** The loopback address from which the client connects. Clients use different addresses, because the server limits sockets per address. */
  readonly from?: string
}

/**
 * Tokens such as `⟦c3-000127⟧`. The ledger lists all tokens that were made, and those that the server confirmed with a SyncStatus or a 2xx answer.
 */
export class TokenLedger {
  readonly made = new Set<string>()
  readonly acknowledged = new Set<string>()
  readonly #next = new Map<string, number>()

  make(who: string): string {
    const number = this.#next.get(who) ?? 0
    this.#next.set(who, number + 1)
    const token = `⟦${who}-${String(number).padStart(6, '0')}⟧`
    this.made.add(token)
    return token
  }
}

/** Returns how often each token occurs in the text. */
export const countTokens = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [token] of text.matchAll(/⟦[a-z]+\d+-\d{6}⟧/g)) counts.set(token, (counts.get(token) ?? 0) + 1)
  return counts
}

/** Creates a small pseudo-random generator (mulberry32). Equal seeds give equal numbers. */
export const seeded = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export class Typist {
  readonly name: string
  readonly ydoc = new Y.Doc()
  readonly text = this.ydoc.getText('content')
  /** The codes with which the typist's sockets were closed. */
  readonly closes: number[] = []
  readonly #ledger: TokenLedger | undefined
  #target: Target
  #ws: WebSocket | undefined
  #wanted = false
  #retry: NodeJS.Timeout | undefined
  /** Whether the server has the entire Y.Doc, or at least this socket has sent it. */
  #sending = false
  #received = false
  /** For each unanswered message, the tokens that it contains. */
  #unanswered: (readonly string[])[] = []
  #unacknowledged = new Set<string>()
  #waiting: (() => void)[] = []
  #made: string | undefined

  constructor(name: string, target: Target, ledger?: TokenLedger) {
    this.name = name
    this.#target = target
    this.#ledger = ledger
    this.ydoc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === fromServer) return
      const token = this.#made
      this.#made = undefined
      this.#dirty = true
      if (this.#sending) this.#sendSync(syncTypes.update, update, token === undefined ? [] : [token])
    })
  }

  #dirty = false

  /** Whether a socket is open and both sides have all of each other's updates. */
  get synced(): boolean {
    return this.#sending && this.#received
  }

  /** Whether the typist is in sync and everything typed has been acknowledged. */
  get settled(): boolean {
    return this.synced && this.#unanswered.length === 0 && !this.#dirty
  }

  /** Tokens that were typed and not acknowledged. */
  get unacknowledged(): ReadonlySet<string> {
    return this.#unacknowledged
  }

  /** Opens a socket, and reconnects after every loss until `disconnect` is called. */
  connect(target: Target = this.#target): void {
    this.#target = target
    this.#wanted = true
    if (this.#ws === undefined) this.#open()
  }

  /** Closes the socket. With `abrupt` there is no closing handshake. The Y.Doc stays. */
  disconnect(abrupt = false): void {
    this.#wanted = false
    clearTimeout(this.#retry)
    const ws = this.#ws
    if (abrupt) ws?.terminate()
    else ws?.close()
    this.#lost()
  }

  destroy(): void {
    this.disconnect(true)
    this.ydoc.destroy()
  }

  /** Inserts a new token and a line break at the edge of an existing token, near the `at`-th unit. Returns the new token. */
  typeToken(at: number): string {
    if (this.#ledger === undefined) throw new Error('a typist without a ledger makes no tokens')
    const token = this.#ledger.make(this.name)
    const content = this.text.toString()
    const edge = at <= 0 ? 0 : content.indexOf('\n', Math.min(at, content.length) - 1) + 1
    this.#unacknowledged.add(token)
    this.#made = token
    this.text.insert(edge > 0 || at <= 0 ? edge : content.length, `${token}\n`)
    return token
  }

  /** Resolves once `condition` holds. After `seconds`, rejects with the state of the typist. */
  async until(condition: () => boolean, what: string, seconds = 20): Promise<void> {
    const end = performance.now() + seconds * 1000
    while (!condition()) {
      if (performance.now() > end)
        throw new Error(
          `${this.name} waited ${seconds} s for ${what}: ${JSON.stringify({ ...this.#state(), closes: this.closes.slice(-5) })}`
        )
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  whenSynced(seconds?: number): Promise<void> {
    return this.until(() => this.synced, 'sync', seconds)
  }

  whenSettled(seconds?: number): Promise<void> {
    return this.until(() => this.settled, 'acknowledgements', seconds)
  }

  #state(): Record<string, unknown> {
    return { synced: this.synced, unanswered: this.#unanswered.length, unacknowledged: this.#unacknowledged.size, dirty: this.#dirty }
  }

  #open(): void {
    const address = `${this.#target.url.replace(/^http/, 'ws').replace('localhost', '127.0.0.1')}/collab?doc=${this.#target.doc}`
    const from = this.#target.from === undefined ? {} : { localAddress: this.#target.from }
    const ws = new WebSocket(address, { perMessageDeflate: false, ...from })
    this.#ws = ws
    ws.binaryType = 'nodebuffer'
    ws.on('open', () => {
      const encoder = this.#frame(types.auth)
      encoding.writeVarUint(encoder, 0)
      encoding.writeVarString(encoder, this.#target.key)
      encoding.writeVarString(encoder, 'typist')
      ws.send(encoding.toUint8Array(encoder))
    })
    ws.on('message', (data: Buffer) => {
      if (this.#ws === ws) this.#take(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    })
    ws.on('error', () => undefined)
    ws.on('close', (code) => {
      this.closes.push(code)
      if (this.#ws !== ws) return
      this.#lost()
      if (this.#wanted) this.#retry = setTimeout(() => this.#wanted && this.#ws === undefined && this.#open(), retryMs)
    })
  }

  #lost(): void {
    this.#ws = undefined
    this.#sending = false
    this.#received = false
    this.#unanswered = []
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #frame(type: number): encoding.Encoder {
    const encoder = encoding.createEncoder()
    encoding.writeVarString(encoder, this.#target.doc)
    encoding.writeVarUint(encoder, type)
    return encoder
  }

  #sendSync(type: number, payload: Uint8Array, tokens: readonly string[]): void {
    const encoder = this.#frame(types.sync)
    encoding.writeVarUint(encoder, type)
    encoding.writeVarUint8Array(encoder, payload)
    if (type !== syncTypes.step1) this.#unanswered.push(tokens)
    this.#ws?.send(encoding.toUint8Array(encoder))
  }

  #take(frame: Uint8Array): void {
    const decoder = decoding.createDecoder(frame)
    decoding.readVarString(decoder)
    const type = decoding.readVarUint(decoder)
    if (type === types.auth) this.#takeAuth(decoder)
    else if (type === types.sync || type === types.syncReply) this.#takeSync(decoder)
    else if (type === types.syncStatus) this.#takeStatus(decoding.readVarUint(decoder) === 1)
    // Closing the only document also ends the socket.
    else if (type === types.close) this.#ws?.close()
  }

  #takeAuth(decoder: decoding.Decoder): void {
    if (decoding.readVarUint(decoder) === 2) this.#sendSync(syncTypes.step1, Y.encodeStateVector(this.ydoc), [])
    else this.#ws?.close(4401, decoding.readVarString(decoder))
  }

  #takeSync(decoder: decoding.Decoder): void {
    const type = decoding.readVarUint(decoder)
    const payload = decoding.readVarUint8Array(decoder)
    if (type === syncTypes.step1) {
      // From now on updates are sent, because this message contains everything that the server lacks.
      if (this.#sending) return
      this.#sending = true
      this.#sendSync(syncTypes.step2, Y.encodeStateAsUpdate(this.ydoc, payload), [...this.#unacknowledged])
      return
    }
    Y.applyUpdate(this.ydoc, payload, fromServer)
    if (type === syncTypes.step2) this.#received = true
    this.#wake()
  }

  #takeStatus(saved: boolean): void {
    const tokens = this.#unanswered.shift() ?? []
    if (saved) for (const token of tokens) this.#acknowledge(token)
    if (this.#unanswered.length === 0) this.#dirty = false
    this.#wake()
  }

  #acknowledge(token: string): void {
    this.#unacknowledged.delete(token)
    this.#ledger?.acknowledged.add(token)
  }
}

// ——— REST ———

export interface Created extends Target {
  readonly version: string
}

/** Creates an anonymous document. */
export const createDocument = async (url: string, content: string): Promise<Created> => {
  const answer = await fetch(`${url}/api/docs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content })
  })
  if (answer.status !== 201) throw new Error(`create: ${answer.status} ${await answer.text()}`)
  const { id, key, version } = (await answer.json()) as { id: string; key: string; version: string }
  return { url, doc: id, key, version }
}

export interface Read {
  readonly content: string
  readonly version: string
}

/** Reads the canonical Markdown. Throws for any status except 200. */
export const readMarkdown = async ({ url, doc, key }: Target, version?: string): Promise<Read> => {
  const path = version === undefined ? `/d/${doc}.md` : `/api/docs/${doc}/content?version=${version}`
  const answer = await fetch(`${url}${path}`, { headers: { 'X-Share-Key': key, Accept: 'text/markdown' } })
  const content = await answer.text()
  if (answer.status !== 200) throw new Error(`read ${version ?? ''}: ${answer.status} ${content}`)
  return { content, version: answer.headers.get('X-Doc-Version') ?? '' }
}

export interface PutAnswer {
  readonly status: number
  readonly body: { readonly version?: string; readonly currentVersion?: string; readonly code?: string }
}

export const putMarkdown = async ({ url, doc, key }: Target, content: string, ifMatch?: string, author?: string): Promise<PutAnswer> => {
  const answer = await fetch(`${url}/api/docs/${doc}/content`, {
    method: 'PUT',
    headers: {
      'X-Share-Key': key,
      'Content-Type': content === '' ? 'application/json' : 'text/markdown',
      ...(ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` }),
      ...(author === undefined ? {} : { 'X-Agent-Author': author })
    },
    // The server refuses an empty body, so empty text is sent as JSON.
    body: content === '' ? JSON.stringify({ content }) : content
  })
  return { status: answer.status, body: (await answer.json()) as PutAnswer['body'] }
}

/** Resolves after this many milliseconds. */
export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
