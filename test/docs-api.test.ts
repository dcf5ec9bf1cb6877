/** The tables of docs/api.md are those of the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorMeanings } from '../shared/errors.ts'
import { eventKinds } from '../shared/events.ts'
import { rateLimits } from '../shared/limits.ts'
import type { Operation } from '../shared/operation.ts'
import { operations } from '../shared/operations/index.ts'

const page = join(import.meta.dirname, '..', 'docs', 'api.md')

const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``)

/** Who may call: a role on the document, or another one with a certain value of a field; an account. */
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

/** The least unit of time in which a bucket gains at least one. */
const rate = (perSecond: number): string => {
  const [count, unit] =
    perSecond >= 1 ? [perSecond, 'a second'] : perSecond * 60 >= 1 ? [perSecond * 60, 'a minute'] : [perSecond * 3600, 'an hour']
  return `${Math.round(count)} ${unit}`
}

const parts: Readonly<Record<string, string>> = {
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

const filled = (text: string): string =>
  Object.entries(parts).reduce((done, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    const [from, to] = [done.indexOf(begin) + begin.length, done.indexOf(end)]
    return `${done.slice(0, from)}${part}\n${done.slice(to)}`
  }, text)

test('[HOUSE-8] docs/api.md lists the operations, events, errors and rate limits of the tables', () => {
  const text = readFileSync(page, 'utf8')
  if (process.env['AGMD_UPDATE_SNAPSHOTS'] === '1') writeFileSync(page, filled(text))
  else expect(text).toBe(filled(text))
})
