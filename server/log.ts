/** The log. It has one line for each record, as JSON or in a form for people, with secrets redacted. */
import { inspect } from 'node:util'
import { hideShareSecret } from '../shared/names.ts'

/** The log levels, most severe first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Readonly<Record<string, unknown>>

/** Writes one record: a short constant message, and fields for the variable parts. Secrets in the message and in the fields are redacted. */
export type LogWriter = (message: string, fields?: LogFields) => void

export interface Log extends Readonly<Record<LogLevel, LogWriter>> {
  /** Returns a log that adds `fields` to every record. */
  with(fields: LogFields): Log
}

export interface LogOptions {
  readonly level: LogLevel
  readonly format: 'json' | 'pretty'
  /** Writes one complete record, including its line break. */
  readonly write: (line: string) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The maximum length of a record in bytes, including its line break. Syslog and container log drivers do not split records of this length. */
export const logRecordBytesMax = 8192

// Even if every character is escaped, the message takes less than half of the limit. The rest is for the time, the level, and the names of the
// omitted fields.
const messageCharsWhenCut = 512
const depthMax = 6
const itemsMax = 100

/** Creates a log with one line for each record: JSON, or text for people. In the text, an error's stack follows its record, indented. */
export function createLog(options: LogOptions): Log {
  return logWith(options, {})
}

/**
 * Returns a `write` that collects the records of one turn of the event loop, and writes them together after the turn. A response therefore never
 * waits for the log. Call `flush` when the process exits.
 */
export function collectTurns(write: LogOptions['write']): { readonly write: LogOptions['write']; readonly flush: () => void } {
  let collected = ''
  const flush = (): void => {
    const lines = collected
    collected = ''
    if (lines !== '') write(lines)
  }
  return {
    flush,
    write(line) {
      if (collected === '') setImmediate(flush)
      collected += line
    }
  }
}

function logWith(options: LogOptions, common: LogFields): Log {
  const silent: LogWriter = () => {}
  const writer = (level: LogLevel): LogWriter => {
    if (logLevels.indexOf(level) > logLevels.indexOf(options.level)) return silent
    return (message, fields) => writeRecord(options, level, message, { ...common, ...fields })
  }
  return {
    error: writer('error'),
    warn: writer('warn'),
    info: writer('info'),
    debug: writer('debug'),
    with: (fields) => logWith(options, { ...common, ...fields })
  }
}

function writeRecord({ format, write, now }: LogOptions, level: LogLevel, message: string, fields: LogFields): void {
  const present = format === 'json' ? jsonLine : prettyLines
  const time = new Date(now()).toISOString()
  write(capped((kept, text) => present(time, level, text, kept), redactText(message), redactFields(fields)))
}

/** Presents a record, without its longest fields if it would exceed the limit. `cut` names the fields that were left out. */
function capped(present: (fields: LogFields, message: string) => string, message: string, fields: LogFields): string {
  const whole = present(fields, message)
  if (Buffer.byteLength(whole) <= logRecordBytesMax) return whole
  const shortestFirst = Object.entries(fields).sort((a, b) => shown(a[1]).length - shown(b[1]).length)
  const text = message.slice(0, messageCharsWhenCut)
  for (let count = shortestFirst.length - 1; count > 0; count--) {
    const cut = shortestFirst.slice(count).map(([name]) => name.slice(0, 64))
    const line = present({ ...Object.fromEntries(shortestFirst.slice(0, count)), cut: cut.slice(0, 16) }, text)
    if (Buffer.byteLength(line) <= logRecordBytesMax) return line
  }
  return present({ cut: true }, text)
}

// ——— Presenting ———

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  return `${escapeControls(JSON.stringify({ ...fields, time, level, message }, jsonFirst(['time', 'level', 'message'])))}\n`
}

/** Puts these names first in the outermost object, so that people can read the log in columns. */
function jsonFirst(names: readonly string[]): (name: string, value: unknown) => unknown {
  return (name, value) => {
    if (name !== '' || !isPlain(value)) return value
    return { ...Object.fromEntries(names.map((first) => [first, value[first]])), ...value }
  }
}

