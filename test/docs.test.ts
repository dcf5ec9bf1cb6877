/** Keeps the documentation correct. Its tables must match the code, and everything that documents and comments refer to must exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { configTable } from '../server/config.ts'
import { metricTable } from '../server/metrics/table.ts'
import { closeCodes, type LiveMessage, messageTypes } from '../shared/live-protocol.ts'
import { errorMeanings } from '../shared/errors.ts'
import { eventKinds } from '../shared/events.ts'
import { rateLimits } from '../shared/limits.ts'
import type { Operation } from '../shared/operation.ts'
import { operations } from '../shared/operations/index.ts'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

/** Returns the allowed callers: a role on the document, another role for a certain value of a field, or an account. */
const rightOf = ({ role, roleWith = {}, needs }: Operation): string => {
  const others = Object.entries(roleWith).flatMap(([field, byValue]) =>
    Object.entries(byValue).map(([value, other]) => `${other} with \`${field}=${value}\``)
  )
  const rights = [role, ...others, needs === 'access' ? 'any credential' : needs].filter((right) => right !== undefined)
  return rights.length === 0 ? 'nothing' : rights.join('; ')
}

const operationRow = (operation: Operation): string[] => {
  const { method, path, also = [] } = operation.rest
  return [
    [path, ...also].map((each) => code(`${method} ${each}`)).join(', '),
    rightOf(operation),
    code(operation.mcp),
    code(operation.cli),
    operation.summary
  ]
}

/** Returns a rate in the smallest unit of time in which a bucket gains at least one token. */
const rate = (perSecond: number): string => {
  const [count, unit] =
    perSecond >= 1 ? [perSecond, 'a second'] : perSecond * 60 >= 1 ? [perSecond * 60, 'a minute'] : [perSecond * 3600, 'an hour']
  return `${Math.round(count)} ${unit}`
}

/** The generated parts of a page, by the name in their markers. */
type Parts = Readonly<Record<string, string>>

const api: Parts = {
  operations: tableOf(
    ['request', 'needs', 'MCP tool', 'command', 'what it does'],
    Object.values(operations).map((each) => operationRow(each as unknown as Operation))
  ),
  events: `Kinds: ${eventKinds.map(code).join(', ')}.`,
  errors: tableOf(
    ['code', 'status', 'exit', 'again?', 'meaning', 'next step'],
    Object.entries(errorMeanings).map(([name, { status, exit, retryable, message, hint }]) => [
      code(name),
      String(status),
      String(exit),
      retryable === true ? 'yes' : '',
      message,
      hint
    ])
  ),
  limits: tableOf(
    ['limit', 'at once', 'then'],
    Object.entries(rateLimits).map(([name, { burst, perSecond }]) => [code(name), String(burst), rate(perSecond)])
  )
}

const running: Parts = {
  settings: tableOf(
    ['variable', 'default', 'what', 'must be'],
    Object.values(configTable).map(({ name, default: standard, docs: what, allowed }) => [
      code(name),
      standard === null || standard === '' ? 'not set' : code(standard),
      what,
      allowed
    ])
  ),
  metrics: tableOf(
    ['metric', 'type', 'labels', 'meaning'],
    Object.values(metricTable).map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help])
  )
}

const filled = (text: string, parts: Parts): string =>
  Object.entries(parts).reduce((done, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const [from, to] = [done.indexOf(begin) + begin.length, done.indexOf(end)]
    return `${done.slice(0, from)}${part}\n${done.slice(to)}`
  }, text)

/** Compares a page with the one generated from the tables. With AGMD_UPDATE_SNAPSHOTS=1, it writes the page. */
const check = (name: string, parts: Parts): void => {
  const page = join(docs, name)
  const text = readFileSync(page, 'utf8')
  if (process.env['AGMD_UPDATE_SNAPSHOTS'] === '1') writeFileSync(page, filled(text, parts))
  else expect(text, `docs/${name}: write it again with AGMD_UPDATE_SNAPSHOTS=1`).toBe(filled(text, parts))
}

test('[HOUSE-8] docs/api.md lists the operations, events, errors and rate limits of the tables', () => check('api.md', api))

test('[HOUSE-9] [METRIC-9] docs/operations.md lists the settings and metrics of the tables', () => check('operations.md', running))

