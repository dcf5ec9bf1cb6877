/** The requests of a first visit and their order. Nothing may move while a document opens. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { createDocument, createLink, until, workerActive } from './browser.ts'
import { onStage } from './stage.ts'

const sample = readFileSync(join(import.meta.dirname, 'published.md'), 'utf8')

/**
 * Largest number of scripts that a first visit loads before its editor: the entry point, the code that runs before the first paint, and the parts
 * that start one by one.
 */
const scriptsMax = 10
const shiftMax = 0.01

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage), { offline: true })

interface Watched {
  /** Layout shift without user input, as the browser measures it. */
  shift: number
  /** Descriptions of the elements that moved, which help to find the cause. */
  readonly moved: string[]
}

/** Opens a page that measures layout shifts from the start. */
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

/** Returns descriptions of the elements of a page that moved visibly. */
const movedOn = async (page: Page): Promise<readonly string[]> => {
  const { shift, moved } = await page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched)
  return shift < shiftMax ? [] : moved
}

/** Waits until everything that loads after the text has loaded. The activity feed is last. */
const settled = (page: Page): Promise<void> =>
  until(() => page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('/events?'))), 'the feed')

/** Requests a page until it includes its text. On a busy machine, the first response comes without it. */
async function pageWithText(address: string): Promise<string> {
  let html = ''
  await until(async () => {
    html = await (await fetch(address, { headers: { accept: 'text/html' } })).text()
    return html.includes('id="first"')
  }, 'a page with its text')
  return html
}

/** Returns the visible lines or blocks of the text, with their positions and words. */
const standing = (page: Page, selector: string): Promise<readonly string[]> =>
  page.evaluate((wanted) => {
    const found = [...globalThis.document.querySelectorAll(wanted)]
    const blocks = found.flatMap((element) => [...(element.shadowRoot?.querySelector('article')?.children ?? [element])])
    return blocks
      .map((block) => ({ words: block.textContent, box: block.getBoundingClientRect() }))
      .filter(({ box }) => box.top < innerHeight)
      .map(({ words, box }) => `${words.trim()} ${[box.x, box.y, box.width, box.height].join(' ')}`)
  }, selector)

/**
 * Opens a document for the first time, and stops the page when it shows the text that came with it. Returns a function that lets the page continue.
 */
async function heldAtText(page: Page, address: string, look: string): Promise<() => Promise<void>> {
  await pageWithText(address)
  const gate = Promise.withResolvers<void>()
  await page.route('**/assets/main-*.js', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto(address)
  await page.locator(look).first().waitFor()
  return async () => {
    gate.resolve()
    await page.locator('#first').waitFor({ state: 'detached' })
  }
}

test('[WEB-66] a first visit requests few scripts before its editor, those of the editor after the text is painted, and the rest after the editor', async () => {
  const document = await createDocument(world.url, sample)
  const scriptsOf = async (address: string, accept: string): Promise<(string | undefined)[]> => {
    const shell = await fetch(address, { headers: { accept } })
    return [...(shell.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="modulepreload"/g)].map(([, path]) => path)
  }
  const isEditor = (path: string | undefined): boolean => path?.startsWith('/assets/editor-') === true
  const withoutKey = `${world.url}/d/${document.id}`
  expect((await scriptsOf(withoutKey, 'text/html')).some(isEditor)).toBe(true)
  // Programs get no preload hints.
  expect(await scriptsOf(withoutKey, '*/*')).toEqual([])
  // If the page comes with its text, the scripts load after the text.
  const announced = (await pageWithText(document.url)).match(/ data-scripts="([^"]+)"/)?.[1]?.split(' ') ?? []
  expect(announced.some(isEditor)).toBe(true)
  expect(await scriptsOf(document.url, 'text/html')).toEqual([])

  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) asked.push(pathname)
  })
  // The connection waits until the page has requested everything that must precede the text.
  const gate = Promise.withResolvers<void>()
  await page.routeWebSocket('**/collab?*', async (socket) => {
    await gate.promise
    socket.connectToServer()
  })
  await page.goto(document.url)
  await page.locator('.document-main[aria-busy=true]').waitFor()
  const before = [...asked]
  expect(before.length).toBeLessThanOrEqual(scriptsMax)
  expect(before).toEqual(expect.arrayContaining(announced))
  expect(
    before.filter((path) => /\/(?:soon|writing|annotations|extras|review|feed|panel|menu-items|formulas|highlight)-/.test(path))
  ).toEqual([])
  const [painted, begun] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
    performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/editor-'))?.startTime ?? 0
  ])
  expect(painted).toBeLessThan(begun)
  gate.resolve()
  await page.locator('.cm-line').first().waitFor()
  await settled(page)
  expect(asked.some((path) => path.startsWith('/assets/review-'))).toBe(true)
  await workerActive(page)
  await context.close()
})

