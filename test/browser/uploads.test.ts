/** Files that people add by paste, drop and button: uploading, refusals, canceling, and waiting for the network. */
import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { foreign, png, samples } from '../support/media.ts'
import type { World } from '../support/start.ts'
import { createDocument, createLink, editorText, readMarkdown, saved, typeAtEnd, until, workerActive, ownPage } from './browser.ts'
import { bring, type Sent } from './files.ts'
import { onStage } from './stage.ts'
import { type OpenedPage, openNew } from './visits.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

async function person(url: string): Promise<{ context: BrowserContext; page: Page; heard: string[] }> {
  const { context, page, heard } = await ownPage(browser)
  await page.goto(url)
  await page.locator('.cm-content').waitFor({ state: 'attached' })
  return { context, page, heard }
}

async function writer(content = ''): Promise<OpenedPage> {
  const document = await createDocument(world.url, content)
  const opened = await person(document.url)
  await saved(opened.page)
  return { document, ...opened }
}

const picture: Sent = { name: 'Red house.png', type: 'image/png', bytes: png(3, 2) }

/** Holds every upload of a page until it is released. */
async function hold(page: Page): Promise<{ readonly held: Route[]; letGo(): Promise<void> }> {
  const held: Route[] = []
  let open = false
  await page.route('**/api/docs/*/assets*', (route) => (open ? route.continue() : void held.push(route)))
  return {
    held,
    async letGo() {
      open = true
      await Promise.all(held.splice(0).map((route) => route.continue().catch(() => undefined)))
    }
  }
}

const shownAs = (name: string): RegExp => new RegExp(`!\\[${name}\\]\\(/f/[\\w-]{24}\\.png\\)`)

test('[WEB-43] a pasted picture enters the text as one edit, and the caret moves after it', async () => {
  const { document, context, page, heard } = await writer('before after')
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  for (let count = 0; count < 7; count++) await page.keyboard.press('ArrowRight')
  await bring(page, 'paste', [picture])
  await until(async () => shownAs('Red house').test(await editorText(page)), 'the picture in the text')
  expect(await editorText(page)).toMatch(/^before !\[Red house\]\(\/f\/[\w-]{24}\.png\)after$/)
  await page.locator('.upload').waitFor({ state: 'detached' })
  await page.keyboard.type('X')
  expect(await editorText(page)).toMatch(/^before !\[Red house\]\(\/f\/[\w-]{24}\.png\)Xafter$/)
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe(await editorText(page))
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)) === 'before after', 'undo')
  expect(heard).toEqual([])
  await context.close()
})

