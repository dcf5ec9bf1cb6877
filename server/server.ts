/** Assembles the server in this order: storage → ledger → live → app → listen. Closes its parts in reverse order. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { limits } from '../shared/limits.ts'
import { relayPath } from '../shared/relay.ts'
import { createAddressOf, exactAddress } from './address.ts'
import { createApp } from './app.ts'
import { createAgents } from './auth/agent-tokens.ts'
import { ownClientId } from './auth/broker-paths.ts'
import { cookiesOf, readCookie } from './auth/cookies.ts'
import type { Config } from './config.ts'
import { createLedger } from './domain/records/ledger.ts'
import { createTurns } from './domain/records/turns.ts'
import type { Registry } from './domain/live.ts'
import type { Blobs, Clock, Nodes, Storage } from './domain/ports.ts'
import { createQuotas, type QuotaSettings } from './domain/documents/quotas.ts'
import { createVault } from './domain/secrets.ts'
import type { Service } from './domain/service.ts'
import { handlers } from './handlers.ts'
import { readDownload } from './http/downloads.ts'
import { readFiles } from './http/files.ts'
import { isOwnOrigin } from './http/origin.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import type { Route } from './http/routers.ts'
import { createHandedConnections, createListener, endConnection, mayUpgrade } from './listener.ts'
import { isPortError, PortError } from './port-error.ts'
import { createLive } from './live/hocuspocus.ts'
import { withNodeRights } from './live/node-rights.ts'
import { createRegistry } from './live/registry.ts'
import type { Metrics, Readers } from './metrics/metrics.ts'
import { sampleLoad } from './metrics/load.ts'
import { createOutside } from './metrics/outside.ts'
import { createReadiness } from './metrics/probes.ts'
import { mergeMetrics, type MetricsOfProcess } from './metrics/merged.ts'
import { createReaders } from './metrics/readers.ts'
import type { TraceOptions, Traces } from './metrics/traces.ts'
import { serveOperators } from './operator-socket.ts'
import { createRelay } from './relay/relay.ts'
import { createIdentity, localHost, signInHostOf, type SignInOptions } from './sign-in.ts'
import { finishEnds, removeStrays, sweepNowAndThen } from './sweeps.ts'
import { hasSpace } from './storage/disk.ts'
import { createTexts } from './threads/texts.ts'

export interface ServerOptions extends SignInOptions {
  readonly clock: Clock
  readonly storage: Storage
  readonly blobs: Blobs
  readonly version: string
  /** The built client that the server offers for download; `dist/agmd` if absent. */
  readonly clientFile?: string
  /** Whether the store has become read-only. */
  readonly readOnly: () => boolean
  /** Set if this is one of several processes of one server. */
  readonly among?: {
    /** The number of this process, from 1. */
    readonly process: number
    /** Returns the other processes' metrics. */
    metricsOfOthers(): Promise<readonly MetricsOfProcess[]>
  }
}

export interface RunningServer {
  /** The address on which the server listens, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly service: Service
  /** The routes of the service. */
  readonly routes: readonly Route[]
  /** Returns the numbers of documents in memory and of open sockets, and of bytes that clients have not read yet. */
  counts(): { documents: number; sockets: number; waitingBytes: number }
  /** Serves a connection that another process has accepted, and whose first bytes are `first`. */
  accept(socket: Socket, first: Uint8Array): void
  /** Returns this process's metrics as text; undefined if it has none. */
  readMetrics(): Promise<string | undefined>
  /** Stops accepting requests, notifies open pages, and writes open documents. The caller closes the storage. */
  stop(): Promise<void>
}

const built = join(import.meta.dirname, '..', 'dist')
const webFolder = join(built, 'web')

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(isPortError(error) ? new PortError(host, port, error) : error))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })

/** Returns the settings with which the domain decides who may do what. */
const policyOf = ({ nodeAccounts, signUp, admins, auditDays, historyDays, historyRevisions, publishing, searchEngines }: Config) => ({
  nodeAccounts,
  signUp,
  admins,
  auditDays,
  historyDays,
  historyRevisions,
  publishing,
  searchEngines
})

const tracesOf = ({ config, clock, version, log }: ServerOptions): TraceOptions => ({
  endpoint: config.otlpEndpoint ?? '',
  headers: config.otlpHeaders ?? {},
  serviceName: config.traceServiceName,
  ratio: config.traceRatio,
  version,
  clock,
  warn: (message, facts) => log.warn(message, facts)
})