function prettyLines(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const words = Object.entries(fields).map(
    ([name, value]) => `${word(name)}=${word(isPlain(value) && value.stack ? value.message : value)}`
  )
  const stacks = Object.values(fields).flatMap((value) =>
    isPlain(value) && typeof value.stack === 'string' ? stackLines(value.stack) : []
  )
  const first = [time.slice(11, 23), level.toUpperCase().padEnd(5), oneLine(message), ...words].join(' ')
  return [first, ...stacks].join('\n') + '\n'
}

// The lines are indented, so that text from a user cannot be mistaken for a record.
const stackLines = (stack: string) => stack.split(/\r?\n/).map((line) => `    ${oneLine(line.trim())}`)

const word = (value: unknown) => (/^[\w.:/@-]+$/.test(shown(value)) ? shown(value) : escapeControls(JSON.stringify(value) ?? 'undefined'))
const oneLine = (text: string) => escapeControls(JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"'))
const shown = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'))

// JSON does not escape these characters, but terminals act on them (C1 controls) or treat them as line breaks (U+2028, U+2029).
const escapeControls = (text: string) =>
  text.replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

// ——— Redacting ———

const hidden = '[redacted]'
const secretFields = new Set(['authorization', 'x-share-key', 'cookie', 'set-cookie', 'proxy-authorization', 'secret', 'password', 'token'])
const secretParameters = new Set(['key', 'token', 'code'])

// Names can have a prefix (access_token, share-key). The text can be percent-encoded, as in ?return=%2Fd%2Fx%3Fkey%3D…
const parameter = /([?&#]|%3f|%26|%23)((?:[\w-]*[_-])?(?:key|token|code|secret))(=|%3d)(?:(?!%26|%23)[^\s&#"'<>])*/gi
const headerLine = /\b(authorization|x-share-key|cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+/gi
const jsonToken = /("(?:\w*_)?(?:token|secret|password)"\s*:\s*")[^"]*/gi
const bearer = /\bbearer\s+[^\s"',;]+/gi
const token = /\b(asess|anode|ai)_[A-Za-z0-9_-]{8,}/g

/** Returns `text` without the values of secret query parameters and headers, the secrets of links in paths, and session and agent tokens. */
export function redactText(text: string): string {
  // The record will be truncated anyway, so searching the rest of long text would only cost time.
  return hideShareSecret(text.slice(0, 2 * logRecordBytesMax))
    .replace(parameter, `$1$2$3${hidden}`)
    .replace(headerLine, `$1$2${hidden}`)
    .replace(jsonToken, `$1${hidden}`)
    .replace(bearer, `Bearer ${hidden}`)
    .replace(token, `$1_${hidden}`)
}

/**
 * Returns `fields` as plain JSON values without secrets. The names of secret headers are redacted everywhere; key, token and code only inside
 * `query`.
 */
export function redactFields(fields: LogFields): LogFields {
  return redactEntries(Object.entries(fields), secretFields, 0)
}

function redactEntries(entries: readonly (readonly [string, unknown])[], secret: ReadonlySet<string>, depth: number): LogFields {
  return Object.fromEntries(
    entries.slice(0, itemsMax).map(([name, value]) => {
      if (secret.has(name.toLowerCase())) return [name, hidden]
      return [redactText(name), redactValue(value, name === 'query' ? secretParameters : secretFields, depth + 1)]
    })
  )
}

function redactValue(value: unknown, secret: ReadonlySet<string>, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value === null || value === undefined || typeof value === 'boolean') return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (typeof value !== 'object') return redactText(String(value))
  if (depth > depthMax) return '[deep]'
  if (value instanceof Error) return redactEntries(errorEntries(value), secret, depth)
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => redactValue(item, secret, depth + 1))
  if (isPlain(value)) return redactEntries(Object.entries(value), secret, depth)
  if (value instanceof URL || value instanceof URLSearchParams) return redactText(`${value instanceof URL ? '' : '?'}${value.toString()}`)
  return redactText(inspect(value, { depth: 1, maxArrayLength: 10, breakLength: Infinity }))
}

function errorEntries(error: Error): readonly (readonly [string, unknown])[] {
  const { name, message, stack, cause } = error
  const known = { name, message, stack, ...(cause === undefined ? {} : { cause }) }
  return [...Object.entries(known), ...Object.entries(error)]
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
