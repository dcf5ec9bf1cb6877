/**
 * Menus and cards that open while a person writes, in every window size and theme. The tests run axe, check the content policy, and take screenshots
 * for people (AGMD_TEST_SCREENS=1 writes them).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { lookAtSizes } from './appearance.ts'
import { createDocument, createLink, saved, ownPage } from './browser.ts'
import { onStage } from './stage.ts'

const sample = readFileSync(join(import.meta.dirname, 'writing.md'), 'utf8')

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

test('[WRITE-23] menus, panels and tables on wide and narrow screens: no violations', async () => {
  const { context, page, heard } = await ownPage(browser, { reducedMotion: 'reduce' })
  const text = page.locator('.cm-content[aria-autocomplete]')

  await page.goto((await createDocument(world.url, '')).url)
  await saved(page)
  await text.waitFor()
  await lookAtSizes(page, 'editor-blank')
  await text.press('/')
  await lookAtSizes(page, 'slash', { shown: page.getByRole('option', { name: 'Heading 1' }) })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Backspace')

  const document = await createDocument(world.url, sample)
  await page.goto(document.url)
  await saved(page)
  await page.locator('.md-diagram img').waitFor()
  await page.locator('.md-code .hljs-keyword').first().waitFor()
  await page.locator('.md-grid-row').first().click()
  await lookAtSizes(page, 'table', { shown: page.getByRole('button', { name: 'Rows and columns' }) })

  const bea = await browser.newPage()
  await bea.addInitScript(() => localStorage.setItem('agmd.name', 'Bea'))
  await bea.goto((await createLink(world.url, document, 'edit')).url)
  await saved(bea)
  await bea.locator('.cm-line').first().click()
  await page.getByRole('button', { name: 'Follow Bea' }).click()
  await lookAtSizes(page, 'following', { shown: page.getByText('Following Bea') })
  await page.keyboard.press('Escape')
  await bea.close()

  await text.press('Control+\\')
  await lookAtSizes(page, 'outline', { shown: page.getByRole('navigation', { name: 'Outline' }).getByRole('link', { name: 'Drawn' }) })
  await page.keyboard.press('Control+\\')

  await page.locator('.cm-line', { hasText: 'A line with' }).click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await lookAtSizes(page, 'bubble', { shown: page.getByRole('toolbar', { name: 'Actions for the selection' }) })

  await page.keyboard.press('Control+Alt+f')
  await page.getByRole('textbox', { name: 'Find', exact: true }).fill('e')
  await page.getByRole('search').getByText(/ of /).waitFor()
  await lookAtSizes(page, 'find-replace')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+Shift+p')
  // The code in view has a list of languages, too.
  await lookAtSizes(page, 'palette', { shown: page.getByRole('listbox').getByRole('option').first() })
  await page.getByRole('combobox', { name: 'What do you want to do?' }).fill('tab')
  await lookAtSizes(page, 'palette-found')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+/')
  await lookAtSizes(page, 'shortcuts', { shown: page.getByRole('heading', { name: 'Keyboard shortcuts' }) })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /words$/ }).click()
  await lookAtSizes(page, 'length', { shown: page.getByRole('dialog', { name: 'Word count' }) })
  expect(heard).toEqual([])
  await context.close()
})
