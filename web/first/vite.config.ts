/** Builds the code with which the server draws the first text of a page into `dist/first`: the editor's rules, for Node. */
import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  logLevel: 'warn',
  // The bundle has no dependencies, so it runs from any folder.
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'live-text.ts'),
    outDir: '../../dist/first',
    emptyOutDir: true,
    target: 'node24',
    // It is read at each start of a thread.
    minify: true,
    copyPublicDir: false,
    rollupOptions: { output: { entryFileNames: 'live-text.js', codeSplitting: false } }
  }
})
