/** Parses a connection's address: the prefix of tool names, the requested tools, and the default document. */
import { ServiceError } from '../../shared/errors.ts'
import { groups, type Group } from '../../shared/mcp-groups.ts'
import { isDocumentId } from '../../shared/names.ts'
import { type Role, roles } from '../../shared/roles.ts'
import type { Context } from '../http/context.ts'

/** The separator between the prefix and the name of a tool. */
type Joint = '.' | '_'

export interface Connection {
  readonly joint: Joint
  /** The requested groups of tools. Undefined if the connection requests all groups. */
  readonly groups: ReadonlySet<Group> | undefined
  /** The role for which tools are listed. Undefined for any role. This role does not grant any rights. */
  readonly role: Role | undefined
  /** The document for calls that do not name one. */
  readonly doc: string | undefined
}

const isOneOf = <Word extends string>(word: string, of: readonly Word[]): word is Word => (of as readonly string[]).includes(word)

const refused = (field: string, given: string, known: readonly string[], hint: string): ServiceError =>
  new ServiceError('invalid_request', {
    hint,
    details: [
      {
        path: field,
        message: `cannot be ${given === '' ? 'empty' : given.slice(0, 40).toWellFormed()}; the accepted values are ${known.join(', ')}`
      }
    ]
  })

const fields = ['names', 'tools', 'role', 'doc', 'sign_in', 'key', 'author']

const checkFields = (query: URLSearchParams): void => {
  const unknown = [...query.keys()].find((field) => !fields.includes(field))
  if (unknown !== undefined)
    throw new ServiceError('invalid_request', {
      hint: `Leave ${unknown.slice(0, 40).toWellFormed()} out of the address of the connection.`,
      details: [
        { path: unknown.slice(0, 40).toWellFormed(), message: `is not a field of this address; the fields are ${fields.join(', ')}` }
      ]
    })
}

const jointIn = (word: string | null): Joint => {
  if (word === null) return '.'
  if (word === 'underscore') return '_'
  throw refused('names', word, ['underscore'], 'Set names=underscore, or leave names out for names with a dot.')
}

const groupsIn = (given: readonly string[]): ReadonlySet<Group> | undefined => {
  if (given.length === 0) return undefined
  const words = given.flatMap((list) => list.split(',').map((word) => word.trim().toLowerCase()))
  const named = words.filter((word) => isOneOf(word, groups))
  if (named.length === words.length) return new Set(named)
  const unknown = words.find((word) => !isOneOf(word, groups)) ?? ''
  throw refused('tools', unknown, groups, `Set tools to one or more of ${groups.join(',')}, or leave tools out for all groups.`)
}

const roleIn = (word: string | null): Role | undefined => {
  if (word === null || isOneOf(word, roles)) return word ?? undefined
  throw refused('role', word, roles, 'Leave role out, or name the role of the link that you connect with.')
}

const docIn = (doc: string | null): string | undefined => (doc !== null && isDocumentId(doc) ? doc : undefined)

/** Returns the beginning of tool names on a connection: the prefix, followed by a dot or an underscore. */
export const namesBegin = (prefix: string, ctx: Context): string => `${prefix}${jointIn(new URLSearchParams(ctx.querystring).get('names'))}`

/** Returns the document that the connection's address names. The address in an invitation names a document. */
export const connectedDoc = (ctx: Context): string | undefined => docIn(new URLSearchParams(ctx.querystring).get('doc'))

/**
 * Parses the query of an endpoint address. Throws `invalid_request` for unknown parameters, and for unknown values of `names`, `tools` and `role`.
 */
export const connectionOf = (query: URLSearchParams): Connection => {
  checkFields(query)
  return {
    joint: jointIn(query.get('names')),
    groups: groupsIn(query.getAll('tools')),
    role: roleIn(query.get('role')),
    doc: docIn(query.get('doc'))
  }
}
