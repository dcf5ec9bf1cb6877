/** Builds the pages into `dist/web`: files with a hash in their names under `assets/`, one HTML shell, and one service worker. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { limits } from '../shared/limits.ts'

const root = import.meta.dirname
const placeholder = '__AGMD_PRECACHE__'

/** Returns the scripts that a page loads, immediately or later. */
function reachable(bundle: Rolldown.OutputBundle, page: string): Set<string> {
  const found = new Set<string>()
  const visit = (name: string): void => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || found.has(name)) return
    found.add(name)
    for (const other of [...chunk.imports, ...chunk.dynamicImports]) visit(other)
  }
  for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith(page)) visit(chunk.fileName)
  return found
}

/** Returns a module and everything that it imports statically, as the bundler knows it. */
function closure(root: string, info: (id: string) => Rolldown.ModuleInfo | null): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    for (const other of info(id)?.importedIds ?? []) visit(other)
  }
  visit(root)
  return found
}

/** Modules that only one of `wholes` imports. They are in its file, because other parts of the page also load the file with its imports. */
const ofWholes = ['review/annotations/margin-room.ts']

/** Modules that are fetched together with their imports. The file of each contains only the module itself, and names the files with its imports. */
const wholes = [
  'enter.ts',
  'main.tsx',
  'document/page.tsx',
  'document/extras.ts',
  'review/review.ts',
  'activity/feed.ts',
  'reading/reading.ts'
]

/**
 * Returns the name of the output file of a module. Modules are combined so that a visit requests few files. Modules are grouped by use: every page,
 * the editor, the parts that load soon after the text, and the reading view. Files that other pages load stay separate. Null leaves the decision to
 * the bundler.
 */
function chunks(): (id: string, context: { getModuleInfo(id: string): Rolldown.ModuleInfo | null }) => string | null {
  const known = new Map<string, ReadonlySet<string>>()
  return (id, context) => {
    const isIn = (...sources: readonly string[]): boolean =>
      sources.some((source) => {
        const path = join(root, source)
        const found = known.get(path) ?? closure(path, (other) => context.getModuleInfo(other))
        known.set(path, found)
        return found.has(id)
      })
    if ([...wholes, ...ofWholes].some((source) => join(root, source) === id)) return null
    if (isIn('published/diagrams.ts', 'published/widgets.ts', 'diagram/frame.ts', 'worker.ts')) return null
    const isEditor = isIn('document/page.tsx')
    const isWriting = isIn('document/extras.ts')
    const isSoon = isWriting || isIn('review/review.ts', 'activity/feed.ts')
    const isReader = isIn('reading/reading.ts')
    const isHome = isIn('home/home.tsx')
    if (isIn('main.tsx') || (isHome && isEditor)) return 'base'
    // The editor is divided into three files, so that none of them blocks the page for long when it starts.
    if (isEditor && /\/node_modules\/(?:@codemirror|@lezer|style-mod|w3c-keyname|crelt|@marijn)\//.test(id)) return 'codemirror'
    if (isEditor && /\/node_modules\/(?!y-codemirror)/.test(id)) return 'yjs'
    if (isEditor) return 'editor'
    if (isHome && (isSoon || isReader)) return 'common'
    if (isSoon && isReader) return 'shared'
    if (isSoon && isIn('../shared/markdown/components.ts')) return 'drawing'
    // Readers also see annotations, but they need no code for writing.
    if (isSoon) return !isWriting ? 'annotations' : isIn('review/review.ts', 'activity/feed.ts') ? 'soon' : 'writing'
    return isReader && !isIn('document/outline.tsx', 'components/mount.tsx') ? 'reader' : null
  }
}

/**
 * Copies each rule of the editor and of the reading view to `still-` names. The text that comes with the page (server/http/first) then looks the same
 * as in those views, but scripts do not mistake it for them.
 */
const stillNames = {
  postcssPlugin: 'agmd-still',
  Rule(rule: { selectors: string[] }): void {
    const twins = rule.selectors
      .filter((selector) => /\.(?:cm-(?:editor|live|scroller|content|line|widgetBuffer)|reading)(?![\w-])/.test(selector))
      .map((selector) => selector.replaceAll('.cm-', '.still-').replaceAll(/\.reading(?![\w-])/g, '.still-reading'))
    const added = twins.filter((selector) => !rule.selectors.includes(selector))
    // PostCSS visits a rule again after a change.
    if (added.length > 0) rule.selectors = [...rule.selectors, ...added]
  }
}

/**
 * Writes into `sw.js` which files the service worker stores on the device: every built file, the files of `public/`, and the shell as `/`. The
 * version is a hash of those files, so that any change to the pages leads to a new worker.
 */
function precache(): Plugin {
  return {
    name: 'agmd-precache',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const publicFiles = readdirSync(join(root, 'public'))
      // The worker does not store published pages. They are for visitors, who do not open them offline, and they never contain the text of a
      // document.
      const published = /^assets\/(published|source-serif|prose-.*\.css$)/
      const wanted = reachable(bundle, 'index.html')
      const built = Object.keys(bundle).filter(
        (name) =>
          name.startsWith('assets/') && !name.endsWith('.map') && !published.test(name) && (!name.endsWith('.js') || wanted.has(name))
      )
      const hash = createHash('sha256')
      for (const name of built) hash.update(name)
      for (const name of publicFiles) hash.update(readFileSync(join(root, 'public', name)))
      hash.update(readFileSync(join(root, 'index.html')))
      const worker = bundle['sw.js']
      if (worker?.type !== 'chunk') throw new Error('the build has no sw.js')
      hash.update(worker.code)
      const list = {
        version: hash.digest('hex').slice(0, 12),
        paths: ['/', ...[...publicFiles, ...built].sort().map((name) => `/${name}`)]
      }
      worker.code = worker.code.replaceAll(placeholder, JSON.stringify(list))
    }
  }
}

