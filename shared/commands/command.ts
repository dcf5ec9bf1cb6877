/** The structure of the client's commands, and how their arguments are derived from an operation. */
import { z } from 'zod'
import { type Operation, pathParameters } from '../operation.ts'
import { type OperationName, operations } from '../operations/index.ts'

/** A positional argument. */
export interface Positional {
  /** Placeholder in the usage line and in messages, such as `DOC`, `FILE` or `COMMENT`. */
  readonly name: string
  readonly summary: string
  readonly required: boolean
  /** Field of the operation's input that the argument sets. */
  readonly field?: string
}

export interface Option {
  /** The name without dashes. Every boolean option also has a `no-` form. */
  readonly name: string
  readonly short?: string
  /** Type of the value. `list`: repeated options, or values separated by commas. `json`: a JSON value. */
  readonly type: 'string' | 'boolean' | 'integer' | 'list' | 'json'
  readonly summary: string
  /** Field of the operation's input that the option sets. */
  readonly field?: string
  readonly required?: boolean
  readonly values?: readonly string[]
  /** Whether the text may be long. In that case, `--NAME-file` reads it from a file, or from standard input (`-`). */
  readonly text?: boolean
}

export interface Command {
  /** The words after `agmd`, such as `docs push`. */
  readonly words: string
  readonly summary: string
  readonly description?: string
  /** The operation that the command calls first. It is absent for commands that concern only this computer. */
  readonly operation?: OperationName
  readonly positionals: readonly Positional[]
  readonly options: readonly Option[]
  /** Command lines that work as written, given the variables in `exampleVariables`. */
  readonly examples: readonly string[]
  /** Whether the command runs until it is stopped. With `--json`, it prints one line for each event. */
  readonly endless?: boolean
  /** Whether the command has its own code. Otherwise, the client derives its single call from the operation. */
  readonly own: boolean
  /** Whether the command creates a link. If so, the client shows the link's key. */
  readonly tellsLink?: boolean
  /** Whether the command deletes something. If so, it asks for confirmation first. */
  readonly destroys?: boolean
}

/** Variables that examples may use. */
export const exampleVariables: Readonly<Record<string, string>> = {
  URL: 'the share URL of a document',
  COMMENT: 'the id of a comment',
  REPLY: 'the id of a reply',
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

/** The first argument of every command that acts on a document. */
export const documentPositional: Positional = {
  name: 'DOC',
  summary: 'share URL, document id, or a pulled file',
  required: true
}

/** Options that every command has. */
export const globalOptions: readonly Option[] = [
  { name: 'json', type: 'boolean', summary: 'print the result as JSON, and errors as JSON on standard error' },
  { name: 'quiet', short: 'q', type: 'boolean', summary: 'print only the result' },
  { name: 'author', type: 'string', summary: 'author name for a guest or agent (or AGMD_AUTHOR)' },
  { name: 'url', type: 'string', summary: 'address of the service (or AGMD_URL)' },
  { name: 'insecure-http', type: 'boolean', summary: 'connect to this service without encryption from now on (or AGMD_INSECURE_HTTP=1)' },
  { name: 'yes', short: 'y', type: 'boolean', summary: 'delete without asking' },
  { name: 'input', type: 'boolean', summary: 'with --no-input, do not ask questions' },
  { name: 'color', type: 'boolean', summary: 'with --no-color, do not print colors' },
  { name: 'show-keys', type: 'boolean', summary: 'show keys in links instead of masking them' },
  { name: 'help', short: 'h', type: 'boolean', summary: 'show help for the command' }
]

const negated = 'with --no-'

/** Whether a boolean option is on by default. Help and completion show such an option as `--no-NAME`. */
export const isOnByDefault = ({ type, summary }: Option): boolean => type === 'boolean' && summary.startsWith(negated)

// ——— commands derived from an operation ———

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

/** Summaries for fields whose schemas have no description. */
const summaries: Readonly<Record<string, string>> = {
  title: 'title',
  label: 'a name for the revision, or for the holder of the link',
  body: 'the text',
  status: 'only items in this state',
  role: 'role of the link',
  expiresAt: 'when the link ends (ISO 8601)',
  note: 'a note for the reviewer',
  text: 'the new text',
  operation: 'the kind of change',
  at: 'position of an insertion',
  action: 'accept or reject',
  setId: 'id of a set of suggestions',
  decisions: 'several decisions: [{"suggestionId", "action"}]',
  dryRun: 'show the changes without making them',
  onConflict: 'merge: keep both if the changes do not overlap',
  resolved: 'with --no-resolved, reopen the comment',
  excludeActor: 'leave out events by this actor',
  instructions: 'instructions for the reviewer',
  summary: 'summary of the review',
  reviewedVersion: 'the version that you reviewed',
  limit: 'maximum number of items',
  before: 'continue before this cursor: nextBefore of the previous page',
  query: 'words to find in title or text',
  sort: 'sort order',
  version: 'a version; defaults to the current version',
  from: 'an earlier version',
  author: 'only items by this author',
  revisionId: 'number of the revision',
  revision: 'number of the revision',
  commentId: 'id of the comment',
  suggestionId: 'id of the suggestion',
  replyId: 'id of the reply',
  taskId: 'id of the assignment',
  share: 'id of the link',
  session: 'id of the session',
  token: 'id of the token or program',
  q: 'words to find',
  id: 'only the item with this id',
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

/** Returns an operation's input fields, as JSON Schema. */
export const fieldsOf = (operation: Operation): Fields => {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  return { properties: (schema.properties ?? {}) as Record<string, Schema>, required: new Set(schema.required) }
}

/** Properties that a command changes in an option derived from its operation. */
export type FieldOverrides = Partial<Omit<Option, 'field'>>

const optionOf = (field: string, { properties, required }: Fields, said: FieldOverrides = {}): Option => {
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

/** Returns the options for some fields of an operation. */
export const optionsFor = (name: OperationName, said: Readonly<Record<string, FieldOverrides>>): Option[] => {
  const fields = fieldsOf(operations[name])
  return Object.entries(said).map(([field, more]) => optionOf(field, fields, more))
}

/** Returns the placeholder for a path parameter: `commentId` becomes `COMMENT`. */
const positionalName = (field: string): string => field.replace(/Id$/, '').toUpperCase()

interface CommandOverrides extends Partial<Pick<Command, 'endless' | 'tellsLink' | 'destroys' | 'description' | 'summary'>> {
  readonly examples: readonly string[]
  /** Fields that become positional arguments after those in the path, in order, each with its placeholder. */
  readonly positionals?: Readonly<Record<string, string>>
  /** Whether the last positional argument is optional. */
  readonly optional?: boolean
  readonly fields?: Readonly<Record<string, FieldOverrides>>
  readonly without?: readonly string[]
  /** Options in addition to those derived from the fields. */
  readonly options?: readonly Option[]
  readonly own?: boolean
}

/** Returns the command that makes one call of an operation. The author is a global option, except where it filters a list. */
export const commandOf = (name: OperationName, said: CommandOverrides): Command => {
  const operation: Operation = operations[name]
  const { examples, positionals = {}, optional = false, fields = {}, without = [], options = [], own = false, ...rest } = said
  const known = fieldsOf(operation)
  const inPath = pathParameters(operation.rest.path).filter((parameter) => parameter !== 'id')
  const placed = [...inPath, ...Object.keys(positionals)]
  const author = operation.rest.method === 'GET' ? [] : ['author']
  // Commands leave out `brief`: people read the printed text, and programs select fields of the JSON.
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
