/** The home page in the browser: lists of documents, adding files, deleting and restoring. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hostileNames } from '../support/hostile.ts'
import { password } from '../support/visitor.ts'
import { start, type World } from '../support/start.ts'
import { lookAtSizes } from './appearance.ts'
import { createDocument, createLink, editorText, saved, until, type Document, type OwnPage, ownPage } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const visit = (options = {}): Promise<OwnPage> => ownPage(browser, options)

/** Opens documents by link, so that the device stores them. */
const know = async (page: Page, urls: readonly string[]): Promise<void> => {
  for (const url of urls) {
    await page.goto(url)
    await page.locator('.chip:is([data-state=saved], [data-state=readonly])').waitFor()
  }
}

const titles = (page: Page): Promise<string[]> => page.locator('.recent-title').allTextContents()
const status = async ({ id, key }: Document): Promise<number> =>
  (await fetch(`${world.url}/api/docs/${id}`, { headers: { 'x-share-key': key } })).status

/** Drops files on the page. */
const drop = (page: Page, files: readonly { name: string; bytes: readonly number[] }[]): Promise<void> =>
  page.evaluate((list) => {
    const data = new DataTransfer()
    for (const { name, bytes } of list) data.items.add(new File([new Uint8Array(bytes)], name))
    const event = (type: string): DragEvent => new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })
    globalThis.document.body.dispatchEvent(event('dragover'))
    globalThis.document.body.dispatchEvent(event('drop'))
  }, files)

/** Chooses a menu item of the first document whose title begins with `title`. */
const choose = async (page: Page, title: string, words: string): Promise<void> => {
  await page
    .getByRole('button', { name: `More for “${title}` })
    .first()
    .click()
  await page.getByRole('button', { name: words }).click()
}

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)]

test('[HOME-1] [HOME-9] [HOME-18] [HOME-23] [WEB-101] documents of this device are found by title, filtered and sorted', async () => {
  const { context, page, heard } = await visit()
  const refused: string[] = []
  page.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
  await page.goto(world.url)
  await page.getByText('Nothing here yet. Start writing, or open a Markdown file.').waitFor()
  const own = await createDocument(world.url, '# Zebra notes')
  const news = await createDocument(world.url, '# News')
  await fetch(`${world.url}/api/docs/${news.id}/publish`, { method: 'POST', headers: { 'x-share-key': news.key } })
  const other = await createDocument(world.url, '# Ähren')
  await know(page, [own.url, news.url, (await createLink(world.url, other, 'comment')).url])
  await page.goto(world.url)
  await page.locator('.recent').nth(2).waitFor()
  expect(await titles(page)).toEqual(['Ähren', 'News', 'Zebra notes'])
  // The list is sorted by the last visit or change. The visit counts even if the address has no key.
  await know(page, [`${world.url}/d/${own.id}`])
  await page.goto(world.url)
  await page.locator('.recent').nth(2).waitFor()
  expect(await titles(page)).toEqual(['Zebra notes', 'Ähren', 'News'])
  await page.getByLabel('Order').selectOption('By title')
  expect(await titles(page)).toEqual(['Ähren', 'News', 'Zebra notes'])
  await page.getByLabel('Show').selectOption('My own')
  expect(await titles(page)).toEqual(['News', 'Zebra notes'])
  await page.getByLabel('Show').selectOption('Published')
  expect(await titles(page)).toEqual(['News'])
  await page.getByLabel('Show').selectOption('Shared with me')
  expect(await titles(page)).toEqual(['Ähren'])
  await page.getByText('Can comment').first().waitFor()
  await page.getByLabel('Show').selectOption('All')
  // The search field is aligned with the results.
  const left = (name: string): Promise<number> =>
    page
      .locator(name)
      .first()
      .evaluate((element) => element.getBoundingClientRect().left)
  expect(await left('.find input')).toBe(await left('.recents'))
  await page.getByLabel('Search titles').fill('ahr')
  expect(await titles(page)).toEqual(['Ähren'])
  await page.getByLabel('Search titles').blur()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zebra')
  expect(await titles(page)).toEqual(['Zebra notes'])
  await page.keyboard.press('Control+o')
  await page.keyboard.type('nothing of that')
  await page.getByText('No documents match.').waitFor()
  // A visit without an account is not an error.
  expect(refused).toEqual([])
  expect(heard).toEqual([])
  await page.route('**/api/session', (route) => route.abort())
  await page.reload()
  const unreached = page.getByText('Only the documents on this device are shown. The server cannot be reached.')
  await unreached.waitFor()
  await page.unroute('**/api/session')
  await context.setOffline(true)
  await context.setOffline(false)
  await unreached.waitFor({ state: 'detached' })
  await page.route('**/api/session', (route) => route.abort())
  await page.reload()
  await unreached.waitFor()
  await page.unroute('**/api/session')
  await page.getByRole('button', { name: 'Try again' }).click()
  await unreached.waitFor({ state: 'detached' })
  await context.close()
})

