/** The contexts that several tests use, one after another. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Returns everything that a page can see of the tests before it. */
const stateOf = async (page: Page): Promise<unknown> => {
  const answer = await page.goto(`${world.url}/llms.txt`)
  const seen = await page.evaluate(async () => ({
    stored: [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length, (await caches.keys()).length],
    name: window.name,
    added: ['script', 'told', 'bound'].filter((name) => name in globalThis),
    size: [innerWidth, innerHeight],
    media: [matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches],
    permission: (await navigator.permissions.query({ name: 'geolocation' })).state,
    isOnline: navigator.onLine,
    visited: history.length
  }))
  const cookies = await page.context().cookies()
  return { ...seen, cookies: cookies.length, pages: page.context().pages().length, status: answer?.status() }
}

/** Changes all of that. */
const change = async (context: BrowserContext, page: Page, heard: string[]): Promise<void> => {
  page.on('console', (message) => heard.push(message.text()))
  context.on('request', (request) => heard.push(request.url()))
  await page.goto(`${world.url}/llms.txt?again`)
  await page.evaluate(async () => {
    localStorage.setItem('agmd.name', 'Ana')
    sessionStorage.setItem('agmd.tab', 'one')
    document.cookie = 'a=1'
    window.name = 'named'
    await caches.open('files')
    await new Promise((resolve) => (indexedDB.open('texts').onsuccess = resolve))
    console.log('heard')
  })
  await context.addInitScript('globalThis.script = 1')
  await page.addInitScript('globalThis.told = 1')
  await page.exposeFunction('bound', () => 1)
  await context.grantPermissions(['geolocation'])
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await context.newPage()
  await page.route('**/llms.txt', (route) => route.fulfill({ status: 418 }))
}

test('[HOUSE-19] a page of a browser test shows no trace of the tests before it', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const asNew = await stateOf(page)
  const heard: string[] = []
  await change(context, page, heard)
  const changed = (await stateOf(page)) as Record<string, unknown>
  for (const [name, value] of Object.entries(asNew as object)) if (name !== 'isOnline') expect(changed[name], name).not.toEqual(value)
  expect(heard).toContain('heard')
  await context.setOffline(true)
  await context.close()

  const next = await browser.newContext()
  expect(next).toBe(context)
  expect(next.pages()).toHaveLength(1)
  heard.length = 0
  expect(await next.newPage()).toBe(page)
  expect(await stateOf(page)).toEqual(asNew)
  expect(heard).toEqual([])
})

test('[HOUSE-19] a context that cannot be restored is used by one test only', async () => {
  for (const spoil of [
    (context: BrowserContext, page: Page) => page.clock.install(),
    (context: BrowserContext) => context.setExtraHTTPHeaders({ 'x-test': '1' }),
    (context: BrowserContext, page: Page) => page.routeWebSocket('**/collab?*', () => undefined),
    (context: BrowserContext, page: Page) => page.close()
  ]) {
    const context = await browser.newContext({ locale: 'de-DE' })
    await spoil(context, await context.newPage())
    await context.close()
    const next = await browser.newContext({ locale: 'de-DE' })
    expect(next).not.toBe(context)
    await next.close()
  }
})
