/** Failures of the device's storage, the role, the address and the server. The page informs the person, and no text is lost. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startProcess, type World } from '../support/start.ts'
import { chip, createDocument, createLink, editorText, held, readMarkdown, saved, typeAtEnd, until, workerActive } from './browser.ts'
import { startProxy } from './proxy.ts'
import { onStage } from './stage.ts'
import { openNew } from './visits.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const fullDisk = {
  'at the call': () => {
    IDBObjectStore.prototype.add = IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  },
  'when it is written': () => {
    const { add } = IDBObjectStore.prototype
    IDBObjectStore.prototype.add = function (...values: Parameters<typeof add>) {
      const request = add.apply(this, values)
      this.transaction.abort()
      return request
    }
  }
}

/** Returns whether the browser asks before the person leaves the page. */
async function asksBeforeLeaving(page: Page): Promise<boolean> {
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    return true
  })
  const closed = page.waitForEvent('close').then(() => false)
  await page.close({ runBeforeUnload: true })
  return await Promise.race([asked, closed])
}

test.each(Object.entries(fullDisk))(
  '[WEB-38] a device that can store no more (%s): the page says so, continues, loses nothing online and warns before leaving with unsent changes',
  async (_when, fill) => {
    const { document, context, page } = await openNew(browser, world.url, '# Full\n')
    await typeAtEnd(page, 'kept\n')
    await saved(page)
    await page.evaluate(fill)
    await typeAtEnd(page, 'not kept\n')
    await page.locator('.chip', { hasText: 'Saved (not stored on this device)' }).waitFor()
    await page.getByText('Not stored on this device.', { exact: false }).first().waitFor()
    expect(await readMarkdown(world.url, document)).toBe('# Full\nkept\nnot kept\n')

    await context.setOffline(true)
    await typeAtEnd(page, 'alone')
    await page.locator('.chip', { hasText: /changes not saved/ }).waitFor()
    expect(await asksBeforeLeaving(page)).toBe(true)
    await context.setOffline(false)
    await saved(page)
    expect(await readMarkdown(world.url, document)).toBe('# Full\nkept\nnot kept\nalone')
    expect(await asksBeforeLeaving(page)).toBe(false)
    await context.close()
  }
)

test('[WEB-39] [LINK-41] unsent changes by a person who lost the edit role stay, are reported and can be downloaded; with a better link they arrive', async () => {
  const document = await createDocument(world.url, '# Roles\n')
  const edit = await createLink(world.url, document, 'edit')
  const weaker = await createLink(world.url, document, 'comment')
  const context = await browser.newContext({ acceptDownloads: true, serviceWorkers: 'allow' })
  const page = await context.newPage()
  await page.goto(edit.url)
  await saved(page)
  await workerActive(page)
  await context.setOffline(true)
  await typeAtEnd(page, 'mine')
  await until(async () => (await editorText(page)).endsWith('mine'), 'what was typed')
  await page.goto(weaker.url)
  await held(page, 4).waitFor()
  await context.setOffline(false)
  await chip(page, 'readonly').waitFor()
  await page.getByText('You can comment on this document but no longer edit it. Some of your changes did not reach the server').waitFor()
  expect(await editorText(page)).toBe('# Roles\nmine')
  expect(await readMarkdown(world.url, document)).toBe('# Roles\n')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download my copy' }).click()])
  expect(download.suggestedFilename()).toBe('Roles.md')
  // This device still stores the better link.
  await page.getByRole('link', { name: 'Use the other link' }).click()
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe('# Roles\nmine')
  await context.close()
})

test('[WEB-63] [WEB-90] text that a slow disk had not stored when the page closed is there at the next visit, offline too, and reaches the server once', async () => {
  const { document, context, page } = await openNew(browser, world.url, '# Slow\n', { serviceWorkers: 'allow' })
  await workerActive(page)
  // The chip is drawn in a microtask after the event.
  const seen = await page.evaluateHandle(() => {
    const chips: (string | null | undefined)[] = []
    addEventListener('offline', () => setTimeout(() => chips.push(globalThis.document.querySelector('.chip')?.textContent)))
    return chips
  })
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await until(async () => (await seen.jsonValue()).length === 1, 'the event')
  await saved(page)
  await context.setOffline(true)
  await until(async () => (await seen.jsonValue()).length === 2, 'the end of the network')
  expect(await seen.jsonValue()).toEqual(['Offline', 'Offline'])
  // A transaction that does not end blocks all later ones, so none of them ever completes.
  await page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(name)
      request.onsuccess = () => resolve(request.result)
    })
    const store = database.transaction('updates', 'readwrite').objectStore('updates')
    await new Promise<void>((resolve) => {
      const again = (): void => {
        store.get(0).onsuccess = again
        resolve()
      }
      again()
    })
  }, `agmd:${document.id}`)
  await typeAtEnd(page, 'the last words')
  await until(async () => (await editorText(page)).endsWith('the last words'), 'the words')
  expect(await chip(page, 'offline').textContent()).not.toContain('stored')
  await page.goto(world.url)
  await page.goto(document.url)
  await until(async () => (await editorText(page)) === '# Slow\nthe last words', 'the words at the next visit')
  await held(page, 14).waitFor()
  await context.setOffline(false)
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe('# Slow\nthe last words')
  expect(await page.evaluate((name) => localStorage.getItem(name), `agmd.last.${document.id}`)).toBe(null)
  await context.close()
})

