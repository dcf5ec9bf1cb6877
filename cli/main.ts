/** `agmd`: what was typed → a command → its action → an exit code. */
import { exitCodes } from '../shared/exit-codes.ts'
import { commands } from '../shared/commands/index.ts'
import { actionOf } from './actions.ts'
import { parse, splitLine, unknownCommand } from './arguments.ts'
import { home, version } from './build.ts'
import { createCall } from './call.ts'
import { tell } from './failure.ts'
import { commandHelp, groupHelp, mainHelp } from './help.ts'
import { createTerminal, type Flags, harmless } from './terminal.ts'

/** Flags as far as they can be told before the line is understood: errors too are told as they want. */
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
  terminal.print(named === '' ? mainHelp(terminal, home) : groupHelp(named, terminal.paint))
  // Help that was asked for is a success; half a command is not.
  return rest.some((word) => word === '--help' || word === '-h') || typed.length === 0 ? exitCodes.ok : exitCodes.usage
}

/** What the service says of single fields of an invalid request. */
const fieldsIn = ({ details }: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(details)
    ? details.map((each: { path?: unknown; message?: unknown }) => `${String(each.path)}: ${String(each.message)}`)
    : []

const presentError = (error: unknown, json: boolean): number => {
  const { exit, details, ...told } = tell(error)
  if (json) process.stderr.write(`${JSON.stringify({ error: { ...told, ...details, exitCode: exit } })}\n`)
  else {
    const { message, hint, requestId } = told
    const lines = [
      `agmd: ${harmless(message)}`,
      ...fieldsIn(details).map((line) => `  ${harmless(line)}`),
      `  ${harmless(hint)}`,
      ...(requestId === undefined ? [] : [`  request ${harmless(requestId)}`])
    ]
    process.stderr.write(`${lines.join('\n')}\n`)
  }
  return exit
}

const typed = process.argv.slice(2)

process.on('SIGINT', () => process.exit(exitCodes.interrupted))
// Whoever reads has read enough, as in `agmd docs cat URL | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.ok)
})

run(typed)
  .catch((error: unknown) => presentError(error, flagsOf(typed).json))
  .then(
    (code) => {
      process.exitCode = code
    },
    () => process.exit(exitCodes.error)
  )