/** Matches a document, and the section of it that the text names. */
const citation = /\b([\w./-]+\.md)(?:, ([A-Z][A-Za-z]+(?: [a-z-]+)*))?/g
/** Excludes addresses of the service and users' files, which look like documents of this repository. */
const isPaper = (path: string): boolean => /^(?:docs|test)\/|^[A-Z]+\.md$/.test(path) && path !== 'SKILL.md'

const headingsOf = (path: string): readonly string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
/** Matches a source file that a comment names by its path, by the end of its path or by its bare name. */
const source = /(?<![\w./-])(?:[\w-]+\/)*[\w-][\w.-]*\.(?:tsx?|css|mjs)\b/g
const isThere = (path: string): boolean => path.startsWith('node_modules/') || tracked.some((file) => `/${file}`.endsWith(`/${path}`))

const lacks = (path: string, section: string | undefined): boolean =>
  !existsSync(join(root, path)) || (section !== undefined && !headingsOf(path).includes(section))

test('[HOUSE-10] every document and source file that a comment cites is in the repository, with the section that it names', () => {
  const sources = globSync('{shared,server,web,cli,scripts,test}/**/*.{ts,tsx,mjs,css}', { cwd: root })
  const comments = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^\s*(?:\/\*|\*|\/\/).*$/gm)].map(([line]) => ({ file, line }))
  )
  const lacking = comments.flatMap(({ file, line }) =>
    [...line.matchAll(citation)]
      .filter(([, path = '', section]) => isPaper(path) && lacks(path, section))
      .map(([cited]) => `${file} cites ${cited}`)
  )
  const moved = comments.flatMap(({ file, line }) =>
    [...line.matchAll(source)].filter(([path]) => !isThere(path)).map(([path]) => `${file} cites ${path}`)
  )
  expect([...lacking, ...moved]).toEqual([])
})

const papers = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]
/** Matches a path in backticks, or the target of a link within the repository. */
const pointer = /`((?:server|shared|web|cli|scripts|test|docs)\/[\w./-]+)`|\]\((?!https?:)([^)#\s]+)/g
/** Folders that a command generates and that are not checked in. */
const made = ['test/browser/screens']

test('[HOUSE-11] every file of the repository that a document links to exists', () => {
  const lacking = papers.flatMap((paper) =>
    [...readFileSync(join(root, paper), 'utf8').matchAll(pointer)]
      .filter(([, path, link]) => !existsSync(path === undefined ? join(root, dirname(paper), link ?? '') : join(root, path)))
      .map(([, path = '', link = '']) => `${paper}: ${path}${link}`)
      .filter((each) => !made.some((path) => each.endsWith(path)))
  )
  expect(lacking).toEqual([])
})

/** The fields of each message other than its type. A question mark follows optional fields. */
type FieldsOf<Message> = {
  readonly [Field in Exclude<keyof Message, 'type'> & string]-?: object extends Pick<Message, Field & keyof Message> ? `${Field}?` : Field
}[Exclude<keyof Message, 'type'> & string]
type Listed<Type extends LiveMessage['type']> = Readonly<Record<FieldsOf<Extract<LiveMessage, { readonly type: Type }>>, true>>
const messageFields: { readonly [Type in LiveMessage['type']]: Listed<Type> } = {
  role: { role: true, 'expiresAt?': true, 'name?': true, 'account?': true, 'formerNames?': true },
  you: { person: true, 'number?': true, 'hue?': true },
  event: { event: true },
  comment: { comment: true, 'place?': true },
  'comment.deleted': { commentId: true },
  suggestion: { suggestion: true, 'place?': true },
  annotations: {},
  task: { task: true },
  ended: { code: true }
}

test('[HOUSE-12] docs/protocol.md lists every close code and every frame type', () => {
  const text = readFileSync(join(docs, 'protocol.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  expect(rows).toEqual(expect.arrayContaining([...Object.values(messageTypes), ...Object.values(closeCodes)]))
})

test('[HOUSE-15] docs/protocol.md lists every stateless message with its fields', () => {
  const text = readFileSync(join(docs, 'protocol.md'), 'utf8')
  const part = text.slice(text.indexOf('## Stateless messages'), text.indexOf('## Close codes'))
  const rows = [...part.matchAll(/^\| `([a-z.]+)` \| (.*?) \|/gm)].map(([, type, fields = '']) => [
    type,
    Object.fromEntries([...fields.matchAll(/`(\w+\??)`/g)].map(([, field]) => [field, true]))
  ])
  expect(Object.fromEntries(rows.filter(([type]) => type !== 'type'))).toEqual(messageFields)
})
