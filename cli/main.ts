/** Entry point of `agmd`: parses the command line, runs the command's action, and returns the exit code. */
import { exitCodes } from '../shared/exit-codes.ts'
import { globalOptions } from '../shared/commands/command.ts'
import { commands } from '../shared/commands/index.ts'
import { actionOf } from './actions.ts'
import { parse, splitLine, unknownCommand } from './arguments.ts'
import { home, version } from './build.ts'
import { createCall } from './call.ts'
import { factsOf } from './facts.ts'
import { Failure, reportOf } from './failure.ts'
import { commandHelp, groupHelp, mainHelp } from './help.ts'
import { createTerminal, type Flags, harmless, maskedLink } from './terminal.ts'

/** Reads the output flags before the rest of the line, because these flags also apply to messages about an invalid line. */
const flagsOf = (words: readonly string[]): Flags => {
  const given = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const has = (...names: string[]): boolean => names.some((name) => given.includes(name))
  return {
    json: has('--json'),
    quiet: has('--quiet', '-q'),
    yes: has('--yes', '-y'),
    input: !has('--no-input'),
    color: !has('--no-color'),
    showKeys: has('--show-keys')
  }
}

const isGroup = (word: string): boolean => commands.some(({ words }) => words.startsWith(`${word} `))

const run = async (typed: readonly string[]): Promise<number> => {
  const terminal = createTerminal(flagsOf(typed))
  const words = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed
  if (words[0] === '--version' || words[0] === '-V') {
    terminal.result({ version, home }, () => `agmd ${version}`)
    return exitCodes.ok
  }
  const { command, typed: named, rest } = splitLine(words)
  if (command !== undefined) {
    const parsed = await parse(command, rest)
    if (parsed.options['help'] !== true) return (await actionOf(command.words)(createCall(parsed, terminal))) ?? exitCodes.ok
    terminal.print(commandHelp(command, terminal.paint))
    return exitCodes.ok
  }
  if (named !== '' && !isGroup(named)) throw unknownCommand(named)
  const asked = rest.some((word) => word === '--help' || word === '-h') || typed.length === 0
  // A program that requests JSON cannot use the help text.
  if (!asked && terminal.flags.json)
    throw new Failure(
      'usage',
      named === '' ? 'No command was given.' : `Several commands begin with agmd ${named}.`,
      'agmd commands --json lists all commands.'
    )
  terminal.print(named === '' ? mainHelp(terminal, home) : groupHelp(named, terminal.paint))
  // The exit code is 0 only if help was requested, not if the command is incomplete.
  return asked ? exitCodes.ok : exitCodes.usage
}

/** Returns the name that a request field has on this command line. For example, `body` becomes `--body`, and `taskId` becomes TASK. */
const shownAs =
  (words: readonly string[]) =>
  (field: string): string => {
    const { command } = splitLine(words)
    const option = [...(command?.options ?? []), ...globalOptions].find((each) => each.field === field || each.name === field)
    return option === undefined ? (command?.positionals.find((each) => each.field === field)?.name ?? harmless(field)) : `--${option.name}`
  }

/** Prints an error. Messages can contain links from the command line, so their keys are hidden. */
const presentError = (error: unknown, { json, showKeys }: Flags): number => {
  const { exit, details, ...told } = reportOf(error)
  const unkeyed = (text: string): string => (showKeys ? text : maskedLink(text))
  if (json) process.stderr.write(`${unkeyed(JSON.stringify({ error: { ...told, ...details, exitCode: exit } }))}\n`)
  else {
    const { message, hint, requestId } = told
    const lines = [
      `agmd: ${harmless(message)}`,
      ...factsOf(details, shownAs(typed)).map((fact) => `  ${fact}`),
      `  ${harmless(hint)}`,
      ...(requestId === undefined ? [] : [`  request ${harmless(requestId)}`])
    ]
    process.stderr.write(`${unkeyed(lines.join('\n'))}\n`)
  }
  return exit
}

const typed = process.argv.slice(2)

process.on('SIGINT', () => process.exit(exitCodes.interrupted))
// EPIPE means that the program that reads the output has closed the pipe, for example in `agmd docs cat URL | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.ok)
})

run(typed)
  .catch((error: unknown) => presentError(error, flagsOf(typed)))
  .then(
    (code) => {
      process.exitCode = code
    },
    () => process.exit(exitCodes.error)
  )
