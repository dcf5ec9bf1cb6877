/**
 * Keeps the browser contexts of finished tests for the next tests. A page in a new context starts a process, fetches some 50 files and compiles them,
 * which costs 0.7 s of CPU time. A page whose process has shown a document before costs half of that. Everything that a test did to a context
 * is taken back. A context that might still differ from a new one is closed. Only the files in the cache of the browser remain.
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'

export interface UsedContexts {
  /** Returns a function that takes back the contexts that were opened since this call. Contexts of a failed test are not used again. */
  mark(): (isPassed: boolean) => Promise<void>
}

type Method = (...words: readonly unknown[]) => unknown

/** A context, its first page, and how to take back everything that the current test did to them. */
interface Used {
  readonly context: BrowserContext
  readonly options: BrowserContextOptions
  readonly key: string
  readonly close: () => Promise<void>
  readonly newSession: (page: Page) => Promise<CDPSession>
  /** Takes back one deed each. The newest is the last. */
  readonly undo: (() => unknown)[]
  /** Origins whose pages may have stored something. */
  readonly origins: Set<string>
  page?: Page
  /** Whether the current test has received the first page. */
  isGiven: boolean
  /** Whether the test did something that cannot be taken back. */
  isSpoiled: boolean
}

/** Longest time to take everything back, in milliseconds. */
const cleaningMsMax = 10_000
/** Most contexts that are kept. Tests use fewer at once. */
const keptMax = 6
/** A context with other options is used once. */
const restorable = [
  'acceptDownloads',
  'colorScheme',
  'hasTouch',
  'isMobile',
  'javaScriptEnabled',
  'locale',
  'permissions',
  'reducedMotion',
  'timezoneId',
  'viewport'
]
/** Methods whose effect on a page cannot be taken back. */
const spoiling = ['routeWebSocket', 'setExtraHTTPHeaders', 'setGeolocation', 'setStorageState', 'addLocatorHandler']

/** Lets the browser hand out contexts again after their tests have closed them. */
export function useContextsAgain(browser: Browser): UsedContexts {
  const create = browser.newContext.bind(browser)
  const kept: Used[] = []
  const inUse = new Set<Used>()
  const takeBack = async (used: Used): Promise<void> => {
    if (!inUse.delete(used)) return
    if (kept.length < keptMax && (await isClean(used))) kept.push(used)
    else await used.close()
  }
  browser.newContext = async (options = {}) => {
    if (!Object.keys(options).every((name) => restorable.includes(name))) return await create(options)
    const key = JSON.stringify(options)
    const index = kept.findIndex((one) => one.key === key)
    const used = index === -1 ? watched(await create(options), options) : kept.splice(index, 1)[0]!
    inUse.add(used)
    used.context.close = () => takeBack(used)
    return used.context
  }
  browser.newPage = async (options) => await (await browser.newContext(options)).newPage()
  return {
    mark() {
      const before = new Set(inUse)
      return async (isPassed) => {
        for (const used of inUse) {
          if (before.has(used)) continue
          used.isSpoiled ||= !isPassed
          await takeBack(used)
        }
      }
    }
  }
}

const spoiled = new WeakSet<BrowserContext>()

/** Closes a context that no other test may use, for example because one of its processes is busy forever. */
export async function discard(context: BrowserContext): Promise<void> {
  spoiled.add(context)
  await context.close()
}

