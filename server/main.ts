/** Runs the process: reads the settings, prepares the data folder, opens the storage and starts the server. Also handles signals and exit codes. */
import { text } from 'node:stream/consumers'
import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { limits } from '../shared/limits.ts'
import { AdminError } from './admin/error.ts'
import { requireOwner } from './admin/owner.ts'
import { progressOnStderr } from './admin/progress.ts'
import { openBlobs } from './blobs/open.ts'
import { S3Error } from './blobs/s3/errors.ts'
import { systemClock } from './clock.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { collectTurns, createLog, type Log } from './log.ts'
import { PortError } from './port-error.ts'
import { beginCheck } from './storage/check.ts'
import type { Storage } from './domain/ports.ts'
import { type DataFolder, DataFolderError, prepareDataFolder, readOrCreateInstance } from './storage/data-folder.ts'
import { openLmdbStorage } from './storage/lmdb.ts'
import { processWord } from './processes/messages.ts'
import { PostgresError } from './storage/postgres/errors.ts'
import { withReadCache } from './storage/read-cache.ts'

/** The exit code for an invalid setting (EX_CONFIG in sysexits.h). The errors define the other exit codes. */
const exitConfig = 78

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string }

const settings = (): Config => {
  try {
    const { config, warnings } = readConfig(process.env, { isTty: process.stdout.isTTY ?? false })
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(exitConfig)
  }
}

/**
 * The maximum number of log records from libraries in a minute. A library that complains about every frame of a hostile client must not fill the
 * disk.
 */
const libraryRecordsPerMinute = 20

/** Redirects the console output of libraries to the log. Each message becomes one line without secrets. The number of lines per minute is limited. */
const captureConsole = (log: Log): void => {
  const text = (parts: unknown[]): string =>
    parts.map((part) => (part instanceof Error ? part.message : typeof part === 'string' ? part : JSON.stringify(part))).join(' ')
  let minute = 0
  let records = 0
  const say =
    (level: 'info' | 'warn') =>
    (...parts: unknown[]): void => {
      const now = Math.floor(systemClock.now() / 60_000)
      if (now !== minute) {
        if (records > libraryRecordsPerMinute)
          log.warn('log records from libraries were dropped', { count: records - libraryRecordsPerMinute })
        minute = now
        records = 0
      }
      records += 1
      if (records <= libraryRecordsPerMinute) log[level](text(parts), { from: 'library' })
    }
  console.log = console.info = say('info')
  console.warn = console.error = say('warn')
}

/** The command that starts this program. An installation without npm sets it (deploy/image-build.sh). */
const startedAs = process.env['AGMD_STARTED_AS'] ?? 'npm start'

/** Returns text for the operator that names the command with which this program was started. */
const forInstallation = (text: string): string =>
  startedAs === 'npm start' ? text : text.replaceAll(/npm (?:--silent )?start -- /g, `${startedAs} `).replaceAll('npm start', startedAs)

/** The settings for an admin command. Throws `AdminError` if the command would leave files behind that the server cannot read. */
const settingsOfOperator = (): Config => {
  const config = settings()
  requireOwner(config.dataDir)
  return config
}

const administer = async (words: readonly string[]): Promise<void> => {
  const { admin } = await import('./admin.ts')
  const {
    output,
    exitCode = 0,
    onStderr = false
  } = await admin(words, {
    env: process.env,
    version,
    progress: progressOnStderr,
    settings: settingsOfOperator,
    input: () => text(process.stdin),
    stdin: process.stdin,
    stdout: process.stdout
  })
  const stream = onStderr ? process.stderr : process.stdout
  stream.write(`${forInstallation(output)}\n`)
  process.exitCode = exitCode
}

/** Whether the store currently refuses writes. */
interface Refusing {
  readOnly: boolean
}

/**
 * Opens the store. After a disk fault, LMDB refuses all commits until a restart. A connection to PostgreSQL is retried until PostgreSQL answers. The
 * store check continues after the store is open, and calls `onDamage` if it finds damage.
 */
const openStorage = async (
  config: Config,
  log: Log,
  secret: Uint8Array,
  refusing: Refusing,
  onDamage: (error: unknown) => void
): Promise<Storage> => {
  const folder = config.dataDir
  if (config.storage !== null) {
    const onAnswering = (answers: boolean): void => {
      refusing.readOnly = !answers
      if (answers) log.info('PostgreSQL is responding again')
      else log.error('PostgreSQL is not responding; reads and writes wait, and will be refused if this continues')
    }
    const { openPostgres } = await import('./storage/postgres/open.ts')
    return openPostgres({
      url: config.storage,
      folder,
      secret,
      version,
      clock: systemClock,
      onAnswering,
      onWarning: (text) => log.warn(text)
    })
  }
  const { ended } = await beginCheck(folder)
  ended.catch(onDamage)
  const onFailure = (error: unknown): void => {
    refusing.readOnly = true
    log.error('the store failed and accepts no more writes; restart once the disk works again', { error })
  }
  return openLmdbStorage({ folder, onFailure, clock: systemClock })
}

const secretOf = (config: Config, folder: DataFolder): Uint8Array => (config.secret === null ? folder.secret : Buffer.from(config.secret))

/**
 * Calls `gone` when the launcher that started this process ends, because that closes their channel. A server without a launcher has no channel.
 */
const onLauncherGone = (gone: () => void): void => {
  if (process.channel === undefined) return
  if (process.connected) process.once('disconnect', gone)
  else gone()
}

/** Errors whose messages are for the operator, and whose exit codes docs/operations.md explains. */
const forOperator = [AdminError, DataFolderError, PostgresError, S3Error] as const

