/** Defines operations. The entries are in `operations/`, one file per resource; every interface is derived from them. */
import type { z } from 'zod'
import { type ErrorCode, ServiceError } from './errors.ts'
import { limits } from './limits.ts'
import type { MediaKind } from './media-types.ts'
import { meaningOf, plainField, shownName as shown } from './nearest.ts'
import { otherFieldNames } from './other-names.ts'
import { includesRole, type Role } from './roles.ts'

export interface RestBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `{id}` is the document; other parameters are fields of the input. */
  readonly path: string
  /** Further paths of the same operation. */
  readonly also?: readonly string[]
  /** Fields of the input that are in the query. */
  readonly query?: readonly string[]
  /** Status of success; 200 when absent. */
  readonly status?: number
  /** The status if the answer says `created: false`, because an earlier request created the record. */
  readonly repeatStatus?: number
  /** `markdown`: the body may also be the document itself (text/markdown, text/plain), as the field `content`. `media`: it is a file. */
  readonly body?: 'markdown' | 'media'
  /** For a `media` body: the accepted files, and the largest, in bytes; assets when absent. `fields`: JSON with the file in it is taken, too. */
  readonly media?: { readonly kinds: readonly MediaKind[]; readonly bytesMax: number; readonly fields: boolean }
  /** `file`: the answer is a file. `markdown`: the answer is the text unless JSON is asked for; `record`: it is JSON unless the text is asked for. */
  readonly reply?: 'markdown' | 'record' | 'file'
  /** Whether the operation is an OAuth endpoint: takes forms and JSON, and answers errors as OAuth does. */
  readonly oauth?: boolean
  /** Whether the fields may also come as a form, which a page without script sends. */
  readonly form?: boolean
  /** Whether the body may be as large as a document. */
  readonly large?: boolean
}

/** One operation. Its input never contains the document id or a credential; each interface supplies them in its own way. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  readonly summary: string
  readonly description?: string
  /** The subject. A `document` needs a role there, an `account` needs a session, and the `service` is open. */
  readonly on: 'document' | 'account' | 'service'
  /** Least role on the document; absent when `on` is not `document`. */
  readonly role?: Role
  /** Least role where a field has a certain value: field → value → role. Lower than `role`. */
  readonly roleWith?: Readonly<Record<string, Readonly<Record<string, Role>>>>
  /** The required sign-in, regardless of the role: a person with an `account`, or any `identity`, including agents. `access`: a link suffices. */
  readonly needs?: 'account' | 'identity' | 'access'
  /** Whether a call with a link concerns the document of the link although the address names none. */
  readonly ofLink?: boolean
  /** For an `account`: whether a program with a scope (a token, or OAuth) may call it for a person. Only the person may manage the account. */
  readonly byProgram?: boolean
  /** Whether the operation replaces text that the caller may not have read, so that the operator can require the version (AGMD_REQUIRE_VERSION). */
  readonly replaces?: boolean | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** Whether the operation can be called on a document in the trash. */
  readonly inTrash?: boolean
  /** Whether only the link of the review assignment in the path is accepted; an owner's key is not. */
  readonly taskLink?: boolean
  readonly rest: RestBinding
  /** Name of the MCP tool without its prefix. */
  readonly mcp?: string
  /** Words of the client's command. */
  readonly cli?: string
  /** Examples of the command. With them it needs no entry in `commands/`, because the entire command is derived. */
  readonly examples?: readonly string[]
  /**
   * Fields with which the operation succeeds on a document with the content “text”, without those in its path. The tests of all operations send
   * these fields.
   */
  readonly example?: Readonly<Record<string, unknown>>
  readonly input: Input
  readonly output: Output
  /** Errors beyond those that any operation can answer. */
  readonly errors: readonly ErrorCode[]
  /** The next step for fields of other interfaces that belong to another call. */
  readonly elsewhere?: Elsewhere
  /** Renames synonyms before the input is checked (docs/api.md, Conventions). */
  readonly normalise?: (raw: Record<string, unknown>) => Record<string, unknown>
}

/** Returns an entry of the table with its exact types, including those of its method and path, for the pages. */
export const operation = <
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const On extends Operation['on'],
  const Rest extends RestBinding