test('[WRITE-321] [WRITE-327] pictures that pasted HTML contains as data are uploaded to their places', async () => {
  const { context, page, heard } = await writer('')
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  const data = (bytes: Uint8Array): string => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
  const give = (html: string): Promise<void> =>
    page.locator('.cm-content').evaluate((element, given) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', given)
      clipboardData.setData('text/plain', 'plain')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, html)
  const pixel = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">'
  await give(`<p>a</p><img alt="Red house" src="${data(png(3, 2))}"><p>b <img src="${data(png(2, 2))}"> c${pixel}</p>`)
  const both = /^a\n\n!\[Red house\]\(\/f\/[\w-]{24}\.png\)\n\nb !\[image\]\(\/f\/[\w-]{24}\.png\) c$/
  await until(async () => both.test(await editorText(page)), 'both pictures')
  for (let count = 0; count < 3; count++) await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)) === '', 'undo')
  // In a table, the pictures of text come into the cell, and those of cells into their cells.
  await page.keyboard.insertText('| a | b |\n| --- | --- |\n|  |  |')
  await page.locator('.cm-line').last().locator('.md-cell').last().click()
  await give(`<p>c|d <img src="${data(png(2, 2))}"></p>`)
  const picture = String.raw`!\[image\]\(/f/[\w-]{24}\.png\)`
  const inCell = new RegExp(String.raw`^\| a \| b \|\n\| --- \| --- \|\n\|  \| *c\\\|d ${picture} *\|$`)
  await until(async () => inCell.test(await editorText(page)), 'the picture in the cell').catch(async () =>
    expect(await editorText(page)).toMatch(inCell)
  )
  await page.keyboard.press('ArrowUp')
  await give(
    `<table><tr><th>e</th><th>f <img src="${data(png(2, 2))}"></th></tr><tr><td><img src="${data(png(3, 2))}"></td><td>g</td></tr></table>`
  )
  const cells = new RegExp(String.raw`^\| a \| e \| f ${picture} \|\n\| --- \| --- \| --- \|\n\|  \| ${picture} \| g \|$`)
  await until(async () => cells.test(await editorText(page)), 'the pictures in their cells').catch(async () =>
    expect(await editorText(page)).toMatch(cells)
  )
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  // Pictures that cannot be added are left out with a notice.
  await give('<p>a</p><img src="data:image/svg+xml;base64,PHN2Zy8+"><p>b</p>')
  await page.getByText('This kind of file is not supported.').waitFor()
  await until(async () => (await editorText(page)) === 'a\n\nb', 'the text')
  await page.keyboard.press('Control+z')
  await give(`<p>x</p>${`<img src="${data(png(2, 2))}">`.repeat(21)}`)
  await page.getByText('Adding the first 20 of 21 files.').waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-81] [WRITE-116] a dropped text file appears below the block under the pointer, as one undo step', async () => {
  const { context, page, heard } = await writer('one\ntwo words that are here\nthree\n\n- after\n')
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  const file = (text: string, name = 'Notes.md'): Sent => ({ name, type: 'text/markdown', bytes: Buffer.from(text) })
  const text = (expected: string): Promise<void> =>
    until(async () => (await editorText(page)) === expected, JSON.stringify(expected)).catch(async () =>
      expect(await editorText(page)).toBe(expected)
    )
  await bring(page, 'drop', [file('\ufeff\n# Dropped\r\n\r\nwords\r\n\r\n'), file('second', 'more.txt')])
  await text('one\ntwo words that are here\nthree\n\n# Dropped\n\nwords\n\nsecond\n\n- after\n')
  await page.keyboard.press('Control+z')
  await text('one\ntwo words that are here\nthree\n\n- after\n')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('```\ncode\n\ncode\n```')
  await bring(page, 'drop', [file('below')])
  await text('```\ncode\n\ncode\n```\n\nbelow')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('caret')
  await bring(page, 'paste', [file('Name,Words\r\nAna,"say ""hi"", or\r\nnot"\r\n', 'people.csv')])
  await text('caret\n\n| Name | Words |\n| --- | --- |\n| Ana | say "hi", or<br>not |')
  await page.keyboard.press('Control+z')
  await text('caret')
  await bring(page, 'drop', [file('a\0b\u0001c')])
  await page.getByText('“Notes.md” is not a text file. You can open Markdown and other plain text.').waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[WRITE-174] a dropped text file brings its front matter only into an empty document', async () => {
  const { context, page, heard } = await writer('')
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  const file = (name: string): Sent => ({ name, type: 'text/markdown', bytes: Buffer.from(`---\ntitle: ${name}\n---\n\n# ${name}\n`) })
  const text = (expected: string): Promise<void> =>
    until(async () => (await editorText(page)) === expected, JSON.stringify(expected)).catch(async () =>
      expect(await editorText(page)).toBe(expected)
    )
  await bring(page, 'drop', [file('a.md'), file('b.md')])
  await text('---\ntitle: a.md\n---\n\n# a.md\n\n# b.md')
  await bring(page, 'paste', [file('c.md')])
  await text('---\ntitle: a.md\n---\n\n# a.md\n\n# b.md\n\n# c.md')
  expect(heard).toEqual([])
  await context.close()
})

test.each([
  ['one\n\ntwo', 4, 'one\n\nP\n\nX\n\ntwo'],
  ['- [ ] task\n', 11, '- [ ] task\n\nP\n\nX'],
  ['> a\n> \n> b', 6, '> a\n> \n> P\n>\n> X\n>\n> b'],
  ['one\n\n\n\ntwo', 5, 'one\n\nP\n\nX\n\ntwo'],
  ['some words here', 7, 'some wordsPX here'],
  ['some words here', 5, 'some PXwords here']
])('[WEB-87] a picture in %j at %i makes %j', async (before, at, after) => {
  const { context, page } = await writer(before)
  await page.locator('.cm-content').press('Control+Home')
  // The caret passes the marks of a quote, so there are fewer presses than characters.
  const presses = before.slice(0, at).replaceAll('> ', '').length
  for (let count = 0; count < presses; count++) await page.keyboard.press('ArrowRight')
  await bring(page, 'paste', [picture])
  await until(async () => shownAs('Red house').test(await editorText(page)), 'the picture in the text')
  await page.keyboard.type('X')
  expect((await editorText(page)).replace(shownAs('Red house'), 'P')).toBe(after)
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)) === before, 'one step back')
  await context.close()
})

