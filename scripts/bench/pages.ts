/**
 * Measures the pages as people see them. The first figures are the Lighthouse scores of a first visit to each page (mobile, with Lighthouse's
 * throttling). Then it measures how soon a known document shows its text without a network. Finally, it measures how far the editor's text shifts
 * while it opens and while markers appear.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lighthouse from 'lighthouse'
import { chromium, type Page } from 'playwright-core'
import { createDocument, ms, startProcess, table } from './support/support.ts'

const rounds = 3
const executablePath = process.env['AGMD_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const args = ['--headless', '--no-sandbox', '--disable-gpu']
const sample = readFileSync(join(import.meta.dirname, '../../test/browser/published.md'), 'utf8')
const offlineMsMax = 1500
const shiftMax = 0.01
/** Includes storage that Lighthouse does not clear: with stored text or a stored link, the visit would not be the first. */
const clearStorageTypes = [
  'cookies',
  'file_systems',
  'indexeddb',
  'local_storage',
  'shader_cache',
  'service_workers',
  'cache_storage'
] as const
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

const agmd = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
// The server redirects pages at other names of this machine to this one.
const url = `http://localhost:${agmd.port}`
const place = await createDocument(url, sample)
const headers = { 'x-share-key': place.key, 'content-type': 'application/json' }
await fetch(`${url}/api/docs/${place.doc}/publish`, { method: 'POST', headers })
const made = await fetch(`${url}/api/docs/${place.doc}/shares`, { method: 'POST', headers, body: JSON.stringify({ role: 'view' }) })
const { secret } = (await made.json()) as { secret: string }
const editor = `${url}/d/${place.doc}?key=${place.key}`
let missed = false

// Lighthouse needs a browser that it controls itself.
const debugPort = 20_000 + (process.pid % 20_000)
const browser = await chromium.launch({ executablePath, args: [...args, `--remote-debugging-port=${debugPort}`] })
const pages: readonly (readonly [name: string, address: string, performance: number, bestPractices: number])[] = [
  ['first page', url, 90, 100],
  ['editor', editor, 90, 95],
  ['reading view', `${url}/d/${place.doc}?key=${secret}`, 90, 95],
  ['sign in', `${url}/sign-in`, 85, 95],
  ['published page', `${url}/pub/${place.doc}`, 95, 95]
]
const rows: (string | number)[][] = []
for (const [name, address, performance, bestPractices] of pages) {
  const goals: Readonly<Record<string, number>> = { performance, accessibility: 100, 'best-practices': bestPractices }
  const scores: Record<string, number[]> = {}
  const shifts: number[] = []
  for (let round = 0; round < rounds; round++) {
    const result = await lighthouse(address, {
      port: debugPort,
      output: 'json',
      logLevel: 'error',
      onlyCategories: Object.keys(goals),
      clearStorageTypes: [...clearStorageTypes]
    })
    for (const { id, score } of Object.values(result?.lhr.categories ?? {})) (scores[id] ??= []).push(Math.round((score ?? 0) * 100))
    shifts.push(result?.lhr.audits['cumulative-layout-shift']?.numericValue ?? Number.NaN)
    if (round > 0) continue
    const failed = Object.values(result?.lhr.audits ?? {}).filter(
      ({ score, scoreDisplayMode }) => scoreDisplayMode === 'binary' && score === 0
    )
    if (failed.length > 0) console.log(`${name}: ${failed.map(({ id }) => id).join(', ')}`)
  }
  for (const [id, goal] of Object.entries(goals)) missed ||= !(median(scores[id] ?? []) >= goal)
  missed ||= !(median(shifts) <= shiftMax)
  rows.push([name, ...Object.keys(goals).map((id) => (scores[id] ?? []).join(' ')), median(shifts).toFixed(3)])
}
console.log(`\nLighthouse, ${rounds} rounds`)
table(['page', 'performance', 'accessibility', 'best practices', 'layout shift'], rows)

// Measures how far the text shifts while the cursor moves through it and markers appear and disappear.
const page: Page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage()
await page.goto(editor)
await page.locator('.chip[data-state=saved]').waitFor()
await page.evaluate(() => {
  const state = { shift: 0 }
  Object.assign(globalThis, { state })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) state.shift += (entry as unknown as { value: number }).value
  }).observe({ type: 'layout-shift', buffered: false })
})
await page.locator('.cm-content').press('Control+Home')
for (let line = 0; line < 60; line++) await page.keyboard.press('ArrowDown')
const shift = await page.evaluate(() => (globalThis as unknown as { state: { shift: number } }).state.shift)
missed ||= shift > shiftMax
console.log(`\nlayout shift while the cursor goes down 60 lines: ${shift.toFixed(4)}`)
await browser.close()

// Measures a second visit without a network, after the browser has been closed.
const times: number[] = []
for (let round = 0; round < rounds; round++) {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-bench-'))
  const first = await chromium.launchPersistentContext(folder, { executablePath, args })
  const opened = await first.newPage()
  await opened.goto(editor)
  await opened.locator('.chip[data-state=saved]').waitFor()
  await opened.evaluate(async () => void (await navigator.serviceWorker.ready))
  await first.close()
  const second = await chromium.launchPersistentContext(folder, { executablePath, args, offline: true })
  const again = await second.newPage()
  const start = performance.now()
  await again.goto(`${url}/d/${place.doc}`)
  await again.locator('.cm-line').first().waitFor()
  times.push(performance.now() - start)
  await second.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
missed ||= median(times) > offlineMsMax
console.log(`\nsecond visit without a network, to the text, in ms: ${times.map(ms).join(' ')} (goal ${offlineMsMax})`)
await agmd.stop()
process.exit(missed ? 1 : 0)
