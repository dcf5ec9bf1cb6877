/** The settings: the table of environment variables, and the code that turns them into a `Config`. */
import { readFileSync } from 'node:fs'
import { isIPv4, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { fieldMeant } from '../shared/nearest.ts'
import { isLoopback } from './auth/loopback.ts'
import { parseS3Address, s3AddressAllowed } from './blobs/s3/address.ts'
import { addressAllowed, isPostgresAddress } from './storage/postgres/address.ts'

/**
 * One environment variable. `default` is the text that is used if the variable is not set. If `default` is null, the value is derived as `docs` says.
 * `allowed` completes messages that begin with "must be".
 */
interface Variable {
  /** Settings that OpenTelemetry defines have its names, because collectors and platforms set them. */
  readonly name: `AGMD_${string}` | `OTEL_${string}`
  readonly default: string | null
  readonly unit: string
  readonly allowed: string
  readonly docs: string
  readonly secret: boolean
  readonly schema: z.ZodType<unknown, string>
}

const wholeNumber = (min: number, max: number) => z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max))
const onOff = z.enum(['on', 'off']).transform((text) => text === 'on')

const isOrigin = (url: URL) =>
  /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password

const origin = z
  .string()
  .refine((text) => URL.canParse(text) && isOrigin(new URL(text)))
  .transform((text) => new URL(text).origin)

const isBase = (url: URL): boolean => /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password

/** Returns the headers in a string such as `a=1,b=%20`; undefined if one of them cannot be sent. */
const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  try {
    const pairs = text.split(',').map((pair) => /^\s*([\w-]+)\s*=(.*)$/.exec(pair) ?? [])
    const headers = pairs.map(([, name = '', value = '']) => [name, decodeURIComponent(value.trim())] as const)
    return headers.every(([name, value]) => name !== '' && /^[\u0020-\u007e]+$/.test(value)) ? Object.fromEntries(headers) : undefined
  } catch {
    // The percent-encoding is invalid.
    return undefined
  }
}

/** Returns an address or network such as 10.0.0.0/8; undefined if the text is neither. */
const networkOf = (text: string): { readonly address: string; readonly bits: number } | undefined => {
  const [, address = '', length] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bitsMax = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  const bits = length === undefined ? bitsMax : Number(length)
  return bits < 0 || bits > bitsMax ? undefined : { address, bits }
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((each) => each !== '')

/** A comma-separated list of account ids and email addresses. */
const accounts = z
  .string()
  .transform((text) => wordsOf(text).map((each) => (each.includes('@') ? each.normalize('NFC').toLowerCase() : each)))

/** An issuer's address, which can have a path. It is compared character by character, so it must not be normalized. */
const issuer = z.string().refine((text) => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return (
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) &&
    !url.search &&
    !url.hash &&
    !url.username &&
    !url.password
  )
})

/**
 * Every setting of the server. `Config`, `.env.example` and the documentation are derived from this table. Secrets can also be given as NAME_FILE.
 */
