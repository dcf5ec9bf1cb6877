/** Pages without a network, without storage on the device, and with data of earlier versions. */
import type { Browser, WebSocketRoute } from 'playwright-core'
import * as Y from 'yjs'
import { expect, test } from 'vitest'
import { png } from '../support/media.ts'
import type { World } from '../support/start.ts'
import {
  chip,
  complaints,
  createDocument,
  createLink,
  editorText,
  held,
  profile,
  readMarkdown,
  saved,
  until,
  workerActive,
  ownPage
} from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

test('[WEB-24] a document opened before opens offline after a browser restart, accepts edits, and merges when the network returns', async () => {
  const document = await createDocument(world.url, '# Trip\n')
  const ana = await profile()
  let context = await ana.open()
  let page = await context.newPage()
  await page.goto(document.url)
  await saved(page)
  await workerActive(page)
  await context.close()

  // The browser starts offline. The person edits the text, and the browser closes.
  context = await ana.open({ offline: true })
  page = await context.newPage()
  await page.goto(`${world.url}/d/${document.id}`)
  await page.locator('.cm-content', { hasText: 'Trip' }).waitFor()
  await chip(page, 'offline').waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('from the train\n')
  await held(page, 15).waitFor()
  await context.close()

  // In the meantime, somebody else writes.
  const bea = await browser.newPage()
  await bea.goto((await createLink(world.url, document, 'edit')).url)
  await saved(bea)
  await bea.locator('.cm-content').click()
  await bea.keyboard.press('Control+Home')
  await bea.keyboard.press('End')
  await bea.keyboard.type(' to the sea')
  await saved(bea)

  // The device is still offline after the restart. Then the network returns.
  context = await ana.open({ offline: true })
  page = await context.newPage()
  await page.goto(`${world.url}/d/${document.id}`)
  await until(
    async () => (await page.locator('.cm-content').count()) > 0 && (await editorText(page)) === '# Trip\nfrom the train\n',
    'the edit after the restart'
  )
  await page.locator('.chip', { hasText: /changes? stored on this device/ }).waitFor()
  await context.setOffline(false)
  await saved(page)
  const merged = '# Trip to the sea\nfrom the train\n'
  await until(async () => (await editorText(page)) === merged && (await editorText(bea)) === merged, 'both texts merged')
  expect(await readMarkdown(world.url, document)).toBe(merged)

  await context.close()
  await ana.remove()
})

test('[WEB-29] the service worker stores no address with a key', async () => {
  const document = await createDocument(world.url, '# Secret')
  const context = await browser.newContext({ serviceWorkers: 'allow' })
  const page = await context.newPage()
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
  await context.close()
})

test('[WEB-31] the service worker may request only its own origin; a page that the browser no longer caches comes from the network', async () => {
  const policy = (await fetch(`${world.url}/sw.js`)).headers.get('content-security-policy')
  expect(policy).toBe("default-src 'none'; connect-src 'self'")
  const context = await browser.newContext({ serviceWorkers: 'allow' })
  const page = await context.newPage()
  await page.goto(world.url)
  await workerActive(page)
  await page.evaluate(async () => void (await Promise.all((await caches.keys()).map((name) => caches.delete(name)))))
  const heard = complaints(page)
  await page.reload()
  await page.getByRole('button', { name: 'Start writing' }).waitFor()
  const fonts = await page.evaluate(async () => [...(await document.fonts.ready)].filter((font) => font.status === 'error').length)
  expect(fonts).toBe(0)
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-27] without IndexedDB the editor works and says that this device keeps nothing', async () => {
  const document = await createDocument(world.url, '# Online')
  const { context, page } = await ownPage(browser)
  await page.addInitScript(() => Object.defineProperty(window, 'indexedDB', { value: undefined }))
  await page.goto(document.url)
  await page.getByText('Not stored on this device.', { exact: true }).waitFor()
  await saved(page)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' only')
  await saved(page)
  await until(async () => (await readMarkdown(world.url, document)) === '# Online only', 'the edit on the server')
  await context.close()
})

test('[KEEP-10] a page whose database opens late then stores the text that was typed before', async () => {
  const document = await createDocument(world.url, '# Late')
  const context = await browser.newContext()
  await context.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  const other = await context.newPage()
  await other.goto(`${world.url}/blank`)
  // The deletion waits for this page. Until the deletion is done, no page can open the database.
  await other.evaluate(async () => {
    const request = indexedDB.open('agmd')
    await new Promise((resolve) => (request.onsuccess = resolve))
    indexedDB.deleteDatabase('agmd')
    Object.assign(globalThis, { letGo: () => request.result.close() })
  })
  const page = await context.newPage()
  await page.goto(document.url)
  await page.getByText('Not stored on this device.', { exact: true }).waitFor()
  await saved(page)
  await context.setOffline(true)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.insertText(' alone')
  await page.locator('.chip', { hasText: /changes not saved/ }).waitFor()
  await other.evaluate('letGo()')
  await held(page, 1).waitFor()
  expect(await page.getByText('Not stored on this device.', { exact: true }).count()).toBe(0)
  await page.close()
  await context.setOffline(false)
  const next = await context.newPage()
  await next.goto(document.url)
  await until(async () => (await readMarkdown(world.url, document)) === '# Late alone', 'what was typed before')
  await context.close()
})

