/**
 * A real PostgreSQL for the tests: Debian's programs, one cluster for each process of the tests, made when the first test asks for it. Its folder lies in
 * memory where there is such a file system: `fsync` stays on, and costs little.
 */
import { execFileSync, type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

import pg from 'pg'

import { freePort } from './free-port.ts'

const systemPrograms = '/usr/lib/postgresql'

/** Folder of the newest PostgreSQL of this machine. */
const findPrograms = (): string | undefined => {
  const debian = existsSync(systemPrograms) ? readdirSync(systemPrograms).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian.map((version) => join(systemPrograms, version, 'bin'))]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

const programs = findPrograms()

/** Why tests with PostgreSQL are skipped here; undefined when they run. In continuous integration a skipped test fails the run. */
export const noPostgres = programs === undefined ? 'PostgreSQL is not installed (Debian: apt-get install postgresql)' : undefined

/** PostgreSQL refuses to run as root. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (kind: string): number => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export interface Cluster {
  /** The address of a store in a schema, or of the default one. */
  address(schema?: string): string
  /** Runs SQL as the superuser. */
  sql(text: string): Promise<void>
  /** Stops all its processes where they are, as a machine that hangs does. */
  pause(): void
  resume(): void
  /** Ends all its processes at once, as a crash does. */
  kill(): Promise<void>
  /** Restarts it in good order, disconnecting everybody. */
  stop(): Promise<void>
  /** Starts it again on the same port. Resolves when it answers. */
  start(settings?: readonly string[]): Promise<void>
  /** Ends it and removes its folder. */
  remove(): void
}

/** A cluster of its own, for tests that stop it. `onDisk`: not in memory. */
export const newCluster = async ({ onDisk = false } = {}): Promise<Cluster> => {
  if (programs === undefined) throw new Error(noPostgres)
  const rights = unprivileged()
  const folder = mkdtempSync(join(!onDisk && existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'agmd-postgres-'))
  if (rights.uid !== undefined) chownSync(folder, rights.uid, rights.gid!)
  const data = join(folder, 'data')
  const init = ['-D', data, '-U', 'agmd', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C', '--no-instructions']
  execFileSync(join(programs, 'initdb'), init, { ...rights, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  appendFileSync(
    join(data, 'postgresql.conf'),
    `shared_buffers = 32MB\nmax_wal_size = 256MB\nunix_socket_directories = '${folder}'\nlisten_addresses = '127.0.0.1'\nlogging_collector = off\n`
  )
  const access = join(data, 'pg_hba.conf')
  writeFileSync(access, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(access, 'utf8')}`)
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

  /** Backends are groups of their own, so each process is signalled. */
  const signal = (name: NodeJS.Signals): void => {
    const pid = server?.pid
    if (pid === undefined || server?.exitCode !== null || server.signalCode !== null) return
    const family = readdirSync('/proc').filter((each) => /^\d+$/.test(each) && parentOf(each) === pid)
    // The parent first: it starts no more children.
    for (const each of [pid, ...family.map(Number)])
      try {
        process.kill(each, name)
      } catch {
        // It has ended meanwhile.
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
    address,
    sql,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: () => end('SIGKILL', true),
    stop: () => end('SIGINT', false),
    start,
    remove
  }
}

/** Ends the cluster and removes its folder when this process is gone, however it ended: the pipe closes then. */
const guard = (folder: string): void => {
  const script = 'read -r line; kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"; sleep 1; rm -rf "$0"'
  const child = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
}

const parentOf = (pid: string): number | undefined => {
  try {
    // The name of the program, in brackets, may hold spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1])
  } catch {
    return undefined
  }
}

let shared: Promise<Cluster> | undefined

/** The cluster of this process. It ends with the process. */
export const sharedCluster = (): Promise<Cluster> => {
  shared ??= newCluster().then((cluster) => {
    process.once('exit', cluster.remove)
    return cluster
  })
  return shared
}

let schemas = 0

/** The name of a schema that nobody has used. */
export const freshSchema = (): string => `t${process.pid}_${++schemas}`

/** The schema for a data folder: the same after a restart. */
export const schemaOf = (folder: string): string => `f${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`
