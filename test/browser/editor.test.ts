/** Two people who edit one text. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { withLimit } from '../support/limits.ts'
import type { World } from '../support/start.ts'
import {
  chip,
  createDocument,
  createLink,
  editorText,
  ownPage,
  readMarkdown,
  replaceInScripts,
  saved,
  typeAtEnd,
  until
} from './browser.ts'
import { onStage } from './stage.ts'
import { openNew } from './visits.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const person = async (url: string, name: string) => {
  const own = await ownPage(browser, { name })
  await own.page.goto(url)
  return own
}

test('[WEB-20] the key leaves the address bar and opens the document again on this device', async () => {
  const document = await createDocument(world.url, '# One')
  const { page, context, heard } = await person(document.url, 'Ana')
  await saved(page)
  expect(page.url()).toBe(`${world.url}/d/${document.id}`)
  await page.reload()
  await saved(page)
  expect(await editorText(page)).toBe('# One')
  await page.goto(world.url)
  await page.getByRole('link', { name: /One/ }).click()
  await saved(page)
  expect(heard).toEqual([])
  await context.close()
})

test("[WEB-21] [WEB-103] [REVIEW-166] two pages see each other's text, names and cursors", async () => {
  const document = await createDocument(world.url, '# Plan\n\nfirst')
  const link = await createLink(world.url, document, 'edit')
  const ana = await person(document.url, 'Ana')
  const bea = await person(link.url, 'Bea')
  await Promise.all([saved(ana.page), saved(bea.page)])
  await bea.page.locator('.cm-line').last().click()
  await bea.page.keyboard.press('End')
  // The name is visible when the caret appears, and disappears while Bea goes on typing.
  await ana.page.locator('.remote-caret.labelled', { hasText: 'Bea' }).waitFor()
  await bea.page.keyboard.type(' and second')
  await until(async () => (await editorText(ana.page)) === '# Plan\n\nfirst and second', 'the text of Bea at Ana')
  const caret = ana.page.locator('.remote-caret:not(.labelled)')
  await until(async () => {
    await bea.page.keyboard.type('n')
    await bea.page.keyboard.press('Backspace')
    return (await caret.count()) > 0
  }, 'the name disappears')
  await ana.page.getByRole('button', { name: 'Follow Bea' }).waitFor()
  // The name returns while the pointer is over the caret.
  const hovered = ana.page.locator('.remote-caret.hovered', { hasText: 'Bea' })
  const moveTo = async (x: number): Promise<void> => {
    const box = await caret.boundingBox()
    await ana.page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 8)
  }
  // The last letter of Bea may still be moving her caret.
  await until(async () => {
    await moveTo(2)
    return (await hovered.count()) > 0
  }, 'the name under the pointer')
  await moveTo(-60)
  await ana.page.locator('.remote-caret.hovered').waitFor({ state: 'detached' })
  // A move shows the name again. A letter in the middle of the text does not.
  await bea.page.keyboard.press('ArrowLeft')
  await ana.page.locator('.remote-caret.labelled', { hasText: 'Bea' }).waitFor()
  await caret.waitFor({ state: 'attached' })
  await bea.page.keyboard.type('n')
  await until(async () => (await editorText(ana.page)) === '# Plan\n\nfirst and seconnd', 'the letter of Bea at Ana')
  expect(await caret.count()).toBe(1)
  await bea.page.keyboard.press('Backspace')
  await bea.page.keyboard.press('End')
  await saved(bea.page)
  expect(await readMarkdown(world.url, document)).toBe('# Plan\n\nfirst and second')
  // The name of a program disappears while it goes on writing.
  const robot = ana.page.locator('.remote-caret', { hasText: 'Robot' })
  const append = () =>
    fetch(`${world.url}/api/docs/${document.id}/edits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key, 'x-agent-author': 'Robot' },
      body: JSON.stringify({ op: 'append', markdown: 'more' })
    })
  await append()
  await robot.and(ana.page.locator('.labelled')).waitFor()
  await until(async () => {
    await append()
    return (await robot.and(ana.page.locator(':not(.labelled)')).count()) > 0
  }, 'the name of the program disappears')
  // A selection across a line wrap stays within the text column.
  await bea.page.keyboard.insertText(` ${'word '.repeat(60)}`)
  const selections = ana.page.locator('.remote-selection')
  // The program marks what it has written.
  const ofRobot = await selections.count()
  await bea.page.keyboard.press('Control+a')
  await selections.nth(ofRobot + 1).waitFor({ state: 'attached' })
  const spills = await ana.page.evaluate(() => {
    const page = globalThis.document
    const { paddingLeft, paddingRight } = getComputedStyle(page.querySelector('.cm-content')!)
    const column = page.querySelector('.cm-content')!.getBoundingClientRect()
    const [from, to] = [column.left + parseFloat(paddingLeft) - 1, column.right - parseFloat(paddingRight) + 1]
    const drawn = [...page.querySelectorAll('.remote-selection')].map((each) => each.getBoundingClientRect())
    return drawn.filter(({ left, right }) => left < from || right > to).length
  })
  expect(spills).toBe(0)
  // [REVIEW-166] The selection ends when Bea goes to another part of the page.
  await bea.page.getByRole('button', { name: 'Share' }).focus()
  await until(async () => (await selections.count()) === ofRobot, 'the selection of Bea ends')
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

test('[WRITE-22] a followed person stays in view until either of them stops or acts', async () => {
  const document = await createDocument(world.url, `# Top\n\n${'a line of words\n\n'.repeat(100)}end`)
  const link = await createLink(world.url, document, 'edit')
  const ana = await person(document.url, 'Ana')
  const bea = await person(link.url, 'Bea')
  await Promise.all([saved(ana.page), saved(bea.page)])
  await bea.page.locator('.cm-content').press('Control+End')
  await ana.page.getByRole('button', { name: 'Follow Bea' }).click()
  await ana.page.locator('.cm-line', { hasText: /^end/ }).waitFor()
  await ana.page.getByText('Following Bea').waitFor()
  await bea.page.locator('.cm-content').press('Control+Home')
  await ana.page.locator('.cm-line', { hasText: 'Top' }).waitFor()
  await ana.page.keyboard.press('Escape')
  await ana.page.getByText('Following Bea').waitFor({ state: 'detached' })
  await ana.page.getByRole('button', { name: 'Follow Bea' }).click()
  await ana.page.locator('.cm-line').first().click()
  await ana.page.getByText('Following Bea').waitFor({ state: 'detached' })
  await ana.page.getByRole('button', { name: 'Follow Bea' }).click()
  await ana.page.getByText('Following Bea').waitFor()
  await ana.page.locator('.cm-line').first().hover()
  await ana.page.mouse.wheel(0, 400)
  await ana.page.getByText('Following Bea').waitFor({ state: 'detached' })
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

/** Checks that a key press causes one layout, for the typed letter. Moving the caret causes none. */
async function layoutsOfKeys(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  const count = async (): Promise<number> => {
    const { metrics } = await client.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN
  }
  const counts: number[] = []
  for (const key of 'abcdefghi') {
    const before = await count()
    await page.keyboard.type(key)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    counts.push((await count()) - before)
  }
  // The median is used, because other parts of the page, such as the display of the people present, occasionally cause a layout.
  expect(counts.sort((one, other) => one - other).at(counts.length / 2)).toBe(1)
}