export const configTable = {
  port: {
    name: 'AGMD_PORT',
    default: '8080',
    unit: 'TCP port',
    allowed: 'a whole number from 0 to 65535',
    docs: 'Port for HTTP and WebSocket. 0 uses any free port and logs its number.',
    secret: false,
    schema: wholeNumber(0, 65535)
  },
  host: {
    name: 'AGMD_HOST',
    default: '127.0.0.1',
    unit: 'address',
    allowed: 'an IP address or a host name without a port',
    docs: 'Address to listen on. The default is reachable from this machine only; use 0.0.0.0 in a container or to serve a network.',
    secret: false,
    schema: z.string().regex(/^([A-Za-z0-9.-]+|[0-9A-Fa-f:.]+)$/)
  },
  dataDir: {
    name: 'AGMD_DATA_DIR',
    default: './data',
    unit: 'path',
    allowed: 'a path',
    docs: 'Folder for everything that the server stores. The server creates it if it is missing. A relative path is resolved against the working directory.',
    secret: false,
    schema: z
      .string()
      .refine((path) => !path.includes('\0'))
      .transform((path) => resolve(path))
  },
  storage: {
    name: 'AGMD_STORAGE',
    default: null,
    unit: 'URL',
    allowed: addressAllowed,
    docs: 'Address of a PostgreSQL database (15 or newer) for the documents (docs/storage.md). The data folder then contains only the secret and the assets. Not set: LMDB in the data folder.',
    secret: true,
    schema: z.string().refine(isPostgresAddress)
  },
  blobs: {
    name: 'AGMD_BLOBS',
    default: null,
    unit: 'URL',
    allowed: s3AddressAllowed,
    docs: 'Address of a bucket in an S3-compatible object store for the assets (docs/storage.md). Not set: the data folder.',
    secret: true,
    schema: z.string().refine((text) => parseS3Address(text) !== undefined)
  },
  baseUrl: {
    name: 'AGMD_BASE_URL',
    default: null,
    unit: 'URL',
    allowed: 'an http(s) URL without a path, query or credentials, such as https://docs.example.org',
    docs: 'Address under which people reach this server, used in links and for the Origin check. Not set: http://localhost:PORT.',
    secret: false,
    schema: origin
  },
  trustProxy: {
    name: 'AGMD_TRUST_PROXY',
    default: '0',
    unit: 'proxies',
    allowed: 'a whole number from 0 to 16',
    docs: 'Number of reverse proxies in front of the server. The server trusts that many X-Forwarded-For entries, counted from the right. 0 ignores the header.',
    secret: false,
    schema: wholeNumber(0, 16)
  },
  logLevel: {
    name: 'AGMD_LOG_LEVEL',
    default: 'info',
    unit: 'level',
    allowed: 'error, warn, info or debug',
    docs: 'Lowest level that the server logs.',
    secret: false,
    schema: z.enum(['error', 'warn', 'info', 'debug'])
  },
  logFormat: {
    name: 'AGMD_LOG_FORMAT',
    default: null,
    unit: 'format',
    allowed: 'json or pretty',
    docs: 'Format of log lines. Not set: pretty on a terminal, otherwise json.',
    secret: false,
    schema: z.enum(['json', 'pretty'])
  },
  secret: {
    name: 'AGMD_SECRET',
    default: null,
    unit: 'text',
    allowed: 'at least 32 characters',
    docs: 'Secret from which this instance derives its keys. Not set: created at the first start and stored in the data folder.',
    secret: true,
    schema: z.string().min(32)
  },
  rateLimits: {
    name: 'AGMD_RATE_LIMITS',
    default: 'on',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether the server limits the rate of requests. off is for tests and benchmarks.',
    secret: false,
    schema: onOff
  },
  socketsPerAddress: {
    name: 'AGMD_SOCKETS_PER_ADDRESS',
    default: '400',
    unit: 'sockets',
    allowed: 'a whole number from 1 to 1000000',
    docs: 'Maximum number of simultaneous connections from one address. IPv6 addresses count by their /64 prefix. AGMD_RATE_LIMITS=off removes this limit.',
    secret: false,
    schema: wholeNumber(1, 1_000_000)
  },
  socketsPerDocument: {
    name: 'AGMD_SOCKETS_PER_DOCUMENT',
    default: '1000',
    unit: 'connections',
    allowed: 'a whole number from 1 to 1000000',
    docs: 'Maximum number of simultaneous connections to one document. One account or address gets at most a quarter of them, and one link at most four fifths. A tenth is reserved for owners. AGMD_RATE_LIMITS=off removes this limit.',
    secret: false,
    schema: wholeNumber(1, 1_000_000)
  },
  mcpPrefix: {
    name: 'AGMD_MCP_PREFIX',
    default: 'svc',
    unit: 'mode',
    allowed: '1 to 20 letters, digits and hyphens',
    docs: 'Prefix of the MCP tool names: svc.read_doc. Calls may use an underscore instead of the dot.',
    secret: false,
    schema: z.string().regex(/^[A-Za-z0-9-]{1,20}$/)
  },
  anonymousCreate: {
    name: 'AGMD_ANONYMOUS_CREATE',
    default: 'on',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether people without an account can create documents.',
    secret: false,
    schema: onOff
  },
  publishing: {
    name: 'AGMD_PUBLISHING',
    default: 'everybody',
    unit: 'mode',
    allowed: 'everybody, accounts or nobody',
    docs: 'Publishing policy: for everybody, for people and programs with an account, or for nobody. The role must also allow it. With nobody, published pages return 404.',
    secret: false,
    schema: z.enum(['everybody', 'accounts', 'nobody'])
  },
  searchEngines: {
    name: 'AGMD_SEARCH_ENGINES',
    default: 'on',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether owners can let search engines list a published page. off: all pages ask search engines not to list them.',
    secret: false,
    schema: onOff
  },
  requireVersion: {
    name: 'AGMD_REQUIRE_VERSION',
    default: 'off',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether a request that replaces an entire document must name the version that it read. Requests without a version get 428.',
    secret: false,
    schema: onOff
  },
  securityContact: {
    name: 'AGMD_SECURITY_CONTACT',
    default: null,
    unit: 'address',
    allowed: 'mailto: and an address, or an https address',
    docs: 'Contact for reports of vulnerabilities, published in /.well-known/security.txt. Not set: the home page.',
    secret: false,
    schema: z
      .string()
      .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/)
      .max(500)
  },
  signUp: {
    name: 'AGMD_SIGN_UP',
    default: 'open',
    unit: 'mode',
    allowed: 'open, invite or closed',
    docs: 'Sign-up policy: open to everybody, to people with a link from `npm start -- admin invite EMAIL`, or to nobody. With AGMD_AUTH_URL, the issuer decides.',
    secret: false,
    schema: z.enum(['open', 'invite', 'closed'])
  },
  authUrl: {
    name: 'AGMD_AUTH_URL',
    default: null,
    unit: 'URL',
    allowed: 'the https address of an OpenID Connect issuer (http on this machine only)',
    docs: 'Identity broker that signs people in. Not set: the built-in broker. Register BASE_URL/auth/callback there.',
    secret: false,
    schema: issuer
  },
  authClientId: {
    name: 'AGMD_AUTH_CLIENT_ID',
    default: null,
    unit: 'text',
    allowed: 'the id of a client',
    docs: 'Client id of this server at AGMD_AUTH_URL. Defaults to agmd.',
    secret: false,
    schema: z.string().max(500)
  },
  authClientSecret: {
    name: 'AGMD_AUTH_CLIENT_SECRET',
    default: null,
    unit: 'text',
    allowed: 'the secret of a client',
    docs: 'Client secret with which this server authenticates to AGMD_AUTH_URL. Not set: the server is a public client.',
    secret: true,
    schema: z.string()
  },
  agentIssuer: {
    name: 'AGMD_AGENT_ISSUER',
    default: null,
    unit: 'URL',
    allowed: 'the https address of an issuer (http on this machine only)',
    docs: 'Issuer of agent tokens (ai_). The server checks JWTs with its keys and asks the issuer about other tokens (RFC 7662). Not set: no agent tokens.',
    secret: false,
    schema: issuer
  },
  agentClientId: {
    name: 'AGMD_AGENT_CLIENT_ID',
    default: null,
    unit: 'text',
    allowed: 'the id of a client',
    docs: 'Client id of this server at AGMD_AGENT_ISSUER, for asking about tokens.',
    secret: false,
    schema: z.string().max(500)
  },
  agentClientSecret: {
    name: 'AGMD_AGENT_CLIENT_SECRET',
    default: null,
    unit: 'text',
    allowed: 'the secret of a client',
    docs: 'Client secret with which this server authenticates to AGMD_AGENT_ISSUER.',
    secret: true,
    schema: z.string()
  },
  assetMegabytes: {
    name: 'AGMD_ASSET_MEGABYTES',
    default: '200',
    unit: 'MiB',
    allowed: 'a whole number from 0 to 1048576',
    docs: 'Quota for the assets of one document. 0 refuses uploads.',
    secret: false,
    schema: wholeNumber(0, 1048576)
  },
  documentMegabytes: {
    name: 'AGMD_DOCUMENT_MEGABYTES',
    default: '256',
    unit: 'MiB',
    allowed: 'a whole number from 0 to 1048576',
    docs: 'Quota for the text, history, comments and suggestions of one document. 0: no quota.',
    secret: false,
    schema: wholeNumber(0, 1048576)
  },
  accountMegabytes: {
    name: 'AGMD_ACCOUNT_MEGABYTES',
    default: '10240',
    unit: 'MiB',
    allowed: 'a whole number from 0 to 1048576',
    docs: 'Quota for all documents of one account or agent, without assets. 0: no quota.',
    secret: false,
    schema: wholeNumber(0, 1048576)
  },
  anonymousMegabytes: {
    name: 'AGMD_ANONYMOUS_MEGABYTES',
    default: '1024',
    unit: 'MiB',
    allowed: 'a whole number from 0 to 1048576',
    docs: 'Quota for all documents that one address created without an account, without assets. Claiming a document frees its space. 0: no quota.',
    secret: false,
    schema: wholeNumber(0, 1048576)
  },
  nodeAccounts: {
    name: 'AGMD_NODE_ACCOUNTS',
    default: '',
    unit: 'accounts',
    allowed: 'account ids or email addresses, separated by commas',
    docs: 'Accounts whose compute nodes do media jobs for everybody. Nodes of other accounts work only for their own account. An email address counts only if somebody verified it: by an invitation, by `npm start -- admin reset EMAIL`, or by the issuer.',
    secret: false,
    schema: accounts
  },
  admins: {
    name: 'AGMD_ADMINS',
    default: '',
    unit: 'accounts',
    allowed: 'account ids or email addresses, separated by commas',
    docs: 'Accounts that administer this server at /admin. An email address counts only if somebody verified it: by an invitation, by `npm start -- admin reset EMAIL`, or by the issuer.',
    secret: false,
    schema: accounts
  },
  auditDays: {
    name: 'AGMD_AUDIT_DAYS',
    default: '365',
    unit: 'days',
    allowed: 'a whole number from 1 to 3650',
    docs: 'Number of days that audit log records are kept.',
    secret: false,
    schema: wholeNumber(1, 3650)
  },
  historyDays: {
    name: 'AGMD_HISTORY_DAYS',
    default: '0',
    unit: 'days',
    allowed: 'a whole number from 0 to 36500',
    docs: 'Number of days that old versions of a document are kept. Named versions and the newest one are always kept. 0: all versions are kept.',
    secret: false,
    schema: wholeNumber(0, 36500)
  },
  historyRevisions: {
    name: 'AGMD_HISTORY_REVISIONS',
    default: '0',
    unit: 'count',
    allowed: 'a whole number from 0 to 1000000',
    docs: 'Maximum number of versions without a name in a document’s history. Older ones are removed once a day. Named versions and the newest one are always kept. 0: no limit.',
    secret: false,
    schema: wholeNumber(0, 1_000_000)
  },
  foreignMedia: {
    name: 'AGMD_FOREIGN_MEDIA',
    default: 'on',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether documents show pictures, sound and video from other https addresses, which then see each reader’s network address. off: uploads only.',
    secret: false,
    schema: onOff
  },
  clientDocuments: {
    name: 'AGMD_CLIENT_DOCUMENTS',
    default: 'on',
    unit: 'switch',
    allowed: 'on or off',
    docs: 'Whether a program can identify itself by the https address of a document, which the server fetches. off: programs register themselves, and the server fetches nothing.',
    secret: false,
    schema: onOff
  },
  processes: {
    name: 'AGMD_PROCESSES',
    default: '1',
    unit: 'processes',
    allowed: 'a whole number from 1 to 64',
    docs: 'Number of server processes on this machine. They share its CPU cores. More than 1 requires AGMD_STORAGE (docs/storage.md, Several processes).',
    secret: false,
    schema: wholeNumber(1, 64)
  },
  idleUnloadSeconds: {
    name: 'AGMD_IDLE_UNLOAD_SECONDS',
    default: '60',
    unit: 'seconds',
    allowed: 'a whole number from 0 to 86400',
    docs: 'Number of seconds that a document stays in memory after everybody has closed it.',
    secret: false,
    schema: wholeNumber(0, 86400)
  },
  backup: {
    name: 'AGMD_BACKUP',
    default: null,
    unit: 'path or URL',
    allowed: `a folder, a file whose name ends in .tar, or ${s3AddressAllowed}`,
    docs: 'Place for the backups of `npm start -- admin backup` (docs/operations.md): a folder, a file whose name ends in .tar, or a folder in a bucket. Not set: each command must name the place.',
    secret: true,
    schema: z.string().refine((text) => !text.includes('\0') && (!text.startsWith('s3:') || parseS3Address(text) !== undefined))
  },
  metricsToken: {
    name: 'AGMD_METRICS_TOKEN',
    default: null,
    unit: 'text',
    allowed: 'at least 16 characters without spaces',
    docs: 'Token with which a monitoring program reads /metrics. If neither this nor AGMD_METRICS_ADDRESSES is set, the server has no metrics.',
    secret: true,
    schema: z.string().regex(/^\S{16,}$/)
  },
  metricsAddresses: {
    name: 'AGMD_METRICS_ADDRESSES',
    default: '',
    unit: 'addresses',
    allowed: 'IP addresses or networks such as 10.0.0.0/8, separated by commas',
    docs: 'Addresses that can read /metrics without the token, such as 127.0.0.1. Behind a proxy on this machine, also set AGMD_TRUST_PROXY; otherwise, all requests come from the proxy’s address.',
    secret: false,
    schema: z
      .string()
      .refine((text) => wordsOf(text).every((each) => networkOf(each) !== undefined))
      .transform((text) => wordsOf(text).flatMap((each) => networkOf(each) ?? []))
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: null,
    unit: 'URL',
    allowed: 'an http(s) URL without a query or credentials, such as http://127.0.0.1:4318',
    docs: 'Address of an OpenTelemetry collector that accepts OTLP over HTTP. The server sends traces to its path /v1/traces, as JSON. Not set: no traces.',
    secret: false,
    schema: z
      .string()
      .refine((text) => URL.canParse(text) && isBase(new URL(text)))
      .transform((text) => text.replace(/\/$/, ''))
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: null,
    unit: 'headers',
    allowed: 'name=value pairs, separated by commas, with percent-encoded values',
    docs: 'Headers for the collector, such as Authorization=Bearer%20TOKEN.',
    secret: true,
    schema: z
      .string()
      .refine((text) => headersOf(text) !== undefined)
      .transform((text) => headersOf(text) ?? {})
  },
  traceServiceName: {
    name: 'OTEL_SERVICE_NAME',
    default: 'agmd',
    unit: 'text',
    allowed: '1 to 200 characters',
    docs: 'Name of this server in traces.',
    secret: false,
    schema: z.string().max(200)
  },
  traceRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    unit: 'ratio',
    allowed: 'a number from 0 to 1, such as 0.1',
    docs: 'Share of the traces that the server sends. For a request with a valid traceparent, its sender decides.',
    secret: false,
    schema: z
      .string()
      .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/)
      .transform(Number)
  }
} as const satisfies Record<string, Variable>

