/** The world of the tests: a real server on a free port, with a real store in a temporary folder, and with people and agents. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBlobs } from '../../server/blobs/open.ts'
import type { ClientDocumentOptions } from '../../server/auth/client-documents.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Clock, Storage } from '../../server/domain/ports.ts'
import type { Route } from '../../server/http/routers.ts'
import type { Service } from '../../server/domain/service.ts'
import { createLog } from '../../server/log.ts'
import { startServer } from '../../server/server.ts'
import { prepareDataFolder, readOrCreateInstance, readSecret } from '../../server/storage/data-folder.ts'
import { openLmdbStorage } from '../../server/storage/lmdb.ts'
import { openPostgres } from '../../server/storage/postgres/open.ts'
import { withReadCache } from '../../server/storage/read-cache.ts'
import { noPostgres, schemaOf, sharedCluster } from './postgres.ts'
import { builtMain, serverMain } from './server-main.ts'
import { nodesOfTests, startFront } from './spread.ts'

export interface StartOptions {
  /** Settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** The data folder to use. Without it, a new temporary folder is used. */
  readonly folder?: string
  readonly clock?: Clock
  /** The built client that the service offers for download. */
  readonly clientFile?: string
  /** A module that the server process loads first, and that sends messages. */
  readonly preload?: string
  /** Whether `startProcess` runs the built server in any case, as `npm start` does. */
  readonly built?: boolean
  /** Wraps the store of the service, for example with a delay or a failure. */
  readonly storage?: (storage: Storage) => Storage
  /** Whether the store has become read-only. */
  readonly readOnly?: () => boolean
  /** Allows client documents from this machine. */
  readonly clientDocuments?: ClientDocumentOptions
  /** A world whose store, assets and secret this one shares, as another node. It needs PostgreSQL. */
  readonly besides?: Pick<World, 'folder' | 'service'>
}

export interface World {
  /** The address of the service, without a trailing slash. */
  readonly url: string
  /** The address on which the server listens. It may differ from the public address. */
  readonly listening: string
  readonly folder: string
  readonly service: Service
  /** The routes of the service. */
  readonly routes: readonly Route[]
  /** Every line of the log. */
  readonly lines: readonly string[]
  counts(): { documents: number; sockets: number; waitingBytes: number }
  /** Stops the server. Removes the folder unless it was given. */
  stop(): Promise<void>
}

const testSettings = { AGMD_PORT: '0', AGMD_RATE_LIMITS: 'off', AGMD_LOG_LEVEL: 'debug', AGMD_LOG_FORMAT: 'json' }

/** Whether the worlds of the tests use PostgreSQL (`AGMD_TEST_STORAGE=postgres`). */
export const storesInPostgres = process.env['AGMD_TEST_STORAGE'] === 'postgres'

/** Returns the storage setting of a server with this folder. */
export const storageOf = async (folder: string): Promise<{ AGMD_STORAGE?: string }> => {
  if (!storesInPostgres) return {}
  if (noPostgres !== undefined) throw new Error(noPostgres)
  return { AGMD_STORAGE: (await sharedCluster()).address(schemaOf(folder)) }
}

/** Removes a folder that was created for a world, and its tables. */
export const removeAll = async (folder: string): Promise<void> => {
  if (storesInPostgres) await (await sharedCluster()).sql(`drop schema if exists ${schemaOf(folder)} cascade`)
  await rm(folder, { recursive: true, force: true })
}

const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'agmd-test-'))

/** Starts a server in this process. With `AGMD_TEST_NODES`, starts several nodes behind a front that spreads connections over them. */
export const start = (options: StartOptions = {}): Promise<World> =>
  nodesOfTests > 1 && storesInPostgres && options.besides === undefined && options.env?.['AGMD_STORAGE'] === undefined
    ? startSpread(options)
    : startNode(options)

