/**
 * Defines a tool and derives it from the operations table. A tool represents one operation, or several operations that a model treats as one. Its
 * description is written for models.
 */
import { z } from 'zod'
import { ServiceError } from '../../shared/errors.ts'
import type { Group } from '../../shared/mcp-groups.ts'
import { type Operation, roleAtLeast } from '../../shared/operation.ts'
import { type OperationName, operations } from '../../shared/operations/index.ts'
import { type Role, roles } from '../../shared/roles.ts'
import { inputSchema, type JsonSchema } from './schemas.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The operation that a tool call requests, and its unchecked input. */
export interface Meant {
  readonly name: OperationName
  readonly fields: Fields
  /** The file that the operation expects as its body, in base64. */
  readonly data?: string
  /** The reason why the call is refused. A caller without the needed role gets the error about the role first. */
  readonly refused?: ServiceError
}

/**
 * A tool's title and its hints. A hint is set only if it differs from the default in MCP. By default, a tool is destructive and open-world, but
 * neither read-only nor idempotent.
 */
interface Hints {
  readonly title: string
  readonly readOnlyHint?: true
  readonly destructiveHint?: boolean
  readonly idempotentHint?: true
  readonly openWorldHint?: false
}

/** A tool, as `tools/list` shows it. */
export interface ListedTool {
  /** The name without the prefix. */
  readonly name: string
  readonly group: Group
  /** The lowest role with which a call can succeed. Null if no role is needed. */
  readonly role: Role | null
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: Hints
}

export interface Tool extends ListedTool {
  /** The operations that a call of the tool can request. */
  readonly operations: readonly OperationName[]
  /** The names of the arguments, apart from `doc` and `key`. */
  readonly takes: readonly string[]
  /** Arguments for which null has a meaning. For other arguments, null counts as absent. */
  readonly nulls: readonly string[]
  /** Whether the tool creates a link, so that the response can contain the link's secret. */
  readonly makesLink: boolean
  /** Whether a call can be as large as a document. */
  readonly large: boolean
  /** Arguments that have a different name in the operation. Maps the beginning of a path in the operation's input to the argument. */
  readonly called: Readonly<Record<string, string>>
  /** Returns the operation that a call requests. `doc` is the document that the call names. Throws `invalid_request`. */
  readonly mean: (given: Fields, doc?: unknown) => Meant
}

interface Definition {
  readonly title: string
  readonly group: Group
  readonly description: string
  /** The arguments of the tool, apart from `doc` and `key`. */
  readonly input: z.ZodObject
  /** The operations that a call of the tool can request. Either all of them need a document, or none does. */
  readonly operations: readonly [OperationName, ...OperationName[]]
  /** Whether the tool deletes something that existed. */
  readonly destroys?: boolean
  /** Whether repeating a call has no further effect. */
  readonly repeats?: boolean
  /** Whether anyone can see the effects of the tool. */
  readonly exposes?: boolean
  readonly makesLink?: boolean
  readonly large?: boolean
  readonly nulls?: readonly string[]
  readonly called?: Tool['called']
  readonly mean: Tool['mean']
}

const doc = z.string().meta({ description: 'Share URL, or id with key.' })
const key = z.string().optional()

const entryOf = (name: OperationName): Operation => operations[name]

const reads = (name: OperationName): boolean => entryOf(name).rest.method === 'GET'

const hintsOf = ({ title, operations: of, destroys = false, repeats = false, exposes = false }: Definition): Hints => ({
  title,
  ...(of.every(reads) ? { readOnlyHint: true } : { destructiveHint: destroys, ...(repeats && { idempotentHint: true }) }),
  ...(!exposes && { openWorldHint: false })
})

/** Returns the lowest role that any of the operations needs; null if one of them needs no role. */
const leastRole = (of: readonly OperationName[]): Role | null => {
  const needed = of.map((name) => roleAtLeast(entryOf(name)) ?? null)
  return needed.includes(null) ? null : (roles.find((role) => needed.includes(role)) ?? null)
}

export const toolOf = (name: string, definition: Definition): Tool => {
  const { group, description, input, operations: of, makesLink = false, large = false, nulls = [], called = {}, mean } = definition
  return {
    name,
    group,
    description,
    takes: Object.keys(input.shape),
    operations: of,
    role: leastRole(of),
    inputSchema: inputSchema(z.object({ ...(entryOf(of[0]).on === 'document' ? { doc } : {}), key, ...input.shape })),
    annotations: hintsOf(definition),
    nulls,
    makesLink,
    large,
    called,
    mean
  }
}

interface DerivedDefinition extends Omit<Definition, 'input' | 'operations' | 'mean'> {
  /** Fields of the operation that the tool leaves out. */
  readonly without?: readonly string[]
  readonly refuses?: (fields: Fields) => ServiceError | undefined
}

/** Returns a tool for one operation, with the same input as the operation. */
export const derived = (operation: OperationName, { without = [], refuses, ...definition }: DerivedDefinition): Tool => {
  const { mcp = '', input, normalise } = entryOf(operation)
  return toolOf(mcp, {
    ...definition,
    input: z.object(Object.fromEntries(Object.entries(input.shape).filter(([field]) => !without.includes(field)))),
    operations: [operation],
    mean(given) {
      const fields = normalise?.({ ...given }) ?? given
      const refused = refuses?.(fields)
      return { name: operation, fields, ...(refused && { refused }) }
    }
  })
}

export const invalid = (path: string, message: string): ServiceError =>
  new ServiceError('invalid_request', { details: [{ path, message }] })
