/** The definition of an operation. The operations themselves are in `operations/`, one file per resource. Every interface is derived from them. */
import type { z } from 'zod'
import { type ErrorCode, ServiceError } from './errors.ts'
import { limits } from './limits.ts'
import type { MediaKind } from './media-types.ts'
import { meaningOf, plainField, shownName as shown } from './nearest.ts'
import { otherFieldNames } from './other-names.ts'
import { includesRole, type Role } from './roles.ts'

export interface RestBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path of the operation. `{id}` is the document, and other parameters are fields of the input. */
  readonly path: string
  /** Other paths of the same operation. */
  readonly also?: readonly string[]
  /** Fields of the input that are sent in the query. */
  readonly query?: readonly string[]
  /** HTTP status of a success; 200 by default. */
  readonly status?: number
  /** HTTP status if the response contains `created: false`, because an earlier request has already created the record. */
  readonly repeatStatus?: number
  /**
   * Alternatives to a JSON body. `markdown`: the body may be the document itself (text/markdown or text/plain), as the field `content`. `media`: the
   * body is a file.
   */
  readonly body?: 'markdown' | 'media'
  /**
   * For a `media` body: the accepted kinds, and the size limit in bytes. The defaults are those of assets. `fields`: the body may also be JSON that
   * contains the file.
   */
  readonly media?: { readonly kinds: readonly MediaKind[]; readonly bytesMax: number; readonly fields: boolean }
  /**
   * Format of the response. `file`: a file. `markdown`: the text, unless the caller requests JSON. `record`: JSON, unless the caller requests the
   * text.
   */
  readonly reply?: 'markdown' | 'record' | 'file'
  /** Whether the operation is an OAuth endpoint. Such an endpoint accepts forms and JSON, and reports errors as OAuth specifies. */
  readonly oauth?: boolean
  /** Whether the fields may also be sent as a form, for pages without scripts. */
  readonly form?: boolean
  /** Whether the body may be as large as a document. */
  readonly large?: boolean
}

/** An operation of the service. Its input never contains the document id or a credential, which each interface supplies in its own way. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly description?: string
  /**
   * The subject of the operation. A `document` requires a role on that document, an `account` requires a session, and the `service` is open to
   * everyone.
   */
  readonly on: 'document' | 'account' | 'service'
  /** Lowest role on the document that may call the operation; absent if `on` is not `document`. */
  readonly role?: Role
  /** A lower role that is sufficient if a field has a certain value: field → value → role. */
  readonly roleWith?: Readonly<Record<string, Readonly<Record<string, Role>>>>
  /**
   * The sign-in that is required regardless of the role. `account`: a person with an account. `identity`: a person or an agent. `access`: a link is
   * sufficient.
   */
  readonly needs?: 'account' | 'identity' | 'access'
  /** Whether a call with a link concerns that link's document, although the address does not name a document. */
  readonly ofLink?: boolean
  /**
   * If `on` is `account`: whether a program may call the operation on behalf of a person, with a token or OAuth. Otherwise, only the person may call
   * it.
   */
  readonly byProgram?: boolean
  /**
   * Whether the operation replaces text that the caller might not have read. The operator can require such calls to name a version
   * (AGMD_REQUIRE_VERSION).
   */
  readonly replaces?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** Whether the operation is allowed on a document in the trash. */
  readonly inTrash?: boolean
  /** Whether the operation accepts only the link of the review assignment in its path. The owner's key is then refused. */
  readonly taskLink?: boolean
  readonly rest: RestBinding
  /** Name of the MCP tool, without its prefix. */
  readonly mcp?: string
  /** Words of the client's command, such as `docs push`. */
  readonly cli?: string
  /** Examples of the command. If present, the command is derived entirely from the operation and needs no entry in `commands/`. */
  readonly examples?: readonly string[]
  /**
   * Fields for which the operation succeeds on a document with the content “text”, apart from those in its path. The tests of all operations send
   * these fields.
   */
  readonly example?: Readonly<Record<string, unknown>>
  readonly input: Input
  readonly output: Output
  /** Errors in addition to those that any operation can report. */
  readonly errors: readonly ErrorCode[]
  /** Hints for fields of other interfaces that belong to another call. */
  readonly elsewhere?: Elsewhere
  /** Renames synonyms before the input is checked (docs/api.md, Conventions). */
  readonly normalise?: (raw: Record<string, unknown>) => Record<string, unknown>
}

/** Returns an entry of the table with its exact types. The pages need the types of its method and path. */
export const operation = <
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const On extends Operation['on'],
  const Rest extends RestBinding
>(
  entry: Operation<Input, Output> & { readonly on: On; readonly rest: Rest; readonly example?: Partial<z.input<NoInfer<Input>>> }
): Operation<Input, Output> & { readonly on: On; readonly rest: Rest } => entry

/** Returns the lowest role with which any call of an operation may succeed. It is checked before the input is read. */
export const roleAtLeast = ({ role, roleWith = {} }: Operation): Role | undefined => {
  const lower = Object.values(roleWith).flatMap((byValue) => Object.values(byValue))
  return lower.reduce((least, each) => (least !== undefined && includesRole(least, each) ? each : least), role)
}