/** Checks when the page writes to the server and to the device's disk: after the paint of a key press, and when the person leaves the page. */
async function sendsBehindPaint(page: Page): Promise<void> {
  const found = await page.locator('.cm-content').evaluate(async (element) => {
    interface View {
      dispatch(change: object): void
    }
    const { view } = (element as unknown as { cmTile: { view: View } }).cmTile
    const heard: string[] = []
    const { send } = WebSocket.prototype
    const { add } = IDBObjectStore.prototype
    WebSocket.prototype.send = function (data) {
      heard.push('sent')
      send.call(this, data)
    }
    IDBObjectStore.prototype.add = function (value, key) {
      heard.push('stored')
      return add.call(this, value, key)
    }
    const write = (): void => view.dispatch({ changes: { from: 0, insert: 'x' }, userEvent: 'input.type' })
    const painted = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))
    write()
    await Promise.resolve()
    const within = heard.splice(0)
    await painted()
    const behind = heard.splice(0)
    write()
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    const left = heard.splice(0)
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    Object.assign(WebSocket.prototype, { send })
    Object.assign(IDBObjectStore.prototype, { add })
    return { within, behind, left }
  })
  expect(found.within).toEqual([])
  expect(found.behind).toEqual(expect.arrayContaining(['sent', 'stored']))
  expect(found.left).toContain('sent')
}

