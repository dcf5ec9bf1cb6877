/** Puts the parts together: storage → ledger → live → app → listen. Closes in reverse. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { limits } from '../shared/limits.ts'
import { addressOf, createApp, isOwnOrigin } from './app.ts'
import type { Config } from './config.ts'
import { removeStrayBlobs } from './domain/assets.ts'
import { finishDeletions } from './domain/documents.ts'
import { presentEvent } from './domain/events.ts'
import { createLedger } from './domain/ledger.ts'
import type { Blobs, Clock, Storage } from './domain/ports.ts'
import { createVault } from './domain/secrets.ts'
import type { Service } from './domain/service.ts'
import { handlers } from './handlers.ts'
import { readFiles } from './http/files.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { createLive } from './live/hocuspocus.ts'
import { createRegistry } from './live/registry.ts'
import type { Log } from './log.ts'

export interface ServerOptions {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly storage: Storage
  readonly blobs: Blobs
  /** 32 random bytes, or the operator's own secret. */
  readonly secret: Uint8Array
  readonly version: string
  /** Whether the store went read-only. */
  readonly readOnly: () => boolean
}

export interface RunningServer {
  /** Address it listens on: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly service: Service
  /** Documents in memory and open sockets. */
  counts(): { documents: number; sockets: number }
  /** Stops taking requests, tells open pages, writes what is open. The storage is the caller's to close. */
  stop(): Promise<void>
}

const webFolder = join(import.meta.dirname, '..', 'dist', 'web')

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })

// `headersTimeout` alone does not end slow clients: the check interval does (faults: slowhttptest).
const httpOptions = {
  connectionsCheckingInterval: 2_000,
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024
}

export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { config, log, clock, storage } = options
  let stopping = false
  const registry = createRegistry(clock)
  const http = createServer(httpOptions)
  const port = await listen(http, config.port, config.host)
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`
  const live = createLive({
    service: () => service,
    registry,
    allowsOrigin: (origin, request) => isOwnOrigin(origin, request, baseUrl),
    addressOf: (request) => addressOf(request, config.trustProxy),
    idleUnloadSeconds: config.idleUnloadSeconds,
    log: (level, message, facts) => log[level](message, facts)
  })
  const ledger = createLedger({
    storage,
    clock,
    onEvent: (doc, event) => live.announce(doc, { type: 'event', event: presentEvent(event) })
  })
  const service: Service = {
    storage,
    blobs: options.blobs,
    clock,
    ledger,
    live,
    vault: createVault(options.secret),
    baseUrl,
    version: options.version,
    assetBytesMax: config.assetMegabytes * 1024 * 1024,
    startedAt: clock.now(),
    status: () => (stopping ? 'stopping' : options.readOnly() ? 'read_only' : 'ok')
  }
  await removeStrayBlobs(service)
  const limiter = createRateLimiter(clock, config.rateLimits)
  const face = {
    service,
    handlers,
    registry,
    limiter,
    log,
    trustedProxies: config.trustProxy,
    anonymousCreate: config.anonymousCreate,
    webFolder
  }
  const app = createApp(face, await readFiles(webFolder))
  const answer = app.callback()
  http.on('request', (request, response) => void answer(request, response))
  http.on('upgrade', live.upgrade)
  http.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  await finishDeletions(service)

  const stop = async (): Promise<void> => {
    stopping = true
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    registry.endAll('shutting_down')
    await live.stop()
    await ledger.idle()
    http.closeIdleConnections()
    // Answers under way get a moment; who still waits then is cut off.
    const cancel = clock.after((limits.stopSecondsMax / 4) * 1000, () => {
      live.terminateSockets()
      http.closeAllConnections()
    })
    await closed
    cancel()
  }
  return { url: `http://${config.host}:${port}`, service, counts: live.counts, stop }
}
