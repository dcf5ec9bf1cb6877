/** Links to other documents, and the bars of the page in narrow windows. */
import type { Browser, Page, WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look } from './appearance.ts'
import { chip, createDocument, createLink, editorText, readMarkdown, saved, selectWords, until, ownPage } from './browser.ts'
import { tabTo } from './keyboard.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

test('[QUICK-2] [QUICK-3] [QUICK-5] [QUICK-6] other documents are found by key, next to the commands and in the menu; while writing, Ctrl+K makes a link', async () => {
  const [first, second] = [
    await createDocument(world.url, '# Apples\n\nThey are red.\n'),
    await createDocument(world.url, '# Pears\n\nwords\n')
  ]
  const { context, page, heard } = await ownPage(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
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
  // In the text, the key inserts a link, with or without a selection. Elsewhere, it searches documents.
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.press('Control+k')
  await until(async () => (await editorText(page)).includes(']('), 'the link')
  await page.getByRole('button', { name: 'Share' }).focus()
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  // [QUICK-6] The second key comes before the browser reports the end of the first dialog, which it does in a later task.
  await page.keyboard.press('Control+o')
  await field.waitFor()
  await page.evaluate(async () => {
    const dialog = document.querySelector('dialog')
    if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true })) === true) dialog.close()
    await Promise.resolve()
    const key = { key: 'P', keyCode: 80, ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', key))
  })
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
  expect(await editorText(page)).toBe('# Apples\n\nThey are red.\n')
  // The copy has its own title, and a click on the title changes it. If that title is empty, the heading is the title.
  const title = page.locator('.document-title')
  await until(async () => (await title.textContent()) === 'Copy of Apples', 'the name of the copy')
  for (const name of ['Quinces', '']) {
    await title.click()
    await page.getByRole('dialog', { name: 'Rename' }).getByLabel('Title').fill(name)
    await page.keyboard.press('Enter')
    await until(async () => (await title.textContent()) === (name === '' ? 'Apples' : name), 'the new name')
  }
  // [QUICK-2] A title from the text is selected there. People who take it for a field press Ctrl+A first.
  for (const [key, name] of [
    ['Shift', 'Plums'],
    ['Control+a', 'Figs']
  ] as const) {
    await title.click()
    await page.keyboard.press(key)
    await page.keyboard.type(name)
    await until(async () => (await editorText(page)) === `# ${name}\n\nThey are red.\n`, 'the title')
  }
  await until(async () => (await title.textContent()) === 'Figs', 'the title in the bar')
  await title.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+a')
  await until(() => page.evaluate(() => (getSelection()?.toString() ?? '').includes('They are red.')), 'the whole text')
  expect(heard).toEqual([])
  await context.close()
})

/** Returns the elements of the bars whose text is cut off or that are outside the window. */
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