const isForOperator = (error: unknown): error is AdminError | DataFolderError | PostgresError | S3Error =>
  forOperator.some((kind) => error instanceof kind)

/** Returns the exit code for an error that prevents the server from running. */
const exitCodeOf = (error: unknown): number => (isForOperator(error) ? error.exitCode : 1)

/** Prints why the server cannot run. */
const tell = (error: unknown): void => {
  const isExpected = isForOperator(error) || error instanceof PortError
  const text = error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error)
  process.stderr.write(`${forInstallation(text)}\n`)
}

const fail = (error: unknown): void => {
  tell(error)
  process.exit(exitCodeOf(error))
}

/** Stops the server on a signal, and when the launcher or the front ends. Exits afterward. `stop` must end within `limits.stopSecondsMax`. */
const stopper = (log: Log, stop: () => Promise<void>): ((reason: string, exitCode?: number) => void) => {
  let stopping = false
  const stopOn = (reason: string, exitCode = 0): void => {
    if (stopping) return
    stopping = true
    log.info('stopping', { reason })
    setTimeout(() => {
      log.error('the server did not stop in time; the next start recovers the rest from the journal', { seconds: limits.stopSecondsMax })
      process.exit(1)
    }, limits.stopSecondsMax * 1000).unref()
    stop().then(
      () => {
        log.info('stopped')
        process.exit(exitCode)
      },
      (error: unknown) => {
        log.error('stopping failed', { error })
        process.exit(1)
      }
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopOn(signal))
  return stopOn
}

/** Runs the front of several processes. Returns the function that stops them. */
const serveByProcesses = async (config: Config, log: Log): Promise<(reason: string) => void> => {
  const { host, port, baseUrl, dataDir, processes } = config
  const { startFront } = await import('./processes/front.ts')
  // The process that could not start has already reported the reason.
  const onFatal = (how: number | string): void => process.exit(typeof how === 'number' ? how : 1)
  const front = await startFront({ host, port, baseUrl, folder: dataDir, processes, log, onFatal })
  log.info(`agmd ${version} serves ${front.baseUrl}`, { listening: front.url, data: dataDir, rateLimits: config.rateLimits, processes })
  return stopper(log, front.stop)
}

/** This process, if it is one of several: its number, and the data folder of the server. */
interface Among {
  readonly process: number
  readonly folder: string
}

const amongOf = ([number = '', folder = '']: readonly string[]): Among => ({ process: Number(number), folder })

const run = async (): Promise<void> => {
  const [command, ...words] = process.argv.slice(2)
  if (command === 'admin') return administer(words)
  const among = command === processWord ? amongOf(words) : undefined
  // Until the server has started, no data exists only in memory, so the process can exit immediately.
  let onGone = (): void => process.exit(1)
  onLauncherGone(() => onGone())
  const config = settings()
  const output = collectTurns((lines) => void process.stdout.write(lines))
  process.on('exit', output.flush)
  const plain = createLog({ level: config.logLevel, format: config.logFormat, write: output.write, now: Date.now })
  const log = among === undefined ? plain : plain.with({ process: among.process })
  captureConsole(log)
  // An unhandled rejection is a bug, but not a reason to stop serving everyone's documents. The journal contains everything that was acknowledged.
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }))
  if (config.processes > 1) {
    const stopOn = await serveByProcesses(config, log)
    onGone = () => stopOn('the launcher ended')
    return
  }
  const folder = await prepareDataFolder(config.dataDir)
  const secret = secretOf(config, folder)
  const refusing: Refusing = { readOnly: false }
  // Until the server has started, damage ends the process immediately.
  let onDamage = fail
  // The server is loaded only here, while the store is being checked, because admin commands and starts with invalid settings do not need it. The
  // compile cache makes the next start faster. It is not used if its folder is not writable.
  enableCompileCache(join(import.meta.dirname, '../dist/cache'))
  const [opened, { startServer }] = await Promise.all([
    openStorage(config, log, secret, refusing, (error) => onDamage(error)),
    import('./server.ts')
  ])
  const storage = withReadCache(opened)
  const blobs = await openBlobs({
    address: config.blobs,
    // A server's processes share its assets, but each receives uploads into its own folder.
    folder: among?.folder ?? config.dataDir,
    receivedIn: join(config.dataDir, 'blobs', 'new'),
    // Opening a PostgreSQL store may have changed the instance: a new data folder takes over the store's instance.
    instance: (await readOrCreateInstance(config.dataDir)).instance,
    onWarning: (text) => log.warn(text),
    onMoved: (count) => log.info('moved the assets of the data folder to the bucket', { count })
  })
  const worker = among && (await import('./processes/worker.ts')).openWorker()
  const server = await startServer({
    config,
    log,
    clock: systemClock,
    storage,
    blobs,
    secret,
    version,
    readOnly: () => refusing.readOnly,
    ...(among && worker && { among: { process: among.process, metricsOfOthers: worker.metricsOfOthers } })
  })
  const facts = { listening: server.url, data: config.dataDir, rateLimits: config.rateLimits }
  // A server with several processes logs this only once, when it serves.
  if (worker === undefined) log.info(`agmd ${version} serves ${server.service.baseUrl}`, facts)
  worker?.begin({ accept: server.accept, readMetrics: server.readMetrics })

  const stopOn = stopper(log, async () => {
    await server.stop()
    await storage.close()
    await folder.release()
  })
  onGone = () => stopOn(among === undefined ? 'the launcher ended' : 'the front ended')
  onDamage = (error) => {
    tell(error)
    stopOn('the store is damaged', exitCodeOf(error))
  }
}

run().catch(fail)
