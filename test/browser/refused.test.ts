/** Every refusal as people see it: its message and its next step, in every window size and theme. */
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, lookAtSizes } from './appearance.ts'
import { createDocument, createLink, editorText, saved, workerActive, ownPage } from './browser.ts'
import { startProxy } from './proxy.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Answers that no test can cause with real requests. */
const answers = [
  { status: 403, name: 'forbidden', title: 'You do not have access' },
  { status: 429, name: 'busy', title: 'Too many requests', headers: { 'retry-after': '4711' } },
  { status: 500, name: 'error', title: 'Something went wrong on our side' },
  { status: 503, name: 'restarting', title: 'The server is restarting', headers: { 'retry-after': '60' } }
] as const

test('[REFUSED-6] [WEB-115] a cut-off address opens no connection; connections that close before the first message do not multiply', async () => {
  const { context, page } = await ownPage(browser)
  let sockets = 0
  await page.routeWebSocket('**/collab?*', (socket) => {
    sockets++
    socket.onMessage(() => void socket.close({ code: 4400 }))
  })
  await page.goto(`${world.url}/d/abcdefghijk`)
  await page.getByRole('heading', { level: 1, name: 'There is no such document' }).waitFor()
  expect(sockets).toBe(0)
  await page.goto(`${world.url}/d/abcdefghijkl`)
  // The third refused message ends the connection. The page itself loads again later.
  await page.getByText('Trying again in 5 s.').waitFor()
  expect(sockets).toBe(3)
  await page.getByText('Trying again in 1 s.').waitFor()
  expect(sockets).toBe(3)
  await context.close()
})

test('[REFUSED-1] [HOME-8] every refusal: words, a next step, no violations, on wide and narrow screens', async () => {
  const way = await startProxy(world.url)
  const { context, page, heard } = await ownPage(browser, { reducedMotion: 'reduce' })
  const lookAt = async (name: string, title: string): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.getByRole('link', { name: 'Go to your documents' }).waitFor()
    const check = async (where: string): Promise<void> =>
      expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth), where).toBe(true)
    await lookAtSizes(page, `refused-${name}`, { check })
  }
  const document = await createDocument(world.url, '# Refused')
  const link = await createLink(world.url, document, 'edit')
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, { method: 'DELETE', headers: { 'x-share-key': document.key } })
  await page.goto(`${world.url}/d/${document.id}`)
  await lookAt('private', 'This document is private')
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.goto(link.url)
  await lookAt('ended', 'This link no longer works')
  // The page does not store a wrong key, so the address without a key gives its usual answer.
  await page.goto(`${world.url}/d/${document.id}`)
  await page.getByRole('heading', { level: 1, name: 'This document is private' }).waitFor()
  const other = await createDocument(world.url, '# Other')
  await page.goto(`${world.url}/d/${other.id}?key=${document.key}`)
  await lookAt('missing', 'There is no such document')
  const deleted = await createDocument(world.url, '# Deleted')
  await fetch(`${world.url}/api/docs/${deleted.id}?permanent=1`, { method: 'DELETE', headers: { 'x-share-key': deleted.key } })
  await page.goto(deleted.url)
  await lookAt('deleted', 'This document was deleted')
  await page.goto(world.url)
  await page.getByText('Nothing here yet. Start writing, or open a Markdown file.').waitFor()
  await page.goto(`${world.url}/nothing/here`)
  await lookAt('no-page', 'There is nothing at this address')
  for (const { status, name, title, ...more } of answers) {
    way.answer((incoming, response) => {
      if (incoming.url?.startsWith('/api/') !== true) return false
      response.writeHead(status, { 'content-type': 'application/problem+json', ...('headers' in more ? more.headers : {}) })
      response.end(JSON.stringify({ status, requestId: 'r-5f2a90' }))
      return true
    })
    await page.goto(`${way.url}/d/${document.id}?key=${document.key}`)
    await lookAt(name, title)
    if (status >= 429) await page.getByText('Trying again in').waitFor()
    if (status === 429) await page.getByText('Trying again in 79 min.').waitFor()
    if (status === 500) await page.getByText('r-5f2a90').waitFor()
  }
  expect(heard).toEqual([])
  await context.close()
  await way.stop()
})

test('[REFUSED-2] without a connection a document that was never here says so, and opens automatically when the connection returns', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'allow' })
  const page = await context.newPage()
  const document = await createDocument(world.url, '# Later')
  await page.goto(world.url)
  await workerActive(page)
  await context.setOffline(true)
  await page.goto(document.url)
  await page.getByRole('heading', { name: 'You are offline' }).waitFor()
  await look(page, 'refused-offline')
  await context.setOffline(false)
  await saved(page)
  expect(await editorText(page)).toBe('# Later')
  await context.close()
})

test('[REFUSED-3] the first page shows a refusal with the waiting time or the request id, and works afterward', async () => {
  const way = await startProxy(world.url)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(way.url)
  const say = (status: number, headers: Record<string, string> = {}): void =>
    way.answer((incoming, response) => {
      if (incoming.method !== 'POST') return false
      response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      response.end(JSON.stringify({ status, code: status === 413 ? 'content_too_large' : 'x', requestId: 'r-77' }))
      return true
    })
  const begin = (): Promise<void> => page.getByRole('button', { name: 'Start writing' }).click()
  say(429, { 'retry-after': '30' })
  await begin()
  await page.getByText('Many documents were just created from your network. Try again in 30 s.').waitFor()
  say(413)
  await begin()
  await page.getByText('This text is too long for a document.').waitFor()
  say(500)
  await begin()
  await page.getByText('Something went wrong on the server. Request r-77.').waitFor()
  say(503)
  await begin()
  await page.getByText('The server is restarting. Try again in a few seconds.').waitFor()
  way.answer(undefined)
  await begin()
  await saved(page)
  await context.close()
  await way.stop()
})
