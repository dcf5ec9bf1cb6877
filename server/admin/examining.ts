/** The checks of `admin doctor`. Each one examines a part of an installation that can cause problems. */
import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { findAccount, findAccountByEmail, isNamed } from '../domain/accounts/accounts.ts'
import type { Storage } from '../domain/ports.ts'
import { readInstance, readSecret, secretBytes } from '../storage/data-folder.ts'
import { checkStore } from '../storage/check.ts'
import { fileBytes, freeBytes } from '../storage/disk.ts'
import { addressOf } from '../storage/postgres/open.ts'
import { judgeServer, readSettings, withClient } from '../storage/postgres/prepare.ts'
import { openRepository, readSnapshots } from './backups/repositories.ts'
import { openInstallation } from './installation.ts'
import { retentionText } from './retention.ts'

export interface Finding {
  /** The part that was checked, such as `disk`. */
  readonly part: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** The next step; absent if there is nothing to do. */
  readonly next?: string
}

const ok = (part: string, message: string): Finding => ({ part, state: 'ok', message })
const warning = (part: string, message: string, next: string): Finding => ({ part, state: 'warning', message, next })
const problem = (part: string, message: string, next: string): Finding => ({ part, state: 'problem', message, next })

const gibibyte = 1024 ** 3
/** Free disk space, in bytes, below which `doctor` reports a warning or a problem. */
const freeWarning = 2 * gibibyte
const freeProblem = gibibyte / 4

/** File systems on other machines, by the magic number of statfs(2): NFS, SMB, CIFS and FUSE. LMDB needs a local disk. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546])

/** Age of the newest backup, in milliseconds, above which `doctor` reports a warning. */
const backupAgeMax = 48 * 60 * 60 * 1000

/** Maximum time to wait for a response from the server, in milliseconds. */
const answerMsMax = 5_000

/** Examines each part of the installation and yields the findings. No check changes the installation. */
export async function* examine(env: Parameters<typeof readConfig>[0], version: string, now: number): AsyncGenerator<Finding> {
  yield ok('program', `agmd ${version} runs on Node ${process.versions.node}.`)
  const config = yield* examineSettings(env)
  if (config === undefined) return
  const used = yield* examineFolder(config)
  yield* examineDisk(config)
  if (used) {
    yield* examineSecret(config)
    yield* examineStore(config)
    yield examineHistory(config)
    yield* examineBackups(config, now)
  }
  yield* examineServer(config)
  yield* examineAddress(config)
}

