/** What a command of the client is, and how its arguments follow from an operation of the table. */
import { z } from 'zod'
import { type Operation, pathParameters } from '../operation.ts'
import { type OperationName, operations } from '../operations/index.ts'

/** An argument without a name. */
export interface Positional {
  /** As usage shows it, and as it is asked for: `DOC`, `FILE`, `COMMENT`. */
  readonly name: string
  readonly summary: string
  readonly required: boolean
  /** Field of the operation's input that it fills. */
  readonly field?: string
}

export interface Option {
  /** Without the dashes. Every boolean also has its `no-` form. */
  readonly name: string
  readonly short?: string
  /** `list`: repeated, or separated by commas; `json`: a JSON value. */
  readonly type: 'string' | 'boolean' | 'integer' | 'list' | 'json'
  readonly summary: string
  /** Field of the operation's input that it fills. */
  readonly field?: string
  readonly required?: boolean
  readonly values?: readonly string[]
  /** Whether the text may be long: `--NAME-file` reads it from a file, or from the standard input (`-`). */
  readonly text?: boolean
}

export interface Command {
  /** What is typed after `agmd`: `docs push`. */
  readonly words: string
  readonly summary: string
  readonly description?: string
  /** The operation that it calls first of all; absent when it is about this machine. */
  readonly operation?: OperationName
  readonly positionals: readonly Positional[]
  readonly options: readonly Option[]
  /** Command lines that work as they stand, given the variables that `exampleVariables` names. */
  readonly examples: readonly string[]
  /** Whether it goes on until it is stopped; with `--json` it prints one line for each thing that happens. */
  readonly endless?: boolean
  /** Whether it does its work by itself, so that the client calls nothing on its own. */
  readonly own: boolean
  /** Whether its answer is where a link is told, so that the key is shown. */
  readonly tellsLink?: boolean
  /** Whether it destroys something, and asks before. */
  readonly destroys?: boolean
}

/** What an example may use. */
export const exampleVariables: Readonly<Record<string, string>> = {
  URL: 'the share URL of a document',
  COMMENT: 'the id of a comment',
  SUGGESTION: 'the id of a suggestion',
  SHARE: 'the id of a share link',
  TASK_URL: 'the link of a review assignment',
  TASK: 'the id of a review assignment',
  VERSION: 'a version',
  SESSION: 'the id of a session',
  JOB: 'the id of a media job',
  NODE: 'the id of a compute node',
  NODE_TOKEN: 'the token of a compute node',
  TOKEN: 'a session or agent token'
}

/** Every command on a document begins with this one. */
export const documentPositional: Positional = {
  name: 'DOC',
  summary: 'share URL, document id, or a file that was pulled',
  required: true
}

/** Options of every command. */
export const globalOptions: readonly Option[] = [
  { name: 'json', type: 'boolean', summary: 'print the result as JSON, and errors as JSON on the standard error' },
  { name: 'quiet', short: 'q', type: 'boolean', summary: 'print nothing but the result' },
  { name: 'author', type: 'string', summary: 'the name under which a guest or agent writes (or AGMD_AUTHOR)' },
  { name: 'url', type: 'string', summary: 'address of the service (or AGMD_URL)' },
  { name: 'insecure-http', type: 'boolean', summary: 'speak to this service without encryption from now on (or AGMD_INSECURE_HTTP=1)' },
  { name: 'yes', short: 'y', type: 'boolean', summary: 'do not ask before something is destroyed' },
  { name: 'input', type: 'boolean', summary: 'with --no-input nothing is asked' },
  { name: 'color', type: 'boolean', summary: 'with --no-color nothing is coloured' },
  { name: 'show-keys', type: 'boolean', summary: 'show keys in links, which are masked otherwise' },
  { name: 'help', short: 'h', type: 'boolean', summary: 'show how the command is used' }
]

const negated = 'with --no-'

/** A boolean that is on unless it is negated: shown, and completed, as `--no-NAME`. */
export const isOnByDefault = ({ type, summary }: Option): boolean => type === 'boolean' && summary.startsWith(negated)

// ——— from an operation ———

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly description?: string
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const isDeep = ({ type, items }: Schema): boolean => type === 'object' || (type === 'array' && items?.type !== 'string')

const typeOf = (schema: Schema): Option['type'] => {
  if (isDeep(schema) || schema.anyOf?.some(isDeep) === true) return 'json'
  if (schema.type === 'boolean' || schema.type === 'integer') return schema.type
  return schema.type === 'array' ? 'list' : 'string'
}

