/**
 * Builds the client as one file, `dist/agmd`, which runs on Node 20.16 or later in any folder. The file has no extension, so the nearest package.json
 * decides whether Node reads it as a module or as CommonJS. The code therefore uses neither syntax and loads built-in modules with
 * `process.getBuiltinModule`.
 */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { commands } from '../shared/commands/index.ts'
import { operations } from '../shared/operations/index.ts'

const root = import.meta.dirname
const { version } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8')) as { version: string }

/** Loads built-in modules without `import` or `require`. Each one is loaded on first use, because most commands need only a few. */
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

/** Inlines the tables as plain data. Only the server validates input, and building the schemas would slow down every start of the client. */
function plainTables(): Plugin {
  const isCheck = (field: unknown): boolean => typeof field === 'object' && field !== null && '_zod' in field
  // Parsing JSON is faster than evaluating a literal, and the code is shorter.
  const literal = (table: object): string =>
    `JSON.parse(${JSON.stringify(JSON.stringify(table, (_name, field: unknown) => (isCheck(field) ? undefined : field)))})`
  // The client does not need these fields: commands have their own descriptions, and the service explains why it refuses a request.
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

/** Returns the first lines of the program with its build values. The service replaces AGMD_HOME with its own address (server/http/downloads.ts). */
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
  // By default, Vite builds for a browser.
  environments: { client: { keepProcessEnv: true } },
  build: {
    outDir: '../dist',
    emptyOutDir: false,
    target: 'node20',
    // Without minification, the node's engines would make the file larger than its limit of 200 KB.
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