function* examineSettings(env: Parameters<typeof readConfig>[0]): Generator<Finding, Config | undefined> {
  try {
    const { config, warnings } = readConfig(env, { isTty: false })
    for (const text of warnings)
      yield warning('settings', text, 'Remove the variable, or correct its name: npm start -- admin config --dump')
    if (warnings.length === 0) yield ok('settings', 'All settings are valid.')
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    yield problem('settings', error.message, 'Correct this setting. The other checks need it.')
    return undefined
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Examines the data folder. Returns whether it has data. */
async function* examineFolder({ dataDir }: Config): AsyncGenerator<Finding, boolean> {
  const part = 'data folder'
  if (!existsSync(dataDir)) {
    yield warning(
      part,
      `${dataDir} does not exist yet.`,
      'Start the server once (npm start), or set AGMD_DATA_DIR to the folder with the data.'
    )
    return false
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    yield problem(
      part,
      `This user cannot write to ${dataDir}.`,
      'Run the command as the user that runs the server, or change the owner of the folder.'
    )
    return false
  }
  const { mode } = await stat(dataDir)
  if ((mode & 0o077) !== 0) yield warning(part, `Other users of this machine can look into ${dataDir}.`, `chmod 700 ${dataDir}`)
  const { type } = await statfs(dataDir)
  if (remoteFileSystems.has(type))
    yield warning(part, `${dataDir} is on a network file system.`, 'Use a local disk. Otherwise, the store may be damaged.')
  try {
    const instance = await readInstance(dataDir)
    const isUsed = instance !== undefined && (instance.initialised || instance.store === 'postgres')
    if (!isUsed) yield warning(part, `There is no data in ${dataDir} yet.`, 'Start the server once (npm start).')
    else
      yield ok(
        part,
        `${dataDir} has data format ${instance.format}, and was created by version ${instance.createdBy} on ${instance.createdAt.slice(0, 10)}.`
      )
    return isUsed
  } catch (error) {
    yield problem(part, reasonOf(error), 'Do what the message says, then run this command again.')
    return false
  }
}

async function* examineDisk({ dataDir }: Config): AsyncGenerator<Finding> {
  if (!existsSync(dataDir)) return
  const free = await freeBytes(dataDir)
  const store = await fileBytes(join(dataDir, 'store', 'data.mdb'))
  const text = `${(free / gibibyte).toFixed(1)} GiB are free; the store uses ${(store / gibibyte).toFixed(1)} GiB.`
  const next = 'Free space, or move the data folder to a larger disk.'
  if (free < freeProblem) yield problem('disk', text, next)
  else if (free < Math.max(freeWarning, store / 4)) yield warning('disk', text, next)
  else yield ok('disk', text)
}

async function* examineSecret({ dataDir, secret }: Config): AsyncGenerator<Finding> {
  if (secret !== null) return yield ok('secret', 'AGMD_SECRET is set. Keep a copy of it, because backups do not contain it.')
  try {
    const { length } = await readSecret(dataDir)
    const path = join(dataDir, 'secret')
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) yield warning('secret', `Other users can read ${path}, which decrypts all links.`, `chmod 600 ${path}`)
    else yield ok('secret', `The secret has ${length} of ${secretBytes} bytes, and only its owner can read it.`)
  } catch (error) {
    yield problem('secret', reasonOf(error), 'Restore the file secret from a backup.')
  }
}

/** Returns a warning for each entry in AGMD_ADMINS that makes nobody an administrator. */
const findingsOnAdmins = async ({ admins }: Config, storage: Storage): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const named of admins) {
    const account = await (named.includes('@') ? findAccountByEmail({ storage }, named) : findAccount({ storage }, named))
    if (account !== undefined && isNamed([named], account)) continue
    const reason = account === undefined ? 'but there is no such account.' : 'but nobody has verified this address.'
    const next =
      account === undefined
        ? 'Correct the name, or invite the person: npm start -- admin invite EMAIL'
        : `npm start -- admin reset ${named}`
    findings.push(warning('administrators', `AGMD_ADMINS names ${named}, ${reason}`, next))
  }
  return findings
}

async function* examineStore(config: Config): AsyncGenerator<Finding> {
  try {
    if (config.storage === null) await checkStore(config.dataDir)
    else {
      const address = addressOf(config.storage)
      const { warnings } = await withClient(address, async (client) => judgeServer(address, await readSettings(client)))
      for (const text of warnings) yield warning('store', text, 'See docs/storage.md.')
    }
    const installation = await openInstallation(config)
    const findings = await findingsOnAdmins(config, installation.snapshot.storage)
    const records = await installation.snapshot.count().finally(() => void installation.close())
    const checked = config.storage === null ? ' The first and last of them match their checksums.' : ''
    yield ok('store', `The store (${installation.store === 'lmdb' ? 'LMDB' : 'PostgreSQL'}) has ${records} records.${checked}`)
    yield* findings
    if (config.blobs !== null) yield ok('assets', 'The bucket answers and belongs to this installation.')
  } catch (error) {
    yield problem('store', reasonOf(error), 'Do what the message says. To check everything: npm start -- admin verify')
  }
}

const examineHistory = ({ historyDays: days, historyRevisions: revisions }: Config): Finding =>
  ok('history', retentionText({ days, revisions }))

