/**
 * A real PostgreSQL for the tests, from Debian's packages. Each test process has one cluster, which is created when a test first needs it. If
 * possible, its folder is in memory, so that `fsync` can stay on and still cost little.
 */
import { execFileSync, type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import pg from 'pg'

import { freePort } from './free-port.ts'

const systemPrograms = '/usr/lib/postgresql'

/** Returns the folder of the newest PostgreSQL on this machine. */
const findPrograms = (): string | undefined => {
  const debian = existsSync(systemPrograms) ? readdirSync(systemPrograms).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian.map((version) => join(systemPrograms, version, 'bin'))]
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  // A folder of links may have only some of the programs.
  return found && dirname(realpathSync(join(found, 'initdb')))
}

const programs = findPrograms()

/** The reason why tests with PostgreSQL are skipped here. Undefined if they run. In continuous integration, a skipped test makes the run fail. */
export const noPostgres = programs === undefined ? 'PostgreSQL is not installed (Debian: apt-get install postgresql)' : undefined

/** Returns the user to run PostgreSQL as, because PostgreSQL refuses to run as root. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (kind: string): number => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export interface Cluster {
  readonly port: number
  /** Returns the address of a store in a schema, or in the default one. */
  address(schema?: string): string
  /** Runs SQL as the superuser. */
  sql(text: string): Promise<void>
  /** Pauses all processes of the cluster, like a machine that hangs. */
  pause(): void
  resume(): void
  /** Kills all processes of the cluster at once, as in a crash. */
  kill(): Promise<void>
  /** Stops the cluster properly, which disconnects everybody. */
  stop(): Promise<void>
  /** Starts the cluster again on the same port. Resolves when it answers. */
  start(settings?: readonly string[]): Promise<void>
  /** Makes a standby, which receives all changes of this cluster by streaming under the name `standby`. */
  standby(): Promise<Cluster>
  /** Makes a standby accept writes, as in a failover. */
  promote(): Promise<void>
  /** Ends the cluster and removes its folder. */
  remove(): void
}

type Rights = ReturnType<typeof unprivileged>

/** Creates the files of an empty cluster. */
const initialize = (from: string, folder: string, data: string, rights: Rights): void => {
  const init = ['-D', data, '-U', 'agmd', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C', '--no-instructions']
  execFileSync(join(from, 'initdb'), init, { ...rights, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  appendFileSync(
    join(data, 'postgresql.conf'),
    `shared_buffers = 32MB\nmax_connections = 500\nmax_wal_size = 256MB\nunix_socket_directories = '${folder}'\nlisten_addresses = '127.0.0.1'\nlogging_collector = off\n`
  )
  const access = join(data, 'pg_hba.conf')
  writeFileSync(access, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(access, 'utf8')}`)
}

/** Creates a separate cluster for tests that stop it. With `onDisk`, it is not in memory. */
export const newCluster = async ({ onDisk = false, primary }: { onDisk?: boolean; primary?: number } = {}): Promise<Cluster> => {
  if (programs === undefined) throw new Error(noPostgres)
  const rights = unprivileged()
  const folder = mkdtempSync(join(!onDisk && existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'agmd-postgres-'))
  if (rights.uid !== undefined) chownSync(folder, rights.uid, rights.gid!)
  const data = join(folder, 'data')
  if (primary === undefined) initialize(programs, folder, data, rights)
  else {
    const from = `host=127.0.0.1 port=${primary} user=agmd application_name=standby`
    const words = ['-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    execFileSync(join(programs, 'pg_basebackup'), words, { ...rights, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    appendFileSync(join(data, 'postgresql.conf'), `unix_socket_directories = '${folder}'\n`)
  }
  guard(folder)
  const port = await freePort()
  let server: ChildProcess | undefined

  const address = (schema?: string): string =>
    `postgres://agmd@127.0.0.1:${port}/postgres${schema === undefined ? '' : `?schema=${schema}`}`

  const sql = async (text: string): Promise<void> => {
    const client = new pg.Client(address())
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  const answers = async (): Promise<boolean> =>
    sql('select 1').then(
      () => true,
      () => false
    )

  const start = async (settings: readonly string[] = []): Promise<void> => {
    const words = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    server = spawn(join(programs, 'postgres'), words, { ...rights, cwd: folder, stdio: 'ignore' })
    while (!(await answers())) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Signals each process, because every backend has its own process group. */
  const signal = (name: NodeJS.Signals): void => {
    const pid = server?.pid
    if (pid === undefined || server?.exitCode !== null || server.signalCode !== null) return
    const family = readdirSync('/proc').filter((each) => /^\d+$/.test(each) && parentOf(each) === pid)
    // The parent comes first, so that it starts no more children.
    for (const each of [pid, ...family.map(Number)])
      try {
        process.kill(each, name)
      } catch {
        // The process has since ended.
      }
  }

  const end = async (name: NodeJS.Signals, all: boolean): Promise<void> => {
    const ended = once(server!, 'exit')
    if (all) signal(name)
    else server!.kill(name)
    await ended
    server = undefined
  }

  const remove = (): void => {
    if (server !== undefined) signal('SIGKILL')
    server = undefined
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  await start()
  return {
    port,
    address,
    sql,
    standby: () => newCluster({ onDisk, primary: port }),
    promote: () => sql('select pg_promote()'),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: () => end('SIGKILL', true),
    stop: () => end('SIGINT', false),
    start,
    remove
  }
}

/**
 * Starts a process that ends the cluster and removes its folder when this process has ended in any way. The guard notices this because the pipe
 * closes.
 */
const guard = (folder: string): void => {
  const script = 'read -r line; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; sleep 1; rm -rf "$0"'
  const child = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
}

const parentOf = (pid: string): number | undefined => {
  try {
    // The name of the program is in brackets and may contain spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1])
  } catch {
    return undefined
  }
}

let shared: Promise<Cluster> | undefined

/** Returns the cluster of this process. It ends with the process. */
export const sharedCluster = (): Promise<Cluster> => {
  shared ??= newCluster().then((cluster) => {
    process.once('exit', cluster.remove)
    return cluster
  })
  return shared
}

let schemas = 0

/** Returns the name of a schema that nobody has used. */
export const freshSchema = (): string => `t${process.pid}_${++schemas}`

/** Returns the schema for a data folder. It stays the same after a restart. */
export const schemaOf = (folder: string): string => `f${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
