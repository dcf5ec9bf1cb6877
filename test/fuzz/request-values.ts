/** Values for requests: valid ones from the API description, and hostile ones. */
import type { Json } from '../support/world.ts'

export type Random = (below: number) => number

export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item

/** Literal JSON text that `JSON.stringify` would not write. */
export class Raw {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Values that replace any other value. Long strings are rare, because they would dominate otherwise. */
const hostile: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  '0',
  '-1',
  'NaN',
  'true',
  'null',
  '[]',
  '{}',
  [],
  {},
  [[]],
  [null],
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../..',
  '..%2f..',
  '%00',
  'a\u0000b',
  '\ud800',
  'a\udc00b',
  '\ufeff# BOM',
  '\u202eabc',
  '\u2028\u2029',
  'é'.normalize('NFD'),
  '👩‍👩‍👧‍👦'.repeat(20),
  "' OR 1=1 --",
  '<script>canary(1)</script>',
  '${7*7}',
  '\r\n\r\nX: y',
  '# '.repeat(500),
  '1-000000000000',
  '999999999999-abcdefabcdef',
  '2027-13-45T99:99:99Z',
  '2020-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  'owner',
  'king',
  new Raw('1e999'),
  new Raw('-0'),
  new Raw('"\\ud800"'),
  new Raw('123456789012345678901234567890'),
  new Raw(deep(60)),
  new Raw(deep(2000)),
  new Raw('{"__proto__":{"role":"owner"},"constructor":{"prototype":{"x":1}}}'),
  new Raw('{"a":1,"a":2}')
]
const huge: readonly unknown[] = [
  'x'.repeat(70_000),
  '# \n'.repeat(30_000),
  Array.from({ length: 5000 }, (_, n) => n),
  `${'>'.repeat(5000)} $$x`
]

export const hostileValue = (random: Random): unknown => (random(60) === 0 ? pick(random, huge) : pick(random, hostile))

const texts: readonly string[] = [
  'one',
  'Plan',
  '# Plan\n\nIntro.\n\n## Risks\n\n- one\n- two\n',
  '',
  'Intro.',
  '```sheet #s\n1,2\n=A1+B1,3\n```\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  '```board\n## Todo\n- [ ] Card\n```\n',
  'ü 👍 \u2028 x',
  '- [ ] task\n',
  '> quote\n',
  '$$x$$ and `code` <b>html</b>'
]

/** Known names of every kind, collected from answers: `doc`, `version`, `commentId` … */
export type Pools = Readonly<Record<string, readonly string[]>>

const named: Readonly<Record<string, string>> = {
  id: 'doc',
  baseVersion: 'version',
  from: 'version',
  to: 'version',
  since: 'version',
  reviewedVersion: 'version',
  revision: 'revisionId',
  commentIds: 'commentId',
  suggestionIds: 'suggestionId',
  ids: 'suggestionId'
}

const text = (random: Random, field: string, { format, enum: allowed }: Json, pools: Pools): unknown => {
  if (Array.isArray(allowed)) return pick(random, allowed as unknown[])
  if (format === 'date-time') return '2099-01-01T00:00:00Z'
  const pool = pools[named[field] ?? field]
  return pool !== undefined && pool.length > 0 && random(8) > 0 ? pick(random, pool) : pick(random, texts)
}

/** Returns a value that a schema allows. */
export const validValue = (random: Random, schema: Json, field: string, pools: Pools): unknown => {
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices !== undefined) return validValue(random, pick(random, choices), field, pools)
  if ('const' in schema) return schema.const
  const type = Array.isArray(schema.type) ? pick(random, schema.type as string[]) : schema.type
  if (type === 'boolean') return random(2) === 0
  if (type === 'integer' || type === 'number')
    return (schema.minimum ?? 0) + random(Math.min(50, (schema.maximum ?? 50) - (schema.minimum ?? 0) + 1))
  if (type === 'array') return Array.from({ length: random(4) }, () => validValue(random, schema.items ?? {}, field, pools))
  if (type === 'object') return validObject(random, schema, pools)
  return type === 'null' ? null : text(random, field, schema, pools)
}

const validObject = (random: Random, { properties = {}, required = [] }: Json, pools: Pools): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties as Record<string, Json>)
      .filter(([field]) => (required as string[]).includes(field) || random(3) === 0)
      .map(([field, schema]) => [field, validValue(random, schema, field, pools)])
  )

/** Returns an object in which one or more fields are hostile, missing, misnamed or added. */
export const mutated = (random: Random, value: Record<string, unknown>): Record<string, unknown> => {
  const next: Record<string, unknown> = { ...value }
  for (let times = 1 + random(2); times > 0; times--) {
    const field = pick(random, [...Object.keys(next), 'dryRun', 'baseVersion'])
    const way = random(6)
    if (way === 0) delete next[field]
    else if (way === 1) next[`${field}s`] = next[field]
    else if (way === 2) next[pick(random, ['__proto__', 'dryrun', 'Role', 'key', 'constructor'])] = hostileValue(random)
    else next[field] = hostileValue(random)
  }
  return next
}

/** Writes JSON. Raw values are inserted unchanged. */
export const written = (value: unknown): string => {
  const raws: string[] = []
  const json = JSON.stringify(value, (_name, member: unknown) => {
    if (!(member instanceof Raw)) return member
    raws.push(member.text)
    return `raw ${raws.length - 1} raw`
  })
  return json === undefined ? 'null' : json.replaceAll(/"raw (\d+) raw"/g, (_match, index: string) => raws[Number(index)] ?? 'null')
}

const bytesOf = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** Returns a body that no JSON writer would produce. */
export const brokenBody = (random: Random, json: string): Buffer =>
  pick(random, [
    () => bytesOf([0xef, 0xbb, 0xbf], json),
    () => bytesOf([0xff, 0xfe], json),
    () => bytesOf('{"content":"', [0xc3, 0x28, 0xed, 0xa0, 0x80], '"}'),
    () => bytesOf(json.slice(0, random(json.length + 1))),
    () => bytesOf(`${json}${json}`),
    () => bytesOf(''),
    () => bytesOf('null'),
    () => bytesOf(deep(10_000)),
    () => bytesOf(`{${Array.from({ length: 3000 }, (_, n) => `"k${n}":${n}`).join(',')}}`),
    () => bytesOf(Array.from({ length: 200 }, () => random(256))),
    () => bytesOf('a=b&a=c&%ff=%zz')
  ])()