test('[WRITE-130] pictures and diagrams that could not be loaded are loaded once the page is connected again', async () => {
  const content = `![a house](/f/${'x'.repeat(24)}.png)\n\n\`\`\`mermaid\nflowchart LR\n  A --> B\n\`\`\`\n`
  const document = await createDocument(world.url, content)
  const context = await browser.newContext()
  const sockets: WebSocketRoute[] = []
  let isReachable = false
  await context.routeWebSocket('**/collab?*', (socket) => {
    socket.connectToServer()
    sockets.push(socket)
  })
  // The code of the diagram fails once more while the page is connected.
  let failures = 0
  await context.route('**/assets/flowDiagram-*.js', (route) => (failures++ === 0 ? route.abort() : route.continue()))
  await context.route('**/diagram/frame.html', (route) => (isReachable ? route.continue() : route.abort()))
  await context.route('**/f/x*', (route) =>
    isReachable
      ? route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>' })
      : route.abort()
  )
  const [writer, reader] = [await context.newPage(), await context.newPage()]
  await writer.goto(document.url)
  await writer.getByAltText('This picture cannot be shown: a house').waitFor()
  await writer.getByText('Drawing the diagram…').waitFor()
  await reader.goto((await createLink(world.url, document, 'view')).url)
  const house = reader.locator('article img[alt="a house"]')
  await reader.locator('iframe.diagram-frame').waitFor({ state: 'attached' })
  const hasLoaded = (): Promise<boolean> => house.evaluate((image) => (image as HTMLImageElement).naturalWidth === 40)
  expect(await hasLoaded()).toBe(false)
  isReachable = true
  for (const socket of sockets) await socket.close({ code: 1012 })
  await writer.getByAltText('a house', { exact: true }).waitFor()
  await writer.locator('.md-diagram img').waitFor()
  await until(hasLoaded, 'the picture in the reading view')
  await reader.locator('figure.component-mermaid img').waitFor()
  expect(failures).toBeGreaterThan(1)
  await context.close()
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

test('[KEEP-9] unsent entries of an earlier version are sent once, including those that its page adds while it is open', async () => {
  const document = await createDocument(world.url, 'Text here.\n')
  const context = await browser.newContext()
  await context.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  const ask = async <Answer>(path: string): Promise<Answer> =>
    (await (await fetch(`${world.url}/api/docs/${document.id}/${path}`, { headers: { 'x-share-key': document.key } })).json()) as Answer
  const bodies = async (): Promise<readonly string[]> =>
    (await ask<{ comments: { body: string }[] }>('comments')).comments.map(({ body }) => body).toSorted()
  const comment = (id: string, find: string, body: string): object => {
    const target = { find, prefix: '', suffix: '' }
    return { id, doc: document.id, at: 1, author: '', deed: { kind: 'comment', body, target } }
  }
  const start = Y.encodeRelativePosition(Y.createRelativePositionFromTypeIndex(new Y.Doc().getText('content'), 0, -1))
  const file = { id: 'file-earlier', doc: document.id, at: 1, name: 'Red house.png', follows: false }

  // A page of the earlier version keeps its database open. One of the stores no longer belongs to any page.
  const earlier = await context.newPage()
  await earlier.goto(`${world.url}/blank`)
  const keep = (database: string, store: string, record: object, bytes: readonly number[], isClosed: boolean): Promise<void> =>
    earlier.evaluate(
      async ([database, store, record, bytes, position, isClosed]) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const request = indexedDB.open(database, 1)
        request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' }).createIndex('doc', 'doc')
        request.onerror = () => reject(request.error ?? new Error('not opened'))
        request.onsuccess = () => {
          const writing = request.result.transaction(store, 'readwrite')
          const blob = new Blob([new Uint8Array(bytes)], { type: 'image/png' })
          writing.objectStore(store).put(bytes.length === 0 ? record : { ...record, blob, position: new Uint8Array(position) })
          writing.oncomplete = () => {
            if (isClosed) request.result.close()
            else Object.assign(globalThis, { open: request.result })
            resolve()
          }
        }
        return promise
      },
      [database, store, record, bytes, [...start], isClosed] as const
    )
  await keep('agmd-review', 'deeds', comment('comment-earlier', 'Text', 'Before.'), [], false)
  await keep('agmd-uploads', 'uploads', file, [...png(3, 2)], true)
  const databases = (): Promise<readonly (string | undefined)[]> =>
    earlier.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))

  const page = await context.newPage()
  await page.goto(document.url)
  await until(async () => (await readMarkdown(world.url, document)).includes('![Red house]('), 'the picture')
  await until(async () => !(await databases()).includes('agmd-uploads'), 'the old database is gone')
  expect(await databases()).toContain('agmd-review')
  expect(await bodies()).toEqual([])
  await earlier.evaluate(
    async (record) => {
      const writing = (globalThis as unknown as { open: IDBDatabase }).open.transaction('deeds', 'readwrite')
      writing.objectStore('deeds').put(record)
      await new Promise((resolve) => (writing.oncomplete = resolve))
    },
    comment('comment-later', 'here', 'Meanwhile.')
  )
  await earlier.close()
  await until(async () => (await bodies()).join() === 'Before.,Meanwhile.', 'the comments')
  await page.reload()
  await page.locator('.rm-comment', { hasText: 'Text' }).waitFor()
  await saved(page)
  expect(await bodies()).toEqual(['Before.', 'Meanwhile.'])
  expect((await readMarkdown(world.url, document)).match(/!\[/g)).toHaveLength(1)
  const left = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  expect(new Set(left)).toEqual(new Set(['agmd', `agmd:${document.id}`]))
  await context.close()
})