test('[WEB-43] dropped or chosen pictures, sound and video enter the text in order; text pasted with a picture of itself is text', async () => {
  const { context, page, heard } = await writer('one\n')
  const sound = { name: 'Bell.mp3', type: 'audio/mpeg', bytes: samples['mp3']?.bytes as Uint8Array }
  const film = { name: 'Sea.mp4', type: 'video/mp4', bytes: samples['mp4']?.bytes as Uint8Array }
  await bring(page, 'drop', [picture, sound, film])
  const [asked] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Picture, sound or video' }).click()
  ])
  expect(asked.isMultiple()).toBe(true)
  await until(async () => /Sea\]\(.*\.mp4\)/.test(await editorText(page)), 'the three that were dropped')
  await page.locator('.cm-content').press('Control+End')
  await asked.setFiles([{ name: 'last.png', mimeType: 'image/png', buffer: Buffer.from(png(2, 2)) }])
  await until(async () => shownAs('last').test(await editorText(page)), 'the one that was chosen')
  const places = ['Red house', 'Bell', 'Sea', 'last'].map(async (name) => (await editorText(page)).indexOf(`![${name}]`))
  const found = await Promise.all(places)
  expect(found).toEqual(found.toSorted((one, other) => one - other))
  expect(found).not.toContain(-1)
  await page.locator('.cm-content').press('Control+End')
  await bring(page, 'paste', [picture], 'cells')
  await until(async () => (await editorText(page)).endsWith('cells'), 'the text')
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-43] [WRITE-214] [WRITE-215] [WRITE-295] [WRITE-351] pictures pasted one after another within words keep their order; a dropped one is a block; all are drawn', async () => {
  const { context, page } = await writer('text')
  await page.locator('.cm-content').press('Control+End')
  for (const name of ['first', 'second', 'third']) {
    await bring(page, 'paste', [{ ...picture, name: `${name}.png` }])
    await until(async () => shownAs(name).test(await editorText(page)), name)
  }
  expect(await editorText(page)).toMatch(/^text!\[first\]\([^)]+\)!\[second\]\([^)]+\)!\[third\]\([^)]+\)$/)
  const isDrawn = (): Promise<void> => page.locator('.cm-line', { hasText: '](' }).waitFor({ state: 'detached' })
  await isDrawn()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('one\ntwo words that are here\nthree\n\n- after')
  const line = await page.locator('.cm-content').evaluate((element) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
    const { left, top } = element.getBoundingClientRect()
    element.dispatchEvent(new DragEvent('dragover', { dataTransfer, clientX: left + 80, clientY: top + 50, bubbles: true }))
    const third = element.querySelectorAll('.cm-line')[2]?.getBoundingClientRect().bottom ?? 0
    return (globalThis.document.querySelector('.block-drop:not([hidden])')?.getBoundingClientRect().top ?? 0) - third
  })
  expect(Math.abs(line)).toBeLessThan(4)
  await bring(page, 'drop', [picture])
  await until(async () => shownAs('Red house').test(await editorText(page)), 'the dropped picture')
  await isDrawn()
  expect(await page.locator('.block-drop:not([hidden])').count()).toBe(0)
  expect((await editorText(page)).replace(shownAs('Red house'), 'P')).toBe('one\ntwo words that are here\nthree\n\nP\n\n- after')
  await page.keyboard.type('X')
  expect((await editorText(page)).replace(shownAs('Red house'), 'P')).toBe('one\ntwo words that are here\nthree\n\nP\n\nX\n\n- after')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await bring(page, 'paste', [], '![a](/icon.svg)')
  await page.locator('img.md-media').waitFor()
  await isDrawn()
  await page.keyboard.type('X')
  expect(await editorText(page)).toBe('![a](/icon.svg)\n\nX')
  // Behind the last bar of a row, the caret is drawn in the cell.
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('| a |\n| - |\n| b |')
  await page.locator('.md-grid-row').last().waitFor()
  await page.keyboard.press('Control+End')
  await bring(page, 'paste', [picture])
  await until(async () => shownAs('Red house').test(await editorText(page)), 'the picture')
  expect((await editorText(page)).replace(shownAs('Red house'), 'P')).toBe('| a |\n| - |\n| bP |')
  await context.close()
})

test('[WEB-43] a file dropped next to the text does not replace the page, and one without a name gets one', async () => {
  const { context, page } = await writer('text')
  const missed = await page.locator('.top-bar').evaluate((bar) => {
    const data = new DataTransfer()
    data.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
    const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
    bar.dispatchEvent(drop)
    return drop.defaultPrevented
  })
  expect(missed).toBe(true)
  await page.locator('.cm-content').press('Control+End')
  await bring(page, 'paste', [{ ...picture, name: '.png' }])
  await until(async () => shownAs('image').test(await editorText(page)), 'the picture')
  await context.close()
})