test('[QUICK-4] [QUICK-7] [WRITE-355] [WRITE-59] [WRITE-117] [WRITE-140] at 360 pixels nothing in the bars is cut off, for any role; the status is a dot with words, and the bar has undo', async () => {
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
    const sockets: WebSocketRoute[] = []
    let isReachable = true
    await page.routeWebSocket('**/collab?*', async (socket) => {
      if (!isReachable) return await socket.close({ code: 1012 })
      socket.connectToServer()
      sockets.push(socket)
    })
    await page.goto(url)
    await chip(page, role === 'owner' ? 'saved' : 'readonly').waitFor()
    await page.locator('.annotations-button').waitFor()
    await page.locator('.cm-content').press('Control+a')
    expect(await cut(page), role).toEqual([])
    const title = await page.locator('.document-title').boundingBox()
    expect(title?.width, role).toBeGreaterThanOrEqual(115)
    await look(page, `bars-${role}`)
    if (role === 'owner') {
      isReachable = false
      for (const socket of sockets) await socket.close({ code: 1012 })
      await chip(page, 'reconnecting').waitFor()
      expect(await cut(page)).toEqual([])
      expect((await page.locator('.document-title').boundingBox())?.width).toBeGreaterThan(70)
      isReachable = true
      await chip(page, 'saved').waitFor()
    }
    expect((await page.locator('.top-bar .chip').textContent())?.length).toBeGreaterThan(3)
    await page.locator('.top-bar .chip').tap()
    await page.locator('.chip-words').waitFor()
    if (role === 'owner') {
      await page.keyboard.press('Escape')
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.insertText('More')
      await page.getByRole('button', { name: 'Undo', exact: true }).tap()
      await until(async () => !(await editorText(page)).includes('More'), 'the text as it was')
      await page.getByRole('button', { name: 'Redo', exact: true }).tap()
      await until(async () => (await editorText(page)).includes('More'), 'the text again')
      await page.keyboard.insertText('\n\n- one\n- two')
      await page.getByRole('button', { name: 'Indent', exact: true }).tap()
      await until(async () => (await editorText(page)).endsWith('- one\n  - two'), 'the nested item')
      await page.getByRole('button', { name: 'Outdent', exact: true }).tap()
      await until(async () => (await editorText(page)).endsWith('- one\n- two'), 'the item of the outer list')
      const bar = page.getByRole('toolbar', { name: 'Formatting' })
      expect(await bar.evaluate((element) => getComputedStyle(element, '::after').backgroundImage)).toContain('linear-gradient')
      const arrow = () =>
        bar.evaluate((element) => [getComputedStyle(element, '::after').content, getComputedStyle(element, '::after').color])
      const [sign, shown] = await arrow()
      expect(sign).toContain('›')
      expect(shown).not.toBe('rgba(0, 0, 0, 0)')
      // A tap on the arrow scrolls the bar up to its end. No button under the arrow takes the tap.
      const unchanged = await editorText(page)
      const scrolled = () => bar.evaluate((element) => Math.ceil(element.scrollLeft))
      const far = await bar.evaluate((element) => element.scrollWidth - element.clientWidth)
      for (let before = 0; before < far; before = await scrolled()) {
        await bar.tap({ position: { x: 350, y: 24 } })
        await until(async () => (await scrolled()) > before, 'the bar scrolls')
      }
      expect(await editorText(page)).toBe(unchanged)
      await page.locator('.cm-content:focus').waitFor()
      await until(async () => (await arrow())[1] === 'rgba(0, 0, 0, 0)', 'no arrow at the end')
      // The last button is whole at the end of the bar, to the left of the faded edge.
      const last = await bar.getByRole('button').last().boundingBox()
      expect((last?.x ?? 360) + (last?.width ?? 0)).toBeLessThanOrEqual(360 - 36)
      await selectWords(page, 'words')
      await until(() => bar.evaluate((element) => element.scrollLeft === 0), 'the start of the bar')
    }
    if (role === 'owner') {
      // The keyboard stays closed when the outline scrolls to a heading.
      await page.getByRole('button', { name: 'More', exact: true }).tap()
      await page.getByRole('button', { name: 'Outline' }).tap()
      await page.locator('.outline a').tap()
      await page.locator('.outline').waitFor({ state: 'detached' })
      expect(await page.locator('.cm-content:focus').count()).toBe(0)
      // Suggesting adds a button, and the title stays visible.
      await page.getByRole('button', { name: 'More', exact: true }).tap()
      await page.getByRole('button', { name: 'Suggest instead of editing' }).tap()
      await page.locator(".top-bar .wide-only[aria-pressed='true']").waitFor()
      expect((await page.locator('.document-title').boundingBox())?.width).toBeGreaterThan(70)
      expect(await cut(page)).toEqual([])
      // Empty text takes the focus.
      await page.goto((await createDocument(world.url, '')).url)
      await page.locator('.cm-content:focus').waitFor()
    }
    await context.close()
  }
})

