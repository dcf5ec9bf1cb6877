import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The allowed imports (ARCHITECTURE.md, Layers): folders and files below the root (with `types of`, only by `import type`), and packages. A file
 * belongs to the first layer whose pattern it matches. It may always import from its own folder.
 */
const builtin = /^node:/
const text = /^(yjs|lib0|diff)(\/|$)/
const layers: readonly { of: RegExp; files: RegExp; types?: RegExp; packages: readonly RegExp[] }[] = [
  { of: /^shared\//, files: /^shared\//, packages: [/^(zod|markdown-it|markdown-it-footnote)$/, text] },
  { of: /^server\/domain\//, files: /^(shared|server\/domain)\//, packages: [builtin, /^zod$/, text] },
  {
    of: /^server\/(storage|blobs|live|relay|threads)\//,
    files: /^(shared|server\/domain)\//,
    types: /^server\/log\.ts$/,
    packages: [builtin, text, /^(zod|lmdb|pg|aws4fetch|file-type|ws|@hocuspocus\/.+|y-protocols\/.+)$/]
  },
  {
    of: /^server\/(auth|http|mcp)\//,
    files: /^(shared|server\/(domain|auth|http|mcp|threads))\//,
    types: /^server\/(handlers|log)\.ts$/,
    packages: [
      builtin,
      /^(@modelcontextprotocol\/sdk\/.+|koa|@koa\/.+|zod|zod-openapi|highlight\.js\/lib\/common|temml|oidc-provider|openid-client|jose|@simplewebauthn\/.+)$/
    ]
  },
  {
    of: /^server\/metrics\//,
    files: /^(shared|server\/(domain|http|storage|threads))\//,
    types: /^server\/(live|relay)\//,
    packages: [builtin, /^prom-client$/]
  },
  {
    of: /^server\/transfer\//,
    files: /^(?:(shared|server\/(domain|blobs))\/|server\/live\/update-check\.ts$)/,
    packages: [builtin, text, /^(zod|yauzl|yazl)$/]
  },
  {
    of: /^server\/processes\//,
    files: /^(?:shared\/|server\/(?:storage|metrics)\/|server\/port-error\.ts$)/,
    types: /^server\/log\.ts$/,
    packages: [builtin]
  },
  {
    of: /^server\/(?:admin\/.+|[^/]+)\.ts$/,
    files: /^(shared|server)\//,
    packages: [builtin, text, /^(koa|@koa\/.+|zod|ws|@hocuspocus\/.+)$/]
  },
  { of: /^web\/(?:first\/)?vite\.config\.ts$/, files: /^(shared|web)\//, packages: [builtin, /^(vite|zod)$/] },
  {
    of: /^web\//,
    files: /^(shared|web)\//,
    packages: [
      text,
      /^(preact|@preact|@codemirror|@lezer|@fontsource|@fontsource-variable|@hocuspocus|y-[^/]+|highlight\.js|temml|mermaid|uqr|fflate)(\/|$)/
    ]
  },
  { of: /^cli\/vite\.config\.ts$/, files: /^(shared|cli)\//, packages: [builtin, /^vite$/] },
  { of: /^cli\//, files: /^(shared|cli)\//, packages: [builtin, /^image-size$/] },
  // Code that measures or tests the server runs the real server.
  { of: /^scripts\/(bench|fuzz|soak|golden)/, files: /^(shared|server|scripts|test)\//, packages: [/^[^.]/] },
  { of: /^scripts\//, files: /^(shared|scripts)\//, packages: [/^[^.]/] }
]

/**
 * The groups of folders in `web/`, from the lowest to the highest (ARCHITECTURE.md, Layers). A folder may import those before it, so no two folders
 * depend on each other. Files directly in `web/` start the page.
 */
const floors: Readonly<Record<'base' | 'editor' | 'features' | 'page', readonly string[]>> = {
  base: ['base', 'device', 'text', 'ui', 'presence', 'client', 'connection', 'uploads', 'diagram', 'markdown', 'session'],
  editor: ['editor', 'editor/blocks', 'editor/grid', 'editor/paste', 'editor/live', 'editor/find', 'editor/setup'],
  features: [
    'view',
    'sharing',
    'history',
    'media',
    'trash',
    'review/outbox',
    'review/suggestions',
    'review/annotations',
    'review/cards',
    'review',
    'activity',
    'components',
    'reading',
    'published',
    'export',
    'home'
  ],
  page: ['commands', 'first', 'document', '']
}

interface Import {
  readonly from: string
  /** A path below the root, or the name of a package. */
  readonly to: string
  readonly local: boolean
  readonly typeOnly: boolean
}

const root = resolve(import.meta.dirname, '..')
const files = globSync('{shared,server,web,cli,scripts}/**/*.{ts,tsx,mjs}', { cwd: root }).sort()
const imports = files.flatMap(importsOf)

/** Matches `import … from`, `export … from`, `import '…'` and `import('…')`. */
function importsOf(from: string): Import[] {
  const source = readFileSync(join(root, from), 'utf8')
  const statics = source.matchAll(/^[ \t]*(?:import|export)\s+(type\s+(?!from\b))?(?:[\w\s{},*$]*?\sfrom\s*)?['"]([^'"]+)['"]/gm)
  const dynamics = source.matchAll(/()\bimport\(\s*['"`]([^'"`]+)['"`]/g)
  return [...statics, ...dynamics].map(([, type, specifier = '']) => {
    const local = /^\.{0,2}\//.test(specifier)
    const path = specifier.replace(/\?.*$/, '')
    const to = local ? join(dirname(from), path) : path
    return { from, to, local, typeOnly: Boolean(type) }
  })
}

function isAllowed({ from, to, local, typeOnly }: Import): boolean {
  const layer = layers.find(({ of }) => of.test(from))
  if (!layer) return false
  if (!local) return layer.packages.some((allowed) => allowed.test(to))
  return layer.files.test(to) || (typeOnly && layer.types?.test(to) === true) || layer.of.exec(from)?.[0] === layer.of.exec(to)?.[0]
}

const shown = ({ from, to }: Import) => `${from} imports ${to}`

test('[HOUSE-1] the import table allows every import', () => {
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((one) => !isAllowed(one)).map(shown)).toEqual([])
})

test('[HOUSE-2] nothing imports server/main.ts', () => {
  expect(imports.filter(({ to }) => to === 'server/main.ts').map(shown)).toEqual([])
})

test('[HOUSE-3] imports form no cycle, including type imports', () => {
  const targets = Map.groupBy(
    imports.filter(({ local }) => local),
    ({ from }) => from
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

test('[HOUSE-16] a folder of web/ imports only folders below it', () => {
  const order = Object.values(floors)
    .flat()
    .map((name) => join('web', name))
  const heightOf = (file: string): number => order.indexOf(dirname(file))
  const inWeb = imports.filter(({ from, to, local }) => local && from.startsWith('web/') && to.startsWith('web/'))
  expect(files.filter((file) => file.startsWith('web/') && heightOf(file) === -1)).toEqual([])
  expect(inWeb.filter(({ from, to }) => heightOf(to) > heightOf(from)).map(shown)).toEqual([])
})

test('[HOUSE-18] the pages contain paths of the service only as routes of operations', () => {
  const inWeb = files.filter((file) => file.startsWith('web/') && file !== 'web/worker.ts')
  const lines = inWeb.flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'))
  const paths = lines.filter((line) => line.includes('/api/') && !line.includes("'../"))
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((line) => !/\b(operation|fileOperation|addressOf)<'\w+'>\('[A-Z]+ \/api\//.test(line))).toEqual([])
})