const quotaSettings = ({ documentMegabytes, accountMegabytes, anonymousMegabytes }: Config): QuotaSettings => ({
  documentBytesMax: documentMegabytes * 1024 * 1024,
  accountBytesMax: accountMegabytes * 1024 * 1024,
  anonymousBytesMax: anonymousMegabytes * 1024 * 1024
})

/** Creates the registry of connections. With several nodes, `startRights` begins to end connections whose access ended on other nodes. */
const createRegistries = (
  { clock, log, storage }: ServerOptions,
  service: () => Service
): { readonly registry: Registry; readonly startRights?: () => () => void } => {
  const registry = createRegistry(clock)
  if (storage.nodes === undefined) return { registry }
  const onProblem = (error: unknown): void => log.warn('access could not be checked after a change on another node', { error })
  const rights = withNodeRights({ service, registry, onProblem })
  return { registry: rights, startRights: rights.start }
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Hands the sockets of compute nodes to the relay, and all others to the documents. */
const upgradeTo =
  (relay: { readonly upgrade: Upgrade }, live: { readonly upgrade: Upgrade }): Upgrade =>
  (request, socket, head) =>
    ((request.url ?? '').split('?')[0] === relayPath ? relay : live).upgrade(request, socket, head)

/** Delays each request until this node knows all commits that other nodes made before the request arrived. */
const afterHearing = <Parts extends unknown[]>(nodes: Nodes | undefined, handle: (...parts: Parts) => void): ((...parts: Parts) => void) =>
  nodes === undefined ? handle : (...parts) => void nodes.heard().then(() => handle(...parts))

/** Adds the metrics of this server's other processes, if there are any. */
const withOthers = async (
  own: Promise<{ readonly type: string; readonly text: string }>,
  among: ServerOptions['among']
): Promise<{ readonly type: string; readonly text: string }> => {
  if (among === undefined) return own
  const [{ type, text }, others] = await Promise.all([own, among.metricsOfOthers()])
  return { type, text: mergeMetrics([{ process: among.process, text }, ...others]) }
}

/** Loads the metrics and the traces, if the settings ask for them. Returns the store that they watch. */
const observe = async (
  options: ServerOptions
): Promise<{ readonly metrics?: Metrics; readonly traces?: Traces; readonly storage: Storage }> => {
  const { metricsToken, metricsAddresses, otlpEndpoint } = options.config
  const hasMetrics = metricsToken !== null || metricsAddresses.length > 0
  const metrics = hasMetrics ? (await import('./metrics/metrics.ts')).createMetrics() : undefined
  const traces = otlpEndpoint === null ? undefined : (await import('./metrics/traces.ts')).createTraces(tracesOf(options))
  const counted = metrics?.watched(options.storage) ?? options.storage
  return { ...(metrics && { metrics }), ...(traces && { traces }), storage: traces?.watched(counted) ?? counted }
}

export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { config, log, clock } = options
  let stopping = false
  const { metrics, traces, storage } = await observe(options)
  const { nodes } = storage
  const { registry, startRights } = createRegistries(options, () => service)
  const http = createListener()
  // A request that arrives during assembly waits, because the service knows its address only once it listens.
  const ready = Promise.withResolvers<void>()
  let onRequest = (request: IncomingMessage, response: ServerResponse): void => void ready.promise.then(() => onRequest(request, response))
  let onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    void ready.promise.then(() => onUpgrade(request, socket, head))
  // Set when the server has started, because the metrics need parts that do not exist earlier.
  const started: { readers?: Readers } = {}
  const status = (): 'ok' | 'read_only' | 'stopping' => (stopping ? 'stopping' : options.readOnly() ? 'read_only' : 'ok')
  // After a failure, PostgreSQL can work again without a restart of the server. LMDB cannot.
  const readOnlyIs = config.storage === null ? 'read_only' : 'unreachable'
  const outside = createOutside({
    readiness: createReadiness({
      status: () => (stopping ? 'stopping' : started.readers === undefined ? 'starting' : options.readOnly() ? readOnlyIs : 'ok'),
      storage: options.storage,
      hasSpace: () => hasSpace(config.dataDir),
      clock
    }),
    access: { token: config.metricsToken, networks: config.metricsAddresses },
    metrics: metrics && (() => started.readers && withOthers(metrics.write(started.readers), options.among)),
    addressOf: (request) => exactAddress(request, config.trustProxy)
  })
  http.on('request', (request, response) => outside(request, response) || onRequest(request, response))
  http.on('upgrade', (request, socket, head) =>
    mayUpgrade(request) ? onUpgrade(request, socket, head) : endConnection(socket, '400 Bad Request')
  )
  const handed = createHandedConnections(http)
  const port = await listen(http, config.port, config.host)
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`
  const cookies = cookiesOf(baseUrl)
  const files = await readFiles(webFolder)
  const addressOf = createAddressOf(config.trustProxy, (message) => log.warn(message))
  const limiter = createRateLimiter(clock, config.rateLimits)
  const live = createLive({
    service: () => service,
    registry,
    allowsOrigin: (origin, request) => isOwnOrigin(origin, request, baseUrl),
    addressOf,
    cookieOf: (request) => readCookie(request.headers, cookies.session),
    idleUnloadSeconds: config.idleUnloadSeconds,
    guesses: {
      check: (address) => limiter.check('failedKey', address),
      count: (address) => void limiter.take('failedKey', address)
    },
    socketsPerAddressMax: config.rateLimits ? config.socketsPerAddress : null,
    socketsPerDocumentMax: config.rateLimits ? config.socketsPerDocument : null,
    trace: traces?.trace,
    nodes: storage.nodes,
    log: (level, message, facts) => log[level](message, facts)
  })
  const relay = createRelay({ service: () => service, log, others: nodes })
  const ledger = createLedger({
    storage,
    clock,
    onEvent: (doc, event) => live.event(doc, event)
  })
  const service: Service = {
    storage,
    blobs: options.blobs,
    clock,
    ledger,
    turns: nodes === undefined ? null : createTurns(ledger, nodes),
    live,
    relay,
    texts: createTexts(),
    vault: createVault(options.secret),
    agents:
      config.agentIssuer === null
        ? null
        : createAgents({
            clock,
            baseUrl,
            issuer: config.agentIssuer,
            clientId: config.agentClientId ?? ownClientId,
            clientSecret: config.agentClientSecret,
            log
          }),
    signInHost: config.authUrl === null ? signInHostOf(() => identity.broker) : null,
    baseUrl,
    version: options.version,
    quotas: createQuotas(storage, quotaSettings(config)),
    assetBytesMax: config.assetMegabytes * 1024 * 1024,
    ...policyOf(config),
    startedAt: clock.now(),
    status
  }
  await removeStrays(service)
  const identity = createIdentity(options, service, limiter, cookies, files.stylesheet, `http://${localHost(config.host)}:${port}`)
  const face = {
    service,
    handlers,
    registry,
    limiter,
    log,
    addressOf,
    cookies,
    anonymousCreate: config.anonymousCreate,
    requireVersion: config.requireVersion,
    securityContact: config.securityContact,
    foreignMedia: config.foreignMedia,
    mcpPrefix: config.mcpPrefix,
    ...(metrics && { onAnswered: metrics.answered }),
    ...(traces && { traceRequest: traces.request, trace: traces.trace }),
    webFolder
  }
  const { app, routes } = createApp(face, identity, files, await readDownload(options.clientFile ?? join(built, 'agmd'), baseUrl))
  await finishEnds(service, log)
  const stopRights = startRights?.()
  const stopSweeping = sweepNowAndThen(service, log)
  const answer = app.callback()
  onRequest = afterHearing(nodes, (request, response) => void answer(request, response))
  onUpgrade = afterHearing(nodes, upgradeTo(relay, live))
  started.readers = createReaders({
    version: options.version,
    live,
    relay,
    quotas: service.quotas,
    assetBytesMax: service.assetBytesMax,
    folder: config.dataDir,
    hasStoreFile: config.storage === null,
    hasAssetFiles: config.blobs === null,
    isReadOnly: options.readOnly,
    clock
  })
  const stopSampling = sampleLoad(service, started.readers, (error) => log.warn('a sample of the load could not be stored', { error }))
  const endOperators = await serveOperators(config.dataDir, service, log)
  ready.resolve()

  const stop = async (): Promise<void> => {
    stopping = true
    stopSweeping()
    stopRights?.()
    stopSampling()
    const operatorsEnded = endOperators()
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    relay.stop()
    await live.stop()
    await operatorsEnded
    await ledger.idle()
    service.turns?.stop()
    service.quotas.stop()
    http.closeIdleConnections()
    // Requests in progress get a moment to finish. Then their connections are cut.
    const cancel = clock.after((limits.stopSecondsMax / 4) * 1000, () => {
      live.terminateSockets()
      relay.terminateNodes()
      http.closeAllConnections()
    })
    await closed
    await handed.ended()
    cancel()
    await traces?.stop()
  }
  const readMetrics = async (): Promise<string | undefined> => started.readers && (await metrics?.write(started.readers))?.text
  return { url: `http://${config.host}:${port}`, service, routes, counts: live.counts, accept: handed.accept, readMetrics, stop }
}
