/** Builds the code with which the server draws the first text of a page, into `dist/first`. It contains the editor's rules, built for Node. */
import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  logLevel: 'warn',
  // The bundle includes its dependencies, so that it runs from any folder.
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'live-text.ts'),
    outDir: '../../dist/first',
    emptyOutDir: true,
    target: 'node24',
    // Every new thread reads the file, so it should be small.
    minify: true,
    copyPublicDir: false,
    rollupOptions: { output: { entryFileNames: 'live-text.js', codeSplitting: false } }
  }
})