type Table = typeof configTable
type Field = keyof Table
type Parsed = { readonly [F in Field]: z.output<Table[F]['schema']> | (Table[F]['default'] extends null ? null : never) }

/** The parsed settings. `baseUrl` is null only if it is not set and AGMD_PORT is 0. It then becomes http://localhost with the assigned port. */
export type Config = Omit<Parsed, 'logFormat'> & { readonly logFormat: NonNullable<Parsed['logFormat']> }

/** An invalid setting. The message names the variable, the value (masked if it is secret) and the allowed values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Environment = Readonly<Record<string, string | undefined>>

// Only the tests, the benchmarks, the launcher and compute nodes read these variables; the server does not.
const toolingVariable =
  /^AGMD_(STARTED_AS|CHROMIUM|REQUIRE_ALL|URL|TOKEN|AUTHOR|INSECURE_HTTP|INSTALL_DIR|TEST_\w+|BENCH_\w+|NODE_(TOKEN|OCR_LANGUAGES|WHISPER_MODEL|OPENAI_\w+))$/

/** Reads the settings from `env`. An empty variable counts as not set. The warnings name unknown AGMD_ variables. Throws `ConfigError`. */
export function readConfig(env: Environment, { isTty }: { readonly isTty: boolean }): { config: Config; warnings: readonly string[] } {
  const entries = Object.entries(configTable).map(([field, variable]) => [field, read(variable, env)])
  const parsed: Parsed = Object.fromEntries(entries)
  const config = {
    ...parsed,
    baseUrl: parsed.baseUrl ?? (parsed.port === 0 ? null : `http://localhost:${parsed.port}`),
    logFormat: parsed.logFormat ?? (isTty ? 'pretty' : 'json')
  }
  if (config.processes > 1 && config.storage === null)
    throw new ConfigError(
      `AGMD_PROCESSES is ${config.processes}, but one process at a time can use an LMDB store. Set AGMD_STORAGE to a PostgreSQL database, or remove AGMD_PROCESSES.`
    )
  return { config, warnings: unknownVariables(env) }
}