/** Returns the role that a call with this input requires. */
export const roleFor = ({ role, roleWith = {} }: Operation, input: Readonly<Record<string, unknown>>): Role | undefined => {
  for (const [field, byValue] of Object.entries(roleWith)) {
    const value = input[field]
    if (typeof value === 'string' && Object.hasOwn(byValue, value)) return byValue[value]
  }
  return role
}

/** Renames an alias to its field, unless the field itself is present. If several aliases are present, the first one counts. */
export const rename =
  (aliases: Readonly<Record<string, string>>) =>
  (raw: Record<string, unknown>): Record<string, unknown> => {
    const named = { ...raw }
    for (const alias of Object.keys(aliases)) delete named[alias]
    for (const [alias, name] of Object.entries(aliases)) if (named[name] === undefined && raw[alias] !== undefined) named[name] = raw[alias]
    return named
  }

/** Names that other interfaces use for suggesting a change instead of applying it. They all mean `mode: "suggest"`. */
export const modeNames = ['as', 'suggest'] as const

/** Returns the mode that a value of `as` or `suggest` means. An unknown value is not changed and is refused later. */
export const modeOf = (value: unknown): unknown => {
  if (value === 'suggestions' || value === 'suggestion' || value === true || value === 'true' || value === '1') return 'suggest'
  return value === false || value === 'false' || value === '0' ? 'apply' : value
}

/**
 * Replaces the names of other interfaces with `mode`. If the values contradict each other, they are not changed and are refused later, because one of
 * them would write.
 */
export const withMode = (raw: Record<string, unknown>): Record<string, unknown> => {
  const { as, suggest, ...fields } = raw
  const said = [fields['mode'], as, suggest].filter((word) => word !== undefined && word !== null).map(modeOf)
  if (said.length === 0) return fields
  return said.every((word) => word === said[0]) ? { ...fields, mode: said[0] } : raw
}

/** Hints for field names that belong to another call. The keys are in the form of `plainField`. */
export type Elsewhere = Readonly<Record<string, string>>

const saidOfUnknown = (
  name: string,
  fields: readonly string[],
  free: readonly string[],
  elsewhere: Elsewhere
): { said: string; hint: string; isKnown: boolean } => {
  const plain = plainField(shown(name))
  const next = Object.hasOwn(elsewhere, plain) ? elsewhere[plain] : undefined
  if (next !== undefined) return { said: 'is not a field of this request', hint: next, isKnown: true }
  const meant = meaningOf(name, free, otherFieldNames)
  if (meant !== undefined)
    return {
      said: `is not a field of this request; did you mean ${meant}?`,
      hint: `Send ${shown(name)} as ${meant}, or leave it out.`,
      isKnown: true
    }
  const known = fields.length === 0 ? 'This request has no fields.' : `The fields are: ${fields.join(', ')}.`
  return { said: 'is not a field of this request', hint: `Leave ${shown(name)} out. ${known}`, isKnown: false }
}

const shownMax = 20

/** A field and the reason why it is invalid. */
export interface FieldFault {
  readonly path: string
  readonly message: string
}

/**
 * Reports the unknown fields, the fields that were probably meant, and the next step. Returns undefined if all fields are known. `present`: all
 * fields that were sent, if they are more than `given`. Throws `invalid_request` if there are too many fields.
 */
export const unknownFields = (
  given: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  elsewhere: Elsewhere = {},
  present: Readonly<Record<string, unknown>> = given
): { readonly hint: string; readonly details: readonly FieldFault[] } | undefined => {
  const names = Object.keys(given).filter((name) => given[name] !== undefined)
  if (names.length > limits.fieldsMax)
    throw new ServiceError('invalid_request', {
      details: [{ path: 'body', message: `has ${names.length} fields; the limit is ${limits.fieldsMax}` }]
    })
  const unknown = names.filter((name) => !fields.includes(name)).slice(0, shownMax)
  const free = fields.filter((field) => present[field] === undefined || present[field] === null)
  const told = unknown.map((name) => ({ path: shown(name), ...saidOfUnknown(name, fields, free, elsewhere) }))
  const first = told.find(({ isKnown }) => isKnown) ?? told[0]
  return first && { hint: first.hint, details: told.map(({ path, said }) => ({ path, message: said })) }
}

/**
 * Refuses unknown fields, because ignoring one would change the request's effect. With a misspelled `dryRun`, it would write. With a misspelled
 * `baseVersion`, it would overwrite changes by other people. Throws `invalid_request` with the field that was probably meant.
 */
export const refuseUnknown = (...asked: Parameters<typeof unknownFields>): void => {
  const unknown = unknownFields(...asked)
  if (unknown !== undefined) throw new ServiceError('invalid_request', unknown)
}

/** Returns the names of the parameters in a path: `/api/docs/{id}/shares/{share}` gives `id` and `share`. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
