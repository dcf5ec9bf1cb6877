/**
 * Menus and cards that open while a person writes, in every window size and theme. The tests run axe, check the content policy, and take screenshots
 * for people (AGMD_TEST_SCREENS=1 writes them).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, sizes } from './appearance.ts'
import { createDocument, createLink, saved, ownPage } from './browser.ts'
import { onStage } from './stage.ts'

const sample = readFileSync(join(import.meta.dirname, 'writing.md'), 'utf8')

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

for (const viewport of sizes) {
  test(`[WRITE-23] menus, panels and tables at ${viewport.width} px: no violations`, async () => {
    const { context, page, heard } = await ownPage(browser, { viewport, reducedMotion: 'reduce' })
    const text = page.locator('.cm-content[aria-autocomplete]')

    await page.goto((await createDocument(world.url, '')).url)
    await saved(page)
    await text.waitFor()
    await look(page, 'editor-blank')
    await text.press('/')
    await page.getByRole('option', { name: 'Heading 1' }).waitFor()
    await look(page, 'slash')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Backspace')

    const document = await createDocument(world.url, sample)
    await page.goto(document.url)
    await saved(page)
    await page.locator('.md-diagram img').waitFor()
    await page.locator('.md-code .hljs-keyword').first().waitFor()
    await page.locator('.md-grid-row').first().click()
    await page.getByRole('button', { name: 'Rows and columns' }).waitFor()
    await look(page, 'table')

    const bea = await browser.newPage()
    await bea.addInitScript(() => localStorage.setItem('agmd.name', 'Bea'))
    await bea.goto((await createLink(world.url, document, 'edit')).url)
    await saved(bea)
    await bea.locator('.cm-line').first().click()
    await page.getByRole('button', { name: 'Follow Bea' }).click()
    await page.getByText('Following Bea').waitFor()
    await look(page, 'following')
    await page.keyboard.press('Escape')
    await bea.close()

    await text.press('Control+\\')
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('link', { name: 'Drawn' }).waitFor()
    await look(page, 'outline')
    await page.keyboard.press('Control+\\')

    await page.locator('.cm-line', { hasText: 'A line with' }).click()
    await page.keyboard.press('Home')
    await page.keyboard.press('Shift+End')
    await page.getByRole('toolbar', { name: 'Actions for the selection' }).waitFor()
    await look(page, 'bubble')

    await page.keyboard.press('Control+Alt+f')
    await page.getByRole('textbox', { name: 'Find', exact: true }).fill('e')
    await page.getByRole('search').getByText(/ of /).waitFor()
    await look(page, 'find-replace')
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+Shift+p')
    await page.getByRole('option').first().waitFor()
    await look(page, 'palette')
    await page.getByRole('combobox').fill('tab')
    await look(page, 'palette-found')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+/')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await look(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /words$/ }).click()
    await page.getByRole('dialog', { name: 'Word count' }).waitFor()
    await look(page, 'length')
    expect(heard).toEqual([])
    await context.close()
  })
}
