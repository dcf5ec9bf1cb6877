/**
 * Measures the gzipped sizes of a visit, of the first load, and of parts that load later, and compares them with the budgets. Run directly, the
 * script prints the sizes and exits with 1 if one is over budget.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

export interface Size {
  readonly name: string
  /** Gzipped size, in kilobytes (1024 bytes). */
  readonly kilobytes: number
  readonly kilobytesMax: number
}

const built = join(import.meta.dirname, '../dist/web')

const entry = 'index.html'
const home = 'home/home.tsx'
const editor = 'document/page.tsx'
const reading = 'reading/reading.ts'
const review = 'review/review.ts'
const extras = 'document/extras.ts'

/** Returns the files of a chunk and of all chunks that it imports statically. */
function filesOf(manifest: Record<string, Chunk>, key: string, kind: 'js' | 'css'): string[] {
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`the manifest has no ${key}`)
  const own = kind === 'js' ? [chunk.file] : (chunk.css ?? [])
  return [...own, ...(chunk.imports ?? []).flatMap((other) => filesOf(manifest, other, kind))]
}

const gzipped = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(built, file)), { level: 9 }).length, 0) / 1024

/** Returns the sizes in the last build. Throws if there is no build. */
export function sizes(): Size[] {
  const manifest = JSON.parse(readFileSync(join(built, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const total = (keys: readonly string[], kind: 'js' | 'css'): number =>
    gzipped(new Set(keys.flatMap((key) => filesOf(manifest, key, kind))))
  /** Returns the size of a chunk without the files that the page has already loaded. */
  const later = (key: string, ...present: readonly string[]): number => {
    const there = new Set(present.flatMap((other) => filesOf(manifest, other, 'js')))
    return gzipped(new Set(filesOf(manifest, key, 'js').filter((file) => !there.has(file))))
  }
  return [
    { name: 'editor, first load, JavaScript', kilobytes: total([entry, 'main.tsx', editor], 'js'), kilobytesMax: 215 },
    { name: 'home, JavaScript', kilobytes: total([entry, 'main.tsx', home], 'js'), kilobytesMax: 40 },
    { name: 'styles', kilobytes: total([entry, home, editor], 'css'), kilobytesMax: 20 },
    { name: 'comments and suggestions, later', kilobytes: later(review, entry, editor), kilobytesMax: 60 },
    { name: 'what makes writing easier, later', kilobytes: later(extras, entry, editor), kilobytesMax: 53 },
    {
      name: 'effects of keys and typed letters, later',
      kilobytes: later('editor/setup/typing.ts', entry, editor, extras),
      kilobytesMax: 20
    },
    {
      name: 'code blocks and links, later',
      kilobytes: later('editor/setup/block-extras.ts', entry, editor, extras, 'editor/setup/typing.ts'),
      kilobytesMax: 5
    },
    {
      name: 'handles of blocks, later',
      kilobytes: later('editor/setup/handle-extras.ts', entry, editor, extras, 'editor/setup/typing.ts'),
      kilobytesMax: 5
    },
    {
      name: 'handles of tables, later',
      kilobytes: later('editor/setup/table-extras.ts', entry, editor, extras, 'editor/setup/typing.ts'),
      kilobytesMax: 4
    },
    {
      name: 'pasted text and dropped files, later',
      kilobytes: later('editor/setup/paste-extras.ts', entry, editor, extras, 'editor/setup/typing.ts', 'editor/setup/table-extras.ts'),
      kilobytesMax: 10
    },
    {
      name: 'caret next to labels and fences, later',
      kilobytes: later('editor/setup/caret-extras.ts', entry, editor, extras, 'editor/setup/typing.ts', 'editor/setup/block-extras.ts'),
      kilobytesMax: 2
    },
    // The code for comments loads with each document.
    { name: 'pictures and speech, later', kilobytes: later('media/media-panel.tsx', entry, editor, extras, review), kilobytesMax: 20 },
    { name: 'outline, later', kilobytes: later('document/outline.tsx', entry, editor), kilobytesMax: 60 },
    { name: 'reading view, later', kilobytes: later(reading, entry, editor), kilobytesMax: 62 },
    { name: 'colors of code, later', kilobytes: later('markdown/highlight.ts', entry, editor, reading), kilobytesMax: 60 },
    { name: 'formulas, later', kilobytes: later('markdown/formulas.ts', entry, editor, reading), kilobytesMax: 60 },
    { name: 'frame of diagrams, later', kilobytes: later('diagram/frame.html'), kilobytesMax: 200 },
    { name: 'script of a published page with diagrams', kilobytes: later('published/diagrams.ts'), kilobytesMax: 5 },
    { name: 'script of a published page with widgets', kilobytes: later('published/widgets.ts'), kilobytesMax: 5 },
    {
      name: 'components of the reading view, later',
      kilobytes: later('../shared/markdown/components.ts', entry, editor, reading),
      kilobytesMax: 60
    },
    {
      name: 'boards of the editor, later',
      kilobytes: later('components/board.tsx', entry, editor, extras, reading, 'components/mount.tsx'),
      kilobytesMax: 60
    },
    {
      name: 'charts of the editor, later',
      kilobytes: later('components/chart.tsx', entry, editor, extras, reading, 'components/mount.tsx'),
      kilobytesMax: 60
    },
    {
      name: 'widgets of the editor, later',
      kilobytes: later('components/widget.tsx', entry, editor, extras, reading, 'components/mount.tsx'),
      kilobytesMax: 60
    },
    {
      name: 'sheets of the editor, later',
      kilobytes: later('components/sheet.tsx', entry, editor, extras, reading, 'components/mount.tsx'),
      kilobytesMax: 60
    },
    // Each visit also loads the comments and suggestions.
    {
      name: 'frame of components of the editor, later',
      kilobytes: later('components/mount.tsx', entry, editor, extras, review),
      kilobytesMax: 30
    },
    { name: 'styles of a published page', kilobytes: gzipped([manifest['published/published.css']?.file ?? '']), kilobytesMax: 20 },
    { name: 'service worker', kilobytes: gzipped(['sw.js']), kilobytesMax: 4 }
  ]
}

if (import.meta.main) {
  for (const { name, kilobytes, kilobytesMax } of sizes()) {
    const over = kilobytes > kilobytesMax
    console.log(`${over ? 'OVER' : 'ok  '} ${kilobytes.toFixed(1).padStart(6)} of ${kilobytesMax} KB gzip  ${name}`)
    if (over) process.exitCode = 1
  }
}
