/**
 * Measures the time from a key press to the paint that shows the character, in Markdown documents of 100 KB and 1 MB. It compares the live and source
 * views of agmd with bare editors. In every row, a paint waits for the next frame of the browser.
 *
 * The editors of one table share a browser and take turns. Each types a short block of keys at the same places in the same text, so that another
 * program that uses the CPU for a second disturbs all of them. The ratio to the bare editor is that of the entire run. Its range contains the middle
 * 90 % of the ratios of resampled rounds (bootstrap).
 *
 * The bare editor is CodeMirror's basic setup with Markdown (support/bare-editor.ts). It has the size, column and typeface of our editor, so that
 * text shaping costs the same in both. It has none of our other features: no shared text, no storage and no network.
 *
 * AGMD_BENCH_ROUNDS: number of blocks per editor (default 40). AGMD_BENCH_ONLY: `100 KB` or `1 MB`. AGMD_BENCH_AGAINST: folder of another build of
 * agmd, which also takes turns. AGMD_BENCH_SEED: seed of the pauses between keys.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { build } from 'vite'
import { createDocument, ms, pause, percentile, seeded, startProcess, table, Typist } from './support/support.ts'
import type { Setup } from './support/bare-editor.ts'

const root = join(import.meta.dirname, '../..')
const unitsMin = 1024 * 1024
const shorterUnits = 100 * 1024
const rounds = Number(process.env['AGMD_BENCH_ROUNDS'] ?? 40)
const only = process.env['AGMD_BENCH_ONLY']
const keysPerBlock = 10
/** Number of keys at the start of a block that do not count, because they bring code and data back into the CPU caches. */
const warmUpKeys = 2
/** Shortest time between two keys of a fast typist, in milliseconds. The times are random, so that keys arrive at any point between two frames. */
const keyMsMin = 50
const keyMsMore = 20
const restMs = 250
const typistsElsewhere = 10
/** Typing speed of each other person, in keys per second. */
const keysPerSecond = 5
const random = seeded(Number(process.env['AGMD_BENCH_SEED'] ?? 1))

const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)
const sample = readFileSync(join(root, 'test/browser/sample.md'), 'utf8')

/** Returns text in which prose, lists, tables and code alternate. */
function markdown(): string {
  const parts: string[] = []
  for (let units = 0; units < unitsMin; units += specification.length + 10 * sample.length) parts.push(specification, sample.repeat(10))
  return parts.join('\n').slice(0, unitsMin)
}

