/** Builds what the server draws the first text of a page with into `dist/first`: the rules of the editor, for Node. */
import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  logLevel: 'warn',
  // It stands by itself, wherever it lies.
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'live-text.ts'),
    outDir: '../../dist/first',
    emptyOutDir: true,
    target: 'node24',
    // Read at each start of a thread.
    minify: true,
    copyPublicDir: false,
    rollupOptions: { output: { entryFileNames: 'live-text.js', codeSplitting: false } }
  }
})