test('[WRITE-74] an editable page opens with the caret at the first words, which changes nothing visible', async () => {
  const content = `**Bold** at the beginning.\n\n${'A line of words.\n\n'.repeat(60)}`
  const owned = await createDocument(world.url, content)
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(owned.url)
  await saved(page)
  const focused = page.locator('.cm-content:focus')
  await focused.waitFor()
  expect(await focused.getAttribute('role')).toBe('textbox')
  expect(await focused.getAttribute('aria-label')).not.toBe('')
  // The marks of the first word stay hidden, and others do not see the caret of someone who is only reading.
  const first = page.locator('.cm-line').first()
  expect(await first.innerText()).toBe('Bold at the beginning.')
  const other = await (await browser.newContext()).newPage()
  await other.goto(owned.url)
  await saved(other)
  await other.locator('.avatars .avatar').first().waitFor()
  expect(await other.locator('.remote-caret').count()).toBe(0)
  expect(await page.locator('.cm-scroller').evaluate((element) => element.scrollTop)).toBe(0)
  await look(page, 'caret-at-opening')
  await page.keyboard.type('New: ')
  await until(async () => (await readMarkdown(world.url, owned)).startsWith('New: **Bold**'), 'the words at the beginning')
  await other.locator('.remote-caret').waitFor({ state: 'attached' })
  // Until the caret is used, Tab moves on through the page, even if the caret is in a list.
  const list = await createDocument(world.url, '- one\n- two')
  await page.goto(list.url)
  await saved(page)
  await focused.waitFor()
  await page.keyboard.press('Tab')
  await focused.waitFor({ state: 'detached' })
  expect(await editorText(page)).toBe('- one\n- two')
  await page.reload()
  await saved(page)
  await focused.waitFor()
  await page.keyboard.type('number ')
  expect(await editorText(page)).toBe('- number one\n- two')
  // The text does not take the focus in the reading view, on touch screens, or if another element has it.
  await page.evaluate((id) => localStorage.setItem(`agmd.mode.${id}`, 'read'), owned.id)
  await page.goto(owned.url)
  await page.locator('.reading').waitFor()
  await saved(page)
  expect(await page.evaluate(() => globalThis.document.activeElement === globalThis.document.body)).toBe(true)
  const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  const touched = await phone.newPage()
  await touched.goto(owned.url)
  await saved(touched)
  await touched.locator('.cm-content[aria-autocomplete]').waitFor()
  expect(await touched.locator('.cm-content:focus').count()).toBe(0)
  await phone.close()
  await other.context().close()
  await page.close()
})

test('[WRITE-75] [WRITE-139] [WRITE-356] [GRID-18] [LOOK-25] [QUICK-7] while a person types the bars fade on a desktop; on touch screens they stay, and a tap in a cell puts the caret there', async () => {
  const owned = await createDocument(world.url, '# Words\n\n| a | b |\n| - | - |\n| one | two |\n\nA line.\n')
  for (const isPhone of [false, true]) {
    const context = await browser.newContext({
      viewport: { width: isPhone ? 360 : 1280, height: 740 },
      hasTouch: isPhone,
      isMobile: isPhone,
      reducedMotion: 'reduce'
    })
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(owned.url)
    await saved(page)
    await page.locator('.cm-content').press('Control+End')
    await page.keyboard.type('on')
    await page.clock.runFor(2500)
    await page.keyboard.type('and on')
    await page.locator('.document.quiet').waitFor()
    const opacity = (name: string): Promise<string> => page.locator(name).evaluate((element) => getComputedStyle(element).opacity)
    await until(async () => (await opacity('.toolbar')) === (isPhone ? '1' : '0.35'), 'the toolbar as it should be')
    expect(await opacity('.top-bar')).toBe(isPhone ? '1' : '0.35')
    if (isPhone) {
      await look(page, 'bars-typing-phone')
      await page.locator('.md-cell', { hasText: 'one' }).tap()
      await page.keyboard.press('End')
      await page.keyboard.type(' more')
      expect(await editorText(page)).toContain('\n| one more | two |\n')
      // The tapped button counts as hovered until the next tap.
      const bold = page.getByRole('button', { name: 'Bold', exact: true })
      const background = (): Promise<string> => bold.evaluate((element) => getComputedStyle(element).backgroundColor)
      const before = await background()
      await bold.tap()
      await bold.and(page.locator('[aria-pressed=true]')).waitFor()
      await bold.tap()
      await bold.and(page.locator(':not([aria-pressed])')).waitFor()
      await until(async () => (await background()) === before, 'the background as it was')
      // A message appears above the bar and the on-screen keyboard.
      await page.evaluate(() => globalThis.document.documentElement.style.setProperty('--keyboard', '280px'))
      const told = page.locator('.toast', { hasText: 'Nothing to undo' })
      while ((await told.count()) === 0) await page.keyboard.press('Control+z')
      const [message, bar] = [await told.boundingBox(), await page.locator('.toolbar').boundingBox()]
      expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
      // In landscape, the buttons still need more room than there is.
      await page.setViewportSize({ width: 740, height: 360 })
      await until(async () => (await page.locator('.toolbar').boundingBox())?.width === 740, 'the toolbar is as wide as the window')
      const [top, share] = [await page.locator('.top-bar').boundingBox(), await page.locator('.top-bar .share').boundingBox()]
      expect(share?.height).toBeLessThanOrEqual((top?.height ?? 0) - 8)
      const width = await page.locator('.toolbar').evaluate((element) => element.scrollWidth)
      expect(width).toBeGreaterThan(740)
      expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBe(740)
    }
    await context.close()
  }
})