test('[WEB-28] each refusal says what happened and what to do', async () => {
  const way = await startProxy(world.url)
  const document = await createDocument(world.url, '# Refused')
  const other = await createDocument(world.url, '# Other')
  const deleted = await createDocument(world.url, '# Deleted')
  await fetch(`${world.url}/api/docs/${deleted.id}?permanent=1`, { method: 'DELETE', headers: { 'x-share-key': deleted.key } })
  const link = await createLink(world.url, document, 'edit')
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, { method: 'DELETE', headers: { 'x-share-key': document.key } })

  const shown = async (address: string, title: string, text: string): Promise<void> => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByText(text).waitFor()
    await page.getByRole('link', { name: 'Go to your documents' }).waitFor()
    await context.close()
  }
  const { id } = document
  await shown(`${world.url}/d/${id}`, 'This document is private', 'Ask the owner for a link.')
  await shown(link.url, 'This link no longer works', 'The link was revoked, has expired or is incomplete.')
  await shown(`${world.url}/d/${id}?key=${other.key}`, 'There is no such document', 'Check the address.')
  await shown(deleted.url, 'This document was deleted', 'It cannot be restored.')

  // Answers that no test can cause with real requests.
  const refuse = (status: number, headers: Record<string, string> = {}): void =>
    way.answer((incoming, response) => {
      if (incoming.url?.startsWith('/api/') !== true) return false
      response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      response.end(JSON.stringify({ status, requestId: 'r-123' }))
      return true
    })
  const there = `${way.url}/d/${id}?key=${document.key}`
  refuse(403)
  await shown(there, 'You do not have access', 'Ask for a new one.')
  refuse(429, { 'retry-after': '17' })
  await shown(there, 'Too many requests', 'Trying again in 17 s.')
  refuse(500)
  await shown(there, 'Something went wrong on our side', 'r-123')
  refuse(503)
  await shown(there, 'The server is restarting', 'The document will open automatically in a few seconds.')
  await way.stop()
})

test('[WEB-28] a page with a temporary refusal opens automatically', async () => {
  const way = await startProxy(world.url)
  const document = await createDocument(world.url, '# Soon')
  const page = await browser.newPage()
  way.answer((incoming, response) => {
    if (incoming.url?.startsWith('/api/') !== true) return false
    response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' })
    response.end('{}')
    return true
  })
  await page.goto(`${way.url}/d/${document.id}?key=${document.key}`)
  await page.getByRole('heading', { name: 'The server is restarting' }).waitFor()
  way.answer(undefined)
  await saved(page)
  expect(await editorText(page)).toBe('# Soon')
  await page.close()
  await way.stop()
})

test('[WEB-40] a new version is offered once, and loaded by a reload', async () => {
  const way = await startProxy(world.url)
  const document = await createDocument(world.url, '# Version')
  const context = await browser.newContext({ serviceWorkers: 'allow' })
  const page = await context.newPage()
  await page.goto(`${way.url}/d/${document.id}?key=${document.key}`)
  await saved(page)
  await workerActive(page)
  await page.reload()
  await saved(page)
  const worker = await (await fetch(`${world.url}/sw.js`)).text()
  const release = (text: string): void =>
    way.answer((incoming, response) => {
      if (incoming.url !== '/sw.js') return false
      response.writeHead(200, { 'content-type': 'text/javascript', 'content-security-policy': "default-src 'none'; connect-src 'self'" })
      response.end(`${worker}\n// ${text}`)
      return true
    }, 'passed')
  const look = () => page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration())?.update()))
  release('the next version')
  await look()
  await page.locator('.toast', { hasText: 'A new version of agmd is ready.' }).waitFor()
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click()
  release('the version after that')
  await look()
  await until(
    () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.installing == null),
    'the installation of the newest version'
  )
  expect(await page.locator('.toast').count()).toBe(0)

  await page.reload()
  await page.locator('.toast', { hasText: 'A new version of agmd is ready.' }).waitFor()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()])
  await saved(page)
  expect(await editorText(page)).toBe('# Version')
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting == null)).toBe(true)
  expect(await page.locator('.toast').count()).toBe(0)
  await context.close()
  await way.stop()
})

test('[WEB-41] the page notices a server that stops answering: it never says Saved while something is pending, and everything arrives later', async () => {
  const server = await startProcess()
  const document = await createDocument(server.url, '')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(document.url)
  await saved(page)
  await typeAtEnd(page, 'before ')
  await saved(page)
  server.child.kill('SIGSTOP')
  const states = page.evaluate(async () => {
    const seen: string[] = []
    const element = globalThis.document.querySelector('.chip') as HTMLElement
    const note = (): number => seen.push(element.dataset['state'] ?? '')
    note()
    const observer = new MutationObserver(note)
    observer.observe(element, { attributes: true, attributeFilter: ['data-state'] })
    await new Promise<void>((resolve) => addEventListener('told', () => resolve(), { once: true }))
    observer.disconnect()
    return seen
  })
  const now = (): Promise<number> => page.evaluate(() => Date.now())
  const typedAt = await now()
  await typeAtEnd(page, 'during ')
  await chip(page, 'saving').waitFor()
  await page.clock.fastForward(11_000)
  await held(page, 7).waitFor()
  // The time is measured with the page's clock.
  expect((await now()) - typedAt).toBeLessThan(30_000)
  await typeAtEnd(page, 'later ')
  await page.evaluate(() => dispatchEvent(new Event('told')))
  expect(await states).toEqual(['saved', 'saving', 'reconnecting'])
  server.child.kill('SIGCONT')
  await saved(page)
  expect(await editorText(page)).toBe('before during later ')
  expect(await readMarkdown(server.url, document)).toBe('before during later ')
  await page.close()
  await server.stop()
})
