/** Every page enters here. Where the text came with the page, it is painted before any of our work begins. Imports nothing, to be small. */

/** Longest wait for a paint, in milliseconds: a page that nobody sees paints nothing. */
const paintMsMax = 1000

const first = document.getElementById('first')

/** Fetches the parts of the page at once, and begins them one by one: typing and clicks are handled in between. */
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
  // A file that cannot be fetched now is requested again below, which reports the failure.
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
// The text is seen once its typefaces are there (`public/theme.js`).
else if (document.documentElement.dataset['faces'] === 'waiting') addEventListener('agmd-faces', startPainted, { once: true })
else startPainted()

export {}
