/**
 * The address of a PostgreSQL store, with the parameter names of libpq:
 *
 *     postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&schema=agmd
 *
 * Port, password and parameters may be left out. The parameter `host` names a folder that contains a socket. Unknown parameters are refused, so that
 * a misspelled `sslmode` does not silently connect without TLS.
 */
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** The settings that a store needs for a connection. */
export interface PostgresAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | undefined
  readonly database: string
  /** The TLS settings. False for an unencrypted connection. */
  readonly ssl: false | ConnectionOptions
  /** The schema that contains all tables of the store. Several services may share a database. */
  readonly schema: string
  /** The address without its password, for messages. */
  readonly shown: string
}

/** Completes messages that begin with "must be". */
export const addressAllowed = 'an address like postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full'

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
const parameters = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'schema']

/** Whether a string is the address of a PostgreSQL store. Does not read the certificate files that the address names. */
export const isPostgresAddress = (text: string): boolean => partsOf(text) !== undefined

/** Returns the parts of a valid address (`isPostgresAddress`). Throws an `Error` that names a certificate file if the file cannot be read. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const parts = partsOf(text)
  if (parts === undefined) throw new Error(`The address of the store must be ${addressAllowed}.`)
  const { url, host, port, user, database, schema, mode } = parts
  const at = host.startsWith('/') ? `${host} (port ${port})` : `${host}:${port}`
  return {
    host,
    port,
    user,
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    database,
    ssl: sslOf(mode, url.searchParams),
    schema,
    shown: `database ${database} at ${at} as ${user}${schema === 'agmd' ? '' : `, schema ${schema}`}`
  }
}

/** Whether other people can read the traffic, because the connection leaves this machine and is not encrypted. */
export const isExposed = ({ host, ssl }: PostgresAddress): boolean =>
  ssl === false && !host.startsWith('/') && !['localhost', '127.0.0.1', '::1'].includes(host)

interface Parts {
  readonly url: URL
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly schema: string
  readonly mode: (typeof modes)[number]
}

function partsOf(text: string): Parts | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const names = [...url.searchParams.keys()]
  const mode = modes.find((each) => each === (url.searchParams.get('sslmode') ?? 'disable'))
  const schema = url.searchParams.get('schema') ?? 'agmd'
  const database = decoded(url.pathname.slice(1))
  const user = decoded(url.username)
  const host = url.searchParams.get('host') ?? decoded(url.hostname)?.replace(/^\[(.*)\]$/, '$1')
  const known = names.every((name, index) => parameters.includes(name) && names.indexOf(name) === index)
  if (!known || mode === undefined || !/^[a-z_][a-z0-9_]{0,40}$/.test(schema) || decoded(url.password) === undefined) return undefined
  if (!database || !user || !host || database.includes('/') || url.hash !== '') return undefined
  return { url, host, port: url.port === '' ? 5432 : Number(url.port), user, database, schema, mode }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the TLS settings, which have the same meaning as in libpq: `require` encrypts without verifying the certificate, `verify-ca` verifies its
 * signer, and `verify-full` also verifies the name in it.
 */
function sslOf(mode: Parts['mode'], given: URLSearchParams): false | ConnectionOptions {
  if (mode === 'disable') return false
  const file = (name: string): Buffer | undefined => {
    const path = given.get(name)
    return path === null ? undefined : readFileSync(path)
  }
  const [ca, cert, key] = [file('sslrootcert'), file('sslcert'), file('sslkey')]
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined })
  }
}
