/** Checks the appearance of pages. It runs axe on every state and takes screenshots for people (`npm run screens` writes them). */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { isLong } from '../support/repeats.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Dark pages differ from light pages only in color, so axe checks only contrast there. */
const rules = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
}
const screens = join(import.meta.dirname, 'screens')

export const sizes = [
  { width: 1280, height: 860 },
  { width: 360, height: 740 }
]

interface SizesOptions {
  readonly fullPage?: boolean
  /** An element that must be visible before the page is checked. Needed if a change of size could end the state of the page. */
  readonly shown?: Locator
  readonly check?: (name: string) => Promise<void>
}

// axe runs through the browser's protocol, because the page's policy would refuse a script element.
async function violations(page: Page, runOnly: object): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return await page.evaluate(async (asked) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: unknown
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    // Selectors are not needed, and collecting them fails if an element disappears. Frames are skipped: axe is not loaded in widget frames, so they
    // would never answer.
    const options = { runOnly: asked, resultTypes: ['violations'], selectors: false, iframes: false }
    const result = await axe.run(globalThis.document, options)
    return result.violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`
    )
  }, runOnly)
}

async function comeToRest(page: Page): Promise<void> {
  await page.evaluate(() => globalThis.document.fonts.ready)
  // The caret blinks forever. Every other animation comes to an end.
  await page.evaluate(async () => {
    const ending = globalThis.document.getAnimations().filter((animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime))
    await Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)))
  })
}

/**
 * Checks a page in the given colors, light and dark by default, and leaves it in the last ones. With `fullPage`, the screenshot includes the page
 * beyond the window.
 */
export async function look(
  page: Page,
  name: string,
  fullPage = false,
  schemes: readonly ('light' | 'dark')[] = ['light', 'dark']
): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    await comeToRest(page)
    if (process.env['AGMD_TEST_SCREENS'] === '1') {
      mkdirSync(screens, { recursive: true })
      await page.screenshot({ path: join(screens, `${name}-${colorScheme}-${page.viewportSize()?.width}.png`), fullPage })
    }
    expect.soft(await violations(page, rules[colorScheme]), `${name}, ${colorScheme}`).toEqual([])
  }
}

/**
 * Checks a page at every size, narrow first, and leaves it wide and dark. Loading a page costs more than looking at it, so a page that differs only
 * in its layout is loaded once for all sizes. `check` runs at each size. Only the long run looks at narrow pages with axe, because most violations do
 * not depend on the size.
 */
export async function lookAtSizes(page: Page, name: string, { fullPage = false, shown, check }: SizesOptions = {}): Promise<void> {
  for (const size of sizes.toReversed()) {
    await page.setViewportSize(size)
    await shown?.waitFor()
    if (isLong || size === sizes[0]) await look(page, name, fullPage)
    await check?.(`${name} at ${size.width} px`)
  }
}
