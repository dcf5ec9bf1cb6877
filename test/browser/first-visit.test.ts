/** What a first visit asks for, in which order, and that nothing moves while a document opens. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { createDocument, createLink, launch, until, workerActive } from './browser.ts'

const sample = readFileSync(join(import.meta.dirname, 'published.md'), 'utf8')

/** Scripts of a first visit up to its text: as many as are asked for at once over one connection of the oldest protocol, and the entry. */
const scriptsMax = 8
const shiftMax = 0.01

let world: World
let browser: Browser

beforeAll(async () => {
  world = await start()
  browser = await launch()
})

afterAll(async () => {
  await browser.close()
  await world.stop()
})

interface Watched {
  /** How much moved that nobody moved, as the browser counts it. */
  shift: number
  /** What moved, for who looks for the reason. */
  readonly moved: string[]
}

/** A page that counts what moves on it, from the beginning. */
async function watched(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript(() => {
    const state: Watched = { shift: 0, moved: [] }
    Object.assign(globalThis, { watched: state })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as unknown as {
          value: number
          sources: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[]
        }
        state.shift += value
        for (const { node, previousRect, currentRect } of sources)
          state.moved.push(`${value.toFixed(4)} ${node?.className ?? ''} ${JSON.stringify(previousRect)} ${JSON.stringify(currentRect)}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return page
}

/** What moved on a page, if it is more than nobody notices. */
const movedOn = async (page: Page): Promise<readonly string[]> => {
  const { shift, moved } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched)
  return shift < shiftMax ? [] : moved
}

/** Waits until everything that comes after the text is there: the feed comes last. */
const settled = (page: Page): Promise<void> =>
  until(() => page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/events?'))), 'the feed')

test('[WEB-66] a first visit asks for few scripts before its text, for those of the editor with the page; the rest comes once the text is there', async () => {
  const document = await createDocument(world.url, sample)
  const shell = await fetch(document.url, { headers: { accept: 'text/html' } })
  const announced = [...(shell.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="modulepreload"/g)].map(([, path]) => path)
  expect(announced.some((path) => path?.startsWith('/assets/editor-'))).toBe(true)
  // A program gets no advice for browsers.
  expect((await fetch(document.url, { headers: { accept: '*/*' } })).headers.get('link')).not.toContain('modulepreload')

  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) asked.push(pathname)
  })
  // The text is held until all that comes before it was asked for.
  const gate = Promise.withResolvers<void>()
  await page.routeWebSocket('**/collab', async (socket) => {
    await gate.promise
    socket.connectToServer()
  })
  await page.goto(document.url)
  await page.locator('.document-main[aria-busy=true]').waitFor()
  const before = [...asked]
  expect(before.length).toBeLessThanOrEqual(scriptsMax)
  expect(before).toEqual(expect.arrayContaining(announced))
  expect(before.filter((path) => /\/(?:soon|writing|remarks|extras|review|feed|panel|menu-items|formulas|highlight)-/.test(path))).toEqual(
    []
  )
  gate.resolve()
  await page.locator('.cm-line').first().waitFor()
  await settled(page)
  expect(asked.some((path) => path.startsWith('/assets/review-'))).toBe(true)
  await workerActive(page)
  await context.close()
})

test('[WEB-67] nothing moves while a document opens for the first time: to write, to suggest, to read, by a weaker link than the one that is kept', async () => {
  const document = await createDocument(world.url, sample)
  const reader = await createLink(world.url, document, 'view')
  const suggester = await createLink(world.url, document, 'suggest')
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 412, height: 823 }
  ]) {
    for (const [address, ready] of [
      [document.url, '.cm-line'],
      [suggester.url, '.cm-line'],
      [reader.url, '.reading']
    ] as const) {
      const context = await browser.newContext({ viewport })
      const page = await watched(context)
      await page.goto(address)
      await page.locator(ready).first().waitFor()
      await settled(page)
      expect({ address, viewport, moved: await movedOn(page) }).toEqual({ address, viewport, moved: [] })
      if (address !== document.url) {
        await context.close()
        continue
      }
      // The device keeps the link of the owner now.
      const weaker = await watched(context)
      await weaker.goto(reader.url)
      await weaker.getByText('This link gives you less access').waitFor()
      await weaker.locator('.reading').waitFor()
      await settled(weaker)
      expect({ viewport, moved: await movedOn(weaker) }).toEqual({ viewport, moved: [] })
      await context.close()
    }
  }
})

test('[WEB-68] a typeface in which the text stands stays when the rest of the page comes', async () => {
  const document = await createDocument(world.url, sample)
  const context = await browser.newContext({ viewport: { width: 412, height: 823 } })
  const page = await context.newPage()
  await page.goto(document.url)
  await page.locator('.cm-line').first().waitFor()
  const loaded = (): Promise<number> =>
    page.evaluate(
      async () =>
        [...(await globalThis.document.fonts.ready)].filter(({ family, status }) => family.includes('page-quattro') && status === 'loaded')
          .length
    )
  await until(async () => (await loaded()) > 0, 'the typeface')
  const before = await loaded()
  await settled(page)
  expect(await loaded()).toBeGreaterThanOrEqual(before)
  await context.close()
})