test('[WEB-72] [WEB-94] [WEB-95] an idle page requests no frames; a key causes one layout, and is sent and stored after its paint', async () => {
  const { context, page } = await openNew(browser, world.url, '# Calm\n')
  await typeAtEnd(page, 'a')
  await saved(page)
  const isHidden = () => page.locator('.cm-cursorLayer').evaluate((layer) => getComputedStyle(layer).visibility === 'hidden')
  const isStill = () => page.evaluate(() => document.getAnimations().every(({ playState }) => playState !== 'running'))
  await until(isStill, 'nothing moves')
  await until(isHidden, 'the caret is hidden for a while')
  await page.evaluate(() => {
    const frame = () => Object.assign(globalThis, { caretAtKey: getComputedStyle(document.querySelector('.cm-cursorLayer')!).visibility })
    addEventListener('keydown', () => requestAnimationFrame(frame), { capture: true, once: true })
  })
  await page.keyboard.type('b')
  await until(() => page.evaluate(() => 'caretAtKey' in globalThis), 'a frame with the key')
  expect(await page.evaluate(() => (globalThis as unknown as { caretAtKey: string }).caretAtKey)).toBe('visible')
  await until(isHidden, 'it blinks again')
  expect(await isStill()).toBe(true)
  await saved(page)
  await layoutsOfKeys(page)
  await saved(page)
  await sendsBehindPaint(page)
  await context.close()
})

test('[WEB-22] a click on a check box changes one character of the text', async () => {
  const document = await createDocument(world.url, '- [ ] one\n- [ ] two\n')
  const { page, context } = await person(document.url, 'Ana')
  await saved(page)
  await page.locator('.md-task input').nth(1).click()
  await until(async () => (await editorText(page)) === '- [ ] one\n- [x] two\n', 'the second task done')
  await page.locator('.md-task input').nth(1).click()
  await until(async () => (await editorText(page)) === '- [ ] one\n- [ ] two\n', 'the second task open')
  await context.close()
})