test('[HOME-2] [HOME-10] [HOME-22] [HOME-30] [HOME-40] [ACCOUNT-17] a signed-in person also finds the documents of the account, by words of the text, each once', async () => {
  const { context, page, heard } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`${world.url}/sign-up`)
  await page.evaluate(() => localStorage.setItem('agmd.name', 'Ana'))
  await page.reload()
  expect(await page.getByLabel('Name').inputValue()).toBe('Ana')
  await page.getByLabel('Email').fill('ana@example.org')
  await page.getByLabel('Password').fill(password)
  // Until the server has said who is signed in, the page shows neither the introduction nor “Sign in”.
  const isShown = async (name: 'Account' | 'Sign in'): Promise<void> => {
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/session', (route) => answer.promise.then(() => route.continue()))
    if (page.url().endsWith('/')) await page.reload()
    else await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name }).waitFor()
    expect(await page.locator('.home-top a').allTextContents()).toEqual([name])
    expect(await page.getByRole('heading').count()).toBe(name === 'Account' ? 0 : 1)
    answer.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('heading', { name: 'Markdown that people and agents write together.' }).waitFor()
  }
  await isShown('Account')
  await isShown('Account')
  // The session ends elsewhere. The page finds out once.
  const [session] = (await context.cookies()).filter(({ name }) => name.startsWith('agmd-session'))
  if (session === undefined) throw new Error('no session')
  await context.clearCookies({ name: session.name })
  await page.reload()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await isShown('Sign in')
  await context.addCookies([session])
  await page.reload()
  await page.getByRole('link', { name: 'Account' }).waitFor()
  await isShown('Account')
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const make = async (content: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', origin: world.url, cookie }
    const response = await fetch(`${world.url}/api/docs`, { method: 'POST', headers, body: JSON.stringify({ content }) })
    return ((await response.json()) as { id: string }).id
  }
  const fish = await make('# Fish\n\nA herring swims by.')
  await make('# Bread')
  await know(page, [`${world.url}/d/${fish}`])
  await page.goto(world.url)
  await page.locator('.recent').nth(1).waitFor()
  expect((await titles(page)).toSorted()).toEqual(['Bread', 'Fish'])
  await page.locator('.recent', { hasText: 'Bread' }).getByText('Edited just now').waitFor()
  await page.locator('.recent', { hasText: 'Fish' }).getByText('Opened just now').waitFor()
  await page.getByLabel('Search titles and text').fill('herring')
  await until(async () => (await titles(page)).join() === 'Fish', 'found by a word of the text')
  await page.getByRole('link', { name: /Fish/ }).click()
  await saved(page)
  await page.goto(world.url)
  await choose(page, 'Fish', 'Copy link')
  await page.getByText('Link copied. Only you can open it. To give others access, press Share in the document.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${world.url}/d/${fish}`)
  await page.keyboard.press('Escape')
  // A document deleted here is in the account's trash, even if this device does not list it.
  await choose(page, 'Bread', 'Move to trash')
  await page.getByText('“Bread” moved to trash.').waitFor()
  await until(async () => (await titles(page)).join() === 'Fish', 'out of the list')
  await page.goto(`${world.url}/#trash`)
  await page.reload()
  await page.getByText('30 days left').waitFor()
  await page.getByRole('button', { name: 'Restore “Bread”' }).click()
  await page.getByText('The trash is empty.').waitFor()
  await page.getByRole('link', { name: 'Back to documents' }).click()
  await until(async () => (await titles(page)).toSorted().join() === 'Bread,Fish', 'back in the list')

  // One click adds the device's documents to the account, and a message says where they are.
  const [one, two, others] = [
    await createDocument(world.url, '# One'),
    await createDocument(world.url, '# Two'),
    await createLink(world.url, await createDocument(world.url, '# Lent'), 'edit')
  ] as const
  await know(page, [one.url, two.url, others.url])
  await page.goto(world.url)
  await page.getByText('Add the 2 documents on this device to your account?').waitFor()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('2 documents added to your account.').waitFor()
  await page.getByText('Add the 2 documents on this device to your account?').waitFor({ state: 'detached' })
  await until(async () => (await page.getByText('in your account', { exact: true }).count()) === 4, 'said of each')
  // The account has these documents, although the search hides them.
  await page.getByLabel('Search titles and text').fill('herring')
  await until(async () => (await titles(page)).join() === 'Fish', 'found by the service')
  expect(await page.locator('.claim-offer').count()).toBe(0)
  const listed = await fetch(`${world.url}/api/docs`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  expect(((await listed.json()) as { docs: unknown[] }).docs).toHaveLength(4)

  // [HOME-22] A row with every tag, in German.
  await fetch(`${world.url}/api/docs/${fish}/publish`, { method: 'POST', headers: { origin: world.url, cookie } })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await page.locator('.recent', { hasText: 'Fish' }).getByText('veröffentlicht').waitFor()
  expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth)).toBe(360)
  expect(heard).toEqual([])
  await context.close()
})

