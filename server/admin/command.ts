/**
 * The parts that all commands of `npm start -- admin` share. This folder contains one file for each command, and the work that commands do.
 * `server/admin.ts` lists the commands.
 */
import type { Writable } from 'node:stream'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { shieldId, unshieldId } from '../../shared/commands/dashed-ids.ts'
import type { Config } from '../config.ts'
import { AdminError } from './error.ts'
import type { OnProgress } from './progress.ts'

/** The inputs of a command apart from its arguments. */
export interface CommandContext {
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version of this program. */
  readonly version: string
  /** Returns a function that shows progress. With `json`, it writes lines of JSON even on a terminal. */
  progress(json: boolean): OnProgress
  /** Returns everything on standard input. */
  input(): Promise<string>
  /** Standard input, for commands that read bytes. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Standard output, for commands that write bytes. Their result goes to standard error. */
  readonly stdout: Writable & { readonly isTTY?: boolean }
  /** Returns the settings. If a setting is invalid, ends the process with exit code 78. */
  settings(): Config
}

export interface CommandResult {
  /** The text for standard output, without the line break at its end. */
  readonly output: string
  /** Whether the text goes to standard error, because standard output carries the bytes of a backup. */
  readonly onStderr?: boolean
  /** The exit code of the process; 0 if absent. */
  readonly exitCode?: number
}

export interface Command {
  /** The arguments, as the overview of all commands shows them, such as `EMAIL`. */
  readonly usage: string
  /** One line for the overview. It begins with a verb in lower case and has no period at its end. */
  readonly summary: string
  /** The page that `--help` prints. */
  readonly help: string
  /**
   * Runs the command. `words` are the words after its name. Throws `AdminError`, or an error of the adapters that names its exit code
   * (`DataFolderError`, `PostgresError`, `S3Error`).
   */
  run(words: readonly string[], context: CommandContext): Promise<CommandResult>
}

/** Marks a negative number like an id: no option begins with a digit, and the command itself checks which numbers are possible. */
const shield = (word: string): string => (/^-\d+$/.test(word) ? `\0${word}` : shieldId(word))

/** Parses the words of a command. Throws `AdminError` with the help page if a word is not allowed. */
export const parseWords = <Options extends NonNullable<ParseArgsConfig['options']>>(
  help: string,
  words: readonly string[],
  options: Options,
  positionalsMax = 0
) => {
  try {
    const { values, positionals } = parseArgs({ args: words.map(shield), options, allowPositionals: positionalsMax > 0 })
    if (positionals.length > positionalsMax) throw new Error(`Unexpected argument '${unshieldId(positionals[positionalsMax] ?? '')}'.`)
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string') Object.assign(values, { [name]: unshieldId(value) })
      if (Array.isArray(value)) Object.assign(values, { [name]: value.map((each) => (typeof each === 'string' ? unshieldId(each) : each)) })
    }
    return { values, positionals: positionals.map(unshieldId) }
  } catch (error) {
    throw new AdminError(`${error instanceof Error ? error.message : String(error)}\n\n${help}`, { cause: error })
  }
}