test('[WEB-23] pasted CR LF enters the text as LF', async () => {
  const document = await createDocument(world.url, '')
  const { page, context } = await person(document.url, 'Ana')
  await saved(page)
  await page.locator('.cm-content').click()
  await page.locator('.cm-content').evaluate((element) => {
    const data = new DataTransfer()
    data.setData('text/plain', 'one\r\ntwo\rthree\0')
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await until(async () => (await editorText(page)) === 'one\ntwo\nthree', 'the pasted text')
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe('one\ntwo\nthree')
  await context.close()
})

test('[WEB-56] links and pictures that span several lines are shown, and their text can be edited', async () => {
  const text = '[one](\n/x\n"a title") two ![three\nfour](/icon.svg\n"five") **six\nseven**\n\n'
  const document = await createDocument(world.url, text)
  const { page, context, heard } = await person(document.url, 'Ana')
  await saved(page)
  await page.locator('img.md-media').waitFor({ state: 'attached' })
  expect(await page.locator('.cm-line').allTextContents()).toContain('one')
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('the end')
  await until(async () => (await editorText(page)) === `${text}the end`, 'the end')
  await page.locator('.cm-line', { hasText: 'the end' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-25] a revoked link ends access within a second; the text stays readable and can be downloaded', async () => {
  const document = await createDocument(world.url, '# Kept')
  const link = await createLink(world.url, document, 'edit')
  const { page, context } = await person(link.url, 'Bea')
  await saved(page)
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, { method: 'DELETE', headers: { 'x-share-key': document.key } })
  await chip(page, 'ended').waitFor()
  expect(await editorText(page)).toBe('# Kept')
  expect(await page.locator('.cm-content').getAttribute('aria-readonly')).toBe('true')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download my copy' }).click()])
  expect(download.suggestedFilename()).toBe('Kept.md')
  await context.close()
})

test('[WEB-57] a weaker or invalid link never replaces the one that this device keeps', async () => {
  const document = await createDocument(world.url, '# Mine')
  const link = await createLink(world.url, document, 'view')
  const { page, context, heard } = await person(document.url, 'Ana')
  await saved(page)
  // If the link is invalid, the stored link opens the document.
  await page.goto(`${world.url}/d/${document.id}?key=typo`)
  // The page reloads itself with the stored link.
  await chip(page, 'saved').waitFor()
  expect(await page.locator('.cm-content').getAttribute('aria-readonly')).not.toBe('true')
  // A weaker link applies to this visit, and the page offers the stored link.
  await page.goto(link.url)
  await chip(page, 'readonly').waitFor()
  await page.getByRole('link', { name: 'Use the other link' }).click()
  await saved(page)
  await page.goto(link.url)
  await chip(page, 'readonly').waitFor()
  await page.goto(world.url)
  await page.getByRole('link', { name: /Mine/ }).click()
  await saved(page)
  // The browser logs the refused request.
  expect(heard.filter((line) => !line.includes('401'))).toEqual([])
  await context.close()
})

test('[WEB-58] [WEB-100] an edit that would make the document too large does not enter it; one that became too large is sent once it is smaller', async () => {
  const [usual, max] = [limits.contentUnitsMax, 20_020]
  await withLimit('contentUnitsMax', max, async () => {
    const document = await createDocument(world.url, 'A line of forty characters, more or less.\n'.repeat(max / 42).padEnd(max - 9, '.'))
    const { page, context } = await person('about:blank', 'Ana')
    await replaceInScripts(page, { [usual]: String(max) })
    let deaf = false
    await page.routeWebSocket('**/collab?*', (socket) => {
      const isFirst = !deaf
      const server = socket.connectToServer()
      server.onMessage((message) => {
        if (!(deaf && isFirst)) socket.send(message)
      })
    })
    await page.goto(document.url)
    await saved(page)
    await page.locator('.cm-content').press('ControlOrMeta+Home')
    await page.keyboard.insertText('far more than ten characters')
    await page.getByText('so it was not made').waitFor()
    expect((await editorText(page)).length).toBeLessThanOrEqual(max)
    await saved(page)
    // The page does not receive the other writer's text. The two texts together are too large.
    deaf = true
    const grown = await fetch(`${world.url}/api/docs/${document.id}/content`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/markdown', 'X-Share-Key': document.key },
      body: `${await readMarkdown(world.url, document)}abcdefgh`
    })
    expect(grown.status).toBe(200)
    await page.keyboard.insertText('12345678')
    await page.locator('.chip').getByText('Too large to save').waitFor()
    await page.getByText('The document is too large for the server.').waitFor()
    for (let pressed = 0; pressed < 8; pressed++) await page.keyboard.press('Backspace')
    await saved(page)
    expect(await readMarkdown(world.url, document)).toHaveLength(max - 1)
    await context.close()
  })
})

test('[WEB-26] the share dialog creates, lists and revokes links', async () => {
  const document = await createDocument(world.url, '# Shared')
  const { page, context } = await person(document.url, 'Ana')
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('Who is it for?').fill('Bea')
  await page.locator('.share-form').getByLabel('Role').selectOption('view')
  await page.getByRole('button', { name: 'Create link' }).click()
  const url = await page.getByLabel('New link').inputValue()
  const bea = await person(url, 'Bea')
  await chip(bea.page, 'readonly').waitFor()
  const row = page.locator('.share-row', { hasText: 'Bea' })
  await row.getByRole('button', { name: 'Revoke: Bea' }).click()
  await row.getByRole('button', { name: 'Revoke link' }).click()
  await row.waitFor({ state: 'detached' })
  await chip(bea.page, 'ended').waitFor()
  await bea.page.reload()
  await chip(bea.page, 'ended').waitFor()
  await context.close()
  await bea.context.close()
})

test('[WEB-28] a document that cannot be opened shows the reason', async () => {
  const document = await createDocument(world.url, '# Private')
  const none = await person(`${world.url}/d/${document.id}`, 'Eve')
  await none.page.getByRole('heading', { name: 'This document is private' }).waitFor()
  const wrong = await person(`${world.url}/d/${document.id}?key=${'x'.repeat(32)}`, 'Eve')
  await wrong.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await none.context.close()
  await wrong.context.close()
})

test('[WEB-69] a person who is asked for a name can type it at once, with any characters', async () => {
  const document = await createDocument(world.url, '# Named')
  const { page, context } = await person(document.url, 'Bea')
  await saved(page)
  await page.locator('.cm-content').press('Control+Shift+KeyP')
  await page.locator('.palette-input').fill('your name')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Your name' }).waitFor()
  expect(await page.evaluate(() => globalThis.document.activeElement?.tagName)).toBe('INPUT')
  await page.keyboard.press('Control+KeyA')
  await page.keyboard.type('Bea Bianchi')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Your name' }).waitFor({ state: 'detached' })
  expect(await page.evaluate(() => localStorage.getItem('agmd.name'))).toBe('Bea Bianchi')
  expect(await editorText(page)).toBe('# Named')
  await context.close()
})
