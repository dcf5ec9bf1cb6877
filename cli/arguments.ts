/** Parses a command line into a command and its values, based on the table of commands. */
import { parseArgs } from 'node:util'
import { type Command, globalOptions, type Option } from '../shared/commands/command.ts'
import { shieldId, unshieldId } from '../shared/commands/dashed-ids.ts'
import { commands } from '../shared/commands/index.ts'
import { nearest } from '../shared/nearest.ts'
import { Failure } from './failure.ts'
import { mustReadText } from './files.ts'
import { readInput } from './terminal.ts'

export type Value = string | number | boolean | readonly string[] | object

export interface Parsed {
  readonly command: Command
  /** Values by option name, including the options that all commands have. */
  readonly options: Readonly<Record<string, Value>>
  /** Values by the name of the positional argument. */
  readonly positionals: Readonly<Record<string, string>>
}

// ——— the command ———

/** Counts the words before the command. Only options that apply to all commands can stand there. */
const optionsBefore = (words: readonly string[]): number => {
  let at = 0
  while (words[at]?.startsWith('-') === true && words[at] !== '-') {
    const name = words[at]?.replace(/^--?/, '')
    const option = globalOptions.find((each) => each.name === name || each.short === name)
    at += option?.type === 'string' ? 2 : 1
  }
  return Math.min(at, words.length)
}

export interface Line {
  readonly command: Command | undefined
  /** The words at the position of the command: a command, a group of commands, or neither. */
  readonly typed: string
  /** The words of the line, without those of the command. */
  readonly rest: readonly string[]
}

/** Finds the command at the beginning of a line. */
export const splitLine = (words: readonly string[]): Line => {
  const start = optionsBefore(words)
  const spoken: string[] = []
  for (const word of words.slice(start, start + 2)) {
    if (word.startsWith('-')) break
    spoken.push(word)
  }
  for (let length = spoken.length; length > 0; length--) {
    const typed = spoken.slice(0, length).join(' ')
    const command = commands.find((each) => each.words === typed)
    if (command !== undefined) return { command, typed, rest: [...words.slice(0, start), ...words.slice(start + length)] }
  }
  const isGroup = commands.some((each) => each.words.startsWith(`${spoken[0] ?? ''} `))
  const length = isGroup ? spoken.length : Math.min(spoken.length, 1)
  return {
    command: undefined,
    typed: spoken.slice(0, length).join(' '),
    rest: [...words.slice(0, start), ...words.slice(start + length)]
  }
}

/** Returns a `usage` failure that suggests the most similar command. */
export const unknownCommand = (typed: string): Failure => {
  // People often leave out the first word of a command, as in `agmd push`.
  const short = commands.find(({ words }) => words.endsWith(` ${typed}`))?.words
  const meant = short ?? nearest(typed, [...new Set(commands.flatMap(({ words }) => [words, words.split(' ')[0] ?? '']))])
  const hint = meant === undefined ? 'agmd --help lists the commands.' : `Did you mean: agmd ${meant}`
  return new Failure('usage', `There is no command "${typed}".`, hint)
}

// ——— the values of a command ———

const usage = (command: Command, message: string, hint = `agmd ${command.words} --help`): Failure => new Failure('usage', message, hint)

const fileName = (name: string): string => `${name}-file`

