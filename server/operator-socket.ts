/**
 * The socket through which `npm start -- admin …` reaches the running server: `operator.sock` in the data folder. Acts run in the server, so they end
 * sessions and sockets immediately. A second process that wrote to the store could not do this, because LMDB does not wake other processes.
 *
 * Only the user who runs the server can open the socket: the data folder has mode 0700, and the socket has mode 0600. This user can read the store
 * anyway. The protocol is HTTP: `POST /{act}` with a JSON object (server/domain/operator/acts.ts) returns JSON. A request to upgrade to `agmd-import`
 * begins an import (server/transfer/frames.ts).
 */
import { closeSync, openSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { errorMeanings, ServiceError } from '../shared/errors.ts'
import { limits } from '../shared/limits.ts'
import { type ActAnswer, type ActInput, type ActName, isActName, runAct } from './domain/operator/acts.ts'
import { consoleOperator } from './domain/operator/operator.ts'
import type { Arrivals } from './domain/documents/arrivals.ts'
import type { Service } from './domain/service.ts'
import type { Log } from './log.ts'
import { createReceiver } from './transfer/receiving.ts'
import { beginSending } from './transfer/sending.ts'

const socketName = 'operator.sock'

const importProtocol = 'agmd-import'

/** The longest path of a socket that every system accepts, in bytes. */
const pathBytesMax = 100

/** Calls `use` with a path of the socket. On Linux, a path that is too long is replaced with a short one that leads through the opened folder. */
const withPath = async <T>(folder: string, use: (path: string) => Promise<T>): Promise<T> => {
  const path = join(folder, socketName)
  if (Buffer.byteLength(path) <= pathBytesMax) return use(path)
  const descriptor = openSync(folder, 'r')
  try {
    return await use(`/proc/self/fd/${descriptor}/${socketName}`)
  } finally {
    closeSync(descriptor)
  }
}

interface Answer {
  readonly status: number
  readonly body: object
}

const refused = (error: unknown, log: Log): Answer => {
  if (error instanceof ServiceError) {
    const { status, hint } = errorMeanings[error.code]
    return { status, body: { hint, ...error.details, code: error.code, message: error.message } }
  }
  log.error('an operator’s command failed', { error })
  return { status: 500, body: { code: 'internal', message: errorMeanings.internal.message } }
}

const readInput = async (request: IncomingMessage): Promise<unknown> => {
  if (Number(request.headers['content-length'] ?? Infinity) > limits.bodyBytesMax) throw new ServiceError('body_too_large')
  try {
    return JSON.parse(await text(request)) as unknown
  } catch {
    throw new ServiceError('malformed_json')
  }
}

const answerTo = async (service: Service, log: Log, request: IncomingMessage): Promise<Answer> => {
  try {
    const name = (request.url ?? '').slice(1)
    if (request.method !== 'POST' || !isActName(name)) throw new ServiceError('not_found')
    const body = await runAct(service, consoleOperator, name, await readInput(request))
    log.info('an operator ran a command', { act: name })
    return { status: 200, body }
  } catch (error) {
    return refused(error, log)
  }
}

/** Serves the operator socket in a data folder that this process has locked. Returns a function that closes the socket. */
export const serveOperators = async (folder: string, service: Service, log: Log): Promise<() => Promise<void>> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answerTo(service, log, request)
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  const receiver = createReceiver({ service, onProblem: (error) => log.error('an import failed', { error }) })
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade !== importProtocol) return socket.destroy()
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${importProtocol}\r\n\r\n`)
    if (head.length > 0) socket.unshift(head)
    receiver.receive(socket)
    return undefined
  })
  const path = join(folder, socketName)
  try {
    // A server that was killed leaves its socket behind. This process holds the folder's lock, so no other server uses the folder.
    await rm(path, { force: true })
    await withPath(folder, async (at) => {
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, resolve))
      await chmod(at, 0o600)
    })
  } catch (error) {
    log.warn('admin commands cannot reach this server, because its socket could not be created', { path, error })
    return () => Promise.resolve()
  }
  return async () => {
    receiver.end()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    await rm(path, { force: true })
  }
}

const parsed = (name: ActName, status: number, body: string): object => {
  const answer = JSON.parse(body) as Record<string, unknown>
  if (status === 200) return answer
  const { code, ...details } = answer
  const known = typeof code === 'string' && Object.hasOwn(errorMeanings, code)
  throw new ServiceError(known ? (code as keyof typeof errorMeanings) : 'internal', { act: name, ...details })
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')

/** Runs an act in the running server. Returns undefined if no server uses the data folder. Throws the errors of the act. */
export const askServer = <Name extends ActName>(folder: string, name: Name, input: ActInput<Name>): Promise<ActAnswer<Name> | undefined> =>
  withPath(folder, (socketPath) => {
    const { promise, resolve, reject } = Promise.withResolvers<object | undefined>()
    const body = JSON.stringify(input)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const request = send({ socketPath, method: 'POST', path: `/${name}`, headers }, (response) => {
      text(response)
        .then((answer) => parsed(name, response.statusCode ?? 500, answer))
        .then(resolve, reject)
    })
    request.once('error', (error) => (isAbsent(error) ? resolve(undefined) : reject(error)))
    request.end(body)
    return promise as Promise<ActAnswer<Name> | undefined>
  })

/** A connection to the running server that sends an import. */
export type ImportConnection = Arrivals & { close(): void }

/**
 * Connects to the running server to send an import. Returns undefined if no server uses the data folder. Throws `TransferError` if the server has another
 * version, or is receiving another import.
 */
export const connectForImport = async (folder: string, version: string): Promise<ImportConnection | undefined> => {
  const socket = await withPath(folder, (socketPath) => {
    const { promise, resolve, reject } = Promise.withResolvers<Duplex | undefined>()
    const request = send({ socketPath, path: '/', headers: { Connection: 'Upgrade', Upgrade: importProtocol } })
    request.once('upgrade', (_response, upgraded, head) => {
      // The first response can arrive together with the headers.
      if (head.length > 0) upgraded.unshift(head)
      resolve(upgraded)
    })
    request.once('response', () => reject(new ServiceError('not_found')))
    request.once('error', (error) => (isAbsent(error) ? resolve(undefined) : reject(error)))
    request.end()
    return promise
  })
  if (socket === undefined) return undefined
  return { ...(await beginSending(socket, version)), close: () => void socket.destroy() }
}
