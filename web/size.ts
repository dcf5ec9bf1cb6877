/** Prints what a first visit loads, gzipped, against its budgets (experience.md 6.1); exits 1 when one is over. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

interface Chunk {
  readonly file: string
  readonly src?: string
  readonly name?: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const kilobyte = 1024
const built = join(import.meta.dirname, '../dist/web')
const manifest = JSON.parse(readFileSync(join(built, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/** Files of a chunk and of all it imports at once. */
function files(key: string, kind: 'js' | 'css', seen = new Set<string>()): Set<string> {
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`the manifest has no ${key}`)
  if (kind === 'js') seen.add(chunk.file)
  else for (const file of chunk.css ?? []) seen.add(file)
  for (const other of chunk.imports ?? []) files(other, kind, seen)
  return seen
}

function gzipped(keys: readonly string[], kind: 'js' | 'css'): number {
  const all = new Set(keys.flatMap((key) => [...files(key, kind)]))
  return [...all].reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file)), { level: 9 }).length, 0)
}

const entry = 'index.html'
const home = 'home/home.tsx'
const editor = 'document/page.tsx'

const budgets = [
  { name: 'editor, first load, JavaScript', bytes: gzipped([entry, editor], 'js'), max: 215 },
  { name: 'home, JavaScript', bytes: gzipped([entry, home], 'js'), max: 40 },
  { name: 'styles', bytes: gzipped([entry, home, editor], 'css'), max: 20 },
  { name: 'service worker', bytes: gzipSync(readFileSync(join(built, 'sw.js'))).length, max: 4 }
]

for (const { name, bytes, max } of budgets) {
  const over = bytes > max * kilobyte
  console.log(`${over ? 'OVER' : 'ok  '} ${(bytes / kilobyte).toFixed(1).padStart(6)} of ${max} KB gzip  ${name}`)
  if (over) process.exitCode = 1
}
