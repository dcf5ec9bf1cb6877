/**
 * Measures the length of functions. `node scripts/functions.ts [folder …]` prints the number of functions, percentiles, and the longest functions.
 * Lines of logic exclude blank lines, comments and nested functions with a name.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Measured {
  readonly place: string
  readonly name: string
  readonly lines: number
  readonly logic: number
}

const root = resolve(import.meta.dirname, '..')
const shownMax = 25
const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Returns the name of a function, or of the variable, property or method that holds it; undefined if it has no name. */
const nameOf = (node: Node, parent: Node | undefined, text: string): string | undefined => {
  const { id } = node as Node & { readonly id?: Node | null }
  const { id: variable, key } = (parent ?? {}) as { readonly id?: Node; readonly key?: Node }
  const named = id ?? variable ?? key
  return named && /^\w+/.exec(text.slice(named.start, named.end))?.[0]
}

/** Returns a function that maps an offset of the text to its line, counted from 0. */
const lineCounter = (text: string): ((at: number) => number) => {
  const starts = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

const measure = (path: string): Measured[] => {
  const text = readFileSync(join(root, path), 'utf8')
  const lineAt = lineCounter(text)
  const isBare = text.split('\n').map((line) => /^\s*(?:\/\/|\/\*|\*|$)/.test(line))
  const found: Measured[] = []
  /** Adds the functions inside a syntax node to `found`. Returns the lines that belong to named functions. */
  const visit = (node: Node, parent?: Node): Set<number> => {
    const inner = new Set(childrenOf(node).flatMap((child) => [...visit(child, node)]))
    const name = functionTypes.includes(node.type) ? nameOf(node, parent, text) : undefined
    if (name === undefined) return inner
    const first = lineAt(node.start)
    const all = Array.from({ length: lineAt(node.end) - first + 1 }, (_, index) => first + index)
    const logic = all.filter((line) => isBare[line] !== true && !inner.has(line)).length
    found.push({ place: `${path}:${first + 1}`, name, lines: all.length, logic })
    return new Set(all)
  }
  visit(parseSync(path, text).program)
  return found
}

/** Folders with source code. */
const programFolders = ['shared', 'server', 'web', 'cli', 'scripts']

/** Returns the functions in the files of these folders. */
export const functionsIn = (folders: readonly string[] = programFolders): Measured[] =>
  folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })).flatMap(measure)

/** Returns the value that a given share of the functions, from 0 to 1, does not exceed. */
export const percentile = (measured: readonly Measured[], of: 'lines' | 'logic', part: number): number => {
  const sorted = measured.map((each) => each[of]).toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0
}

const report = (measured: readonly Measured[]): string => {
  const summary = (of: 'lines' | 'logic'): string => {
    const at = (part: number): number => percentile(measured, of, part)
    return `${of}: half at most ${at(0.5)}, nine tenths at most ${at(0.9)}, longest ${at(1)}`
  }
  const longest = measured.toSorted((one, other) => other.logic - one.logic || other.lines - one.lines).slice(0, shownMax)
  const rows = longest.map(
    ({ place, name, lines, logic }) => `${String(logic).padStart(5)} of ${String(lines).padStart(3)}  ${name}  ${place}`
  )
  return [`${measured.length} functions`, summary('lines'), summary('logic'), ...rows, ''].join('\n')
}

if (import.meta.main) process.stdout.write(report(functionsIn(process.argv.length > 2 ? process.argv.slice(2) : undefined)))