/** Returns the lines at which paragraphs begin, counted from 0. People usually type in such lines. */
function proseLines(text: string): number[] {
  const lines = text.split('\n')
  let code = false
  return lines.flatMap((line, index) => {
    if (/^(?:`{3,}|~{3,})/.test(line)) code = !code
    return !code && lines[index - 1] === '' && /^\p{L}[^|]{30,}$/u.test(line) ? [index] : []
  })
}

interface Bench {
  readonly name: string
  readonly page: Page
  /** Puts the cursor at the end of a line. */
  place(line: number): Promise<void>
}

/** Records how long the paint of each key took. */
const watchKeys = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const times: number[] = []
    Object.assign(globalThis, { keyTimes: times })
    const channel = new MessageChannel()
    const waiting: number[] = []
    channel.port1.onmessage = () => {
      for (const pressed of waiting.splice(0)) times.push(performance.now() - pressed)
    }
    addEventListener(
      'keydown',
      (event) => {
        const pressed = event.timeStamp
        requestAnimationFrame(() => {
          waiting.push(pressed)
          channel.port2.postMessage(null)
        })
      },
      { capture: true }
    )
  })

const takeTimes = (page: Page): Promise<number[]> =>
  page.evaluate(() => (globalThis as unknown as { keyTimes: number[] }).keyTimes.splice(0))

const words = 'the quick brown fox jumps over it '

async function typeAt({ page, place }: Bench, line: number): Promise<number[]> {
  await place(line)
  await pause(restMs)
  for (let key = 0; key < keysPerBlock + warmUpKeys; key++) {
    if (key === warmUpKeys) await takeTimes(page)
    await page.keyboard.type(words[key % words.length] as string)
    await pause(keyMsMin + random(keyMsMore))
  }
  await pause(50)
  const times = await takeTimes(page)
  // The editor loses the focus, because its blinking caret would take frames away from the next editor.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  return times
}

async function textarea(browser: Browser, text: string): Promise<Bench> {
  const page = await (await browser.newContext()).newPage()
  await page.setContent('<textarea style="width: 700px; height: 700px"></textarea>')
  await page.evaluate((value) => (document.querySelector('textarea')!.value = value), text)
  const place = (line: number): Promise<void> =>
    page.evaluate((number) => {
      const area = document.querySelector('textarea')!
      const lines = area.value.split('\n')
      const at = lines.slice(0, number + 1).join('\n').length
      area.focus()
      area.setSelectionRange(at, at)
    }, line)
  return { name: 'bare textarea', page, place }
}

interface View {
  readonly state: { readonly doc: { line(number: number): { readonly to: number } } }
  dispatch(change: object): void
  focus(): void
}

const placeInEditor =
  (page: Page) =>
  (line: number): Promise<void> =>
    page.locator('.cm-content').evaluate((element, number) => {
      const view = (element as unknown as { cmTile: { view: View } }).cmTile.view
      view.focus()
      view.dispatch({ selection: { anchor: view.state.doc.line(number + 1).to }, scrollIntoView: true })
    }, line)

async function bareCode(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, 'support/bare-editor.ts'), formats: ['iife'], name: 'bare', fileName: 'bare' }
    }
  })
  const code = [built].flat().flatMap((output) => ('output' in output ? output.output : []))[0]
  if (code?.type !== 'chunk') throw new Error('nothing was built')
  return code.code
}

const typeface = readFileSync(
  createRequire(import.meta.url).resolve('@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-400-normal.woff2')
)

/** Returns the style of the live view: the size of the editor, its column and its typeface. */
async function looksOf(page: Page): Promise<string> {
  const { width, height, column, size, leading } = await page.evaluate(() => {
    const scroller = document.querySelector('.cm-scroller')!
    const { width, height } = scroller.getBoundingClientRect()
    const { fontSize, lineHeight } = getComputedStyle(scroller)
    return { width, height, column: document.querySelector('.cm-line')!.clientWidth, size: fontSize, leading: lineHeight }
  })
  return `@font-face { font-family: quattro; src: url(data:font/woff2;base64,${typeface.toString('base64')}) }
    body { margin: 0 } .cm-editor { width: ${width}px; height: ${height}px } .cm-scroller { overflow: auto }
    .cm-editor .cm-scroller { font: ${size}/${leading} quattro } .cm-editor .cm-line { width: ${column}px; padding: 0 }`
}

const bareEditor = async (browser: Browser, setup: Setup, text: string, looks: string, code: string): Promise<Bench> => {
  const page = await (await browser.newContext()).newPage()
  await page.setContent(`<style>${looks}</style>`)
  await page.addScriptTag({ content: code })
  await page.evaluate(
    ([content, name]) => void (globalThis as unknown as { bareEditor(text: string, setup: string): unknown }).bareEditor(content, name),
    [text, setup] as const
  )
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  return { name: setup === 'basic' ? 'bare CodeMirror' : 'bare CodeMirror, keys alone', page, place: placeInEditor(page) }
}

async function agmd(browser: Browser, url: string, mode: 'live' | 'source'): Promise<Bench> {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript((value) => localStorage.setItem(`agmd.mode.${location.pathname.split('/')[2]}`, value), mode)
  await page.goto(url)
  await page.locator('.chip[data-state=saved]').waitFor({ timeout: 60_000 })
  await page.waitForLoadState('networkidle')
  return { name: mode === 'live' ? 'agmd, live view' : 'agmd, source', page, place: placeInEditor(page) }
}

/** Times of one editor, grouped by round. */
type Rounds = readonly (readonly number[])[]

/** Measures all editors in turn, each at the same places. */
async function takeTurns(benches: readonly Bench[], lines: readonly number[]): Promise<Rounds[]> {
  for (const { page } of benches) await watchKeys(page)
  const found = benches.map((): number[][] => [])
  for (let round = -1; round < rounds; round++) {
    const line = lines[Math.floor(((round + 1) * lines.length) / (rounds + 1))] as number
    for (const [index, bench] of benches.entries()) {
      const times = await typeAt(bench, line)
      // The first round does not count, because each editor runs some code for the first time.
      if (round >= 0) found[index]?.push(times)
    }
  }
  return found
}

const drawn = (values: Rounds, picks: readonly number[]): number[] => picks.flatMap((pick) => values[pick] ?? [])

/** Formats the ratio of two 95th percentiles with its range. */
function ratio(one: Rounds, other: Rounds): string {
  const of = (picks: readonly number[]): number => percentile(drawn(one, picks), 0.95) / percentile(drawn(other, picks), 0.95)
  const all = one.map((_, index) => index)
  const again = Array.from({ length: 1000 }, () => of(all.map(() => random(all.length))))
  return `${of(all).toFixed(2)} (${percentile(again, 0.05).toFixed(2)}–${percentile(again, 0.95).toFixed(2)})`
}

function report(names: readonly string[], found: readonly Rounds[], bare: Rounds): void {
  const rows = found.map((values, index) => {
    const times = values.flat()
    return [names[index] ?? '', times.length, ...[0.5, 0.95, 1].map((share) => ms(percentile(times, share))), ratio(values, bare)]
  })
  table(['editor', 'keys', 'p50', 'p95', 'max', 'p95 to bare'], rows)
}

/** Makes other people type near the top of the text, outside the visible part. Returns a function that stops them. */
async function others(target: { url: string; doc: string; key: string }): Promise<() => void> {
  const typists = Array.from({ length: typistsElsewhere }, (_, index) => new Typist(`t${index}`, target))
  for (const typist of typists) {
    typist.connect()
    await typist.whenSynced()
  }
  const timer = setInterval(() => typists.forEach((typist, index) => typist.text.insert(5000 + 200 * index, 'x')), 1000 / keysPerSecond)
  return () => {
    clearInterval(timer)
    for (const typist of typists) typist.destroy()
  }
}

const text = markdown()
const shorter = text.slice(0, shorterUnits)
const code = await bareCode()
const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const against = process.env['AGMD_BENCH_AGAINST']
const { startProcess: startOther } = (await import(join(against ?? root, 'test/support/start.ts'))) as { startProcess: typeof startProcess }
const other = against === undefined ? undefined : await startOther({ env: { AGMD_LOG_LEVEL: 'info' } })
const browser = await chromium.launch({
  executablePath: process.env['AGMD_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu']
})

async function open(
  url: string,
  content: string,
  mode: 'live' | 'source'
): Promise<Bench & { readonly target: { url: string; doc: string; key: string } }> {
  const target = await createDocument(url, content)
  return { ...(await agmd(browser, `${url}/d/${target.doc}?key=${target.key}`, mode)), target }
}

const close = async (benches: readonly Bench[]): Promise<void> => {
  for (const { page } of benches) await page.context().close()
}

let missed = false

if (only !== '1 MB') {
  const live = await open(server.url, shorter, 'live')
  const looks = await looksOf(live.page)
  const benches = [
    await bareEditor(browser, 'basic', shorter, looks, code),
    live,
    ...(other === undefined ? [] : [{ ...(await open(other.url, shorter, 'live')), name: 'agmd of the other folder' }]),
    await bareEditor(browser, 'keys', shorter, looks, code)
  ]
  const found = await takeTurns(benches, proseLines(shorter))
  console.log(`key to paint in a Markdown text of ${shorter.length} units, ms`)
  report(
    benches.map(({ name }) => name),
    found,
    found[0] as Rounds
  )
  const [bare = 0, ours = 0] = found.map((values) => percentile(values.flat(), 0.95))
  // The target for 100 KB is at most 1.15 times the time of the bare editor.
  missed ||= ours > 1.15 * bare
  await close(benches)
}
if (only !== '100 KB') {
  const live = await open(server.url, text, 'live')
  const benches = [
    await bareEditor(browser, 'basic', text, await looksOf(live.page), code),
    live,
    await open(server.url, text, 'source'),
    await textarea(browser, text)
  ]
  const lines = proseLines(text)
  const found = await takeTurns(benches, lines)
  console.log(`key to paint in a Markdown text of ${text.length} units, ms`)
  report(
    benches.map(({ name }) => name),
    found,
    found[0] as Rounds
  )
  await close(benches.slice(2))
  const stop = await others(live.target)
  const busy = await takeTurns(benches.slice(0, 2), lines)
  stop()
  console.log(`the same while ${typistsElsewhere} others type in the text of agmd, ms`)
  report(
    benches.map(({ name }) => name),
    busy,
    busy[0] as Rounds
  )
  // The target is 50 ms.
  missed ||= [found, busy].some((values) => percentile((values[1] as Rounds).flat(), 0.95) >= 50)
  await close(benches.slice(0, 2))
}
await browser.close()
await other?.stop()
await server.stop()
process.exit(missed ? 1 : 0)
