/** One run of a command: what was given, where it goes, and how it is answered. */
import type { Client } from '../shared/client.ts'
import { fieldsOf, type Parsed, type Value } from './arguments.ts'
import { Failure } from './failure.ts'
import { allowNow } from './plain-http.ts'
import { clientFor, type Place, placeOf, serviceOrigin, tokenFor } from './service.ts'
import { masked, type Terminal } from './terminal.ts'

export interface Call {
  readonly parsed: Parsed
  readonly terminal: Terminal
  /** Fields of the operation's input that were given. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The name to write under. */
  readonly author: string | undefined
  option(name: string): Value | undefined
  /** Whether a flag is set; undefined when it was not mentioned. */
  flag(name: string): boolean | undefined
  words(name: string): string | undefined
  positional(name: string): string | undefined
  /** The document that was named. */
  place(name?: string): Place
  /** The service, for what is on no document. */
  origin(): string
  /** A client for a document, or for the account. */
  client(place?: Place): Client
  /** Prints an answer with its keys hidden, but where the command is there to tell a link. */
  answer(value: unknown, words: () => string): void
  /** Asks before something is destroyed. Errors: `canceled`, `usage`. */
  confirm(question: string): Promise<void>
}

/** The action of a command. Answers the exit code; 0 when nothing. */
export type Action = (call: Call) => Promise<number | void>

/** Errors: `usage` for what no header can carry. */
const nameFrom = (source: string, given: string | undefined): string | undefined => {
  const name = given?.trim() ?? ''
  if (/[\u0000-\u001f\u007f]/.test(name))
    throw new Failure('usage', `${source} has control characters or several lines.`, 'Use a name of one line.')
  return name === '' ? undefined : name
}

export const createCall = (parsed: Parsed, terminal: Terminal): Call => {
  const { options, positionals, command } = parsed
  const { AGMD_AUTHOR } = process.env
  const words = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const url = words('url')
  const author = nameFrom('--author', words('author')) ?? nameFrom('AGMD_AUTHOR', AGMD_AUTHOR)
  const place = (name = 'DOC'): Place => placeOf(positionals[name] ?? '', url)
  if (options['insecure-http'] === true) allowNow()
  const shows = terminal.flags.showKeys || command.tellsLink === true
  return {
    parsed,
    terminal,
    fields: fieldsOf(parsed),
    author,
    option: (name) => options[name],
    flag(name) {
      const value = options[name]
      return typeof value === 'boolean' ? value : undefined
    },
    words,
    positional: (name) => positionals[name],
    place,
    origin: () => serviceOrigin(url),
    client(at) {
      const origin = at?.origin ?? serviceOrigin(url)
      return clientFor({ origin, key: at?.key, implied: at?.implied === true, token: tokenFor(origin, url), author })
    },
    answer: (value, said) => terminal.result(shows ? value : masked(value), said),
    async confirm(question) {
      if (await terminal.confirm(question)) return
      if (terminal.asks) throw new Failure('canceled', 'Nothing was changed.', 'Answer y to continue.')
      throw new Failure('usage', 'This deletes something, and agmd cannot ask you.', 'Add --yes to confirm.')
    }
  }
}
