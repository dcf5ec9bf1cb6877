/** Without the network, and without a place to keep anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import {
  chip,
  complaints,
  createDocument,
  createLink,
  editorText,
  launch,
  profile,
  readMarkdown,
  saved,
  until,
  workerActive
} from './browser.ts'

let world: World

beforeAll(async () => {
  world = await start()
})

afterAll(() => world.stop())

test('[WEB-24] a document opened before opens with the network off and the browser restarted, takes edits, and merges when the network returns', async () => {
  const document = await createDocument(world.url, '# Trip\n')
  const ana = await profile()
  const browser = await launch()

  let context = await ana.open()
  let page = await context.newPage()
  await page.goto(document.url)
  await saved(page)
  await workerActive(page)
  await context.close()

  // Off: start, edit, close.
  context = await ana.open({ offline: true })
  page = await context.newPage()
  await page.goto(`${world.url}/d/${document.id}`)
  await page.locator('.cm-content', { hasText: 'Trip' }).waitFor()
  await chip(page, 'offline').waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('from the train\n')
  await page.locator('.chip', { hasText: 'Offline, 15 changes kept on this device' }).waitFor()
  await context.close()

  // Meanwhile somebody else writes.
  const bea = await browser.newPage()
  await bea.goto((await createLink(world.url, document, 'edit')).url)
  await saved(bea)
  await bea.locator('.cm-content').click()
  await bea.keyboard.press('Control+Home')
  await bea.keyboard.press('End')
  await bea.keyboard.type(' to the sea')
  await saved(bea)

  // Still off after the restart; then the network returns.
  context = await ana.open({ offline: true })
  page = await context.newPage()
  await page.goto(`${world.url}/d/${document.id}`)
  await until(
    async () => (await page.locator('.cm-content').count()) > 0 && (await editorText(page)) === '# Trip\nfrom the train\n',
    'the edit after the restart'
  )
  await page.locator('.chip', { hasText: /changes? kept on this device/ }).waitFor()
  await context.setOffline(false)
  await saved(page)
  const merged = '# Trip to the sea\nfrom the train\n'
  await until(async () => (await editorText(page)) === merged && (await editorText(bea)) === merged, 'both texts merged')
  expect(await readMarkdown(world.url, document)).toBe(merged)

  await context.close()
  await browser.close()
  await ana.remove()
})

test('[WEB-29] the service worker stores no address with a key', async () => {
  const document = await createDocument(world.url, '# Secret')
  const browser = await launch()
  const page = await browser.newPage()
  await page.goto(document.url)
  await saved(page)
  await workerActive(page)
  await page.goto(document.url)
  await saved(page)
  const stored = await page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map((request) => new URL(request.url).pathname + new URL(request.url).search)
  })
  expect(stored).toContain('/')
  expect(stored.filter((address) => /key=|\/d\/|\/api\/|\/collab|\.md/.test(address))).toEqual([])
  await browser.close()
})

test('[WEB-31] the service worker may ask its own origin alone; a page that the browser no longer keeps comes from the network', async () => {
  const policy = (await fetch(`${world.url}/sw.js`)).headers.get('content-security-policy')
  expect(policy).toBe("default-src 'none'; connect-src 'self'")
  const browser = await launch()
  const page = await browser.newPage()
  await page.goto(world.url)
  await workerActive(page)
  await page.evaluate(async () => void (await Promise.all((await caches.keys()).map((name) => caches.delete(name)))))
  const heard = complaints(page)
  await page.reload()
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  const fonts = await page.evaluate(async () => [...(await document.fonts.ready)].filter((font) => font.status === 'error').length)
  expect(fonts).toBe(0)
  expect(heard).toEqual([])
  await browser.close()
})

test('[WEB-27] without IndexedDB the editor works and says that nothing is kept on this device', async () => {
  const document = await createDocument(world.url, '# Online')
  const browser = await launch()
  const page = await browser.newPage()
  await page.addInitScript(() => Object.defineProperty(window, 'indexedDB', { value: undefined }))
  await page.goto(document.url)
  await page.getByText('Not kept on this device.', { exact: true }).waitFor()
  await saved(page)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' only')
  await saved(page)
  await until(async () => (await readMarkdown(world.url, document)) === '# Online only', 'the edit on the server')
  await browser.close()
})

test('[WEB-28] a document never opened before says so without the network', async () => {
  const document = await createDocument(world.url, '# Unseen')
  const ana = await profile()
  const context = await ana.open()
  const page = await context.newPage()
  await page.goto(world.url)
  await workerActive(page)
  await context.setOffline(true)
  await page.goto(`${world.url}/d/${document.id}`)
  await page.getByRole('heading', { name: 'You are offline' }).waitFor()
  await context.close()
  await ana.remove()
})
