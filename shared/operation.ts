/** What an operation is. The entries stand in `operations/`, one file per resource; every face is derived from them. */
import type { z } from 'zod'
import { type ErrorCode, ServiceError } from './errors.ts'
import { limits } from './limits.ts'
import type { MediaKind } from './media-types.ts'
import { fieldMeant } from './nearest.ts'
import type { Role } from './roles.ts'

export interface RestBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{id}` is the document; other parameters are fields of the input. */
  readonly path: string
  /** Further paths of the same operation. */
  readonly also?: readonly string[]
  /** Fields of the input that stand in the query. */
  readonly query?: readonly string[]
  /** Status of success; 200 when absent. */
  readonly status?: number
  /** Status when the answer says `created: false`: an earlier request made it. */
  readonly repeatStatus?: number
  /** `markdown`: the body may also be the document itself (text/markdown, text/plain), as the field `content`. `media`: it is a file. */
  readonly body?: 'markdown' | 'media'
  /** Of a `media` body: which files are taken, and the largest, in bytes; assets when absent. `fields`: JSON with the file in it is taken, too. */
  readonly media?: { readonly kinds: readonly MediaKind[]; readonly bytesMax: number; readonly fields: boolean }
  /** `file`: the answer is a file. `markdown`: the answer is the text unless JSON is asked for; `record`: it is JSON unless the text is asked for. */
  readonly reply?: 'markdown' | 'record' | 'file'
  /** Whether it is an endpoint of OAuth: takes forms beside JSON, and answers errors as OAuth does. */
  readonly oauth?: boolean
  /** Whether the fields may come as a form, too: what a page without script sends. */
  readonly form?: boolean
  /** Whether the body may be as large as a document. */
  readonly large?: boolean
}

/**
 * One operation. Its input never holds the document id or a credential: each face supplies them in its own way.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly description?: string
  /** What it is about: a `document` needs a role there, an `account` needs a session, the `service` is open. */
  readonly on: 'document' | 'account' | 'service'
  /** Least role on the document; absent when `on` is not `document`. */
  readonly role?: Role
  /** Least role where a query field has a certain value: field → value → role. */
  readonly roleWith?: Readonly<Record<string, Readonly<Record<string, Role>>>>
  /** Who must be signed in, whatever the role: a person with an `account`, or any `identity`, agents too. */
  readonly needs?: 'account' | 'identity'
  /** Whether it can be called on a document in the trash. */
  readonly inTrash?: boolean
  /** Only the link of the review assignment that the path names will do; an owner's key does not. */
  readonly taskLink?: boolean
  readonly rest: RestBinding
  /** Name of the MCP tool without its prefix. */
  readonly mcp?: string
  /** Words of the client's command. */
  readonly cli?: string
  readonly input: Input
  readonly output: Output
  /** Errors beyond those that any operation can answer. */
  readonly errors: readonly ErrorCode[]
  /** Renames synonyms before the input is checked (api.md: accept synonyms on input). */
  readonly normalise?: (raw: Record<string, unknown>) => Record<string, unknown>
}

/** An entry of the table, with its own types kept. */
export const operation = <Input extends z.ZodObject, Output extends z.ZodType, const On extends Operation['on']>(
  entry: Operation<Input, Output> & { readonly on: On }
): Operation<Input, Output> & { readonly on: On } => entry

/** Least role that a request with these query fields needs. Errors: `invalid_request` for a value that means nothing, whatever the role. */
export const roleNeeded = ({ role, roleWith = {} }: Operation, query: URLSearchParams): Role | undefined => {
  for (const [field, roles] of Object.entries(roleWith)) {
    const value = query.get(field)
    if (value === null) continue
    if (Object.hasOwn(roles, value)) return roles[value]
    throw new ServiceError('invalid_request', { details: [{ path: field, message: `must be ${Object.keys(roles).join(' or ')}` }] })
  }
  return role
}

/** Gives the first present alias the name it stands for, unless that is present itself. */
export const rename =
  (aliases: Readonly<Record<string, string>>) =>
  (raw: Record<string, unknown>): Record<string, unknown> => {
    const named = { ...raw }
    for (const alias of Object.keys(aliases)) delete named[alias]
    for (const [alias, name] of Object.entries(aliases)) if (named[name] === undefined && raw[alias] !== undefined) named[name] = raw[alias]
    return named
  }

/**
 * Unknown fields are passed over (api.md), but a slip of a known one is none: a misspelt `dryRun` would write, a misspelt `baseVersion` write
 * over others. Errors: `invalid_request`.
 */
export const refuseSlips = (given: Readonly<Record<string, unknown>>, fields: readonly string[]): void => {
  const names = Object.keys(given)
  if (names.length > limits.fieldsMax)
    throw new ServiceError('invalid_request', {
      details: [{ path: 'body', message: `has ${names.length} fields; at most ${limits.fieldsMax} are taken` }]
    })
  const free = fields.filter((field) => given[field] === undefined)
  for (const name of names) {
    const meant = fields.includes(name) ? undefined : fieldMeant(name, free)
    if (meant === undefined) continue
    const details = [{ path: name, message: `is no field here; did you mean ${meant}?` }]
    throw new ServiceError('invalid_request', { hint: `Send it as ${meant}, or leave ${name} out.`, details })
  }
}

/** Names of the parameters in a path: `/api/docs/{id}/shares/{share}` → `id`, `share`. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