interface Token {
  readonly kind: 'option' | 'positional' | 'option-terminator'
  readonly name?: string
  readonly rawName?: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

const unshield = (token: Token): Token => (token.value === undefined ? token : { ...token, value: unshieldId(token.value) })

const tokensOf = (options: readonly Option[], words: readonly string[]): readonly Token[] => {
  const known: Record<string, { type: 'string' | 'boolean'; short?: string; multiple: true }> = {}
  for (const { name, short, type, text } of options) {
    const flag = type === 'boolean'
    known[name] = { type: flag ? 'boolean' : 'string', multiple: true, ...(short === undefined ? {} : { short }) }
    if (flag) known[`no-${name}`] = { type: 'boolean', multiple: true }
    if (text === true) known[fileName(name)] = { type: 'string', multiple: true }
  }
  const { tokens } = parseArgs({ args: words.map(shieldId), options: known, strict: false, allowPositionals: true, tokens: true })
  return (tokens as readonly Token[]).map(unshield)
}

const valueOf = (command: Command, option: Option, given: readonly string[]): Value => {
  if (given.length > 1 && option.type !== 'list' && option.name !== 'field')
    throw usage(command, `--${option.name} was given ${given.length} times.`)
  const last = given.at(-1) ?? ''
  if (option.type === 'list') return given.flatMap((each) => each.split(',')).filter((each) => each !== '')
  if (option.values !== undefined && !option.values.includes(last))
    throw usage(command, `--${option.name} must be ${option.values.join(', ')}, not "${last}".`)
  if (option.type === 'integer') {
    if (!/^\d{1,15}$/.test(last)) throw usage(command, `--${option.name} must be a whole number, not "${last}".`)
    return Number(last)
  }
  if (option.type !== 'json') return option.name === 'field' ? given : last
  try {
    return JSON.parse(last) as object
  } catch {
    throw usage(command, `--${option.name} must be JSON.`)
  }
}

/** A value as it was typed, or the file that contains it. */
type Source = { readonly text: string } | { readonly file: string }

interface Given {
  readonly values: Map<Option, Source[]>
  readonly flags: Map<Option, boolean>
  readonly positionals: string[]
}

/** Sorts a command line's words into options and positionals. Throws `usage` for an unknown option or an option without a value. */
const sort = (command: Command, options: readonly Option[], words: readonly string[]): Given => {
  const given: Given = { values: new Map(), flags: new Map(), positionals: [] }
  for (const { kind, name = '', rawName = '', value, inlineValue } of tokensOf(options, words)) {
    if (kind === 'positional') given.positionals.push(value ?? '')
    if (kind !== 'option') continue
    const plain = options.find((option) => option.name === name)
    const negated = options.find((option) => option.type === 'boolean' && `no-${option.name}` === name)
    const fromFile = options.find((option) => option.text === true && fileName(option.name) === name)
    const option = plain ?? negated ?? fromFile
    if (option === undefined) {
      const names = options.flatMap((each) => [`--${each.name}`, ...(each.type === 'boolean' ? [`--no-${each.name}`] : [])])
      const meant = nearest(rawName, names)
      throw usage(command, `agmd ${command.words} has no option ${rawName}.`, meant === undefined ? undefined : `Did you mean ${meant}?`)
    }
    if (option.type === 'boolean') {
      if (inlineValue === true) throw usage(command, `${rawName} takes no value.`)
      given.flags.set(option, negated === undefined)
    } else {
      const isOption = inlineValue === false && options.some((each) => `--${each.name}` === value)
      if (value === undefined || isOption) throw usage(command, `${rawName} needs a value.`)
      given.values.set(option, [...(given.values.get(option) ?? []), fromFile === undefined ? { text: value } : { file: value }])
    }
  }
  return given
}

/** Reads values that are given as files. Throws `file_not_found`. */
const readSources = async (sources: readonly Source[]): Promise<string[]> => {
  const texts: string[] = []
  for (const source of sources) {
    if ('text' in source) texts.push(source.text)
    else texts.push(source.file === '-' ? await readInput() : mustReadText(source.file))
  }
  return texts
}

const placed = (command: Command, given: readonly string[]): Record<string, string> => {
  const { positionals } = command
  const missing = positionals[given.length]
  if (missing?.required === true) throw usage(command, `${missing.name} is missing: ${missing.summary || missing.name}.`)
  const extra = given[positionals.length]
  const file = command.options.find(({ name }) => name === 'file') ?? command.options.find(({ name }) => name === 'output')
  if (extra !== undefined)
    throw usage(command, `"${extra}" is an extra argument.`, file && `To pass it as the file, write -${file.short} ${extra}`)
  return Object.fromEntries(given.map((word, index) => [positionals[index]?.name ?? '', word]))
}

/** Parses a command line's words. Throws `usage` or `file_not_found`. */
export const parse = async (command: Command, words: readonly string[]): Promise<Parsed> => {
  const options = [...command.options, ...globalOptions]
  const { values, flags, positionals } = sort(command, options, words)
  const found: Record<string, Value> = Object.fromEntries([...flags].map(([{ name }, on]) => [name, on]))
  if (found['help'] === true) return { command, options: found, positionals: {} }
  const placedWords = placed(command, positionals)
  for (const [option, sources] of values) found[option.name] = valueOf(command, option, await readSources(sources))
  const missing = options.find(({ name, required }) => required === true && found[name] === undefined)
  if (missing !== undefined) throw usage(command, `--${missing.name} is missing: ${missing.summary || missing.name}.`)
  return { command, options: found, positionals: placedWords }
}

/** Returns the operation's input fields that a command line sets. */
export const fieldsOf = ({ command, options, positionals }: Parsed): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const { name, field } of command.positionals)
    if (field !== undefined && positionals[name] !== undefined) fields[field] = positionals[name]
  for (const { name, field } of command.options) if (field !== undefined && options[name] !== undefined) fields[field] = options[name]
  return fields
}
