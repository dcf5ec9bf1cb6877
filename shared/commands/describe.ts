/** Describes the commands for programs and shells: `agmd commands --json`, `/api/cli/commands` and usage lines. */
import { exitCodes, exitMeanings } from '../exit-codes.ts'
import { type Operation, pathParameters } from '../operation.ts'
import { operations } from '../operations/index.ts'
import { type Command, globalOptions, isOnByDefault, type Option } from './command.ts'
import { commands } from './index.ts'

const placeholders: Readonly<Record<Option['type'], string>> = { string: ' TEXT', integer: ' N', list: ' A,B', json: ' JSON', boolean: '' }

/** Returns an option in the form that help shows, such as `-l, --label TEXT`, `--merge` or `--no-browser`. */
export const optionUsage = (option: Option): string => {
  const { name, short, type } = option
  const dashed = `--${isOnByDefault(option) ? 'no-' : ''}${name}${placeholders[type]}`
  return short === undefined ? dashed : `-${short}, ${dashed}`
}

/** Describes an option in one line. */
export const optionMeaning = ({ name, summary, values, text, required }: Option): string =>
  [
    summary.replace(/^with --no-\S+ /, ''),
    ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
    ...(text === true ? [`--${name}-file FILE reads it from a file (- is standard input)`] : []),
    ...(required === true ? ['required'] : [])
  ].join('; ')

/** Returns the usage line of a command, such as `agmd docs push DOC [OPTION…]`. */
export const usageOf = ({ words, positionals, options }: Command): string => {
  const needed = options.filter(({ required }) => required === true).map(({ name }) => ` --${name} …`)
  const placed = positionals.map(({ name, required }) => (required ? ` ${name}` : ` [${name}]`))
  return `agmd ${words}${placed.join('')}${needed.join('')}${options.length > needed.length ? ' [OPTION…]' : ''}`
}

const operationOf = ({ operation }: Command): Operation | undefined => (operation === undefined ? undefined : operations[operation])

const placeIn = ({ rest }: Operation, field: string): 'path' | 'query' | 'body' => {
  if (pathParameters(rest.path).includes(field)) return 'path'
  return rest.query?.includes(field) === true || rest.method === 'GET' ? 'query' : 'body'
}

const described = (command: Command): object => {
  const operation = operationOf(command)
  const withPlace = <T extends { readonly field?: string }>(argument: T): object => ({
    ...argument,
    ...(operation === undefined || argument.field === undefined ? {} : { in: placeIn(operation, argument.field) })
  })
  const { words, summary, description, positionals, options, examples, endless = false } = command
  return {
    command: words,
    usage: usageOf(command),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(operation === undefined
      ? {}
      : {
          operation: command.operation,
          method: operation.rest.method,
          path: operation.rest.path,
          on: operation.on,
          ...(operation.role === undefined ? {} : { role: operation.role }),
          ...(operation.needs === undefined ? {} : { needs: operation.needs }),
          errors: operation.errors
        }),
    positionals: positionals.map(withPlace),
    options: options.map(withPlace),
    examples,
    endless
  }
}

/** Returns the full description of all commands, for programs. */
export const describeCommands = (service?: string): object => ({
  name: 'agmd',
  ...(service === undefined ? {} : { service }),
  globalOptions,
  exitCodes: Object.entries(exitCodes).map(([name, code]) => ({ code, name, meaning: exitMeanings[name as keyof typeof exitCodes] })),
  environment: environmentVariables,
  commands: commands.map(described)
})

/** Environment variables that the client reads. */
export const environmentVariables: Readonly<Record<string, string>> = {
  AGMD_URL: 'address of the service',
  AGMD_AUTH_URL: 'address of the identity broker, if you approve logins there',
  AGMD_TOKEN: 'session or agent token, instead of the stored session',
  AGMD_AUTHOR: 'author name for a guest or agent',
  AGMD_INSECURE_HTTP: 'set to 1 to connect to services on other machines without encryption',
  XDG_CONFIG_HOME: 'folder of agmd/hosts.json; defaults to ~/.config',
  BROWSER: 'program that opens addresses',
  NO_COLOR: 'do not print colors'
}