test('[WEB-44] an upload is a placeholder that keeps its place while others type, and is in nobody’s text', async () => {
  const { document, context, page } = await writer('one two')
  const link = await createLink(world.url, document, 'edit')
  const other = await person(link.url)
  await saved(other.page)
  const { held, letGo } = await hold(page)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Home')
  for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowRight')
  await bring(page, 'paste', [picture])
  await until(() => held.length === 1, 'the upload')
  const placeholder = page.getByRole('group', { name: 'Adding Red house.png' })
  await placeholder.getByRole('progressbar').waitFor({ state: 'attached' })
  expect(await editorText(page)).toBe('one two')
  // The uploader continues to type after the placeholder, and the other person types before it.
  await page.keyboard.type(' more')
  await other.page.locator('.cm-content').press('Control+Home')
  await other.page.keyboard.type('zero ')
  await until(async () => (await editorText(page)) === 'zero one more two', 'the words of both')
  expect(await readMarkdown(world.url, document)).not.toContain('Red house')
  await letGo()
  await until(async () => shownAs('Red house').test(await editorText(other.page)), 'the picture at the other')
  expect(await editorText(other.page)).toMatch(/^zero one!\[Red house\]\([^)]+\) more two$/)
  // If the person continues to write, their caret stays.
  await page.keyboard.type('!')
  await until(async () => (await editorText(page)).endsWith(') more! two'), 'the next letter behind the last')
  await context.close()
  await other.context.close()
})

test('[WEB-44] an upload can be canceled and retried with the keyboard; a placeholder whose surroundings were deleted stays', async () => {
  const { context, page } = await writer('one two three')
  const { held, letGo } = await hold(page)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await bring(page, 'paste', [{ ...picture, name: 'gone.png' }])
  await until(() => held.length === 1, 'the upload')
  await page.getByRole('button', { name: 'Cancel: gone.png' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.upload').waitFor({ state: 'detached' })
  await page.getByText('gone.png was not added.').waitFor({ state: 'attached' })
  held.splice(0)

  await page.keyboard.press('Control+Home')
  for (let count = 0; count < 5; count++) await page.keyboard.press('ArrowRight')
  await bring(page, 'paste', [picture])
  await until(() => held.length === 1, 'the second upload')
  await held.splice(0)[0]?.fulfill({ status: 507, contentType: 'application/problem+json', body: '{"code":"storage_full"}' })
  await page.getByText('The server’s disk is full.', { exact: true }).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('new ')
  const again = page.getByRole('button', { name: 'Try again: Red house.png' })
  await again.waitFor()
  await letGo()
  await again.press('Enter')
  await until(async () => /^(new )?!\[Red house\]\([^)]+\)(new )?$/.test(await editorText(page)), 'the picture')
  await context.close()
})

test('[WEB-45] a refusal appears at the place of the file: wrong kind, too large, no space, no right', async () => {
  const { document, context, page, heard } = await writer('text')
  const words = (text: RegExp): Promise<void> => page.locator('.upload .upload-words').filter({ hasText: text }).first().waitFor()
  await page.locator('.cm-content').click()
  await bring(page, 'paste', [{ name: 'page.html', type: 'text/html', bytes: foreign['html'] as Uint8Array }])
  await words(/This kind of file is not supported/)
  await page.getByRole('button', { name: 'Remove: page.html' }).click()
  await bring(page, 'paste', [{ name: 'fake.png', type: 'image/png', bytes: foreign['html'] as Uint8Array }])
  await words(/does not match its name/)
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove: fake.png' }).click()
  const [asked] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Picture, sound or video' }).click()
  ])
  await asked.setFiles([{ name: 'large.mp3', mimeType: 'audio/mpeg', buffer: Buffer.alloc(10 * 1024 * 1024 + 1) }])
  await words(/The file is larger than 10 MiB/)
  // The browser lets a file be dropped on the box only if the page prevents its default for "dragover".
  const isRefused = (): Promise<boolean> =>
    page.locator('.upload-name').evaluate((name) => name.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true })))
  expect(await isRefused()).toBe(false)
  expect(await editorText(page)).toBe('text')
  expect(heard).toEqual([])

  // The role is lowered during the upload.
  const link = await createLink(world.url, document, 'edit')
  const guest = await person(link.url)
  await saved(guest.page)
  const { held, letGo } = await hold(guest.page)
  await bring(guest.page, 'paste', [picture])
  await until(() => held.length === 1, 'the upload of the guest')
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, { method: 'DELETE', headers: { 'x-share-key': document.key } })
  await letGo()
  await guest.page.getByText('Your link does not allow adding files to this document.', { exact: true }).waitFor()
  await context.close()
  await guest.context.close()
})

