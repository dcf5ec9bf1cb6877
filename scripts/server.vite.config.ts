/**
 * Builds the server into a few files in `dist/server`, because a start spends most of its time loading a thousand small files. `npm start` runs
 * `dist/server/main.js`; tests and `npm run dev` run the sources.
 */
import { dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const root = join(import.meta.dirname, '../server')
const out = join(root, '../dist/server')

/** Packages with native code. They find their binaries next to themselves. */
const native = ['lmdb', 'msgpackr', 'ordered-binary', 'node-gyp-build-optional-packages']

/**
 * Keeps paths valid in the built files. `import.meta.url` and `import.meta.dirname` still name the source of a module. A module that a URL names, such
 * as the entry of a thread, becomes a built file.
 */
function places(): Plugin {
  return {
    name: 'agmd-places',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('/node_modules/') || !id.endsWith('.ts')) return undefined
      const source = relative(out, id)
      const built = (path: string): string => {
        const file = this.emitFile({ type: 'chunk', id: join(dirname(id), path), preserveSignature: 'strict' })
        // Vite writes the path of the file below its base, '/'.
        return `new URL('.' + import.meta.ROLLUP_FILE_URL_${file}, import.meta.url)`
      }
      return code.replaceAll(
        /new URL\('([\w./-]+\.ts)', import\.meta\.url\)|import\.meta\.(dirname|url)/g,
        (_all, path?: string, field?: string) => {
          if (path !== undefined) return built(path)
          return field === 'url' ? `new URL('${source}', import.meta.url).href` : `(import.meta.dirname + '/${dirname(source)}')`
        }
      )
    }
  }
}

export default defineConfig({
  root,
  base: '/',
  logLevel: 'error',
  ssr: { noExternal: true, external: native },
  build: {
    ssr: join(root, 'main.ts'),
    outDir: out,
    emptyOutDir: true,
    target: 'node24',
    // Names stay readable in the stack traces of the log.
    minify: false,
    copyPublicDir: false,
    rollupOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false } }
  },
  plugins: [places()]
})