test('[HOME-3] [TRASH-8] [TRASH-9] [TRASH-10] [TRASH-12] [TRASH-13] [WEB-109] a deletion asks if others have access, can be undone, restored and made permanent; the link says until when', async () => {
  const { context, page } = await visit()
  const [tea, cake, milk] = [
    await createDocument(world.url, '# Tea'),
    await createDocument(world.url, '# Cake'),
    await createDocument(world.url, '# Milk')
  ] as const
  const lent = await createLink(world.url, await createDocument(world.url, '# Lent'), 'edit')
  const guest = await createLink(world.url, cake, 'edit')
  const unused = await createLink(world.url, tea, 'view')
  expect(unused.secret).not.toBe('')
  await know(page, [tea.url, cake.url, milk.url, lent.url])
  await page.goto(world.url)
  await page.locator('.recent').nth(3).waitFor()
  // A document that belongs to somebody else cannot be deleted.
  await page.getByRole('button', { name: 'More for “Lent”' }).click()
  await page.getByRole('button', { name: 'Remove from this device…' }).waitFor()
  expect(await page.getByRole('button', { name: 'Move to trash' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  // Nobody else has used a link to the document, so the page does not ask.
  await choose(page, 'Tea', 'Move to trash')
  await page.getByText('“Tea” moved to trash.').waitFor()
  expect(await status(tea)).toBe(410)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await titles(page)).includes('Tea'), 'undone')
  expect(await status(tea)).toBe(200)

  // Somebody reads the document with their own link, so the page asks once and names that person.
  const other = await visit()
  await know(other.page, [guest.url])
  await choose(page, 'Cake', 'Move to trash')
  const dialog = page.getByRole('dialog', { name: 'Delete “Cake”?' })
  await dialog.getByText('1 other link is in use. Everyone loses access immediately. You can restore the document for 30 days.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await status(cake)).toBe(200)
  await choose(page, 'Cake', 'Move to trash')
  await page.getByRole('button', { name: 'Move to trash' }).press('Enter')
  await page.getByText('“Cake” moved to trash.').waitFor()
  await other.page.getByText('The owner deleted this document. It can be restored until').waitFor()
  expect(await other.page.locator('.status-mode').count()).toBe(0)
  const fresh = await visit()
  await fresh.page.clock.install()
  await fresh.page.goto(guest.url)
  await fresh.page.getByRole('heading', { name: 'This document was deleted' }).waitFor()
  await fresh.page.getByText('The owner can restore this document until').waitFor()
  expect(await fresh.page.getByRole('button', { name: 'Restore' }).count()).toBe(0)

  // The person who deleted the document finds it at its address and restores it there.
  await page.goto(`${world.url}/d/${cake.id}`)
  await page.getByRole('heading', { name: '“Cake” is in the trash' }).waitFor()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await saved(page)
  expect(await status(cake)).toBe(200)
  // Undo on the page of a document brings it back immediately. The page does not wait until it asks the service.
  await page.goto(`${world.url}/d/${milk.id}`)
  await saved(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.locator('#menu').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('“Milk” moved to trash.').waitFor()
  await page.route(`**/api/docs/${milk.id}`, (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await saved(page)
  await page.unrouteAll()
  // The other person's page continues when it becomes visible. A page that was opened after the deletion opens the document soon.
  await other.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await saved(other.page)
  await other.context.close()
  const asked = fresh.page.waitForRequest(`**/api/docs/${cake.id}`, { timeout: 5000 })
  await fresh.page.clock.fastForward(10_000)
  await asked
  await saved(fresh.page)
  expect(await editorText(fresh.page)).toBe('# Cake')
  await fresh.context.close()

  // The person deletes a document with the menu on its page.
  await page.goto(`${world.url}/d/${milk.id}`)
  await saved(page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.locator('#menu').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: '“Milk” is in the trash' }).waitFor()
  // A browser that never opened the document gets its title from the service.
  const { context: unknown, page: newPage } = await visit()
  await newPage.goto(milk.url)
  await newPage.getByRole('heading', { name: '“Milk” is in the trash' }).waitFor()
  await unknown.close()
  await page.getByRole('link', { name: 'Go to your documents' }).click()
  await page.getByRole('link', { name: 'Trash (1)' }).click()
  await page.getByText('30 days left').waitFor()
  await page.getByRole('button', { name: 'Delete “Milk” for good' }).click()
  await page.getByRole('button', { name: 'Delete for good', exact: true }).last().click()
  await page.getByText('The trash is empty.').waitFor()
  expect(await status(milk)).toBe(410)
  await page.getByRole('link', { name: 'Back to documents' }).click()
  await until(async () => (await titles(page)).toSorted().join() === 'Cake,Lent,Tea', 'the list')

  // Without a connection nothing is deleted, and a message says so.
  await context.setOffline(true)
  await choose(page, 'Tea', 'Move to trash')
  await page.getByText('“Tea” was not deleted.').waitFor()
  expect(await titles(page)).toContain('Tea')
  await context.setOffline(false)
  await choose(page, 'Lent', 'Remove from this device…')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await until(async () => !(await titles(page)).includes('Lent'), 'removed from the device')
  await context.close()
})

test('[HOME-4] [HOME-32] files become documents by drop and by button; binary files, large files and folders are refused in a sentence', async () => {
  const { context, page, heard } = await visit()
  await page.goto(world.url)
  await page.route('**/new', (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '12' }, json: { code: 'rate_limited' } }))
  await page.getByRole('button', { name: 'Start writing' }).click()
  await page.getByText('Many documents were just created from your network. Try again in 12 s. People who sign in have').waitFor()
  await page.unroute('**/new')
  await drop(page, [{ name: 'picture.png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] }])
  await page.getByText('“picture.png” is not a text file. You can open Markdown and other plain text.').waitFor()
  await drop(page, [
    { name: 'one.md', bytes: bytesOf('\uFEFF# One\r\n\r\nfirst') },
    { name: 'umlaut.txt', bytes: [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72] },
    { name: 'wide.md', bytes: [0xff, 0xfe, 0x41, 0, 0x42, 0] },
    { name: '<img src=x onerror=alert(1)>.bin', bytes: [0, 1, 2] }
  ])
  await page.getByText('3 documents created').waitFor()
  // Only the refused file is an error.
  expect(await page.locator('.notice.danger').allTextContents()).toEqual([expect.stringMatching(/^“<img src=x/)])
  await page.getByText('“<img src=x onerror=alert(1)>.bin” is not a text file.').waitFor()
  expect((await titles(page)).toSorted()).toEqual(['One', 'umlaut', 'wide'])
  await page.getByRole('link', { name: /umlaut/ }).click()
  await saved(page)
  expect(await page.locator('.cm-line').allTextContents()).toEqual(['Müller'])
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  // A file that is too large is refused before the page reads it.
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'large.md'))
    globalThis.document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await page.getByText('“large.md” is larger than 10 MiB.').waitFor()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Open a Markdown file' }).click()
  await (await choosing).setFiles([{ name: 'two.md', mimeType: 'text/markdown', buffer: Buffer.from('# Two\n') }])
  await page.waitForURL(/\/d\//)
  await saved(page)
  await page.locator('.cm-line', { hasText: 'Two' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[HOME-5] a new document is created once, no matter what messages are lost', async () => {
  const { context, page } = await visit()
  await page.goto(world.url)
  const made: string[] = []
  await page.route('**/new', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    made.push(((await response.json()) as { id: string }).id)
    return made.length === 1 ? route.abort() : route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Start writing' }).click()
  await page.getByText('The server cannot be reached.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Start writing' }).click()
  await saved(page)
  expect(new Set(made).size).toBe(1)
  // A person who starts a document gets the editor, even if the last document was open in the reading view.
  await page.getByRole('button', { name: 'Read', exact: true }).click()
  await page.locator('.reading').waitFor()
  await page.unroute('**/new')
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Start writing' }).click()
  await page.locator('.cm-content:focus').waitFor()
  await context.close()
})

test('[HOME-19] [HOME-20] [HOME-21] [HOME-31] where only people with an account can create documents, a visitor is told to sign in; the page is printed in dark ink', async () => {
  const closed = await start({ env: { AGMD_ANONYMOUS_CREATE: 'off' } })
  const { context, page } = await visit({ reducedMotion: 'reduce' })
  const refused = page.getByRole('alert').getByText('On this server, only people with an account can create documents. Sign in first.')
  await page.goto(closed.url)
  await page.getByRole('button', { name: 'Start writing' }).click()
  await refused.waitFor()
  await lookAtSizes(page, 'home-account-needed', { shown: refused })
  await page.reload()
  await page.locator('input[type=file]').setInputFiles({ name: 'a.md', mimeType: 'text/markdown', buffer: Buffer.from('# A') })
  await refused.waitFor()
  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).waitFor()
  await page.goto(`${closed.url}/sign-up`)
  await page.getByLabel('Email').fill('ana@example.org')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('link', { name: 'Account' }).waitFor()
  const link = await page.evaluate(async () => {
    const post = async (path: string, body: object): Promise<{ id: string; url: string }> => {
      const headers = { 'content-type': 'application/json' }
      return (await (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as { id: string; url: string }
    }
    return (await post(`/api/docs/${(await post('/api/docs', { content: '# A' })).id}/shares`, { role: 'view' })).url
  })
  // Another device ends the session. This page still has the cookie and does not know it.
  const cookies = await context.cookies()
  const elsewhere = await visit()
  await elsewhere.context.addCookies(cookies)
  await elsewhere.page.goto(`${closed.url}/account`)
  await elsewhere.page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await elsewhere.page.waitForURL(`${closed.url}/#signed-out`)
  expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Start writing' }).click()
  await refused.waitFor()
  await page.locator('.home-top').getByRole('link', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('link', { name: 'Account' }).count()).toBe(0)
  const ink = (): Promise<string> => page.locator('h1').evaluate((element) => getComputedStyle(element).color)
  await page.emulateMedia({ colorScheme: 'light' })
  const dark = await ink()
  for (const theme of ['system', 'dark']) {
    await page.evaluate((chosen) => (document.documentElement.dataset['theme'] = chosen), theme)
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
    expect(await ink()).toBe(dark)
    await page.emulateMedia({ media: 'screen' })
    expect(await ink()).not.toBe(dark)
  }
  await page.goto(link)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.locator('#menu').getByRole('button', { name: 'New document' }).click()
  await page.locator('.toast').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await elsewhere.context.close()
  await context.close()
  await closed.stop()
})

test('[HOME-6] the language is chosen in the menu and on the first page; the text stays', async () => {
  const document = await createDocument(world.url, '# Words')
  const { context, page, heard } = await visit({ locale: 'en-GB' })
  await page.goto(document.url)
  await saved(page)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type(' of mine')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByText('Deutsch').click()
  await page.getByRole('button', { name: 'Teilen' }).waitFor()
  await page.locator('.chip', { hasText: 'Gespeichert' }).waitFor()
  expect(await page.locator('.cm-line').first().textContent()).toContain('Words of mine')
  expect(await page.evaluate(() => globalThis.document.documentElement.lang)).toBe('de')
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Neues Dokument' }).waitFor()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[HOME-7] [HOME-12] [HOME-13] the first page on wide and narrow screens: no violations', async () => {
  const { context, page, heard } = await visit({ reducedMotion: 'reduce' })
  await page.goto(world.url)
  await page.getByText('Nothing here yet. Start writing, or open a Markdown file.').waitFor()
  await lookAtSizes(page, 'home-empty')
  const own = await createDocument(world.url, '# The Seven Lakes of the North')
  const news = await createDocument(world.url, '# Notes on a very long title that has to be broken somewhere because it is that long')
  await fetch(`${world.url}/api/docs/${news.id}/publish`, { method: 'POST', headers: { 'x-share-key': news.key } })
  const other = await createDocument(world.url, `# ${hostileNames[0] ?? ''}`)
  await know(page, [own.url, news.url, (await createLink(world.url, other, 'suggest')).url])
  await page.goto(world.url)
  await page.locator('.recent').nth(2).waitFor()
  const rows: number[] = []
  const check = async (where: string): Promise<void> => {
    const fields = page.locator('.find :is(input, select)')
    const bottoms = await fields.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().bottom))
    rows.push(new Set(bottoms).size)
    expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth), where).toBe(true)
  }
  await lookAtSizes(page, 'home', { check })
  expect(rows, 'rows of the search, narrow and wide').toEqual([2, 1])
  await choose(page, '', 'Remove from this device…')
  await choose(page, 'The Seven Lakes of the North', 'Move to trash')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.getByRole('link', { name: 'Trash (1)' }).click()
  await page.getByText('30 days left').waitFor()
  await page.getByRole('button', { name: 'Delete “The Seven Lakes of the North” for good' }).click()
  await lookAtSizes(page, 'home-trash')
  await page.getByRole('link', { name: 'Back to documents' }).click()
  await choose(page, 'Notes', 'Move to trash')
  await page.getByRole('dialog').getByText('The document is published.').waitFor()
  await lookAtSizes(page, 'home-ask')
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByText('moved to trash.').waitFor()
  await page.goto(`${world.url}/d/${news.id}`)
  await page.getByRole('button', { name: 'Restore', exact: true }).waitFor()
  await lookAtSizes(page, 'trashed')
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  await drop(page, [{ name: 'picture.png', bytes: [0, 1, 2] }])
  await page.getByText('is not a text').waitFor()
  await lookAtSizes(page, 'home-asking')
  // The address of a document in the trash returns 410, and the browser logs that.
  expect(heard.filter((words) => !words.includes('410'))).toEqual([])
  await context.close()
})

test('[HOME-11] [HOME-14] [HOME-17] [WRITE-114] a document is renamed in its row; before an owner link is removed from the device it can be copied', async () => {
  const { context, page, heard } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
  const own = await createDocument(world.url, '# Kept')
  await know(page, [own.url])
  await page.goto(world.url)
  await choose(page, 'Kept', 'Rename…')
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  await dialog.getByRole('textbox').fill('Diary')
  await context.setOffline(true)
  await page.keyboard.press('Enter')
  const notice = dialog.locator('.toast')
  await notice.waitFor()
  // The dialog is still moving when the notice appears.
  await until(async () => {
    const [body, row] = [await dialog.locator('.dialog-body').boundingBox(), await notice.boundingBox()]
    return (row?.y ?? 0) >= (body?.y ?? 0) + (body?.height ?? Infinity)
  }, 'the notice below the content')
  await context.setOffline(false)
  await page.keyboard.press('Enter')
  await until(async () => (await titles(page)).join() === 'Diary', 'the new title')
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'More for “Diary”'), 'the focus back')
  await page.reload()
  await page.getByRole('button', { name: 'More for “Diary”' }).click()
  expect(await page.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href')).toBe(`/d/${own.id}`)
  await page.getByRole('button', { name: 'Copy owner link' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${world.url}/d/${own.id}?key=${own.key}`)
  await page.getByRole('button', { name: 'Move to trash', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove from this device…' }).click()
  await page.getByRole('button', { name: 'Copy owner link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${world.url}/d/${own.id}?key=${own.key}`)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Nothing here yet.').waitFor()
  await page.goto(own.url)
  await saved(page)
  await page.goto(world.url)
  await choose(page, 'Diary', 'Duplicate')
  await page.waitForFunction(() => document.title.startsWith('Copy of Diary'))
  expect(await editorText(page)).toBe('# Kept')
  expect(heard.filter((words) => !words.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  await context.close()
})

test('[REFUSED-4] a document deleted here is named by the title of its page', async () => {
  const { context, page } = await visit()
  await page.goto(world.url)
  await page.getByRole('button', { name: 'Start writing' }).click()
  await page.locator('.cm-content').click()
  await page.keyboard.type('# To delete')
  await page.waitForFunction(() => globalThis.document.title.startsWith('To delete'))
  await saved(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: '“To delete” is in the trash' }).waitFor()
  await context.close()
})
