/**
 * Tabs that visitors use one after another. A tab that has opened a document before opens the next one in half of the processor time, because its
 * renderer has already compiled the scripts. Between two visitors, everything that the first one stored is removed. A tab is closed instead if its
 * visitor did anything that might outlast the visit. Only the uses listed here are known to leave nothing behind.
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'

/** A page in a browser context of its own. */
export interface OwnPage {
  readonly context: BrowserContext
  readonly page: Page
  /** Uncaught errors and policy violations of the page. */
  readonly heard: string[]
}

interface Tab extends OwnPage {
  /** The complaints during the latest visit. */
  heard: string[]
  readonly session: CDPSession
  /** The sites that the visitor has opened. */
  readonly origins: ReadonlySet<string>
  isSpoiled: boolean
  isFree: boolean
}

/** Options of contexts that visitors can share one after another. */
const plainOptions = new Set([
  'viewport',
  'reducedMotion',
  'colorScheme',
  'locale',
  'permissions',
  'hasTouch',
  'isMobile',
  'serviceWorkers'
])

const isPlain = (options: BrowserContextOptions): boolean => Object.keys(options).every((name) => plainOptions.has(name))

const events = 'addListener removeListener off emit listeners listenerCount eventNames getMaxListeners setMaxListeners toString'
const reading =
  'url title content context mainFrame frames frame viewportSize isClosed screenshot evaluate evaluateHandle $ $$ $eval $$eval'
const waiting = 'goto reload waitForFunction waitForLoadState waitForSelector waitForURL'
const finding = 'locator frameLocator getByRole getByText getByLabel getByTitle getByPlaceholder getByAltText getByTestId'
const acting = 'click fill press hover focus keyboard mouse touchscreen'

const contextUses = new Set(`${events} pages cookies browser close isClosed`.split(' '))
const pageUses = new Set([events, reading, waiting, finding, acting].join(' ').split(' '))

/** Calls `spoil` before every use of an object that is not listed. Names with an underscore belong to Playwright. */
function guard(target: object, uses: ReadonlySet<string>, spoil: () => void): void {
  const names = new Set<string>()
  for (let each = target; each !== Object.prototype; each = Object.getPrototypeOf(each) as object)
    for (const name of Object.getOwnPropertyNames(each))
      if (name !== 'constructor' && !name.startsWith('_') && !uses.has(name)) names.add(name)
  for (const name of names) {
    const found: unknown = Reflect.get(target, name)
    if (typeof found !== 'function' && typeof found !== 'object') continue
    const value: unknown = typeof found === 'function' ? (found.bind(target) as unknown) : found
    Object.defineProperty(target, name, { configurable: true, get: () => (spoil(), value) })
  }
}

/** All kinds of storage except values and cookies, which are removed separately. */
const storageTypes = 'indexeddb,cache_storage,file_systems,service_workers,shared_storage,storage_buckets'

/** Removes everything that a visitor stored, from a page of the same site, so that the renderer remains. Returns whether all of it is gone. */
async function emptied({ context, page, session, origins, isSpoiled }: Tab): Promise<boolean> {
  const [origin, ...others] = origins
  if (isSpoiled || page.isClosed() || context.pages().length > 1 || origin === undefined || others.length > 0) return false
  try {
    await page.goto(`${origin}/robots.txt`)
    // As in a new tab, nothing is under the pointer, and no button is down.
    await page.mouse.move(-1, -1)
    await page.mouse.up()
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
    await session.send('Network.clearBrowserCookies')
    return await page.evaluate(async () => localStorage.length + sessionStorage.length + (await indexedDB.databases()).length === 0)
  } catch {
    // For example, the server has stopped.
    return false
  }
}

/** Reports the uncaught errors and policy violations of a page. */
export function listen(page: Page, hear: (words: string) => void): void {
  page.on('pageerror', (error) => hear(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedScript|Refused to/i.test(message.text())) hear(message.text())
  })
}

async function newTab(browser: Browser, options: BrowserContextOptions, free: Tab[], name?: string): Promise<Tab> {
  const context = await browser.newContext(options)
  if (name !== undefined) await context.addInitScript((own) => localStorage.setItem('agmd.name', own), name)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const origins = new Set<string>()
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame() === null && frame.url() !== 'about:blank') origins.add(new URL(frame.url()).origin)
  })
  const tab: Tab = { context, page, heard: [], session, origins, isSpoiled: false, isFree: false }
  listen(page, (words) => tab.heard.push(words))
  const end = context.close.bind(context)
  context.close = async () => {
    if (tab.isFree) return
    if (!(await emptied(tab))) return end()
    tab.isFree = true
    free.push(tab)
  }
  const spoil = (): void => {
    tab.isSpoiled = true
  }
  guard(context, contextUses, spoil)
  guard(page, pageUses, spoil)
  return tab
}

interface Shared {
  /** Whether pages have a service worker unless the options say otherwise. Tabs with one are not shared. */
  readonly hasWorkers: boolean
  /** The free tabs, by their options. */
  readonly free: Map<string, Tab[]>
}
const sharedBy = new WeakMap<Browser, Shared>()

/** Lets visitors use the tabs of a browser one after another. */
export const shareTabs = (browser: Browser, hasWorkers: boolean): void => void sharedBy.set(browser, { hasWorkers, free: new Map() })

/** Opens a tab with a context of its own, or takes a free one with the same options. `name`: the name of a guest, as stored on their device. */
export async function openTab(browser: Browser, options: BrowserContextOptions, name?: string): Promise<OwnPage> {
  const shared = sharedBy.get(browser)
  const workers = options.serviceWorkers ?? (shared?.hasWorkers === true ? 'allow' : 'block')
  const mayShare = shared !== undefined && workers === 'block' && isPlain(options)
  const key = JSON.stringify([name, options])
  const free = shared?.free.get(key) ?? []
  shared?.free.set(key, free)
  const tab = free.pop() ?? (await newTab(browser, options, free, name))
  tab.isSpoiled = !mayShare
  tab.isFree = false
  tab.heard = []
  return tab
}