/** Remembers everything that tests do to a new context. */
function watched(context: BrowserContext, options: BrowserContextOptions): Used {
  const used: Used = {
    context,
    options,
    key: JSON.stringify(options),
    close: context.close.bind(context),
    newSession: context.newCDPSession.bind(context),
    undo: [],
    origins: new Set(),
    isGiven: false,
    isSpoiled: false
  }
  context.on('page', (page) => {
    page.on('framenavigated', (frame) => frame.url().startsWith('http') && used.origins.add(new URL(frame.url()).origin))
  })
  watchBoth(used, context)
  // A clock is installed with a script that remains.
  for (const name of ['install', 'fastForward', 'pauseAt', 'resume', 'runFor', 'setFixedTime', 'setSystemTime'])
    whenCalled(context.clock, name, () => (used.isSpoiled = true))
  whenCalled(context, 'grantPermissions', () =>
    used.undo.push(() => context.clearPermissions().then(() => context.grantPermissions(options.permissions ?? [])))
  )
  whenCalled(context, 'setOffline', () => used.undo.push(() => context.setOffline(false)))
  const newPage = context.newPage.bind(context)
  whenCalled(context, 'newCDPSession', (_, session) => used.undo.push(async () => await ((await session) as CDPSession).detach()))
  context.newPage = async () => {
    if (used.isGiven) return await newPage()
    used.isGiven = true
    used.page ??= watchedPage(used, await newPage())
    return used.page
  }
  return used
}

function watchedPage(used: Used, page: Page): Page {
  const { viewport, colorScheme = 'light', reducedMotion = 'no-preference' } = used.options
  page.on('crash', () => (used.isSpoiled = true))
  watchBoth(used, page)
  whenCalled(page, 'setViewportSize', () => used.undo.push(() => page.setViewportSize(viewport ?? { width: 1280, height: 720 })))
  const media = { media: null, forcedColors: null, contrast: null, colorScheme, reducedMotion }
  whenCalled(page, 'emulateMedia', () => used.undo.push(() => page.emulateMedia(media)))
  return page
}

/** Watches the methods that contexts and pages have in common. */
function watchBoth(used: Used, target: BrowserContext | Page): void {
  for (const name of ['on', 'once']) {
    whenCalled(target, name, ([event, listener]) => used.undo.push(() => target.off(event as never, listener as never)))
  }
  for (const name of ['addInitScript', 'exposeFunction', 'exposeBinding']) {
    whenCalled(target, name, (_, result) => used.undo.push(async () => await ((await result) as AsyncDisposable)[Symbol.asyncDispose]()))
  }
  whenCalled(target, 'route', () => used.undo.push(() => target.unrouteAll({ behavior: 'ignoreErrors' })))
  for (const name of spoiling) whenCalled(target, name, () => (used.isSpoiled = true))
}

/** Calls `heard` with the arguments and the result of each call of a method. Does nothing if there is no such method. */
function whenCalled(target: object, name: string, heard: (words: readonly unknown[], result: unknown) => void): void {
  const methods = target as Record<string, Method | undefined>
  const method = methods[name]?.bind(target)
  if (method === undefined) return
  methods[name] = (...words) => {
    const result = method(...words)
    heard(words, result)
    return result
  }
}

/** Takes back everything that a test did. Returns whether that was possible. */
async function isClean(used: Used): Promise<boolean> {
  const { page } = used
  if (used.isSpoiled || spoiled.has(used.context) || page === undefined || page.isClosed()) return false
  // The server may be gone, and the page may hang.
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), cleaningMsMax).unref())
  return await Promise.race([late, clean(used, page).catch(() => false)])
}

async function clean(used: Used, page: Page): Promise<true> {
  const { context } = used
  for (const undo of used.undo.splice(0).toReversed()) await undo()
  for (const other of context.pages()) if (other !== page) await other.close()
  await leave(used, page)
  await context.clearCookies()
  used.isGiven = false
  return true
}

/** Leaves a page and removes everything that it stored. A page of the same origin without a script keeps the process of the page. */
async function leave({ newSession, origins }: Used, page: Page): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/robots.txt`)
  await page.mouse.move(-1, -1)
  await page.evaluate(() => {
    sessionStorage.clear()
    window.name = ''
  })
  // A session that stays open would make pages believe after a reload that they are online.
  const session = await newSession(page)
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.send('Page.resetNavigationHistory')
  await session.detach()
}
