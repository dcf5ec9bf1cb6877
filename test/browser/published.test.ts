/**
 * The published page in real browsers, in every window size and theme and without scripts. The tests also check that the page is as small as
 * promised.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { png, samples } from '../support/media.ts'
import type { World } from '../support/start.ts'
import { lookAtSizes } from './appearance.ts'
import { chip, createDocument, type Document, until } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const sample = readFileSync(join(import.meta.dirname, 'published.md'), 'utf8')
const fence = /```mermaid\n[\s\S]*?```\n/

const post = async (
  document: Document,
  path: string,
  body: Uint8Array<ArrayBuffer> | string,
  type: string
): Promise<Record<string, string>> => {
  const answer = await fetch(`${world.url}/api/docs/${document.id}${path}`, {
    method: 'POST',
    headers: { 'x-share-key': document.key, 'content-type': type },
    body
  })
  expect(answer.ok).toBe(true)
  return (await answer.json()) as Record<string, string>
}

const publish = async (text: string): Promise<string> => {
  const document = await createDocument(world.url, text)
  return (await post(document, '/publish', '{}', 'application/json'))['url'] ?? ''
}

/** Collects everything that a page reports: console messages, errors and policy violations. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  const heard: string[] = []
  page.on('console', (message) => heard.push(message.text()))
  page.on('pageerror', (error) => heard.push(String(error)))
  await page.exposeFunction('tellViolation', (directive: string) => heard.push(`policy: ${directive}`))
  await page.addInitScript(() => {
    globalThis.document.addEventListener('securitypolicyviolation', (event) => {
      void (globalThis as unknown as { tellViolation(directive: string): Promise<void> }).tellViolation(event.violatedDirective)
    })
  })
  return async () => {
    await page.evaluate(() => undefined)
    return heard
  }
}

test('[PUBLISH-8] the page on wide and narrow screens: no violations, nothing in the console', async () => {
  const document = await createDocument(world.url, '')
  const picture = await post(document, '/assets?name=Teal', png(640, 200), 'image/png')
  const sound = await post(document, '/assets?name=Bell', samples['wav']?.bytes as Uint8Array<ArrayBuffer>, 'audio/wav')
  const url = await publish(`${sample.replace('## Words', `${picture['markdown']}\n\n${sound['markdown']}\n\n## Words`)}`)
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const heard = await listen(page)
  await page.goto(url)
  const check = async (where: string): Promise<void> =>
    expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth - innerWidth), where).toBeLessThanOrEqual(0)
  await lookAtSizes(page, 'published', { check })
  await page.locator('figure.component-mermaid').scrollIntoViewIfNeeded()
  await page.locator('figure.component-mermaid img').waitFor()
  await page.evaluate(() => scrollTo(0, 0))
  await lookAtSizes(page, 'published-whole', { fullPage: true })
  expect(await heard()).toEqual([])
  await context.close()
})

test('[PUBLISH-8] a printed page has only its text', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(await publish(sample))
  await page.emulateMedia({ media: 'print' })
  for (const hidden of ['.contents', 'footer', '.anchor >> nth=0']) expect(await page.locator(hidden).isVisible()).toBe(false)
  expect(await page.getByText('That is all.').isVisible()).toBe(true)
  await context.close()
})

const columns = ['To do', 'In progress', 'Review', 'Someday'].map((name) => `## ${name}\n- [ ] A card in ${name}\n`).join('')
const components = `\`\`\`board #plan\n${columns}\`\`\`\n\n\`\`\`sheet #s\n| A | B |\n| - | - |\n| 1 | 2 |\n|  |  |\n\`\`\`\n\n\`\`\`widget #w\n<p>Hello</p>\n\`\`\`\n`

test('[PUBLISH-8] [PUBLISH-21] [PUBLISH-27] long lines wrap on paper, boards show all columns there and on screens, and folded text is open', async () => {
  const context = await browser.newContext({ viewport: { width: 700, height: 900 } })
  const page = await context.newPage()
  await page.goto(
    await publish(
      `# T\n\n\`\`\`\n${'word '.repeat(80)}\n\`\`\`\n\n${components}\n<details>\n<summary>More</summary>\n\nfolded\n\n</details>\n`
    )
  )
  const overflow = (selector = 'pre'): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((box) => box.scrollWidth - box.clientWidth)
  expect(await overflow()).toBeGreaterThan(0)
  for (const width of [360, 700, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow('.board')).toBe(0)
    const tops = await page.locator('.board-column').evaluateAll((all) => all.map((column) => column.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(width === 360 ? 4 : 1)
  }
  await page.setViewportSize({ width: 700, height: 900 })
  await page.locator('.widget-run').waitFor()
  const heights = await page.locator('.sheet tr').evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)))
  expect([heights.length, new Set(heights).size]).toEqual([3, 1])
  expect(await page.getByText('folded').isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  expect(await overflow()).toBe(0)
  const board = await page.locator('.board').boundingBox()
  for (const column of await page.locator('.board-column').all()) {
    const { x = 0, width = 0 } = (await column.boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual((board?.x ?? 0) + (board?.width ?? 0) + 1)
  }
  expect(await page.locator('.widget-run').isVisible()).toBe(false)
  expect(await page.getByText('folded').isVisible()).toBe(true)
  await context.close()
})

test('[PUBLISH-8] the contents are open next to the text if there is space, and folded above it on a phone', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(await publish(sample))
  const entry = page.locator('.contents a').first()
  expect(await entry.isVisible()).toBe(true)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await entry.isVisible()).toBe(false)
  await page.locator('.contents summary').click()
  expect(await entry.isVisible()).toBe(true)
  await context.close()
})

test('[PUBLISH-8] each paragraph begins on the side of its own script', async () => {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 } })
  const page = await context.newPage()
  await page.goto(await publish('# שלום\n\nטקסט\n\nEnglish\n\n- אחת\n'))
  const sides = await page.locator('article').evaluate((article) => {
    const { left, right } = article.getBoundingClientRect()
    return [...article.querySelectorAll('p, li')].map((block) => {
      const range = globalThis.document.createRange()
      range.selectNodeContents(block)
      const words = range.getBoundingClientRect()
      return words.left - left < right - words.right ? 'left' : 'right'
    })
  })
  // The byline is aligned with the title.
  expect(sides).toEqual(['right', 'right', 'left', 'right'])
  expect(await page.locator('ul').evaluate((list) => getComputedStyle(list).paddingRight)).not.toBe('0px')
  await context.close()
})

/** Returns the resources that a visit loads, each with its kind and its size in bytes. */
async function loads(
  url: string,
  options: { readonly javaScriptEnabled?: boolean } = {}
): Promise<{ type: string; url: string; bytes: number }[]> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const found: { type: string; url: string; bytes: number }[] = []
  const sizes: Promise<unknown>[] = []
  page.on('requestfinished', (request) => {
    const one = { type: request.resourceType(), url: request.url(), bytes: 0 }
    found.push(one)
    sizes.push(request.sizes().then(({ responseBodySize }) => (one.bytes = responseBodySize)))
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await Promise.all(sizes)
  await context.close()
  return found
}

test('[PUBLISH-9] [PUBLISH-20] a page needs no script: it loads none, or with diagrams at most 5 KB of ours besides the drawing frame', async () => {
  const without = await loads(await publish(sample.replace(fence, '')))
  expect(without.filter(({ type }) => type === 'script')).toEqual([])
  expect(without.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(200_000)

  // The diagram is below the first screen, so it is drawn only when somebody scrolls there.
  const url = await publish(sample)
  const scripts = (await loads(url)).filter(({ type }) => type === 'script')
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(5 * 1024)

  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(url)
  expect(await page.getByText('A[Write]').isVisible()).toBe(true)
  expect(await page.locator('math').count()).toBe(3)
  // The glyphs of a formula reach above their boxes, and the area that scrolls would cut them off.
  const room = await page.locator('div.math').evaluate((area) => {
    const tops = [...area.querySelectorAll('*')].map((part) => part.getBoundingClientRect().top)
    return Math.min(...tops) - area.getBoundingClientRect().top
  })
  expect(room).toBeGreaterThanOrEqual(8)
  await context.close()
})

test('[PUBLISH-9] [PUBLISH-22] a diagram is drawn when it comes into view, and again for dark colors', async () => {
  const context = await browser.newContext({ colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(await publish(sample))
  expect(await page.locator('iframe').count()).toBe(0)
  const figure = page.locator('figure.component-mermaid')
  const picture = figure.locator('img')
  // The print key draws the diagrams that nobody has scrolled to.
  await page.evaluate(() => (globalThis.print = () => (document.title = `printed ${document.querySelectorAll('.diagram-picture').length}`)))
  await page.keyboard.press('Control+p')
  await page.waitForFunction(() => document.title.startsWith('printed'))
  expect(await page.title()).toBe('printed 1')
  // The pointer draws them too when it leaves the page, for example for the menu of the browser.
  await page.reload()
  await page.mouse.move(40, 40)
  await page.mouse.move(-1, -1)
  await picture.waitFor({ state: 'attached' })
  await page.reload()
  await figure.scrollIntoViewIfNeeded()
  await picture.waitFor()
  const light = await picture.getAttribute('src')
  await page.emulateMedia({ colorScheme: 'dark' })
  await until(async () => (await picture.count()) === 1 && (await picture.getAttribute('src')) !== light, 'another picture')
  await context.close()
})

test('[PUBLISH-14] [PUBLISH-24] [PUBLISH-28] [PUBLISH-29] the page of the person who publishes draws the diagrams, and an editor’s page draws changed ones: readers need no script', async () => {
  const words = '# T\n\n```mermaid\nflowchart LR\n  A --> B\n  style A fill:#ff9\n```\n'
  const document = await createDocument(world.url, words)
  const context = await browser.newContext({ colorScheme: 'dark' })
  const page = await context.newPage()
  await page.goto(document.url)
  await chip(page, 'saved').waitFor()
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('tab', { name: 'Publish' }).click()
  await page.getByRole('switch').click()
  const kept = async (): Promise<number> => {
    const answer = await fetch(`${world.url}/api/docs/${document.id}/drawings`, { headers: { 'x-share-key': document.key } })
    return ((await answer.json()) as { drawings: unknown[] }).drawings.length
  }
  await until(async () => (await kept()) === 1, 'a picture')
  await page.keyboard.press('Escape')
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('```mermaid\npie\n"a" : 1')
  await until(async () => (await kept()) >= 2, 'the picture of what was added')
  await context.close()
  const reader = await browser.newContext({ javaScriptEnabled: false, colorScheme: 'dark' })
  const published = await reader.newPage()
  await published.goto(`${world.url}/pub/${document.id}`)
  const pictures = published.locator('.diagram-picture img')
  expect(await pictures.count()).toBe(2)
  await until(
    async () => (await pictures.first().evaluate((image: HTMLImageElement) => image.currentSrc)).endsWith('-dark.svg'),
    'the dark one'
  )
  expect(await pictures.first().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50)
  // On a light fill, the text is dark in the dark theme too.
  const drawing = await (await fetch(await pictures.first().evaluate((image: HTMLImageElement) => image.currentSrc))).text()
  expect(drawing.match(/<text[^>]*;fill:#1\w{5}/g)).toHaveLength(1)
  const gaps = await pictures.first().evaluate((image) => {
    const [inner, outer] = [image, image.closest('figure') ?? image].map((element) => element.getBoundingClientRect())
    return inner === undefined || outer === undefined ? [] : [inner.left - outer.left, outer.right - inner.right].map(Math.round)
  })
  expect(gaps[0]).toBe(gaps[1])
  expect(gaps[0]).toBeGreaterThan(50)
  await published.setViewportSize({ width: 360, height: 740 })
  const hidden = await published
    .locator('.diagram-picture')
    .evaluateAll((frames) => frames.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
  expect(hidden).toEqual([0, 0])
  await reader.close()
})