/** What fields are that say nothing of themselves where they are defined. */
const summaries: Readonly<Record<string, string>> = {
  title: 'title',
  label: 'a word to find the revision by, or whom the link is for',
  body: 'the text',
  status: 'only those in this state',
  role: 'what the link allows',
  expiresAt: 'when the link ends (ISO 8601)',
  note: 'why',
  text: 'what is inserted, or stands instead',
  operation: 'what is proposed',
  at: 'where an insertion stands',
  action: 'accept or reject',
  setId: 'those that were proposed together',
  decisions: 'several: [{"suggestionId", "action"}]',
  dryRun: 'show what would change, and change nothing',
  resolved: 'with --no-resolved it is opened again',
  excludeActor: 'without what this one did',
  instructions: 'what is asked',
  summary: 'what was found',
  reviewedVersion: 'the version that was read',
  limit: 'how many at most',
  before: 'go on before this one: the nextBefore of the page before',
  query: 'words in title or text',
  sort: 'the order',
  version: 'a version, instead of the present one',
  from: 'a version',
  author: 'only those of this author',
  revisionId: 'number of the revision',
  revision: 'number of the revision',
  commentId: 'id of the comment',
  suggestionId: 'id of the suggestion',
  taskId: 'id of the assignment',
  share: 'id of the link',
  session: 'id of the session',
  token: 'id of the token or program',
  q: 'words to find',
  id: 'only the one with this id',
  node: 'id of the node',
  jobId: 'id of the job',
  content: 'the Markdown'
}

const sentence = (text: string): string => {
  const first = /^[A-Z][a-z]/.test(text) ? `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}` : text
  return first.replace(/\.$/, '')
}

const summaryOf = (field: string, schema: Schema = {}): string => sentence(schema.description ?? summaries[field] ?? '')

export interface Fields {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: ReadonlySet<string>
}

/** The fields of an operation's input, as JSON Schema. */
export const fieldsOf = (operation: Operation): Fields => {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  return { properties: (schema.properties ?? {}) as Record<string, Schema>, required: new Set(schema.required) }
}

/** What a command says of a field beyond what the operation does. */
export type SaidOfField = Partial<Omit<Option, 'field'>>

const optionOf = (field: string, { properties, required }: Fields, said: SaidOfField = {}): Option => {
  const schema = properties[field] ?? {}
  const values = schema.enum?.map(String)
  return {
    name: kebab(field),
    type: typeOf(schema),
    summary: summaryOf(field, schema),
    field,
    ...(required.has(field) ? { required: true } : {}),
    ...(values === undefined ? {} : { values }),
    ...said
  }
}

/** The options for some fields of an operation. */
export const optionsFor = (name: OperationName, said: Readonly<Record<string, SaidOfField>>): Option[] => {
  const fields = fieldsOf(operations[name])
  return Object.entries(said).map(([field, more]) => optionOf(field, fields, more))
}

/** The name of a path parameter as a positional: `commentId` → `COMMENT`. */
const positionalName = (field: string): string => field.replace(/Id$/, '').toUpperCase()

interface SaidOfOperation extends Partial<Pick<Command, 'endless' | 'tellsLink' | 'destroys' | 'description' | 'summary'>> {
  readonly examples: readonly string[]
  /** Fields that are positionals beside those in the path, in order, with what stands for them. */
  readonly positionals?: Readonly<Record<string, string>>
  /** Whether the last positional may be left out. */
  readonly optional?: boolean
  readonly fields?: Readonly<Record<string, SaidOfField>>
  readonly without?: readonly string[]
  /** Beside the fields. */
  readonly options?: readonly Option[]
  readonly own?: boolean
}

/** A command that is one call of an operation. Who writes is a global option, but where it is a filter of a list. */
export const commandOf = (name: OperationName, said: SaidOfOperation): Command => {
  const operation: Operation = operations[name]
  const { examples, positionals = {}, optional = false, fields = {}, without = [], options = [], own = false, ...rest } = said
  const known = fieldsOf(operation)
  const inPath = pathParameters(operation.rest.path).filter((parameter) => parameter !== 'id')
  const placed = [...inPath, ...Object.keys(positionals)]
  const author = operation.rest.method === 'GET' ? [] : ['author']
  // People read words; programs that want less take what they need of the JSON.
  const left = Object.keys(known.properties).filter((field) => ![...placed, ...without, ...author, 'brief'].includes(field))
  return {
    words: operation.cli ?? '',
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    operation: name,
    positionals: [
      ...(operation.on === 'document' ? [documentPositional] : []),
      ...placed.map((field, index) => ({
        name: positionals[field] ?? positionalName(field),
        summary: summaryOf(field, known.properties[field]),
        required: !(optional && index === placed.length - 1),
        field
      }))
    ],
    options: [...left.map((field) => optionOf(field, known, fields[field])), ...options],
    examples,
    own,
    ...rest
  }
}
