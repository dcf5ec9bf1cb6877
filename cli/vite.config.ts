/**
 * Builds the client into `dist/agmd`: one file that any Node from 20.16 on runs, wherever it lies. Without an ending, Node takes a file for a module
 * or for CommonJS by the nearest package.json: so it is neither, and reaches what is built in by `process.getBuiltinModule`.
 */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { commands } from '../shared/commands/index.ts'
import { operations } from '../shared/operations/index.ts'

const root = import.meta.dirname
const { version } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8')) as { version: string }

/** Built-in modules, without `import` or `require`, and each of them loaded when it is first used: most commands need few. */
function builtinModules(): Plugin {
  const mark = '\0builtin:'
  const lazy = (id: string): string => `module.exports = new Proxy({}, { get: (_none, name) => process.getBuiltinModule('${id}')[name] })`
  return {
    name: 'agmd-builtin-modules',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith('node:') ? `${mark}${id}` : undefined),
    load: (id) => (id.startsWith(mark) ? lazy(id.slice(mark.length)) : undefined)
  }
}

/** The tables as plain data: what checks input is the server's, and would cost every start of the client. */
function plainTables(): Plugin {
  const isCheck = (field: unknown): boolean => typeof field === 'object' && field !== null && '_zod' in field
  // Read as JSON this is quicker than as a literal, and shorter.
  const literal = (table: object): string =>
    `JSON.parse(${JSON.stringify(JSON.stringify(table, (_name, field: unknown) => (isCheck(field) ? undefined : field)))})`
  // A command has the words about its operation, and the service tells what it refuses: the client needs neither here.
  const said = new Set(['summary', 'description', 'elsewhere', 'mcp', 'cli', 'example', 'examples'])
  const sent = Object.fromEntries(
    Object.entries(operations).map(([name, entry]) => [
      name,
      Object.fromEntries(Object.entries(entry).filter(([field]) => !said.has(field)))
    ])
  )
  const tables: Readonly<Record<string, string>> = {
    [join(root, '../shared/operations/index.ts')]: `export const operations = ${literal(sent)}`,
    [join(root, '../shared/commands/index.ts')]: `export const commands = ${literal(commands)}`
  }
  return { name: 'agmd-plain-tables', enforce: 'pre', load: (id) => tables[id] }
}

/** The program's first line, and values written into it. The service puts its own address in the place of AGMD_HOME (server/http/downloads.ts). */
const head = `#!/usr/bin/env node
"use strict";
var AGMD_VERSION = ${JSON.stringify(version)};
var AGMD_HOME = "__AGMD_HOME__";
if (typeof process.getBuiltinModule !== "function") {
  process.stderr.write("agmd: needs Node 20.16 or newer, but this is " + process.version + ". See https://nodejs.org.\\n");
  process.exit(1);
}`

function executable(): Plugin {
  return {
    name: 'agmd-executable',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) chmodSync(join(dir, name), 0o755)
    }
  }
}

export default defineConfig({
  root,
  logLevel: 'warn',
  // Vite takes everything for a page, which has none.
  environments: { client: { keepProcessEnv: true } },
  build: {
    outDir: '../dist',
    emptyOutDir: false,
    target: 'node20',
    // With the engines of a node it would be larger than what is promised of it.
    minify: 'oxc',
    copyPublicDir: false,
    rollupOptions: {
      input: join(root, 'main.ts'),
      output: {
        format: 'iife',
        entryFileNames: 'agmd',
        banner: head,
        codeSplitting: false,
        comments: { legal: true, annotation: false, jsdoc: false }
      }
    }
  },
  plugins: [builtinModules(), plainTables(), executable()]
})
