/** People in real Chromium: fresh profiles, the addresses of documents, and the errors that pages report. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { useContextsAgain, type UsedContexts } from './used-contexts.ts'

// The headless shell has the same engine as the browser, but no windows, tabs and menus. Windows, tabs and menus take a third of a test's
// CPU time.
const wholeBrowser = process.env['AGMD_TEST_CHROMIUM'] ?? process.env['AGMD_CHROMIUM'] ?? '/usr/bin/chromium'
const shell = process.env['AGMD_TEST_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
const executablePath = existsSync(shell) ? shell : wholeBrowser

/** Longest wait for a state of a page, in milliseconds. A wait ends as soon as the state is reached, so only failures take this long. */
const patienceMs = 60_000

export const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The page of a test exists only for seconds, so optimizing its scripts costs more than it gains.
  '--js-flags=--no-opt --no-maglev'
]

if (!existsSync(join(import.meta.dirname, '../../dist/web/index.html'))) throw new Error('the pages are not built: npm run build')

export interface Profile {
  readonly folder: string
  /** Starts the browser with this profile. The previous browser must have been closed. */
  open(options?: BrowserContextOptions): Promise<BrowserContext>
  remove(): Promise<void>
}

/** A browser profile that outlives its browser. */
export async function profile(): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-profile-'))
  return {
    folder,
    open: async (options = {}) => {
      return prepare(await chromium.launchPersistentContext(folder, { executablePath, args, ...options }))
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Slows pages down by this factor. This reveals tests that do not wait long enough. */
const slowness = Number(process.env['AGMD_TEST_SLOWNESS'] ?? 1)

function prepare(context: BrowserContext): BrowserContext {
  context.setDefaultTimeout(patienceMs)
  if (slowness === 1) return context
  const newSession = context.newCDPSession.bind(context)
  const slowPage = async (page: Page): Promise<void> => {
    const session = await newSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  }
  // A page may close before its slowdown is set.
  context.on('page', (page) => void slowPage(page).catch(() => undefined))
  return context
}

export interface LaunchOptions {
  /** Additional command-line arguments. */
  readonly more?: readonly string[]
  /** Whether to start the full browser. Needed for tests that depend on more than the engine. */
  readonly whole?: boolean
  /** Whether pages get their service worker, which fetches everything that is needed offline. Each context is then a new one. */
  readonly offline?: boolean
}

/** The contexts that each browser may use again. */
const usedContexts = new WeakMap<Browser, UsedContexts>()

/** Returns a function that closes the contexts that were opened since this call. The next test can use them if this test passed. */
export const markContexts = (browser: Browser): ((isPassed: boolean) => Promise<void>) =>
  usedContexts.get(browser)?.mark() ?? (async () => {})

export async function launch({ more = [], whole = false, offline = false }: LaunchOptions = {}): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: whole ? wholeBrowser : executablePath, args: [...args, ...more] })
  const newContext = browser.newContext.bind(browser)
  const serviceWorkers = offline ? 'allow' : 'block'
  browser.newContext = async (options) => prepare(await newContext({ serviceWorkers, ...options }))
  if (!offline && process.env['AGMD_TEST_FRESH'] === undefined) usedContexts.set(browser, useContextsAgain(browser))
  return browser
}

export interface Document {
  readonly id: string
  readonly key: string
  readonly url: string
}

export async function createDocument(base: string, content: string): Promise<Document> {
  const response = await fetch(`${base}/new`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content })
  })
  const { id, key } = (await response.json()) as { id: string; key: string }
  return { id, key, url: `${base}/d/${id}?key=${key}` }
}

