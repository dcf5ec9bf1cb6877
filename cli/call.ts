/** Describes one run of a command: its input, its document or service, and its output. */
import type { Client } from '../shared/client.ts'
import { fieldsOf, type Parsed, type Value } from './arguments.ts'
import { Failure } from './failure.ts'
import { allowNow } from './plain-http.ts'
import { clientFor, type DocumentAddress, addressOf, serviceOrigin, tokenFor } from './service.ts'
import { masked, type Terminal } from './terminal.ts'

export interface Call {
  readonly parsed: Parsed
  readonly terminal: Terminal
  /** The operation's input fields that the command line sets. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The author's name, if one was given. */
  readonly author: string | undefined
  option(name: string): Value | undefined
  /** Returns a flag's value; undefined if it was not given. */
  flag(name: string): boolean | undefined
  words(name: string): string | undefined
  positional(name: string): string | undefined
  /** Returns the document that the command line names, with its service and credentials. */
  address(name?: string): DocumentAddress
  /** Returns the service's origin, for commands without a document. */
  origin(): string
  /** Returns a client for a document, or for the account. */
  client(address?: DocumentAddress): Client
  /** Prints a response. Keys are hidden, except by commands whose purpose is to show a link. */
  answer(value: unknown, words: () => string): void
  /** Asks the person for confirmation before something is destroyed. Throws `canceled` or `usage`. */
  confirm(question: string): Promise<void>
}

/** The action of a command. It resolves to the exit code; no value means 0. */
export type Action = (call: Call) => Promise<number | void>

/** Returns an author name. Throws `usage` if an HTTP header cannot contain the name. */
const nameFrom = (source: string, given: string | undefined): string | undefined => {
  const name = given?.trim() ?? ''
  if (/[\u0000-\u001f\u007f]/.test(name))
    throw new Failure('usage', `${source} contains control characters or more than one line.`, 'Use a name on one line.')
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
  const address = (name = 'DOC'): DocumentAddress => addressOf(positionals[name] ?? '', url)
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
    address,
    origin: () => serviceOrigin(url),
    client(at) {
      const origin = at?.origin ?? serviceOrigin(url)
      return clientFor({ origin, key: at?.key, implied: at?.implied === true, token: tokenFor(origin, url), author })
    },
    answer: (value, said) => terminal.result(shows ? value : masked(value), said),
    async confirm(question) {
      if (await terminal.confirm(question)) return
      if (terminal.asks) throw new Failure('canceled', 'Nothing was changed.', 'Answer y to continue.')
      throw new Failure('usage', 'This command deletes something, and agmd cannot ask for confirmation here.', 'Add --yes to confirm.')
    }
  }
}