test('[WEB-67] [FIRST-4] [FIRST-11] nothing moves on a first visit: to write, to suggest, to read, or by a weaker link than the stored one; the text that came with the page is taken over in place', async () => {
  const plan = await createDocument(world.url, '# Plan\n\n```board\n## Todo\n- [ ] Test\n```\n')
  const early = await watched(await browser.newContext())
  const goOnToBoard = await heldAtText(early, plan.url, '.still-line')
  const awaited = early.locator('.md-awaited')
  expect(await awaited.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).animationName))).toEqual(
    Array(4).fill('md-awaited')
  )
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await early.route('**/assets/mount-*', (route) => held.then(() => route.continue()))
  await goOnToBoard()
  const component = early.locator('.md-component')
  await component.waitFor({ state: 'attached' })
  expect((await component.boundingBox())?.height).toBeGreaterThan(80)
  release()
  await early.locator('.md-component .card').waitFor()
  expect(await component.evaluate((element: HTMLElement) => element.style.minHeight)).toBe('')
  expect(await awaited.count()).toBe(0)
  const document = await createDocument(world.url, sample)
  const reader = await createLink(world.url, document, 'view')
  const suggester = await createLink(world.url, document, 'suggest')
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 412, height: 823 }
  ]) {
    for (const [address, ready, before] of [
      [document.url, '.cm-line', '.still-line'],
      [suggester.url, '.cm-line', '.still-line'],
      [reader.url, '.reading', '.still-reading']
    ] as const) {
      const context = await browser.newContext({ viewport })
      const page = await watched(context)
      const goOn = await heldAtText(page, address, before)
      const came = await standing(page, before)
      expect(came.length).toBeGreaterThan(5)
      expect(await page.locator(ready).count()).toBe(0)
      await goOn()
      expect(await standing(page, ready)).toEqual(came)
      await settled(page)
      expect({ address, viewport, moved: await movedOn(page) }).toEqual({ address, viewport, moved: [] })
      if (address !== document.url) {
        await context.close()
        continue
      }
      // By now, the device has stored the owner's link.
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

/** Makes each new page record the states of its typefaces in the first frame with text. */
const watchFaces = async (page: Page, selector: string, families: string): Promise<void> => {
  await page.addInitScript(
    ([wanted, names]) => {
      const look = (): void => {
        const found = globalThis.document.querySelector(wanted)
        const text = wanted === '.reading' ? found?.shadowRoot?.querySelector('article > *') : found
        if (text === null || text === undefined) requestAnimationFrame(look)
        else {
          const faces = [...globalThis.document.fonts].filter(({ family }) => new RegExp(names).test(family))
          Object.assign(globalThis, { facesAtText: faces.map(({ status }) => status) })
        }
      }
      look()
    },
    [selector, families] as const
  )
}

test('[WEB-68] [WEB-97] [FIRST-5] [FIRST-10] the first visit has the typefaces of later visits, and they stay when the rest of the page loads', async () => {
  const document = await createDocument(world.url, sample)
  const reader = await createLink(world.url, document, 'view')
  for (const [address, before, after, family] of [
    [document.url, '.still-line', '.cm-line', 'page-quattro'],
    [reader.url, '.still-reading', '.reading', 'page-serif']
  ] as const) {
    const context = await browser.newContext({ viewport: { width: 412, height: 823 } })
    const page = await context.newPage()
    const loaded = (): Promise<number> =>
      page.evaluate(
        (name) => [...globalThis.document.fonts].filter((face) => face.family.includes(name) && face.status === 'loaded').length,
        family
      )
    const goOn = await heldAtText(page, address, before)
    const [faces, came] = [await loaded(), await standing(page, before)]
    expect(faces).toBeGreaterThan(1)
    await goOn()
    await settled(page)
    expect(await loaded()).toBeGreaterThanOrEqual(faces)
    const asleep = (): Promise<number> =>
      page.evaluate(
        () =>
          [...globalThis.document.fonts].filter(({ family: name, status }) => /page-(?:quattro|mono)/.test(name) && status === 'unloaded')
            .length
      )
    await until(async () => (await asleep()) === 0, 'the faces of the first bold word')
    await workerActive(page)
    // The test runs with the pages stored on the device, and without them.
    await page.unrouteAll()
    await watchFaces(page, after, `${family}|page-mono`)
    await until(async () => {
      await page.reload()
      const kept = await page.waitForFunction(() => (globalThis as unknown as { facesAtText?: string[] }).facesAtText)
      const states = (await kept.jsonValue()) ?? []
      // The typefaces must have been requested before the text is drawn. On a busy machine, they may arrive too late.
      expect(states).not.toContain('unloaded')
      return states.every((state) => state === 'loaded')
    }, 'a visit whose typefaces were at hand in time')
    await until(async () => JSON.stringify(await standing(page, after)) === JSON.stringify(came), 'the same lines in the same places')
    await context.close()
  }
})
