/**
 * Every page in every window size and theme. The tests run axe, check the content policy, and take screenshots for people (AGMD_TEST_SCREENS=1 writes
 * them).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { png } from '../support/media.ts'
import { lookAtSizes } from './appearance.ts'
import { createDocument, createLink, saved, ownPage } from './browser.ts'
import { bring } from './files.ts'
import { onStage } from './stage.ts'

const sample = readFileSync(join(import.meta.dirname, 'sample.md'), 'utf8')

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

test('[WEB-30] home, editor, dialogs and refusals on wide and narrow screens: no violations', async () => {
  const { context, page, heard } = await ownPage(browser, { reducedMotion: 'reduce' })
  const document = await createDocument(world.url, sample)

  await page.goto(world.url)
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  await lookAtSizes(page, 'home-empty')

  await page.goto(document.url)
  await saved(page)
  const bea = await browser.newPage()
  await bea.addInitScript(() => localStorage.setItem('agmd.name', 'Bea'))
  await bea.goto((await createLink(world.url, document, 'edit')).url)
  await saved(bea)
  await bea.locator('.cm-line').nth(6).click()
  await page.locator('.remote-caret').waitFor()
  await page.locator('.md-h2').first().click()
  await lookAtSizes(page, 'editor')
  await bea.close()
  await page.locator('.cm-content').press('Control+End')
  await lookAtSizes(page, 'editor-end')

  await page.getByRole('button', { name: 'Source' }).click()
  await page.locator('.cm-source').waitFor()
  await lookAtSizes(page, 'source')
  // On a phone, the button is in the menu.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Live view' }).click()
  await page.locator('.cm-live').waitFor()

  await page.route('**/api/docs/*/assets*', () => undefined)
  await page.locator('.cm-content').press('Control+Home')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await bring(page, 'paste', [{ name: 'A house by the sea.png', type: 'image/png', bytes: png() }])
  await bring(page, 'paste', [{ name: 'notes.pdf', type: 'application/pdf', bytes: png() }])
  await page.getByText('This kind of file is not supported.', { exact: false }).first().waitFor()
  await lookAtSizes(page, 'uploads')
  await page.getByRole('button', { name: 'Cancel: A house by the sea.png' }).click()
  await page.getByRole('button', { name: 'Remove: notes.pdf' }).click()
  await page.keyboard.press('Control+z')

  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.reading article h1').waitFor()
  await lookAtSizes(page, 'reading')
  await page.getByRole('button', { name: 'Read' }).click()

  await page.locator('.cm-content').press('Control+f')
  await page.getByRole('search').waitFor()
  await lookAtSizes(page, 'find')

  await page.goto(world.url)
  await page.locator('.recent').first().waitFor()
  await lookAtSizes(page, 'home')
  await page.goto(`${world.url}/new`)
  await page.getByRole('button', { name: 'Create document' }).waitFor()
  await lookAtSizes(page, 'new')
  await page.goto(`${world.url}/d/${'x'.repeat(16)}`)
  await page.locator('.refused').getByRole('heading', { level: 1 }).waitFor()
  await lookAtSizes(page, 'refused')
  expect(heard).toEqual([])
  await context.close()
})

/** Returns the elements beyond the right edge of the window. */
const beyond = (page: Page, within: string): Promise<string[]> =>
  page.locator(`${within} :is(a, button, li, span, h2)`).evaluateAll((parts) =>
    parts
      .filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5)
      .map((part) => `${part.className} ends at ${part.getBoundingClientRect().right}`)
      .concat(
        globalThis.document.documentElement.scrollWidth > innerWidth
          ? [`the page is ${globalThis.document.documentElement.scrollWidth} wide`]
          : []
      )
  )

test.each([
  ['en-GB', 'History', ['Saving…', 'Not sent yet', 'Saved (not stored on this device)', 'Too large to save']],
  ['de-DE', 'Verlauf', ['Speichert…', 'Noch nicht gesendet', 'Gespeichert, aber nicht auf diesem Gerät', 'Zu groß zum Speichern']]
] as const)('[WEB-86] in %s nothing extends beyond the window of a phone', async (locale, title, said) => {
  const document = await createDocument(world.url, '# A title of some length\n\nwords\n')
  const other = await (await browser.newContext()).newPage()
  await other.goto(document.url)
  await saved(other)
  const open = async (url: string): Promise<Page> => {
    const page = await (await browser.newContext({ locale, viewport: { width: 320, height: 640 } })).newPage()
    await page.goto(url)
    await page.locator('.avatars li:visible').first().waitFor()
    return page
  }
  const widths = async (page: Page, check: (width: number) => Promise<void>): Promise<void> => {
    for (const width of [320, 360, 390, 640]) {
      await page.setViewportSize({ width, height: 640 })
      await check(width)
    }
  }
  for (const role of ['owner', 'edit', 'suggest', 'comment', 'view']) {
    const page = await open(role === 'owner' ? document.url : (await createLink(world.url, document, role)).url)
    const label = page.locator('.chip')
    // This test checks only the width. WEB-1 to WEB-4 check the states.
    const say = (words: string | undefined): Promise<void> =>
      label.evaluate((element, text) => {
        const word = element.querySelector('.chip-word')?.firstChild as Text | null | undefined
        if (text !== undefined) word?.replaceData(0, 99, text)
      }, words)
    for (const words of [undefined, ...said]) {
      await say(words)
      await widths(page, async (width) => expect(await beyond(page, '.top-bar'), `${role} ${width} ${words}`).toEqual([]))
    }
    if (role === 'owner') {
      // The buttons for suggesting and for the source stay visible while their mode is on.
      for (const keys of ['Control+Shift+e', 'Control+Alt+p']) {
        const pressed = page.locator(".top-bar .wide-only[aria-pressed='true']")
        const before = await pressed.count()
        await page.keyboard.press(keys)
        await expect.poll(() => pressed.count(), { timeout: 30_000 }).toBe(before + 1)
        await widths(page, async (width) => expect(await beyond(page, '.top-bar'), `${keys} ${width}`).toEqual([]))
      }
      await page.keyboard.press('Control+Alt+p')
      await page.keyboard.press('Control+Alt+h')
      await page.getByRole('heading', { name: title }).waitFor()
      await page.locator('.history-page article > *').first().waitFor()
      await widths(page, async (width) => expect(await beyond(page, 'dialog.history'), `history ${width}`).toEqual([]))
    }
    await page.context().close()
  }
  await other.context().close()
})