test('[WEB-46] a file added offline is sent once the connection is back, even by a reloaded page, and appears once', async () => {
  const { document, context, page } = await openNew(browser, world.url, 'first\n', { serviceWorkers: 'allow' })
  await workerActive(page)
  await context.setOffline(true)
  await page.locator('.cm-content').press('Control+End')
  await bring(page, 'paste', [picture, { ...picture, name: 'Second.png', bytes: png(4, 4) }])
  await page.locator('.upload-words', { hasText: 'Waiting for the connection.' }).first().waitFor()
  await typeAtEnd(page, 'later\n')
  // Another page of this device leaves the file to the first page.
  const twin = await context.newPage()
  await twin.goto(`${world.url}/d/${document.id}`)
  await until(async () => (await editorText(twin)) === 'first\nlater\n', 'the text on the other page')
  // When the first page reloads, the other page takes over the files, unless the first page claims them again.
  await page.reload()
  const adding = (on: Page) => on.getByRole('group', { name: 'Adding Red house.png' }).isVisible()
  await until(async () => (await adding(page)) || (await adding(twin)), 'the files on one of the two')
  await context.setOffline(false)
  await until(async () => /Second\]\(/.test(await editorText(page)), 'both pictures')
  await saved(page)
  const text = await readMarkdown(world.url, document)
  expect(text.match(/!\[/g)).toHaveLength(2)
  expect(text).toMatch(/^first\n!\[Red house\]\([^)]+\)\n?!\[Second\]\([^)]+\)later\n$/)
  await page.reload()
  await saved(page)
  await until(async () => (await editorText(twin)) === text, 'the same text on the other page')
  expect(await page.locator('.upload').count()).toBe(0)
  expect(await readMarkdown(world.url, document)).toBe(text)
  await context.close()
})

test('[WEB-46] an upload whose answer was lost is retried and does not create a second file', async () => {
  const { document, context, page } = await writer('')
  let times = 0
  await page.route('**/api/docs/*/assets*', async (route) => {
    times += 1
    if (times > 1) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await bring(page, 'paste', [picture])
  const again = page.getByRole('button', { name: 'Try again: Red house.png' })
  await again.click()
  await until(async () => shownAs('Red house').test(await editorText(page)), 'the picture')
  const events = (await (
    await fetch(`${world.url}/api/docs/${document.id}/events?types=asset.created`, { headers: { 'x-share-key': document.key } })
  ).json()) as { events: unknown[] }
  expect(times).toBe(2)
  expect(events.events).toHaveLength(1)
  await context.close()
})

test('[WEB-47] a picture of more than 4096 pixels a side is scaled down before it is sent', async () => {
  const { context, page } = await writer('')
  await bring(page, 'paste', [{ name: 'wide.png', type: 'image/png', bytes: png(6000, 300) }])
  await until(async () => shownAs('wide').test(await editorText(page)), 'the picture')
  await page.keyboard.press('ArrowRight')
  const shown = page.locator('img.md-media')
  await until(() => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0), 'the picture to be loaded')
  expect(await shown.evaluate((image) => [(image as HTMLImageElement).naturalWidth, (image as HTMLImageElement).naturalHeight])).toEqual([
    4096, 205
  ])
  await context.close()
})

test.each(['view', 'comment', 'suggest'])('[WEB-48] a person who may %s cannot upload, and the page says so', async (role) => {
  const document = await createDocument(world.url, 'text')
  const { context, page, heard } = await person((await createLink(world.url, document, role)).url)
  await page.locator('.chip[data-state=readonly]').waitFor()
  expect(await page.getByRole('button', { name: 'Picture, sound or video' }).count()).toBe(0)
  await bring(page, 'drop', [picture])
  await page.getByText('Your link does not allow adding files to this document.').waitFor()
  expect(await page.locator('.upload').count()).toBe(0)
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-49] pictures, sound and video appear at their Markdown; an address that may not be loaded stays text', async () => {
  const { context, page, heard } = await writer(
    '![A](https://127.0.0.1:1/a.png)\n\n![B](javascript:alert(1))\n\n![C](/f/x.mp3)\n\n![D](/f/x.mp4)\n\n'
  )
  await page.locator('.cm-content').press('Control+End')
  await page.locator('img.md-media[alt$=A]').waitFor({ state: 'attached' })
  await page.locator('audio.md-media[aria-label=C]').waitFor()
  await page.locator('video.md-media[aria-label=D]').waitFor()
  expect(await page.locator('.md-media').count()).toBe(3)
  expect(await page.locator('img.md-media').getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(heard).toEqual([])
  await context.close()
})
