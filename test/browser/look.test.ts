/** Every page in every look: axe, the policy, and pictures for people (AGMD_TEST_SCREENS=1 writes them). */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { complaints, createDocument, createLink, launch, saved } from './browser.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const screens = join(import.meta.dirname, 'screens')
const sample = readFileSync(join(import.meta.dirname, 'sample.md'), 'utf8')

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

// Through the protocol of the browser: a script element would be refused by the policy of the page.
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  return await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: unknown
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const result = await axe.run(globalThis.document, { runOnly: { type: 'tag', values } })
    return result.violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`
    )
  }, tags)
}

async function look(page: Page, name: string): Promise<void> {
  await page.evaluate(() => globalThis.document.fonts.ready)
  // The cursor blinks for ever; everything else comes to rest.
  await page.evaluate(async () => {
    const ending = globalThis.document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
    await Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)))
  })
  if (process.env['AGMD_TEST_SCREENS'] === '1') {
    mkdirSync(screens, { recursive: true })
    await page.screenshot({ path: join(screens, `${name}.png`) })
  }
  expect.soft(await violations(page), name).toEqual([])
}

const sizes = [
  { width: 1280, height: 860 },
  { width: 360, height: 740 }
]

for (const viewport of sizes) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`[WEB-30] home, editor, dialogs and refusals at ${viewport.width} px, ${colorScheme}: no violations`, async () => {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      const heard = complaints(page)
      const document = await createDocument(world.url, sample)
      const as = (name: string): string => `${name}-${colorScheme}-${viewport.width}`

      await page.goto(world.url)
      await page.getByRole('button', { name: 'Start writing' }).waitFor()
      await look(page, as('home-empty'))

      await page.goto(document.url)
      await saved(page)
      const bea = await browser.newPage()
      await bea.addInitScript(() => localStorage.setItem('agmd.name', 'Bea'))
      await bea.goto((await createLink(world.url, document, 'edit')).url)
      await saved(bea)
      await bea.locator('.cm-line').nth(6).click()
      await page.locator('.remote-caret').waitFor()
      await page.locator('.md-h2').first().click()
      await look(page, as('editor'))
      await bea.close()
      await page.locator('.cm-content').press('Control+End')
      await look(page, as('editor-end'))

      await page.getByRole('button', { name: 'Source' }).click()
      await look(page, as('source'))
      await page.getByRole('button', { name: 'Source' }).click()

      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByLabel('For whom').fill('Review agent')
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.getByText('For an agent').click()
      await look(page, as('share'))
      await page.keyboard.press('Escape')

      await page.locator('.cm-content').press('Control+f')
      await page.locator('.cm-search').waitFor()
      await look(page, as('find'))

      await page.goto(world.url)
      await page.locator('.recent').first().waitFor()
      await look(page, as('home'))
      await page.goto(`${world.url}/new`)
      await page.getByRole('button', { name: 'Create document' }).waitFor()
      await look(page, as('new'))
      await page.goto(`${world.url}/d/${'x'.repeat(16)}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await look(page, as('refused'))
      expect(heard).toEqual([])
      await context.close()
    })
  }
}