export async function createLink(base: string, document: Document, role: string): Promise<{ id: string; url: string; secret: string }> {
  const response = await fetch(`${base}/api/docs/${document.id}/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-share-key': document.key },
    body: JSON.stringify({ role, label: `a ${role}` })
  })
  const { id, secret } = (await response.json()) as { id: string; secret: string }
  return { id, secret, url: `${base}/d/${document.id}?key=${secret}` }
}

export async function readMarkdown(base: string, { id, key }: Document): Promise<string> {
  const response = await fetch(`${base}/d/${id}.md`, { headers: { 'x-share-key': key } })
  return await response.text()
}

/** Returns the text in the editor of a page, as its view contains it. */
export const editorText = (page: Page): Promise<string> =>
  page.locator('.cm-content').evaluate((element) => {
    const view = (element as unknown as { cmTile?: { view?: { state: { doc: { toString(): string } } } } }).cmTile?.view
    if (view === undefined) throw new Error('there is no editor behind this element')
    return view.state.doc.toString()
  })

export const chip = (page: Page, state: string) => page.locator(`.chip[data-state=${state}]`)

/** Returns the connection chip of an offline page when the device stores this many unsent changes. */
export const held = (page: Page, changes: number) =>
  page.locator(`.chip[data-held="${changes}"]`, { hasText: 'changes stored on this device' })

/** Waits until all typed text is saved, even if the page is still loading. */
export async function saved(page: Page): Promise<void> {
  await chip(page, 'saved').waitFor()
  // After one turn of the page's event loop, the chip reflects the last typed text.
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage('')
      })
  )
  await chip(page, 'saved').waitFor()
}

/** A page in its own browser context. */
export interface OwnPage {
  readonly context: BrowserContext
  readonly page: Page
  /** Uncaught errors and policy violations of the page. */
  readonly heard: string[]
}

interface OwnPageOptions extends BrowserContextOptions {
  /** The name of a guest, as stored on their device. */
  readonly name?: string
}

export async function ownPage(browser: Browser, { name, ...options }: OwnPageOptions = {}): Promise<OwnPage> {
  const context = await browser.newContext(options)
  if (name !== undefined) await context.addInitScript((own) => localStorage.setItem('agmd.name', own), name)
  const page = await context.newPage()
  return { context, page, heard: complaints(page) }
}

/** Replaces text in the scripts of a page. Used for limits, because the build writes their values wherever they are used. */
export async function replaceInScripts(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  await page.route('**/assets/*.js', async (route) => {
    const response = await route.fetch()
    const body = Object.entries(values).reduce((script, [old, value]) => script.replaceAll(old, value), await response.text())
    await route.fulfill({ response, body })
  })
}

/** Collects the uncaught errors and policy violations of a page. */
export function complaints(page: Page): string[] {
  const list: string[] = []
  page.on('pageerror', (error) => list.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedScript|Refused to/i.test(message.text())) list.push(message.text())
  })
  return list
}

/** Waits until `check` returns true. The condition ends the wait, and the time limit only ends a failure. */
export async function until(check: () => Promise<boolean> | boolean, what: string, milliseconds = patienceMs): Promise<void> {
  const end = Date.now() + milliseconds
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until the service worker of a page is active. On failure, the error names its state. */
export async function workerActive(page: Page): Promise<void> {
  const found = await page.evaluate(async (milliseconds) => {
    const describe = async (): Promise<string> => {
      const registration = await navigator.serviceWorker.getRegistration()
      if (registration === undefined) return 'it was not registered, or its installation failed'
      const worker = registration.installing ?? registration.waiting ?? registration.active
      return `it is ${worker?.state ?? 'gone'}`
    }
    const late = new Promise<string>((resolve) => setTimeout(() => void describe().then(resolve), milliseconds))
    return await Promise.race([navigator.serviceWorker.ready.then(() => 'active'), late])
  }, 30_000)
  if (found !== 'active') throw new Error(`the service worker never became active: ${found}`)
}

/** Types at the end of the text, as a person does. */
export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type(text)
}

/** Selects the first occurrence of some words in the editor, as with a mouse. With `isCursor`, puts only the caret after them. */
export const selectWords = (page: Page, words: string, { isCursor = false }: { readonly isCursor?: boolean } = {}): Promise<void> =>
  page.locator('.cm-content').evaluate(
    (element, { wanted, empty }) => {
      interface View {
        readonly state: { readonly doc: { toString(): string } }
        dispatch(change: object): void
        focus(): void
      }
      const view = (element as unknown as { cmTile?: { view?: View } }).cmTile?.view
      if (view === undefined) throw new Error('there is no editor behind this element')
      const from = view.state.doc.toString().indexOf(wanted)
      if (from === -1) throw new Error(`the text has no "${wanted}"`)
      const head = from + wanted.length
      view.focus()
      view.dispatch({ selection: { anchor: empty ? head : from, head }, scrollIntoView: true })
    },
    { wanted: words, empty: isCursor }
  )

/** Puts the caret at the start of a line and scrolls it into view. Lines are counted from 0. */
export const cursorAtLine = (page: Page, line: number): Promise<void> =>
  page.locator('.cm-content').evaluate((element, number) => {
    interface View {
      readonly state: { readonly doc: { readonly lines: number; line(number: number): { readonly from: number } } }
      dispatch(change: object): void
      focus(): void
    }
    const view = (element as unknown as { cmTile?: { view?: View } }).cmTile?.view
    if (view === undefined) throw new Error('there is no editor behind this element')
    view.focus()
    const { doc } = view.state
    view.dispatch({ selection: { anchor: doc.line(Math.min(number + 1, doc.lines)).from }, scrollIntoView: true })
  }, line)
