/** Compute nodes: `agmd node` as a process, and scripted nodes. */
import { createHash } from 'node:crypto'
import { WebSocket } from 'ws'
import { find } from '../../cli/node/program.ts'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { encodeChunk, type JobMessage, type NodeMessage, type ServiceMessage } from '../../shared/relay.ts'
import type { Machine, Running } from './cli.ts'
import { png, samples } from './media.ts'
import { password } from './visitor.ts'
import { type Answer, type Ask, type Json, Refused, until, type World } from './world.ts'

/** A person with an account, who uses a session. */
export interface Signed {
  readonly account: Account
  readonly headers: Readonly<Record<string, string>>
  ask(method: string, path: string, what?: Ask): Promise<Answer>
  /** Creates a document of this person. Paths of requests start after `/api/docs/{id}`. */
  document(content?: string): Promise<{ readonly doc: string; ask(method: string, path: string, what?: Ask): Promise<Answer> }>
  /** Creates a token for a compute node. */
  nodeToken(): Promise<{ readonly id: string; readonly token: string }>
}

export const signedAs = async (world: World, account: Account): Promise<Signed> => {
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  const ask = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
    world.ask(method, path, { ...what, headers: { ...headers, ...what.headers } })
  return {
    account,
    headers,
    ask,
    async document(content = 'text') {
      const answer = await ask('POST', '/api/docs', { json: { content } })
      if (answer.status !== 201) throw new Refused(answer)
      const doc: string = answer.json.id
      return { doc, ask: (method, path, what) => ask(method, `/api/docs/${doc}${path}`, what) }
    },
    async nodeToken() {
      const answer = await ask('POST', '/api/me/nodes', { json: { name: 'test' } })
      if (answer.status !== 201) throw new Refused(answer)
      world.secrets.add(answer.json.token)
      return { id: answer.json.node.id, token: answer.json.token }
    }
  }
}

export const newSigned = async (world: World, email: string, emailVerified = false): Promise<Signed> =>
  signedAs(world, (await createAccount(world.service, { email, password, emailVerified })) as Account)

/** A compute node that the test controls. */
export interface ScriptedNode {
  /** The jobs in order of arrival. */
  readonly jobs: readonly JobMessage[]
  /** Everything that the service has sent. */
  readonly messages: readonly ServiceMessage[]
  /** Returns the bytes of a job's file that have been received so far. */
  bytesOf(job: number): Buffer
  sizeOf(job: number): number
  closed(): { code: number; reason: string } | undefined
  say(message: NodeMessage | Record<string, unknown>): void
  raw(data: string | Uint8Array): void
  /** Sends a file in pieces, within the service's credit, and then the result. */
  answer(job: number, result: Json, file?: { readonly bytes: Uint8Array; readonly contentType: string }): Promise<void>
  /** Resolves with the next job that the test has not seen yet. */
  next(): Promise<JobMessage>
  /** Ends the connection as in a power failure. */
  die(): void
  end(): Promise<{ code: number; reason: string }>
}

export interface ScriptedOptions {
  readonly capabilities?: readonly JobKind[]
  /** The voices that the node offers for speech. */
  readonly voices?: readonly string[]
  readonly slots?: number
  /** Whether the node never sends its first message, `hello`. */
  readonly mute?: boolean
  /** Whether the node ignores heartbeats. */
  readonly deaf?: boolean
  /** Whether the node never grants the service credit to send bytes. */
  readonly stingy?: boolean
  readonly onJob?: (node: ScriptedNode, job: JobMessage) => void
}

const allKinds: readonly JobKind[] = ['image', 'speech', 'transcription', 'ocr']

