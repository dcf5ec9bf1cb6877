/**
 * Finds regular expressions that take more than linear time on some text, in all code that reads untrusted text. Prints a line for each expression
 * that it finds, and then exits with 1.
 *
 * An expression that reads only short text is allowed, with a comment on the line above that states the bound:
 *
 *     // Regex bound: a setting of the operator.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { judge } from './regexes/judge.ts'

/** Returns a fault as a line to print. */
const faultAt = (file: string, source: string, at: number, words: string): string =>
  `${file}:${source.slice(0, at).split('\n').length} ${words}`

const bound = /^\s*(?:\/\/|\*|\/\*\*?) ?Regex bound: \S.{10}/

/** Whether the line above a position states a bound. */
const isBounded = (source: string, at: number): boolean => bound.test(source.slice(0, at).split('\n').at(-2) ?? '')

/** Returns the faults of one file. Throws if the file cannot be parsed. */
export const faultsOf = (file: string, source: string): string[] => {
  const { program, errors } = parseSync(file, source)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  const faults: string[] = []
  const note = (at: number, words: string): void => {
    if (!isBounded(source, at)) faults.push(faultAt(file, source, at, words))
  }
  const construct = ({ callee, arguments: given, start }: Construction): void => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    const [pattern, flags] = given.map((each) => (each.type === 'Literal' && typeof each.value === 'string' ? each.value : undefined))
    const reason =
      pattern === undefined || (given.length > 1 && flags === undefined) ? 'it is known only at run time' : judge(pattern, flags ?? '')
    if (reason !== undefined) note(start, `new RegExp: ${reason}`)
  }
  new Visitor({
    Literal(node) {
      const reason = 'regex' in node ? judge(node.regex.pattern, node.regex.flags) : undefined
      if (reason !== undefined) note(node.start, `${source.slice(node.start, node.end)}: ${reason}`)
    },
    NewExpression: construct,
    CallExpression: construct
  }).visit(program)
  return faults
}

/** A call that creates a regular expression. */
interface Construction {
  readonly start: number
  readonly callee: { readonly type: string; readonly name?: unknown }
  readonly arguments: readonly { readonly type: string; readonly value?: unknown }[]
}

const root = join(import.meta.dirname, '..')

/** Returns the faults of all files below `server`, `shared`, `cli` and `web`. */
export const allFaults = (): string[] =>
  globSync('{server,shared,cli,web}/**/*.{ts,tsx,mts,js,mjs}', { cwd: root })
    .toSorted()
    .flatMap((file) => faultsOf(file, readFileSync(join(root, file), 'utf8')))

if (import.meta.main) {
  const faults = allFaults()
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) {
    console.error('Read such text by hand (shared/text/scan.ts), or state above the expression what bounds it: // Regex bound: …')
    process.exitCode = 1
  }
}
