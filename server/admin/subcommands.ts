/** Commands that have subcommands, such as `users disable`. Each subcommand is an act of `server/domain/operator/acts.ts`, with its arguments and its output. */
import type { ParseArgsConfig } from 'node:util'
import type { Config } from '../config.ts'
import type { ActAnswer, ActInput, ActName } from '../domain/operator/acts.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { operate } from './operate.ts'

type Values = Readonly<Record<string, string | boolean | undefined>>

/** One subcommand. */
export interface Subcommand<Name extends ActName> {
  readonly act: Name
  /** The arguments, such as `ACCOUNT`. Words in capitals are positional arguments. */
  readonly usage: string
  /** One line. It begins with a verb in lower case and has no period at its end. */
  readonly summary: string
  readonly options?: NonNullable<ParseArgsConfig['options']>
  /** Whether the act cannot be undone. It then needs `--yes`. */
  readonly irreversible?: true
  /** Returns the input of the act. `first` is the positional argument. */
  readonly input: (first: string | undefined, values: Values) => ActInput<Name>
  /** Returns the output for people. */
  readonly show: (answer: ActAnswer<Name>) => string
}

interface AnySubcommand extends Pick<Subcommand<ActName>, 'act' | 'usage' | 'summary' | 'options' | 'irreversible'> {
  readonly run: (first: string | undefined, values: Values, config: Config, version: string) => Promise<object>
  readonly show: (answer: never) => string
}

/** Returns a subcommand in the form that `subcommands` expects. The compiler checks that its parts belong to the same act. */
export const subcommand = <Name extends ActName>({ input, ...rest }: Subcommand<Name>): AnySubcommand => ({
  ...rest,
  run: (first, values, config, version) => operate(config, version, rest.act, input(first, values))
})

/** Returns the string that an option holds. */
export const textOf = (value: string | boolean | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the number that an option holds. The operator's act checks the range. */
export const numberOf = (value: string | boolean | undefined): number | undefined => (typeof value === 'string' ? Number(value) : undefined)

/** The options of every list. */
export const listOptions = { limit: { type: 'string' }, after: { type: 'string' } } as const

/** Returns rows in columns. A column is as wide as its longest cell. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Returns the line that explains how to read the next page of a list. */
export const nextLine = (next: string | null): string => (next === null ? '' : `\n\nThere may be more: --after ${next}`)

/** Returns bytes in words, such as `1.5 MiB`. */
export const bytesText = (bytes: number | null): string => {
  if (bytes === null) return '?'
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** Returns a time to the minute, in UTC. */
export const timeText = (instant: string | null): string => (instant === null ? '-' : instant.slice(0, 16).replace('T', ' '))

const shownOptions = ({ options = {}, irreversible }: AnySubcommand): string =>
  [
    ...Object.entries(options).map(([name, { type }]) => ` [--${name}${type === 'string' ? ` ${name.toUpperCase()}` : ''}]`),
    irreversible === true ? ' --yes' : ''
  ].join('')

const usageOf = (entries: object): string => Object.keys(entries).join('|')

const helpOf = (name: string, about: string, entries: Readonly<Record<string, AnySubcommand>>): string => {
  const rows = Object.entries(entries).map(([word, entry]) => [`  ${word} ${entry.usage}${shownOptions(entry)}`.trimEnd(), entry.summary])
  return `usage: npm start -- admin ${name} ${usageOf(entries)} … [--json]\n\n${about}\n\n${columns(rows)}\n\n  --json  print the result as JSON\n  --yes   confirm a command that cannot be undone\n\nThese commands work while the server runs, and take effect in it immediately.`
}

/** Returns a command with subcommands. */
export const subcommands = (
  name: string,
  {
    summary,
    about,
    entries
  }: { readonly summary: string; readonly about: string; readonly entries: Readonly<Record<string, AnySubcommand>> }
): Command => {
  const help = helpOf(name, about, entries)
  return {
    usage: usageOf(entries),
    summary,
    help,
    async run([word = '', ...words], { settings, version }) {
      const entry = Object.hasOwn(entries, word) ? entries[word] : undefined
      if (entry === undefined) throw new AdminError(help)
      const flag = { type: 'boolean' } as const
      const options = { ...entry.options, json: flag, ...(entry.irreversible && { yes: flag }) }
      const wanted = entry.usage === '' ? 0 : 1
      const { values, positionals } = parseWords(help, words, options, wanted)
      if (/^[A-Z]/.test(entry.usage) && positionals.length === 0) throw new AdminError(help)
      const { json, yes, ...rest } = values as Values
      if (entry.irreversible === true && yes !== true) throw new AdminError(`This cannot be undone. To confirm it, add --yes.\n\n${help}`)
      const answer = await entry.run(positionals[0], rest, settings(), version)
      return { output: json === true ? JSON.stringify(answer) : entry.show(answer as never) }
    }
  }
}