async function* examineBackups({ backup }: Config, now: number): AsyncGenerator<Finding> {
  const next = 'Schedule: npm start -- admin backup'
  if (backup === null) return yield warning('backups', 'AGMD_BACKUP is not set, so this command cannot look for backups.', next)
  try {
    const repository = await openRepository(backup)
    const snapshot = (await readSnapshots(repository).finally(() => void repository.close())).at(-1)
    if (snapshot === undefined) return yield problem('backups', `There is no complete backup in ${repository.shown}.`, next)
    const newest = snapshot.id
    if (snapshot.manifest === undefined) {
      const message = `The newest backup in ${repository.shown} is damaged.`
      return yield problem('backups', message, `Remove the file snapshots/${newest}.json, and run: npm start -- admin backup`)
    }
    const [year, month, day, hour, minute] = [0, 4, 6, 9, 11].map((at) => Number(newest.slice(at, at === 0 ? 4 : at + 2)))
    const age = now - Date.UTC(year!, month! - 1, day, hour, minute)
    const text = `The newest backup in ${repository.shown} is ${Math.round(age / 3_600_000)} hours old.`
    yield age > backupAgeMax ? warning('backups', text, next) : ok('backups', text)
  } catch (error) {
    yield problem('backups', reasonOf(error), next)
  }
}

const canListen = (port: number, host: string): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once('error', () => resolve(false))
  server.listen(port, host, () => server.close(() => resolve(true)))
  return promise
}

interface Answer {
  readonly status: number
  readonly json: { readonly version?: unknown; readonly hint?: unknown }
}

const answerOf = async (url: string): Promise<Answer | undefined> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerMsMax), redirect: 'manual' })
    const json = (await answer.json().catch(() => ({}))) as Answer['json']
    return { status: answer.status, json }
  } catch {
    return undefined
  }
}

const localUrl = ({ host, port }: Config): string => {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${local}:${port}`
}

async function* examineServer(config: Config): AsyncGenerator<Finding> {
  const { host, port } = config
  if (port === 0) return yield ok('server', 'AGMD_PORT is 0, so the server chooses its port.')
  const ready = await answerOf(`${localUrl(config)}/readyz`)
  if (ready?.status === 200) return yield ok('server', `The server answers at ${localUrl(config)} and accepts writes.`)
  const isOurs = ready !== undefined && (await answerOf(`${localUrl(config)}/api/health`))?.json.version !== undefined
  if (isOurs) return yield problem('server', 'The server runs, but is not ready.', String(ready.json.hint ?? 'Read its log.'))
  if (await canListen(port, host)) yield warning('server', `The server does not run. Port ${port} is free.`, 'Start it: npm start')
  else
    yield problem(
      'server',
      `Another program uses port ${port} of ${host}, or this user may not use it.`,
      'Stop that program, or set AGMD_PORT.'
    )
}

const isLoopback = (name: string): boolean => ['localhost', '127.0.0.1', '[::1]', '::1'].includes(name)

async function* examineAddress(config: Config): AsyncGenerator<Finding> {
  const { baseUrl, trustProxy, host } = config
  const part = 'address'
  const { protocol, hostname } = new URL(baseUrl ?? 'http://localhost')
  if (isLoopback(hostname)) {
    if (!isLoopback(host))
      yield warning(
        part,
        'AGMD_HOST opens the server to a network, but links point to localhost.',
        'Set AGMD_BASE_URL to the address that people use.'
      )
    else yield ok(part, 'Only this machine can reach the server.')
    return
  }
  if (protocol === 'http:')
    yield warning(
      part,
      `${baseUrl} is not encrypted.`,
      'Put a proxy with TLS in front (docs/operations.md), and use https in AGMD_BASE_URL.'
    )
  if (protocol === 'https:' && trustProxy === 0)
    yield warning(
      part,
      'AGMD_BASE_URL uses https, which needs a proxy, but AGMD_TRUST_PROXY is 0. All visitors therefore seem to have the same address.',
      'Set AGMD_TRUST_PROXY to the number of proxies.'
    )
  const answer = await answerOf(`${baseUrl}/api/health`)
  if (answer?.json.version === undefined)
    yield warning(
      part,
      `${baseUrl} does not lead to the server from this machine.`,
      'Check the proxy and its certificate. Some networks cannot reach their own public address.'
    )
  else yield ok(part, `${baseUrl} leads to the server.`)
}
