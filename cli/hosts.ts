/**
 * Stores the sessions and keys for services in `$XDG_CONFIG_HOME/agmd/hosts.json`, which only its owner can read. A secret is sent only to the origin
 * under which it is stored. The format of the file:
 *
 *     { "https://docs.example": { "token", "user", "insecureHttp", "keys": [{ "doc", "key", "role" }] } }
 */
import { createHash } from 'node:crypto'
import { chmodSync, closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Role } from '../shared/roles.ts'
import { roles } from '../shared/roles.ts'
import { Failure } from './failure.ts'
import { makeFolder, writeWhole } from './files.ts'

export interface KnownKey {
  readonly doc: string
  readonly key: string
  readonly role: Role
}

export interface Host {
  readonly token?: string
  /** Name of the signed-in person, for display only. */
  readonly user?: string
  /** Whether the user has allowed connections without encryption (plain-http.ts). */
  readonly insecureHttp?: boolean
  /** Document keys, newest last. */
  readonly keys?: readonly KnownKey[]
}

type Hosts = Readonly<Record<string, Host>>

/** Maximum number of keys per service. The oldest is removed first. */
const keysMax = 1000

/** Age in milliseconds above which a lock counts as abandoned: the process that held it was probably killed. */
const staleLockMs = 5_000

export const configFolder = (): string => {
  const { XDG_CONFIG_HOME } = process.env
  // The XDG Base Directory Specification requires programs to ignore relative paths.
  const base = XDG_CONFIG_HOME?.startsWith('/') === true ? XDG_CONFIG_HOME : join(homedir(), '.config')
  return join(base, 'agmd')
}

export const hostsPath = (): string => join(configFolder(), 'hosts.json')

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads all stored data. Throws `config_unusable`. */
export const readHosts = (): Hosts => {
  const path = hostsPath()
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return {}
  // The file was readable by other users of this machine. Its permissions are corrected here.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(path, 0o600)
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(parsed) && Object.values(parsed).every(isRecord)) return parsed as Hosts
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Failure('config_unusable', `${path} is damaged.`, 'Repair the file, or move it away and sign in again.')
}

const takeLock = (path: string): void => {
  for (;;) {
    try {
      return closeSync(openSync(path, 'wx', 0o600))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const held = statSync(path, { throwIfNoEntry: false })
      if (held !== undefined && Date.now() - held.mtimeMs > staleLockMs) rmSync(path, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

/** Changes the stored data of one service. A lock makes simultaneous commands wait for each other. */
const changeHost = (origin: string, change: (host: Host) => Host): void => {
  makeFolder(configFolder(), 0o700)
  const lock = `${hostsPath()}.lock`
  takeLock(lock)
  try {
    const hosts = readHosts()
    const changed = change(hosts[origin] ?? {})
    const { [origin]: _former, ...others } = hosts
    const next = Object.keys(changed).length === 0 ? others : { ...others, [origin]: changed }
    writeWhole(hostsPath(), `${JSON.stringify(next, null, 2)}\n`, 0o600)
  } finally {
    rmSync(lock, { force: true })
  }
}

export const rememberSession = (origin: string, token: string, user: string): void =>
  changeHost(origin, (host) => ({ ...host, token, user }))

export const forgetSession = (origin: string): void => changeHost(origin, ({ token: _token, user: _user, ...host }) => host)

export const allowInsecureHttp = (origin: string): void => changeHost(origin, (host) => ({ ...host, insecureHttp: true }))

export const allowsInsecureHttp = (origin: string): boolean => readHosts()[origin]?.insecureHttp === true

export const rememberKey = (origin: string, known: KnownKey): void =>
  changeHost(origin, (host) => {
    const others = (host.keys ?? []).filter(({ doc, key }) => doc !== known.doc || key !== known.key)
    return { ...host, keys: [...others, known].slice(-keysMax) }
  })

export const isKnown = (origin: string, doc: string, key: string): boolean =>
  (readHosts()[origin]?.keys ?? []).some((known) => known.doc === doc && known.key === key)

export const forgetDocument = (origin: string, gone: string): void =>
  changeHost(origin, ({ keys = [], ...host }) => {
    const left = keys.filter(({ doc }) => doc !== gone)
    return left.length === 0 ? host : { ...host, keys: left }
  })

/** Returns a fingerprint that identifies a key without revealing it. The fingerprint is stored next to pulled files. */
export const fingerprint = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/**
 * Returns the key with the highest role that is stored for a document. If several keys have that role, the most recently used one is returned. With
 * `print`, only the key with that fingerprint is considered.
 */
export const knownKey = (origin: string, doc: string, print?: string): string | undefined => {
  const known = (readHosts()[origin]?.keys ?? []).filter((each) => each.doc === doc)
  if (print !== undefined) return known.find(({ key }) => fingerprint(key) === print)?.key
  return known.toSorted((one, other) => roles.indexOf(one.role) - roles.indexOf(other.role)).at(-1)?.key
}