test('[WRITE-77] a dialog opened from the text returns the focus to it, one opened by key to its button', async () => {
  const owned = await createDocument(world.url, 'One two.\n')
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(owned.url)
  await saved(page)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.press('ArrowLeft')
  const share = page.getByRole('button', { name: 'Share', exact: true })
  await share.click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('.cm-content:focus').waitFor()
  await page.keyboard.type(' Three.')
  expect(await editorText(page)).toBe('One two. Three.\n')
  // The menu returns the focus as well.
  await page.getByRole('button', { name: 'More' }).click()
  await page.locator('#menu').getByText('History', { exact: true }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('.cm-content:focus').waitFor()
  await share.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await share.evaluate((element) => element === globalThis.document.activeElement)).toBe(true)
  await page.close()
})

test('[WRITE-172] [WRITE-173] [WRITE-331] menus and panels opened from the text return the focus to it; arrow keys move among the entries of the menu', async () => {
  const owned = await createDocument(world.url, '# One\n\ntext\n')
  const { context, page, heard } = await ownPage(browser, { viewport: { width: 1280, height: 900 } })
  await page.goto(owned.url)
  await saved(page)
  await page.locator('.cm-content[aria-autocomplete]').press('Control+End')
  await page.keyboard.press('ArrowLeft')
  const button = (name: string) => page.locator('.top-bar').getByRole('button', { name, exact: true })
  const menu = page.locator('#menu')
  const panel = page.locator('.side-panel')
  let written = 'text'
  const typesOn = async (how: string): Promise<void> => {
    await page.keyboard.type(' on')
    written += ' on'
    expect(await editorText(page), how).toBe(`# One\n\n${written}\n`)
  }
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = globalThis.document
      return activeElement?.getAttribute('aria-label') ?? activeElement?.closest('label, .menu-item')?.textContent ?? ''
    })
  const isAt = (name: string): Promise<void> => until(async () => (await focused()).startsWith(name), `the focus on ${name}`)

  // A panel listens for keys, and the editor knows of its focus, once the page has been painted.
  const painted = (): Promise<unknown> =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(resolve)))))

  await button('More').click()
  await isAt('Set your name')
  await page.keyboard.press('ArrowDown')
  await isAt('Ask for a review')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await isAt('English')
  await page.keyboard.press('ArrowUp')
  await isAt('System')
  await page.keyboard.press('ArrowRight')
  await isAt('Light')
  await page.keyboard.press('Home')
  await isAt('Set your name')
  await page.keyboard.press('End')
  await isAt('English')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await page.locator('.cm-content:focus').waitFor()
  await typesOn('the menu and Escape')

  const downloaded = page.waitForEvent('download')
  await button('More').click()
  await menu.getByRole('button', { name: 'Download as Markdown' }).click()
  await downloaded
  await page.locator('.cm-content:focus').waitFor()
  await typesOn('a menu entry that opens nothing')

  for (const name of ['Comments', 'Activity']) {
    await button(name).click()
    await panel.waitFor()
    await painted()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator('.cm-content:focus').waitFor()
    await typesOn(`${name} and Escape`)
    await button(name).click()
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    await typesOn(`${name} and its button to close`)
  }

  const dialog = page.locator('dialog[open]')
  const close = async (how: string): Promise<void> => {
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.cm-content:focus').waitFor()
    await painted()
    await typesOn(how)
  }
  await button('Share').click()
  await close('the share dialog and its button to close')
  await page.keyboard.press('Control+/')
  await close('the help, opened with its key, and its button to close')

  await button('Outline').click()
  await page.locator('.outline a').waitFor()
  await painted()
  await page.keyboard.press('Escape')
  await page.locator('.outline').waitFor({ state: 'detached' })
  await typesOn('the outline and Escape')
  await button('Outline').click()
  await page.locator('.outline a').waitFor()
  await button('Outline').click()
  await page.locator('.outline').waitFor({ state: 'detached' })
  await typesOn('the button that closes the outline')

  await page.getByRole('button', { name: /^\d+ words?$/ }).click()
  await page.locator('#count dl').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.cm-content:focus').waitFor()
  await typesOn('the word count and Escape')

  // With the keyboard, the focus returns to the button.
  await page.keyboard.press('Escape')
  await tabTo(page, 'More')
  await page.keyboard.press('Enter')
  await isAt('Set your name')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'hidden' })
  await isAt('More')
  expect(heard).toEqual([])
  await context.close()
})