const startSpread = async (options: StartOptions): Promise<World> => {
  const folder = options.folder ?? (await temporaryFolder())
  const front = await startFront(Number(options.env?.['AGMD_PORT'] ?? 0))
  const env = { AGMD_BASE_URL: `http://localhost:${front.port}`, ...options.env, AGMD_PORT: '0' }
  const nodes: World[] = []
  const lines: string[] = []
  const stop = async (): Promise<void> => {
    for (const node of nodes.toReversed()) await node.stop()
    await front.close()
    if (options.folder === undefined) await removeAll(folder)
  }
  try {
    nodes.push(await startNode({ ...options, folder, env }, lines))
    const first = nodes[0] as World
    while (nodes.length < nodesOfTests) nodes.push(await startNode({ ...options, besides: first, env }, lines))
    front.spreadOver(nodes.map(({ listening }) => new URL(listening)))
    return {
      ...first,
      listening: `http://127.0.0.1:${front.port}`,
      counts() {
        const all = nodes.map((node) => node.counts())
        const sum = (name: 'documents' | 'sockets' | 'waitingBytes'): number => all.reduce((total, each) => total + each[name], 0)
        return { documents: sum('documents'), sockets: sum('sockets'), waitingBytes: sum('waitingBytes') }
      },
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startNode = async (options: StartOptions, lines: string[] = []): Promise<World> => {
  const { besides } = options
  const folder = besides?.folder ?? options.folder ?? (await temporaryFolder())
  const { config } = readConfig({ ...testSettings, AGMD_DATA_DIR: folder, ...(await storageOf(folder)), ...options.env }, { isTty: false })
  const log = createLog({ level: config.logLevel, format: 'json', write: (line) => lines.push(line), now: Date.now })
  // Nodes of one test share the folder, because the assets are in it.
  const held = besides === undefined ? await prepareDataFolder(folder) : { secret: await readSecret(folder), release: async () => {} }
  const clock = options.clock ?? systemClock
  const { secret } = held
  const opened =
    config.storage === null
      ? await openLmdbStorage({ folder, clock })
      : await openPostgres({ url: config.storage, folder, secret, version: 'test', clock, onWarning: (text) => log.warn(text) })
  const storage = withReadCache(options.storage?.(opened) ?? opened)
  const blobs =
    besides?.service.blobs ??
    (await openBlobs({
      address: config.blobs,
      folder,
      instance: (await readOrCreateInstance(folder)).instance,
      onWarning: (text) => log.warn(text),
      onMoved: (count) => log.info('moved the assets of the data folder to the bucket', { count })
    }))
  const server = await startServer({
    config,
    log,
    clock,
    storage,
    blobs,
    secret,
    version: 'test',
    ...(options.clientFile === undefined ? {} : { clientFile: options.clientFile }),
    ...(options.clientDocuments === undefined ? {} : { clientDocuments: options.clientDocuments }),
    readOnly: options.readOnly ?? (() => false)
  })
  return {
    url: server.service.baseUrl,
    listening: server.url,
    folder,
    service: server.service,
    routes: server.routes,
    lines,
    counts: server.counts,
    async stop() {
      await server.stop()
      await storage.close()
      await held.release()
      if (options.folder === undefined && besides === undefined) await removeAll(folder)
    }
  }
}

export interface ProcessWorld {
  readonly url: string
  /** The address on which the process listens. It may differ from the public address. */
  readonly listening: string
  readonly port: number
  readonly folder: string
  readonly child: ChildProcess
  /** Returns the output of the process so far. */
  output(): string
  /** Sends a signal and waits for the exit. Returns the exit code or the signal. */
  kill(signal: NodeJS.Signals): Promise<number | string | null>
  /** Sends SIGTERM. Removes the folder unless it was given. */
  stop(): Promise<void>
}

/** Starts a server in a separate process. */
export const startProcess = async (options: StartOptions = {}): Promise<ProcessWorld> => {
  const folder = options.folder ?? (await temporaryFolder())
  const main = options.built === true ? builtMain : serverMain
  const { preload } = options
  const child = spawn(process.execPath, [...(preload === undefined ? [] : ['--import', preload]), main], {
    env: { ...process.env, ...testSettings, AGMD_DATA_DIR: folder, ...(await storageOf(folder)), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(preload === undefined ? [] : (['ipc'] as const))]
  })
  let output = ''
  let listening = ''
  const ended = new Promise<number | string | null>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /serves (http:\/\/\S+?)"/.exec(output)?.[1]
      listening = /"listening":"([^"]+)"/.exec(output)?.[1] ?? ''
      if (found !== undefined && listening !== '') resolve(found)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    void ended.then((how) => reject(new Error(`the server ended with ${how}: ${output}`)))
  })
  const kill = (signal: NodeJS.Signals): Promise<number | string | null> => {
    child.kill(signal)
    return ended
  }
  return {
    url,
    listening,
    port: Number(new URL(url).port),
    folder,
    child,
    output: () => output,
    kill,
    async stop() {
      await kill('SIGTERM')
      if (options.folder === undefined) await removeAll(folder)
    }
  }
}
