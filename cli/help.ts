/** Generates help from the table of commands. */
import { type Command, globalOptions, type Option } from '../shared/commands/command.ts'
import { environmentVariables, optionMeaning, optionUsage, usageOf } from '../shared/commands/describe.ts'
import { commands } from '../shared/commands/index.ts'
import { exitCodes, exitMeanings } from '../shared/exit-codes.ts'
import { columns, type Terminal } from './terminal.ts'

type Paint = Terminal['paint']

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')

const section = (paint: Paint, title: string, body: string): string => `${paint('bold', title)}\n${indented(body)}`

/** Returns the first sentence of a summary, without its period. */
const brief = (summary: string): string => summary.slice(0, /\.(?:\s|$)/.exec(summary)?.index)

const groupOf = ({ words }: Command): string => words.split(' ')[0] ?? ''

const rows = (chosen: readonly Command[]): string => columns(chosen.map(({ words, summary }) => [words, brief(summary)]))

/** Lists all commands, one per line. */
export const commandList = ({ paint }: Terminal): string =>
  `${rows(commands)}\n\n${paint('dim', 'agmd COMMAND --help explains a command.')}`

const optionRow = (option: Option): [string, string] => [optionUsage(option), optionMeaning(option)]

export const commandHelp = (command: Command, paint: Paint): string => {
  const { summary, description, positionals, options, examples } = command
  const parts = [
    section(paint, 'Examples', examples.join('\n')),
    section(paint, 'Usage', usageOf(command)),
    ...(positionals.length === 0 ? [] : [section(paint, 'Arguments', columns(positionals.map((each) => [each.name, each.summary])))]),
    ...(options.length === 0 ? [] : [section(paint, 'Options', columns(options.map(optionRow)))]),
    section(paint, 'Options for every command', columns(globalOptions.map(optionRow)))
  ]
  return `${summary}${description === undefined ? '' : `\n\n${description}`}\n\n${parts.join('\n\n')}\n`
}

export const groupHelp = (group: string, paint: Paint): string => {
  const chosen = commands.filter((command) => groupOf(command) === group)
  return `${section(paint, `agmd ${group}`, rows(chosen))}\n\n${paint('dim', 'agmd COMMAND --help explains a command.')}\n`
}

export const mainHelp = (terminal: Terminal, service: string | undefined): string => {
  const { paint } = terminal
  const exits = Object.entries(exitCodes).map(([name, code]) => [String(code), exitMeanings[name as keyof typeof exitCodes]])
  return (
    [
      `agmd: live Markdown for people and agents${service === undefined ? '' : `, at ${service}`}`,
      section(
        paint,
        'Begin',
        columns([
          ['agmd docs create -f notes.md', 'create a document from a file'],
          ['agmd docs pull URL -o notes.md', 'write a document to a file'],
          ['agmd docs push notes.md', 'push your changes, unless someone else pushed first'],
          ['agmd login', 'open the documents of your account']
        ])
      ),
      section(paint, 'Commands', commandList(terminal)),
      section(paint, 'Options for every command', columns(globalOptions.map(optionRow))),
      section(paint, 'Environment', columns(Object.entries(environmentVariables))),
      section(paint, 'Exit codes', columns(exits))
    ].join('\n\n') + '\n'
  )
}
