/** Prints a command's output: results to standard output, everything else to standard error. */
import { createInterface } from 'node:readline'

export interface Flags {
  readonly json: boolean
  readonly quiet: boolean
  readonly yes: boolean
  /** Whether standard input is a terminal, so that a person can answer questions. */
  readonly input: boolean
  readonly color: boolean
  readonly showKeys: boolean
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const styles: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }

/**
 * Removes characters that could control a terminal: escape codes, marks that change the text direction, and control characters other than tabs and
 * line breaks. Text by other people must not move the cursor, rename the window or paste into the shell.
 */
export const harmless = (text: string): string =>
  text
    // Complete sequences with their parameters are removed first: OSC, DCS and similar sequences up to their terminator, then CSI.
    .replaceAll(/(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g, '')
    .replaceAll(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g, '')
    .replaceAll(/\u001b[ -/]*[0-~]?/g, '')
    .replaceAll(/\r\n/g, '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')

/** Escapes, in JSON, the characters that `harmless` would remove, so that no data is lost. */
const harmlessJson = (json: string): string =>
  json.replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )

/** Returns one line of plain text, for tables and messages. */
export const oneLine = (text: string, charsMax = 200): string => {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > charsMax ? `${line.slice(0, charsMax - 1)}…` : line
}

const coloured = (flags: Flags, stream: NodeJS.WriteStream): boolean => {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (!flags.color || (NO_COLOR ?? '') !== '') return false
  if ((FORCE_COLOR ?? '') !== '' && FORCE_COLOR !== '0') return true
  return stream.isTTY === true && TERM !== 'dumb'
}

export interface Terminal {
  readonly flags: Flags
  /** Whether there is a person who can answer questions. */
  readonly asks: boolean
  /** Prints a result: as JSON if it was requested, otherwise as the text that `words` returns. */
  result(value: unknown, words: () => string): void
  /** Prints a value as one line of JSON. A command can print several such lines. */
  line(value: unknown): void
  /** Prints the program's own text, such as help. */
  print(words: string): void
  /**
   * Prints the text of a document. A terminal gets it without control characters and with a line break at the end; other outputs get it unchanged.
   */
  text(text: string): void
  /** Makes text by other people safe to print inside the program's own text. */
  shown(text: string): string
  /** Reports a command's progress on standard error. */
  say(words: string): void
  warn(words: string): void
  paint(style: Style, words: string): string
  /** Asks a yes-or-no question. The caller throws `canceled` if the answer is no. */
  confirm(question: string): Promise<boolean>
}

const write = (stream: NodeJS.WriteStream, text: string): void => {
  stream.write(text)
}

export const createTerminal = (flags: Flags): Terminal => {
  const { stdin, stdout, stderr } = process
  const asks = flags.input && stdin.isTTY === true && stderr.isTTY === true
  const onTerminal = stdout.isTTY === true
  const paintOn = (stream: NodeJS.WriteStream, style: Style, words: string): string =>
    coloured(flags, stream) ? `\u001b[${styles[style]}m${words}\u001b[0m` : words
  const line = (text: string): string => (text.endsWith('\n') || text === '' ? text : `${text}\n`)
  return {
    flags,
    asks,
    result(value, words) {
      if (!flags.json) return write(stdout, line(words()))
      const json = JSON.stringify(value, null, onTerminal ? 2 : undefined)
      return write(stdout, `${onTerminal ? harmlessJson(json) : json}\n`)
    },
    line(value) {
      const json = JSON.stringify(value)
      write(stdout, `${onTerminal ? harmlessJson(json) : json}\n`)
    },
    print: (words) => write(stdout, line(words)),
    text: (text) => write(stdout, onTerminal ? line(harmless(text)) : text),
    shown: (text) => (onTerminal ? harmless(text) : text),
    say(words) {
      if (!flags.quiet) write(stderr, line(words))
    },
    warn: (words) => write(stderr, line(`${paintOn(stderr, 'yellow', '!')} ${words}`)),
    paint: (style, words) => paintOn(stdout, style, words),
    async confirm(question) {
      if (flags.yes) return true
      if (!asks) return false
      const answer = await readAnswer(`${question} [y/N] `)
      return /^y(es)?$/i.test(answer.trim())
    }
  }
}

const readAnswer = (question: string): Promise<string> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    // Ctrl-C at a question must end the process as usual.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    lines.once('close', () => resolve(''))
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })

/** Formats rows as aligned columns. The last column is not padded. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Reads standard input to its end. */
export const readInput = async (): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

// ——— links ———

const secretFields = new Set(['secret', 'key', 'access_token', 'token', 'device_code'])
const linkFields = new Set(['url', 'agentUrl'])

const maskedKey = (key: string): string => `${key.slice(0, 4)}…`

export const maskedLink = (link: string): string =>
  link.replace(/([?&]key=)([\w-]+)/g, (_match, before: string, key: string) => before + maskedKey(key))

/** Hides the keys in a response. Text written by people is not changed. */
export const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (typeof field !== 'string') return [name, masked(field)]
      if (secretFields.has(name)) return [name, maskedKey(field)]
      return [name, linkFields.has(name) ? maskedLink(field) : field]
    })
  )
}