/** Leaves out the drawing of cursors by `y-codemirror.next`. The binding gets no awareness, because `editor/cursors.ts` draws the cursors. */
function withoutForeignCursors(): Plugin {
  return {
    name: 'agmd-without-foreign-cursors',
    load: (id) =>
      id.endsWith('/y-codemirror.next/src/y-remote-selections.js')
        ? 'export const yRemoteSelections = []; export const yRemoteSelectionsTheme = []'
        : null
  }
}

/** Replaces each use of a limit with its number. A page needs only a tenth of the limits, but the bundler would include the entire object. */
function limitsInPlace(): Plugin {
  const numbers: ReadonlyMap<string, unknown> = new Map(Object.entries(limits).filter(([, value]) => typeof value === 'number'))
  return {
    name: 'agmd-limits',
    enforce: 'pre',
    transform: {
      filter: { code: /\/limits\.ts'/ },
      handler: (code) => ({
        code: code.replaceAll(/\blimits\.(\w+)/g, (whole, name: string) => (numbers.has(name) ? `(${String(numbers.get(name))})` : whole)),
        map: null
      })
    }
  }
}

export default defineConfig({
  root,
  css: { postcss: { plugins: [stillNames] } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    // The content security policy of the pages does not allow `data:` fonts, and the service worker stores small files just as well.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        index: join(root, 'index.html'),
        diagram: join(root, 'diagram/frame.html'),
        diagrams: join(root, 'published/diagrams.ts'),
        widgets: join(root, 'published/widgets.ts'),
        sw: join(root, 'worker.ts'),
        published: join(root, 'published/published.css'),
        prose: join(root, 'style/prose.css')
      },
      output: {
        entryFileNames: (chunk) => (chunk.name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        codeSplitting: { groups: [{ name: chunks(), debugName: 'visits' }], includeDependenciesRecursively: false }
      }
    }
  },
  plugins: [withoutForeignCursors(), limitsInPlace(), precache()]
})
