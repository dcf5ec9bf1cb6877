/**
 * The entry point of every page. If the page came with its text, the browser paints the text before any other script runs. This file has no static
 * imports, so that it stays small.
 */

/** Longest wait for a paint, in milliseconds. An invisible page is never painted. */
const paintMsMax = 1000

const first = document.getElementById('first')

/** Fetches the scripts of the page immediately, and runs them one by one, so that typing and clicks are handled in between. */
async function beginParts(paths: readonly string[]): Promise<void> {
  for (const path of paths) document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: path }))
  for (const path of paths) {
    await import(/* @vite-ignore */ path)
    await new Promise((resolve) => setTimeout(resolve))
  }
}

let isStarted = false
const start = async (): Promise<void> => {
  if (isStarted) return
  isStarted = true
  // If a script could not be fetched, importing main.tsx requests it again and reports the failure.
  await beginParts(first?.dataset['scripts']?.split(' ') ?? []).catch(() => undefined)
  await import('./main.tsx')
}

const startPainted = (): void => {
  const shownAt = performance.now()
  const isKnown = PerformanceObserver.supportedEntryTypes.includes('largest-contentful-paint')
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(({ startTime }) => startTime >= shownAt)) void start()
  })
  if (isKnown) observer.observe({ type: 'largest-contentful-paint', buffered: true })
  else requestAnimationFrame(() => setTimeout(() => void start()))
  setTimeout(() => void start(), paintMsMax)
}

if (first === null) void start()
// The text becomes visible only when its typefaces have loaded (`public/theme.js`).
else if (document.documentElement.dataset['faces'] === 'waiting') addEventListener('agmd-faces', startPainted, { once: true })
else startPainted()

export {}
