/**
 * Turns the schemas in the operations table into JSON Schema for tools. They are short, because a model reads all of them before its first call.
 * Details that do not help a model are left out. A choice between objects becomes one object with all their fields.
 */
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Descriptions of fields that many tools share. They replace those of the operations table. '' leaves out the description. */
const words: Readonly<Record<string, string>> = {
  after: 'nextAfter of the previous page.',
  baseVersion: '',
  before: 'nextBefore of the previous page.',
  commentIds: '',
  suggestionIds: '',
  column: 'Number from 1, or header text.',
  exact: 'Match case and accents.',
  expected: 'Expected number of matches.',
  find: 'Text to find.',
  granularity: 'With suggest: size of each suggestion.',
  header: 'Some table header cells.',
  height: '',
  limit: '',
  line: 'From 1.',
  lines: 'Such as 10-20.',
  note: '',
  occurrence: '',
  onConflict: 'merge: keep both if they do not overlap.',
  prefix: '',
  reason: '',
  reviewedVersion: '',
  role: '',
  row: 'Number from 1 below the header, or text of its first cell.',
  section: 'Title, or Outer > Inner.',
  since: 'A version or cursor.',
  suffix: '',
  table: 'From 1.',
  taskId: '',
  title: '',
  types: 'Separated by commas.',
  unanchored: '',
  values: 'Show values, not formulas.',
  version: '',
  wait: 'Seconds, at most 55.',
  width: ''
}

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a model does not need a keyword of a schema. Examples are a bound that no call reaches, and a name that only OpenAPI uses. */
const isNoise = (name: string): boolean =>
  name === '$schema' ||
  name === '$defs' ||
  name === 'id' ||
  name === 'example' ||
  name === 'pattern' ||
  name === 'format' ||
  name === 'maxLength' ||
  name === 'minLength' ||
  name === 'additionalProperties' ||
  name === 'minimum' ||
  name === 'maximum' ||
  name === 'minItems' ||
  name === 'maxItems' ||
  name === 'default'

/** Merges two schemas of one field. Their enumerated values become one list. */
const joined = (one: JsonSchema, other: JsonSchema): JsonSchema => {
  const words = ({ const: word, enum: list }: JsonSchema): unknown[] => (Array.isArray(list) ? list : word === undefined ? [] : [word])
  const all = [...new Set([...words(one), ...words(other)])]
  return all.length === 0 ? one : { type: 'string', enum: all }
}

/** Turns a choice between objects into one object. It has all their fields; a field is required if all of the objects require it. */
const merged = (choices: readonly JsonSchema[]): JsonSchema => {
  const properties: Record<string, JsonSchema> = {}
  for (const choice of choices)
    for (const [name, field] of Object.entries(choice['properties'] as Record<string, JsonSchema>))
      properties[name] = properties[name] === undefined ? field : joined(properties[name], field)
  const required = choices.map((choice) => (choice['required'] ?? []) as string[])
  return { type: 'object', properties, required: (required[0] ?? []).filter((name) => required.every((list) => list.includes(name))) }
}

const choicesOf = (schema: JsonSchema): readonly JsonSchema[] | undefined => {
  const choices = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(choices) && choices.every((choice) => isObject(choice) && isObject(choice['properties'])) ? choices : undefined
}

/** Shortens the description of a field for a model. The description is left out if the field's name is enough. */
const told = (name: string, schema: unknown): unknown => {
  if (!isObject(schema) || schema['description'] === undefined || !Object.hasOwn(words, name)) return schema
  const { description: _description, ...silent } = schema
  return words[name] === '' ? silent : { ...silent, description: words[name] }
}

/** Returns the types of an `anyOf` that has only plain types, such as string and null. */
const typesOf = ({ anyOf }: JsonSchema): string[] | undefined => {
  if (!Array.isArray(anyOf)) return undefined
  const isPlain = (choice: unknown): boolean =>
    isObject(choice) && typeof choice['type'] === 'string' && Object.keys(choice).every((name) => name === 'type' || isNoise(name))
  return anyOf.every(isPlain) ? anyOf.map((choice: JsonSchema) => String(choice['type'])) : undefined
}

const short = (schema: unknown, definitions: JsonSchema): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => short(each, definitions))
  if (!isObject(schema)) return schema
  const named = typeof schema['$ref'] === 'string' ? definitions[schema['$ref'].split('/').at(-1) ?? ''] : undefined
  if (isObject(named)) {
    const { $ref: _reference, ...own } = schema
    return short({ ...named, ...own }, definitions)
  }
  const choices = choicesOf(schema)
  if (choices !== undefined) return short(merged(choices), definitions)
  const types = typesOf(schema)
  if (types !== undefined) {
    const { anyOf: _choices, ...others } = schema
    return { type: types, ...others }
  }
  // Below `properties`, the names are field names, not keywords of JSON Schema.
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !isNoise(name) && !(name === 'required' && (value as unknown[]).length === 0))
      .map(([name, value]) => [
        name,
        name === 'properties'
          ? Object.fromEntries(Object.entries(value as JsonSchema).map(([field, of]) => [field, told(field, short(of, definitions))]))
          : short(value, definitions)
      ])
  )
}

/** Returns the schema of a tool's arguments. */
export const inputSchema = (input: z.ZodObject): JsonSchema => {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  return short(schema, (schema.$defs ?? {}) as JsonSchema) as JsonSchema
}
