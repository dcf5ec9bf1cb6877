/**
 * The typed client of the pages. An operation of the table (shared/operations) becomes a function with the input and the answer of its entry. The
 * compiler checks method and path against the table, so a page does not load the table with its schemas and texts.
 */
import type { DocumentOperation, Input, OperationName, Output, Request, Route } from '../../shared/operations/index.ts'
import { call, callFile, type How } from './api.ts'

/** A document, and the key of the link that opens it; '' for none. */
export interface Access {
  readonly id: string
  readonly key: string
}

/** A field whose check accepts anything and converts it has the type that it is converted to. */
type Fields<Name extends OperationName> = {
  readonly [Field in keyof Request<Name>]: unknown extends Request<Name>[Field] ? Given<Input<Name>, Field> : Frozen<Request<Name>[Field]>
}
type Given<Parsed, Field> = Field extends keyof Parsed ? Parsed[Field] : never
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Frozen<Value[Field]> }
    : Value

/** Absent if the operation has no fields, optional if it requires none. */
type InputOf<Name extends OperationName> = string extends keyof Request<Name>
  ? []
  : object extends Fields<Name>
    ? [input?: Fields<Name>]
    : [input: Fields<Name>]
type At<Name extends OperationName> = Name extends DocumentOperation ? [at: Access & How] : [at?: How]

/** Throws `RequestError`. */
export type Operation<Name extends OperationName> = (...given: [...At<Name>, ...InputOf<Name>]) => Promise<Output<Name>>

interface Address {
  readonly path: string
  /** Fields that are not in the path. */
  readonly left: Readonly<Record<string, unknown>>
}

const fill = (template: string, id: string, fields: Readonly<Record<string, unknown>>): Address => {
  const left = { ...fields }
  const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    if (name === 'id') return encodeURIComponent(id)
    delete left[name]
    return encodeURIComponent(String(fields[name]))
  })
  return { path, left }
}

const withQuery = ({ path, left }: Address): string => {
  const given = Object.entries(left).filter(([, value]) => value !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

/** Returns the address of a call, with the fields that are not in the path in the query. For a command that a person copies, or a special request. */
export const addressOf = <Name extends DocumentOperation>(route: Route<Name>, id: string, fields: Partial<Fields<Name>> = {}): string =>
  withQuery(fill(route.slice(route.indexOf(' ') + 1), id, fields))

/** Returns an operation by its name; the route must be that of its entry. */
export const operation = <Name extends OperationName>(route: Route<Name>): Operation<Name> => {
  const [method = '', template = ''] = route.split(' ')
  const ask = async (at: Partial<Access> & How = {}, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const address = fill(template, at.id ?? '', fields)
    // With a file, or a method without a body, the fields go into the query.
    return method === 'GET' || method === 'DELETE' || at.file !== undefined
      ? call(withQuery(address), { ...at, method, body: at.file })
      : call(address.path, { ...at, method, body: address.left })
  }
  // The service answers with these shapes (openapi.json); both sides are built and tested together.
  return ask as (...given: readonly unknown[]) => Promise<unknown> as Operation<Name>
}

/** Returns an operation whose answer is a file. */
export const fileOperation =
  <Name extends DocumentOperation>(route: Route<Name>) =>
  (at: Access, fields: Fields<Name>): Promise<Blob> =>
    callFile(addressOf<Name>(route, at.id, fields), at.key)
