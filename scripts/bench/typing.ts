/**
 * Time from a key going down to the paint that shows it, in a Markdown text of 1 MB and in one of 100 KB, beside a bare textarea and a bare
 * CodeMirror with the same text in the same browser. A paint waits for the next frame: 8 ms on average at 60 frames a second, in every row.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { build } from 'vite'
import { createDocument, ms, pause, percentile, startProcess, table, Typist } from './support/support.ts'

const root = join(import.meta.dirname, '../..')
const unitsMin = 1024 * 1024
const shorterUnits = 100 * 1024
const keysPerPlace = 35
const warmUpKeys = 10
/** A quick typist, in milliseconds a key. */
const keyMs = 60
const typistsElsewhere = 10
/** Each of them types so many keys a second. */
const keysPerSecond = 5

const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)
const sample = readFileSync(join(root, 'test/browser/sample.md'), 'utf8')

/** Prose, lists, tables and code, in turns. */
function markdown(): string {
  const parts: string[] = []
  for (let units = 0; units < unitsMin; units += specification.length + 10 * sample.length) parts.push(specification, sample.repeat(10))
  return parts.join('\n').slice(0, unitsMin)
}

const text = markdown()
const lines = text.split('\n').length
/** Where the cursor is put: line, counted from 0. */
const places = [3, Math.floor(lines / 2), lines - 3]
const shorter = text.slice(0, shorterUnits)
const shorterLines = shorter.split('\n').length
const shorterPlaces = [3, Math.floor(shorterLines / 2), shorterLines - 3]

interface Bench {
  readonly name: string
  readonly page: Page
  /** Puts the cursor at the start of a line. */
  place(line: number): Promise<void>
}

/** Notes for each key how long its paint took. */
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

async function typeAt(bench: Bench, line: number): Promise<number[]> {
  await bench.place(line)
  await pause(500)
  const words = 'the quick brown fox jumps over it '
  const type = async (count: number): Promise<void> => {
    for (let key = 0; key < count; key++) {
      await bench.page.keyboard.type(words[key % words.length] as string)
      await pause(keyMs)
    }
    await pause(200)
  }
  await type(warmUpKeys)
  await takeTimes(bench.page)
  await type(keysPerPlace)
  return await takeTimes(bench.page)
}

async function textarea(browser: Browser): Promise<Bench> {
  const page = await (await browser.newContext()).newPage()
  await page.setContent('<textarea style="width: 700px; height: 700px"></textarea>')
  await page.evaluate((value) => (document.querySelector('textarea')!.value = value), text)
  const place = (line: number): Promise<void> =>
    page.evaluate((number) => {
      const area = document.querySelector('textarea')!
      const at = area.value.split('\n').slice(0, number).join('\n').length
      area.focus()
      area.setSelectionRange(at, at)
    }, line)
  return { name: 'bare textarea', page, place }
}

interface View {
  readonly state: { readonly doc: { readonly lines: number; line(number: number): { readonly from: number } } }
  dispatch(change: object): void
  focus(): void
}

const placeInEditor =
  (page: Page) =>
  (line: number): Promise<void> =>
    page.locator('.cm-content').evaluate((element, number) => {
      const view = (element as unknown as { cmTile: { view: View } }).cmTile.view
      view.focus()
      view.dispatch({ selection: { anchor: view.state.doc.line(number + 1).from }, scrollIntoView: true })
    }, line)

const bareEditor =
  (name: string, content: string) =>
  async (browser: Browser): Promise<Bench> => {
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
    const page = await (await browser.newContext()).newPage()
    await page.setContent('<style>.cm-editor { width: 700px; height: 700px } .cm-scroller { overflow: auto }</style>')
    await page.addScriptTag({ content: code.code })
    await page.evaluate((value) => void (globalThis as unknown as { bareEditor(text: string): unknown }).bareEditor(value), content)
    return { name, page, place: placeInEditor(page) }
  }

async function agmd(browser: Browser, url: string, mode: 'live' | 'source'): Promise<Bench> {
  const page = await (await browser.newContext()).newPage()
  await page.addInitScript((value) => localStorage.setItem('agmd.mode', value), mode)
  await page.goto(url)
  await page.locator('.chip[data-state=saved]').waitFor({ timeout: 60_000 })
  return { name: mode === 'live' ? 'agmd, live view' : 'agmd, source', page, place: placeInEditor(page) }
}

const rows: string[][] = []
const worst: number[] = []

async function measure(bench: Bench, lines = places): Promise<number> {
  await watchKeys(bench.page)
  const times: number[] = []
  for (const line of lines) times.push(...(await typeAt(bench, line)))
  rows.push([bench.name, String(times.length), ...[0.5, 0.95, 1].map((share) => ms(percentile(times, share)))])
  return percentile(times, 0.95)
}

/** Others who type near the top, where the page does not look, and their stop. */
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

const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const browser = await chromium.launch({
  executablePath: process.env['AGMD_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu']
})
for (const open of [textarea, bareEditor('bare CodeMirror', text)]) {
  const bench = await open(browser)
  await measure(bench)
  await bench.page.context().close()
}
for (const mode of ['source', 'live'] as const) {
  const created = await createDocument(server.url, text)
  const bench = await agmd(browser, `${server.url}/d/${created.doc}?key=${created.key}`, mode)
  worst.push(await measure(bench))
  if (mode === 'live') {
    const stop = await others(created)
    worst.push(await measure({ ...bench, name: `${bench.name}, ${typistsElsewhere} others typing` }))
    stop()
  }
  await bench.page.context().close()
}
const short = await bareEditor('bare CodeMirror, 100 KB', shorter)(browser)
const shortBare = await measure(short, shorterPlaces)
await short.page.context().close()
const created = await createDocument(server.url, shorter)
const bench = await agmd(browser, `${server.url}/d/${created.doc}?key=${created.key}`, 'live')
const shortLive = await measure({ ...bench, name: `${bench.name}, 100 KB` }, shorterPlaces)
await bench.page.context().close()
console.log(`key to paint in a Markdown text of ${text.length} units, ms`)
table(['editor', 'keys', 'p50', 'p95', 'max'], rows)
await browser.close()
await server.stop()
console.log(`100 KB: ${ms(shortLive)} ms at the 95th percentile, bare CodeMirror ${ms(shortBare)} ms`)
// Targets (experience.md 6.1): p95 below 50 ms; at 100 KB one frame, 16 ms, beyond what the bare editor takes to be painted.
process.exit(Math.max(...worst) < 50 && shortLive - shortBare < 16 ? 0 : 1)