/** A setting as an operator sees it. */
export interface ShownSetting {
  readonly name: string
  /** The text of the setting. A secret is replaced with `***`, and so are the keys in an address. Null if the setting is not set. */
  readonly value: string | null
  readonly source: 'environment' | 'file' | 'default'
}

/** Returns all settings in the order of the table. Invalid settings are included. Throws `ConfigError` if a file cannot be read. */
export function showSettings(env: Environment): readonly ShownSetting[] {
  return Object.values(configTable).map((variable: Variable) => {
    const { name, secret } = variable
    const text = (secret ? secretText(variable, env) : env[name]) || undefined
    const source = text === undefined ? 'default' : env[name] ? 'environment' : 'file'
    return { name, value: text === undefined ? variable.default : secret ? masked(variable, text) : text, source }
  })
}

/** Masks a secret. If it is an address, only its keys are masked, because the rest helps to find a mistake. */
function masked({ unit }: Variable, text: string): string {
  const [, scheme] = /^(\w+:\/\/)/.exec(text) ?? []
  if (scheme === undefined) return unit.startsWith('path') ? text : '***'
  const at = text.lastIndexOf('@')
  return at < 0 ? text : `${scheme}***${text.slice(at)}`
}

function read(variable: Variable, env: Environment): unknown {
  const text = (variable.secret ? secretText(variable, env) : env[variable.name]) || variable.default
  if (text === null) return null
  const result = variable.schema.safeParse(text)
  if (result.success) return result.data
  const shown = variable.secret ? `a secret of ${text.length} characters` : JSON.stringify(text)
  throw new ConfigError(`${variable.name} is ${shown}, but must be ${variable.allowed}.`)
}

function secretText({ name }: Variable, env: Environment): string | undefined {
  const path = env[`${name}_FILE`]
  if (!path) return env[name]
  if (env[name]) throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`)
  const text = fileText(`${name}_FILE`, path).replace(/\r?\n$/, '')
  // An empty file is the result of a failed mount and not a request for the default.
  if (text === '') throw new ConfigError(`${name}_FILE is ${JSON.stringify(path)}, but that file is empty.`)
  return text
}

function fileText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ConfigError(`${name} is ${JSON.stringify(path)}, but must be a readable file (${reason}).`, { cause: error })
  }
}

function unknownVariables(env: Environment): string[] {
  const variables: Variable[] = Object.values(configTable)
  const known = new Set<string>(variables.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])))
  const unknown = Object.keys(env).filter((name) => name.startsWith('AGMD_') && !known.has(name) && !toolingVariable.test(name))
  return unknown.sort().map((name) => {
    const meant = fieldMeant(name, [...known])
    return `${name} is not a setting of agmd and is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
  })
}