/** Connects a scripted node. Rejects with the status if the service refuses the socket. */
export const dialIn = (world: World, token: string, options: ScriptedOptions = {}): Promise<ScriptedNode> =>
  new Promise((resolve, reject) => {
    const { capabilities = allKinds, voices, slots = 2, mute = false, deaf = false, stingy = false, onJob } = options
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/relay`, { headers: { Authorization: `Bearer ${token}` } })
    const messages: ServiceMessage[] = []
    const jobs: JobMessage[] = []
    const files = new Map<number, Buffer[]>()
    const credits = new Map<number, number>()
    let looked = 0
    let closed: { code: number; reason: string } | undefined
    const raw = (data: string | Uint8Array): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    }
    const node: ScriptedNode = {
      jobs,
      messages,
      sizeOf: (job) => (files.get(job) ?? []).reduce((sum, { length }) => sum + length, 0),
      bytesOf: (job) => Buffer.concat(files.get(job) ?? []),
      closed: () => closed,
      say: (message) => raw(JSON.stringify(message)),
      raw,
      async answer(job, result, file) {
        let left = 256 * 1024
        let credited = 0
        for (let at = 0; at < (file?.bytes.length ?? 0); at += 64 * 1024) {
          const piece = file?.bytes.subarray(at, at + 64 * 1024) ?? new Uint8Array()
          await until(() => {
            if (closed !== undefined) throw new Error('the socket is closed: no credit comes any more')
            left += (credits.get(job) ?? 0) - credited
            credited = credits.get(job) ?? 0
            return left >= piece.length
          }, 'credit of the service')
          left -= piece.length
          raw(encodeChunk(job, piece))
        }
        const hash = createHash('sha256')
          .update(file?.bytes ?? '')
          .digest('base64url')
        node.say({
          type: 'result',
          job,
          result,
          file: file === undefined ? null : { bytes: file.bytes.length, hash, contentType: file.contentType }
        })
      },
      async next() {
        await until(() => jobs.length > looked, 'a job')
        return jobs[looked++] as JobMessage
      },
      die: () => socket.terminate(),
      async end() {
        await until(() => closed !== undefined, 'the end of the node')
        return closed as { code: number; reason: string }
      }
    }
    socket.on('unexpected-response', (_request, response) => reject(new Error(`upgrade answered ${response.statusCode}`)))
    socket.on('error', (error) => reject(error))
    socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }))
    socket.on('open', () => {
      if (mute) return resolve(node)
      return node.say({
        type: 'hello',
        protocol: 1,
        slots,
        capabilities: capabilities.map((kind) => ({ kind, engine: 'scripted', ...(kind === 'speech' && voices && { voices }) }))
      })
    })
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        const job = data.readUInt32BE(0)
        files.set(job, [...(files.get(job) ?? []), data.subarray(4)])
        if (!stingy) node.say({ type: 'credit', job, bytes: data.length - 4 })
        return
      }
      const message = JSON.parse(data.toString()) as ServiceMessage
      messages.push(message)
      if (message.type === 'welcome') resolve(node)
      if (message.type === 'beat' && !deaf) node.say({ type: 'beat' })
      if (message.type === 'credit') credits.set(message.job, (credits.get(message.job) ?? 0) + message.bytes)
      if (message.type === 'job') {
        jobs.push(message)
        onJob?.(node, message)
      }
    })
  })

/** Starts a node that serves everyone and answers every job immediately. `email` must be in AGMD_NODE_ACCOUNTS. */
export const startSharedNode = async (world: World, email: string): Promise<ScriptedNode> => {
  const { token } = await (await newSigned(world, email, true)).nodeToken()
  const answers: Readonly<Record<JobKind, (node: ScriptedNode, job: number) => Promise<void>>> = {
    image: (node, job) => node.answer(job, {}, { bytes: png(), contentType: 'image/png' }),
    speech: (node, job) =>
      node.answer(job, { duration: 1 }, { bytes: samples['wav']?.bytes ?? new Uint8Array(), contentType: 'audio/wav' }),
    transcription: (node, job) => node.answer(job, { text: 'hello', duration: 1, segments: [{ start: 0, end: 1, text: 'hello' }] }),
    ocr: (node, job) => node.answer(job, { text: 'hello' })
  }
  return dialIn(world, token, { slots: 8, onJob: (node, { kind, job }) => void answers[kind](node, job) })
}

/** Starts `agmd node` in a separate process, and waits until it is connected. */
export const startNodeProcess = async (machine: Machine, token: string, env: Readonly<Record<string, string>> = {}): Promise<Running> => {
  const running = machine.start(['node', '--json'], { env: { AGMD_NODE_TOKEN: token, ...env } })
  await until(() => running.stdout().includes('"connected":true') || running.child.exitCode !== null, 'the node to be connected', 20)
  if (running.child.exitCode !== null) throw new Error(running.stderr())
  return running
}

// ——— engines ———

/** Engines that tests need and this machine does not have. Their names are printed, so that the output shows that they were missing. */
export const missingEngines = ['tesseract', 'flite', 'pocketsphinx_continuous', 'sox'].filter((name) => find(name) === undefined)
// A machine without the engines may run the other tests. In CI, no test may be skipped silently.
if (missingEngines.length > 0 && process.env['CI'] === 'true') throw new Error(`engines are missing: ${missingEngines.join(', ')}`)
if (missingEngines.length > 0)
  process.stderr.write(`SKIPPED: tests of media jobs need ${missingEngines.join(', ')}; npm test installs them as root on Debian.\n`)

/** Returns the number of words to change, add or remove, as a fraction of the spoken words. */
export const wordErrorRate = (said: string, heard: string): number => {
  const [one, other] = [said, heard].map((text) =>
    text
      .toLowerCase()
      .split(/[^a-z']+/)
      .filter((word) => word !== '')
  ) as [string[], string[]]
  let row = other.map((_word, index) => index + 1)
  row.unshift(0)
  one.forEach((word, i) => {
    const next = [i + 1]
    other.forEach((heardWord, j) =>
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (word === heardWord ? 0 : 1)))
    )
    row = next
  })
  return (row.at(-1) ?? 0) / one.length
}
