/** Writing: commands, menus, tables, paste, find, outline; with the keyboard alone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { complaints, createDocument, editorText, launch, saved, until } from './browser.ts'

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

interface Writer {
  readonly page: Page
  readonly heard: readonly string[]
  /** Waits until the editor holds a text. */
  text(expected: string): Promise<void>
  press(...keys: readonly string[]): Promise<void>
  type(text: string): Promise<void>
  leave(): Promise<void>
}

/** A person with the cursor at the end of a new document. */
async function writer(content: string): Promise<Writer> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto((await createDocument(world.url, content)).url)
  await saved(page)
  await page.locator('.cm-content').press('Control+End')
  return {
    page,
    heard,
    text: async (expected) => {
      await until(async () => (await editorText(page)) === expected, JSON.stringify(expected), 3000).catch(async () => {
        expect(await editorText(page)).toBe(expected)
      })
    },
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text),
    leave: async () => {
      expect(heard).toEqual([])
      await context.close()
    }
  }
}

test('[WRITE-3] palette and sheet open by their keys, do what is chosen, and give the focus back', async () => {
  const { page, press, type, text, leave } = await writer('word')
  await press('Control+Shift+p')
  await page.getByRole('combobox', { name: 'What do you want to do?' }).waitFor()
  await type('bold')
  await page.getByRole('option', { name: /^Bold/, selected: true }).waitFor()
  await press('Enter')
  await text('**word**')
  await type('s')
  await text('**words**')
  // Over a selection the key makes a link; elsewhere it opens the palette.
  await press('Control+a', 'Control+k')
  await text('[**words**]()')
  await press('End', 'Control+k')
  await page.getByRole('combobox').waitFor()
  await press('Escape')
  await page.getByRole('combobox').waitFor({ state: 'detached' })
  await press('Control+/')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape')
  await type('!')
  await text('[**words**]()!')
  // Outside the text a question mark opens the sheet.
  await page.getByRole('button', { name: 'Bold' }).focus()
  await press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  await leave()
})

test('[WRITE-4] Escape and Tab leave the text, F6 goes from one part of the page to the next and back', async () => {
  const { page, press, leave } = await writer('- one')
  const focused = (): Promise<string> =>
    page.evaluate(() => globalThis.document.activeElement?.closest('.top-bar, .toolbar, .cm-content, .status-line')?.className ?? '')
  await press('Escape', 'Tab')
  expect(await focused()).not.toContain('cm-content')
  await press('Shift+Tab')
  expect(await focused()).toContain('cm-content')
  await press('Shift+F6')
  expect(await focused()).toBe('toolbar')
  await press('Shift+F6')
  expect(await focused()).toBe('top-bar')
  await press('F6', 'F6')
  expect(await focused()).toContain('cm-content')
  await leave()
})