>(
  entry: Operation<Input, Output> & { readonly on: On; readonly rest: Rest; readonly example?: Partial<z.input<NoInfer<Input>>> }
): Operation<Input, Output> & { readonly on: On; readonly rest: Rest } => entry

/** Returns the least role that any call of an operation needs, checked before its input is read. */
export const roleAtLeast = ({ role, roleWith = {} }: Operation): Role | undefined => {
  const lower = Object.values(roleWith).flatMap((byValue) => Object.values(byValue))
  return lower.reduce((least, each) => (least !== undefined && includesRole(least, each) ? each : least), role)
}

/** Returns the role that a call with this input needs. */
export const roleFor = ({ role, roleWith = {} }: Operation, input: Readonly<Record<string, unknown>>): Role | undefined => {
  for (const [field, byValue] of Object.entries(roleWith)) {
    const value = input[field]
    if (typeof value === 'string' && Object.hasOwn(byValue, value)) return byValue[value]
  }
  return role
}

/** Renames the first present alias to its field, unless the field is present itself. */
export const rename =
  (aliases: Readonly<Record<string, string>>) =>
  (raw: Record<string, unknown>): Record<string, unknown> => {
    const named = { ...raw }
    for (const alias of Object.keys(aliases)) delete named[alias]
    for (const [alias, name] of Object.entries(aliases)) if (named[name] === undefined && raw[alias] !== undefined) named[name] = raw[alias]
    return named
  }

/** Words of other interfaces for proposing a change instead of applying it: they all mean `mode: "suggest"`. */
export const modeNames = ['as', 'suggest'] as const

/** The mode that `as` or `suggest` names; an unknown word stays, and is refused. */
export const modeOf = (value: unknown): unknown => {
  if (value === 'suggestions' || value === 'suggestion' || value === true || value === 'true' || value === '1') return 'suggest'
  return value === false || value === 'false' || value === '0' ? 'apply' : value
}

/** Replaces the words of other interfaces by `mode`. Words that contradict each other stay, and are refused: one of them would write. */
export const withMode = (raw: Record<string, unknown>): Record<string, unknown> => {
  const { as, suggest, ...fields } = raw
  const said = [fields['mode'], as, suggest].filter((word) => word !== undefined && word !== null).map(modeOf)
  if (said.length === 0) return fields
  return said.every((word) => word === said[0]) ? { ...fields, mode: said[0] } : raw
}

/** Sentences for names that mean another call: name without case, dashes and underscores → the next step. */
export type Elsewhere = Readonly<Record<string, string>>

const saidOfUnknown = (
  name: string,
  fields: readonly string[],
  free: readonly string[],
  elsewhere: Elsewhere
): { said: string; hint: string; isKnown: boolean } => {
  const plain = plainField(shown(name))
  const next = Object.hasOwn(elsewhere, plain) ? elsewhere[plain] : undefined
  if (next !== undefined) return { said: 'is not a field here', hint: next, isKnown: true }
  const meant = meaningOf(name, free, otherFieldNames)
  if (meant !== undefined)
    return { said: `is not a field here; did you mean ${meant}?`, hint: `Send ${shown(name)} as ${meant}, or leave it out.`, isKnown: true }
  const known = fields.length === 0 ? 'There are none here.' : `The fields are: ${fields.join(', ')}.`
  return { said: 'is not a field here', hint: `Leave ${shown(name)} out. ${known}`, isKnown: false }
}

const shownMax = 20

/** A field and its fault. */
export interface FieldFault {
  readonly path: string
  readonly message: string
}

/**
 * Returns the unknown fields, the fields that were probably meant, and the next step; undefined if there are none. `present`: all fields that were
 * sent, if `given` has only some of them. Throws `invalid_request` for too many.
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
 * Refuses unknown fields, because an ignored field would change the effect of the request: with a misspelt `dryRun` it writes, with a misspelt
 * `baseVersion` it overwrites others. Throws `invalid_request`, with the field that was meant.
 */
export const refuseUnknown = (...asked: Parameters<typeof unknownFields>): void => {
  const unknown = unknownFields(...asked)
  if (unknown !== undefined) throw new ServiceError('invalid_request', unknown)
}

/** Names of the parameters in a path: `/api/docs/{id}/shares/{share}` → `id`, `share`. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
