/**
 * The typed client of the pages. It turns an operation of the table (shared/operations) into a function with the operation's input and output types.
 * The compiler checks the method and the path against the table, so a page need not load the table itself.
 */
import type { DocumentOperation, Input, OperationName, Output, Request, Route } from '../../shared/operations/index.ts'
import { call, callFile, type How } from './api.ts'

/** A document, and the key of the link that opens it. The key is '' if there is no link. */
export interface Access {
  readonly id: string
  readonly key: string
}

/** If a field's schema accepts any input and converts it, the field has the converted type here. */
type Fields<Name extends OperationName> = {
  readonly [Field in keyof Request<Name>]: unknown extends Request<Name>[Field] ? Given<Input<Name>, Field> : Frozen<Request<Name>[Field]>
}
type Given<Parsed, Field> = Field extends keyof Parsed ? Parsed[Field] : never
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Frozen<Value[Field]> }
    : Value

/** The input argument: left out if the operation has no fields, optional if all its fields are optional. */
type InputOf<Name extends OperationName> = string extends keyof Request<Name>
  ? []
  : object extends Fields<Name>
    ? [input?: Fields<Name>]
    : [input: Fields<Name>]
type At<Name extends OperationName> = Name extends DocumentOperation ? [at: Access & How] : [at?: How]

/** A call of one operation. Throws `RequestError`. */
export type Operation<Name extends OperationName> = (...given: [...At<Name>, ...InputOf<Name>]) => Promise<Output<Name>>

interface Address {
  readonly path: string
  /** The fields that are not part of the path. */
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

/**
 * Returns the address of a call. Fields that are not in the path go into the query. Used for commands that a person copies and for requests that
 * `operation` cannot send.
 */
export const addressOf = <Name extends DocumentOperation>(route: Route<Name>, id: string, fields: Partial<Fields<Name>> = {}): string =>
  withQuery(fill(route.slice(route.indexOf(' ') + 1), id, fields))

/** Returns the operation of type `Name`. The route must be equal to the route in the operations table. */
export const operation = <Name extends OperationName>(route: Route<Name>): Operation<Name> => {
  const [method = '', template = ''] = route.split(' ')
  const ask = async (at: Partial<Access> & How = {}, fields: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const address = fill(template, at.id ?? '', fields)
    // A request with a file, or with a method that has no body, sends its fields in the query.
    return method === 'GET' || method === 'DELETE' || at.file !== undefined
      ? call(withQuery(address), { ...at, method, body: at.file })
      : call(address.path, { ...at, method, body: address.left })
  }
  // The service's responses have these types (openapi.json). The pages and the server are built and tested together.
  return ask as (...given: readonly unknown[]) => Promise<unknown> as Operation<Name>
}

/** Returns an operation that downloads a file. */
export const fileOperation =
  <Name extends DocumentOperation>(route: Route<Name>) =>
  (at: Access, fields: Fields<Name>): Promise<Blob> =>
    callFile(addressOf<Name>(route, at.id, fields), at.key)
