/** How pages look: axe on every state, and pictures for people (AGMD_TEST_SCREENS=1 writes them). */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const screens = join(import.meta.dirname, 'screens')

export const sizes = [
  { width: 1280, height: 860 },
  { width: 360, height: 740 }
]

// Through the protocol of the browser: a script element would be refused by the policy of the page.
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: unknown
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const result = await axe.run(globalThis.document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
    return result.violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`
    )
  }, tags)
}

/** Looks at a page once it has come to rest. `fullPage` takes the picture beyond the window. */
export async function look(page: Page, name: string, fullPage = false): Promise<void> {
  await page.evaluate(() => globalThis.document.fonts.ready)
  // The cursor blinks for ever; everything else comes to rest.
  await page.evaluate(async () => {
    const ending = globalThis.document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
    await Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)))
  })
  if (process.env['AGMD_TEST_SCREENS'] === '1') {
    mkdirSync(screens, { recursive: true })
    await page.screenshot({ path: join(screens, `${name}.png`), fullPage })
  }
  expect.soft(await violations(page), name).toEqual([])
}
