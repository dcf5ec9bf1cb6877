/** Runs an operator's act in the running server, or in this process if no server is running. */
import { ServiceError } from '../../shared/errors.ts'
import { openBlobs } from '../blobs/open.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type ActAnswer, type ActInput, type ActName, runAct } from '../domain/operator/acts.ts'
import { consoleOperator } from '../domain/operator/operator.ts'
import { createLog } from '../log.ts'
import { askServer } from '../operator-socket.ts'
import { prepareDataFolder, readInstance } from '../storage/data-folder.ts'
import { openLmdbStorage } from '../storage/lmdb.ts'
import { openPostgres } from '../storage/postgres/open.ts'
import { AdminError } from './error.ts'

/** Refuses a folder in which no server has ever stored documents. Throws `AdminError`. */
const requireData = async ({ dataDir: folder, storage: url }: Config): Promise<void> => {
  const instance = await readInstance(folder)
  const started = url === null ? instance?.initialised : instance?.store === 'postgres'
  if (instance === undefined || started !== true)
    throw new AdminError(`There is no data in ${folder} yet. Start the server once (npm start), or set AGMD_DATA_DIR to its data folder.`)
}

/** Starts the service in this process for one act, on a free port that only this machine can reach. */
const withOwnServer = async <T>(
  config: Config,
  version: string,
  work: (service: Parameters<typeof runAct>[0]) => Promise<T>
): Promise<T> => {
  const held = await prepareDataFolder(config.dataDir)
  const { instance } = held
  const secret = config.secret === null ? held.secret : Buffer.from(config.secret)
  const log = createLog({ level: 'warn', format: 'json', write: (line) => process.stderr.write(line), now: Date.now })
  const shared = { folder: config.dataDir, clock: systemClock }
  const storage = await (config.storage === null
    ? openLmdbStorage(shared)
    : openPostgres({ ...shared, url: config.storage, secret, version }))
  try {
    const none = (): void => undefined
    const blobs = await openBlobs({ address: config.blobs, folder: config.dataDir, instance, onWarning: none, onMoved: none })
    const { startServer } = await import('../server.ts')
    const own: Config = { ...config, port: 0, host: '127.0.0.1' }
    const options = { log, storage, blobs, secret, version, clock: systemClock, readOnly: () => false }
    const server = await startServer({ ...options, config: own })
    try {
      return await work(server.service)
    } finally {
      await server.stop()
    }
  } finally {
    await storage.close()
    await held.release()
  }
}

/**
 * Records an export or import in the audit log. Returns a sentence for the operator if that is not possible, for example on a disk that is read-only.
 * An export from such a disk must still work.
 */
export const noteTransfer = async (config: Config, version: string, input: ActInput<'noteTransfer'>): Promise<string | undefined> => {
  try {
    await operate(config, version, 'noteTransfer', input)
    return undefined
  } catch (error) {
    return `The audit log has no record of this ${input.kind}: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Describes the fields of an input that an act refused. */
const faultsOf = ({ details }: ServiceError): string => {
  const faults = details['details']
  if (!Array.isArray(faults)) return ''
  return (faults as { path: string; message: string }[]).map(({ path, message }) => ` ${path}: ${message}.`).join('')
}

/** Runs an act. Throws `AdminError` if the act is refused, and `DataFolderError`, `PostgresError` or `S3Error`. */
export const operate = async <Name extends ActName>(
  config: Config,
  version: string,
  name: Name,
  input: ActInput<Name>
): Promise<ActAnswer<Name>> => {
  await requireData(config)
  try {
    const answer = await askServer(config.dataDir, name, input)
    return answer ?? (await withOwnServer(config, version, (service) => runAct(service, consoleOperator, name, input)))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new AdminError(`${error.message}${faultsOf(error)}`, { cause: error, exitCode: error.code === 'invalid_request' ? 64 : 1 })
  }
}
