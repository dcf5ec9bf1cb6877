/** Shrinks an OpenAPI description: repeated values become components and references. */

type Json = Record<string, unknown>

const referenceTo = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

interface Occurrence {
  readonly holder: Json
  readonly field: string
  readonly name: string
}

interface Group {
  readonly text: string
  readonly same: readonly Occurrence[]
}

/** Returns the number of characters saved if a value is written only once. */
const gainOf = ({ text, same }: Group, kind: string): number => {
  const name = same[0]?.name ?? ''
  const reference = JSON.stringify(referenceTo(kind, name)).length
  return same.length * (text.length - reference) - text.length - name.length - '"":,'.length
}

/** Returns equal values for which a reference saves space, outer values first. */
const groupsOf = (places: readonly Occurrence[], kind: string): Group[] =>
  [...Map.groupBy(places, ({ holder, field }) => JSON.stringify(holder[field]))]
    .map(([text, same]) => ({ text, same }))
    .filter((group) => !group.text.startsWith('{"$ref"') && gainOf(group, kind) > 0)
    .toSorted((one, other) => other.text.length - one.text.length)

/** Replaces equal values with a reference to one component. The first value gives the component its name. */
const replace = ({ same }: Group, components: Json, kind: string): void => {
  const [first] = same
  if (first === undefined) return
  const shared = (components[kind] ??= {}) as Json
  let { name } = first
  for (let number = 2; name in shared; number++) name = `${first.name}${number}`
  shared[name] = first.holder[first.field]
  for (const { holder, field } of same) holder[field] = referenceTo(kind, name)
}

const share = (places: readonly Occurrence[], components: Json, kind: string): void => {
  for (const group of groupsOf(places, kind)) replace(group, components, kind)
}

const entries = (value: unknown): [string, Json][] => Object.entries((value ?? {}) as Record<string, Json>)

const operationsOf = (paths: Json): Json[] => entries(paths).flatMap(([, methods]) => entries(methods).map(([, each]) => each))

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Returns every schema below a value, the largest first. */
const schemasIn = (value: unknown, name: string): Occurrence[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]) => {
    const isSchema =
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && ('type' in inner || 'anyOf' in inner || 'const' in inner)
    const at = isSchema ? [{ holder: value as Json, field, name: `${name}${capital(field.replaceAll(/\W/g, ''))}` }] : []
    return [...at, ...schemasIn(inner, name)]
  })
}

/** Removes a schema's description if its parameter has the same description. */
const sayOnce = (parameter: Json): void => {
  const schema = parameter['schema'] as Json | undefined
  if (schema?.['description'] === parameter['description']) delete schema?.['description']
}

const requiredOf = (schema: Json): readonly string[] => (schema['required'] ?? []) as string[]

/** Finds objects that extend a component with more fields or more required fields. Replaces each object with a reference and the additions. */
const extend = (value: unknown, base: Json, reference: string): void => {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) extend(inner, base, reference)
  const schema = value as Json
  const [fields, own] = [entries(base['properties']), schema['properties'] as Json | undefined]
  if (schema === base || own === undefined || !fields.every(([name, field]) => JSON.stringify(own[name]) === JSON.stringify(field))) return
  const [needed, known] = [requiredOf(schema), requiredOf(base)]
  if (!known.every((name) => needed.includes(name))) return
  const properties = Object.fromEntries(Object.entries(own).filter(([name]) => !fields.some(([other]) => other === name)))
  const required = needed.filter((name) => !known.includes(name))
  for (const name of ['type', 'properties', 'required']) delete schema[name]
  const others = { type: 'object', ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) }
  schema['allOf'] = [{ $ref: reference }, others]
}

/** Removes the type of a constant, because its value implies the type. */
const leaveTypesOfConstants = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  if ('const' in value && 'type' in value) delete value.type
  for (const inner of Object.values(value)) leaveTypesOfConstants(inner)
}

/** Rewrites a choice between a schema and null as one schema with two types. */
const mergeNull = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) mergeNull(inner)
  const schema = value as Json
  const [first, second] = Array.isArray(schema['anyOf']) ? (schema['anyOf'] as Json[]) : []
  if (typeof first?.['type'] !== 'string' || second?.['type'] !== 'null') return
  delete schema['anyOf']
  Object.assign(schema, first, { type: [first['type'], 'null'] }, 'enum' in first && { enum: [...(first['enum'] as unknown[]), null] })
}

/** Declares the ids in a path once, if all operations of the path have them. They come before the other parameters. */
const shareByPath = (paths: Json): void => {
  for (const [path, methods] of entries(paths)) {
    const lists = entries(methods).map(([, { parameters = [] }]) => parameters as Json[])
    if (lists.length < 2) continue
    const shared: Json[] = []
    for (let ids = path.split('{').length - 1; ids > 0; ids--) {
      const [first] = lists[0] ?? []
      if (first === undefined || !lists.every(([other]) => JSON.stringify(other) === JSON.stringify(first))) break
      shared.push(first)
      for (const list of lists) list.shift()
    }
    if (shared.length > 0) methods['parameters'] = shared
  }
}

/** Components that other schemas extend. */
const extended = ['Metadata', 'Share', 'Revision', 'ProposedSuggestion', 'MediaJob', 'Reply']

/** Returns the description with components instead of its repeated parameters, bodies, responses and schemas. */
export const withShared = (description: object): object => {
  const { paths, components } = description as { paths: Json; components: Json }
  const operations = operationsOf(paths)
  const named = (field: string): Occurrence[] =>
    operations
      .filter((each) => each[field] !== undefined)
      .map((each) => ({ holder: each, field, name: capital(String(each['operationId'])) }))
  const parameters = operations.flatMap(({ parameters: list = [] }) =>
    (list as Json[]).map((each, index) => ({ holder: list as Json, field: String(index), name: String(each['name']) }))
  )
  const responses = operations.flatMap(({ responses: all, operationId }) =>
    entries(all).map(([status]) => ({ holder: all as Json, field: status, name: `${capital(String(operationId))}${status}` }))
  )
  mergeNull([operations, components['schemas']])
  leaveTypesOfConstants([operations, components['schemas']])
  for (const { holder, field } of parameters) sayOnce(holder[field] as Json)
  for (const [, parameter] of entries(components['parameters'])) sayOnce(parameter)
  for (const name of extended) {
    const base = (components['schemas'] as Record<string, Json>)[name]
    if (base !== undefined) extend([paths, components], base, `#/components/schemas/${name}`)
  }
  for (const { requestBody } of operations)
    if ((requestBody as Json | undefined)?.['required'] === false) delete (requestBody as Json)['required']
  share(parameters, components, 'parameters')
  shareByPath(paths)
  for (const each of operations) if ((each['parameters'] as Json[] | undefined)?.length === 0) delete each['parameters']
  share(named('requestBody'), components, 'requestBodies')
  share(responses, components, 'responses')
  // Only one group is replaced at a time, because replacing it removes the groups within it, or leaves them with a single occurrence.
  for (;;) {
    const parts = operations.flatMap((each) => schemasIn([each['requestBody'], each['responses']], capital(String(each['operationId']))))
    const kept = entries(components['schemas']).flatMap(([name, schema]) => schemasIn(schema, name))
    const [largest] = groupsOf([...kept, ...parts], 'schemas')
    if (largest === undefined) break
    replace(largest, components, 'schemas')
  }
  return description
}
