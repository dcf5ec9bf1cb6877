/** Ways to other documents, and the bars of a narrow window. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { look } from './appearance.ts'
import { chip, complaints, createDocument, createLink, editorText, launch, saved, until } from './browser.ts'

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

test('[QUICK-3] [QUICK-5] other documents are found by key, beside the commands and in the menu; Ctrl+K is the link where one writes', async () => {
  const [first, second] = [await createDocument(world.url, '# Apples\n'), await createDocument(world.url, '# Pears\n\nwords\n')]
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto(first.url)
  await saved(page)
  await page.goto(second.url)
  await saved(page)
  const field = page.getByRole('combobox', { name: 'Open another document' })
  await page.keyboard.press('Control+o')
  await field.waitFor()
  expect(await page.getByRole('option').allTextContents()).toEqual([expect.stringMatching(/^Apples/)])
  await look(page, 'switcher')
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  // Where one writes the key makes a link, with and without a selection; elsewhere it finds documents.
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Control+k')
  await until(async () => (await editorText(page)).includes(']('), 'the link')
  await page.getByRole('button', { name: 'Share' }).focus()
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+Shift+p')
  await page.getByRole('combobox', { name: 'What do you want to do?' }).waitFor()
  await page.keyboard.type('apples')
  await page.getByRole('option', { name: /^Apples/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/d/${first.id}`)
  await saved(page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.locator('#menu').getByRole('button', { name: 'Duplicate' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/d/') && !url.pathname.includes(first.id))
  await saved(page)
  expect(await editorText(page)).toBe('# Apples\n')
  // The copy has a name of its own, which a press on it changes; without one the heading is the title.
  const title = page.locator('.document-title')
  await until(async () => (await title.textContent()) === 'Copy of Apples', 'the name of the copy')
  for (const name of ['Quinces', '']) {
    await title.click()
    await page.getByRole('dialog', { name: 'Rename' }).getByLabel('Title').fill(name)
    await page.keyboard.press('Enter')
    await until(async () => (await title.textContent()) === (name === '' ? 'Apples' : name), 'the new name')
  }
  await title.click()
  await page.keyboard.type(' and more')
  await until(async () => (await editorText(page)) === '# Apples and more\n', 'the title')
  expect(heard).toEqual([])
  await context.close()
})

/** Elements of the bars whose words are cut off, or that lie outside the window. */
const cut = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.top-bar > *, .status-line > *')]
      .filter((element) => element.checkVisibility() && !element.matches('.spread, .menu, .document-title'))
      .filter((element) => {
        const { right, height } = element.getBoundingClientRect()
        return right > innerWidth + 1 || height > 44 || element.scrollWidth > element.clientWidth + 1
      })
      .map((element) => element.className)
  )

test('[QUICK-4] [WRITE-59] on 360 pixels nothing of the bars is cut off, for any role; the state is a dot with words, undo is in the bar', async () => {
  const owned = await createDocument(world.url, '# My holiday plans\n\nSome words to select.\n')
  for (const role of ['owner', 'comment', 'suggest']) {
    const url = role === 'owner' ? owned.url : (await createLink(world.url, owned, role)).url
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      reducedMotion: 'reduce',
      ...(role === 'comment' && { locale: 'de-DE' })
    })
    const page = await context.newPage()
    await page.goto(url)
    await chip(page, role === 'owner' ? 'saved' : 'readonly').waitFor()
    await page.locator('.remarks-button').waitFor()
    await page.locator('.cm-content').press('Control+a')
    expect(await cut(page), role).toEqual([])
    const title = await page.locator('.document-title').boundingBox()
    expect(title?.width, role).toBeGreaterThan(70)
    await look(page, `bars-${role}`)
    expect((await page.locator('.top-bar .chip').textContent())?.length).toBeGreaterThan(3)
    await page.locator('.top-bar .chip').tap()
    await page.locator('.chip-words').waitFor()
    if (role === 'owner') {
      await page.keyboard.press('Escape')
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('More')
      await page.getByRole('button', { name: 'Undo', exact: true }).tap()
      await until(async () => !(await editorText(page)).includes('More'), 'the text as it was')
      await page.getByRole('button', { name: 'Redo', exact: true }).tap()
      await until(async () => (await editorText(page)).includes('More'), 'the text again')
    }
    if (role === 'owner') {
      // An empty text waits for words.
      await page.goto((await createDocument(world.url, '')).url)
      await page.locator('.cm-content:focus').waitFor()
    }
    await context.close()
  }
})
