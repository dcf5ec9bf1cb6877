/** The activity panel in the browser. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { lookAtSizes } from './appearance.ts'
import { png } from '../support/media.ts'
import { chip, complaints, createDocument, createLink, editorText, saved, typeAtEnd, until, type Document } from './browser.ts'
import { bring } from './files.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const open = async (url: string, name: string, options = {}): Promise<{ context: BrowserContext; page: Page; heard: string[] }> => {
  const context = await browser.newContext(options)
  await context.addInitScript((value) => {
    if (location.protocol !== 'about:') localStorage.setItem('agmd.name', value)
  }, name)
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto(url)
  await page.locator('.chip:is([data-state=saved], [data-state=readonly])').waitFor()
  return { context, page, heard }
}

/** Sends an HTTP request as a program with the given name. */
const act = async ({ id, key }: Document, path: string, body: object, author: string): Promise<Record<string, unknown>> => {
  const response = await fetch(`${world.url}/api/docs/${id}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-share-key': key, 'x-agent-author': author },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

const panel = (page: Page) => page.getByRole('region', { name: 'Activity' })
const openPanel = (page: Page): Promise<void> => page.getByRole('button', { name: /^(New a|A)ctivity$/ }).click()

test('[ACTIVITY-1] [ACTIVITY-7] [ACTIVITY-11] the panel shows who did what, newest first, by day, and updates live', async () => {
  const document = await createDocument(world.url, '# Walks\n\nOne.\n')
  const made = await act(document, 'comments', { find: 'One', body: 'Which one?' }, 'reviewer')
  await act(document, 'suggestions', { operation: 'replace', find: 'One', text: 'The first' }, 'reviewer')
  const link = await createLink(world.url, document, 'edit')
  const { context, page, heard } = await open(document.url, 'Ana')
  await openPanel(page)
  await panel(page).getByText('created a link for \u2068a edit\u2069: Can edit').waitFor()
  await panel(page).getByRole('heading', { name: 'Today' }).waitFor()
  const rows = (): Promise<string[]> => panel(page).locator('.event-words').allTextContents()
  const kinds = (await rows()).map((row) => ['created a link', 'suggested', 'commented', 'created'].find((words) => row.includes(words)))
  expect(kinds).toEqual(['created a link', 'suggested', 'commented', 'created'])

  const drawn = await panel(page)
    .locator('.activity-event time')
    .evaluateAll((all) => all.map((time) => time.querySelector('svg path')?.getAttribute('d') ?? ''))
  expect(drawn).not.toContain('')
  expect(new Set(drawn).size).toBe(4)

  const bea = await open(link.url, 'Bea')
  // On a slow machine, words that are typed key by key can become several changes.
  await bea.page.locator('.cm-content').press('Control+End')
  await bea.page.keyboard.insertText('Bea was here.')
  await saved(bea.page)
  await panel(page).getByText('Bea edited the text').waitFor()
  await panel(page).locator('.event-text', { hasText: 'Bea was here.' }).waitFor()
  // The button leads to the comment in the text.
  await panel(page).locator('.activity-event', { hasText: 'commented' }).getByRole('button', { name: 'Show in the text' }).click()
  await page.locator('.card', { hasText: 'Which one?' }).first().waitFor()
  expect(made['comment']).toBeDefined()
  // An acceptance is one line, and says which suggestion it was, even though its event arrived as a message.
  await page.locator('.card', { hasText: 'The first' }).getByRole('button', { name: 'Accept' }).click()
  await until(async () => (await editorText(page)).includes('The first.'), 'the accepted words')
  await act(document, 'edits', { operations: [{ op: 'append', text: 'Three.' }] }, 'reviewer')
  await openPanel(page)
  await panel(page).locator('.event-text', { hasText: 'Three.' }).waitFor()
  expect((await rows()).map((row) => row.replace(/Show in the text$/, '')).slice(0, 3)).toEqual([
    'reviewer (agent) added text Three.',
    'You accepted a suggestion by \u2068reviewer\u2069One The first',
    'Bea edited the text Bea was here.'
  ])
  expect([...heard, ...bea.heard]).toEqual([])
  await context.close()
  await bea.context.close()
})

test('[WHO-16] [WHO-17] [WHO-41] guests without names see their own actions as “You”, and others see their numbers', async () => {
  const document = await createDocument(world.url, '# Walks\n\nOne.\n')
  const owner = await open(document.url, '')
  await owner.page.getByRole('button', { name: 'More' }).click()
  await owner.page.getByRole('button', { name: 'Ask for a review' }).click()
  for (const title of ['The dates', 'The names']) {
    await owner.page.getByLabel('What to review').fill(title)
    await owner.page.getByRole('button', { name: 'Create assignment' }).click()
    await owner.page.getByRole('article', { name: `Assignment: ${title}` }).waitFor()
  }
  const listed = async (): Promise<{ title: string; share: { url: string } }[]> => {
    const response = await fetch(`${world.url}/api/docs/${document.id}/tasks`, { headers: { 'x-share-key': document.key } })
    return ((await response.json()) as { tasks: { title: string; share: { url: string } }[] }).tasks
  }
  const [names, dates] = await listed()
  if (names === undefined || dates === undefined) throw new Error('there are not two assignments')
  const card = (page: Page, title: string) => page.getByRole('article', { name: `Assignment: ${title}` })
  const report = async (page: Page, title: string, summary: string, name = ''): Promise<void> => {
    await card(page, title).getByRole('textbox', { name: 'What did you find?' }).fill(summary)
    await page.getByRole('textbox', { name: 'Your name' }).fill(name)
    await page.keyboard.press('Control+Enter')
  }

  const guest = await open(dates.share.url, '')
  const self = guest.page.getByRole('button', { name: /^You are Guest \d+\./ })
  const number = /\d+/.exec((await self.getAttribute('aria-label')) ?? '')?.[0] ?? ''
  await guest.page.getByRole('button', { name: 'Start the review' }).click()
  await card(owner.page, 'The dates').getByText(`Started by Guest ${number}`).waitFor()
  // The guest gives a name with the report, and reports under it.
  await report(guest.page, 'The dates', 'All of them are possible.', 'Gus')
  await card(owner.page, 'The dates').locator('.task-report .card-author', { hasText: 'Gus' }).waitFor()
  await guest.page.getByRole('button', { name: 'You (Gus)' }).waitFor()
  await card(guest.page, 'The dates').locator('.task-report .card-author', { hasText: 'You' }).waitFor()
  // After another change of the name, the guest's own entries are still theirs.
  await guest.page.getByRole('button', { name: 'You (Gus)' }).click()
  await guest.page.getByRole('dialog', { name: 'Your name' }).getByRole('textbox').fill('Gustav')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('button', { name: 'You (Gustav)' }).waitFor()
  await openPanel(guest.page)
  await panel(guest.page).getByText('finished the review').waitFor()
  expect((await panel(guest.page).locator('.event-words strong').allTextContents()).slice(0, 2)).toEqual(['You', 'You'])

  // A guest starts on one device and reports on another.
  const start = await open(names.share.url, '')
  await start.page.getByRole('button', { name: 'Start the review' }).click()
  await card(start.page, 'The names').getByRole('textbox', { name: 'What did you find?' }).waitFor()
  const started = await card(owner.page, 'The names')
    .getByText(/^Started by Guest \d+$/)
    .textContent()
  const elsewhere = await open(names.share.url, '')
  await report(elsewhere.page, 'The names', 'They are right.')
  await card(owner.page, 'The names')
    .locator('.task-report .card-author', { hasText: String(started).slice(11) })
    .waitFor()

  await act(document, 'comments', { body: 'seen' }, 'reviewer')
  await owner.page.getByRole('button', { name: 'Share' }).click()
  await owner.page.getByRole('tab', { name: 'Publish' }).click()
  await owner.page.getByRole('switch', { name: 'Publish this document' }).click()
  await owner.page.getByRole('switch', { name: 'Publish this document', checked: true }).waitFor()
  await owner.page.keyboard.press('Escape')
  await openPanel(owner.page)
  await panel(owner.page).getByText('published the document').waitFor()
  const rows = await panel(owner.page).locator('.event-words p:first-child').allTextContents()
  expect(rows).toEqual([
    'You published the document',
    'reviewer commented',
    `${String(started).slice(11)} finished the review: \u2068The names\u2069`,
    `${String(started).slice(11)} started the review: \u2068The names\u2069`,
    'Gus finished the review: \u2068The dates\u2069',
    `Guest ${number} started the review: \u2068The dates\u2069`,
    'You requested a review: \u2068The names\u2069',
    'You requested a review: \u2068The dates\u2069',
    'Guest created the document'
  ])
  for (const { context, heard } of [owner, guest, start, elsewhere]) {
    expect(heard).toEqual([])
    await context.close()
  }
})

test('[ACTIVITY-2] [ACTIVITY-6] [ACTIVITY-9] actions by others since the last visit are marked, the person’s own are not', async () => {
  const document = await createDocument(world.url, '# News\n')
  const nameless = await open(document.url, '')
  await typeAtEnd(nameless.page, 'mine too')
  await saved(nameless.page)
  const told = async (): Promise<string> =>
    (await fetch(`${world.url}/api/docs/${document.id}/events?since=0&wait=5`, { headers: { 'x-share-key': document.key } })).text()
  await until(async () => (await told()).includes('content.changed'), 'the event of what was typed')
  expect(await nameless.page.getByRole('button', { name: 'New activity' }).count()).toBe(0)
  await nameless.context.close()
  const { context, page } = await open(document.url, 'Ana')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/events?')) asked.push(request.url())
  })
  const news = page.getByRole('button', { name: 'New activity' })
  await typeAtEnd(page, 'mine')
  await bring(page, 'paste', [{ name: 'Red house.png', type: 'image/png', bytes: png(3, 2) }])
  await until(async () => (await editorText(page)).includes('![Red house]('), 'the picture')
  await saved(page)
  await act(document, 'comments', { body: 'seen live' }, 'reviewer')
  await news.waitFor()
  await openPanel(page)
  await panel(page).getByText('Earlier', { exact: true }).waitFor()
  await panel(page).locator('.activity-event', { hasText: 'the file' }).getByText('You', { exact: true }).waitFor()
  await until(async () => (await news.count()) === 0, 'looked at')
  await page.keyboard.press('Escape')
  await panel(page).waitFor({ state: 'detached' })
  // When the person returns, the panel also shows events that happened while the page was closed.
  await page.goto('about:blank')
  await act(document, 'comments', { body: 'while away' }, 'reviewer')
  await page.goto(`${world.url}/d/${document.id}`)
  await news.waitFor()
  await openPanel(page)
  await panel(page).getByText('Earlier', { exact: true }).waitFor()
  // This person's events may arrive late. Even then, they appear above the mark.
  const rows = await panel(page).locator('.activity-day > ol > li').allTextContents()
  const mark = rows.indexOf('Earlier')
  expect(rows.slice(0, mark).filter((row) => row.includes('reviewer'))).toHaveLength(1)
  expect(rows.slice(mark).filter((row) => row.includes('reviewer'))).toHaveLength(1)
  // Once for each connection, once for each time that the panel opened, and once for an event that came late.
  expect(asked.length, asked.join('\n')).toBeLessThan(8)
  await context.close()
})

test('[ACTIVITY-3] older events load on request, each once; without a connection the panel says so and continues later', async () => {
  const document = await createDocument(world.url, '# Long\n')
  for (let each = 0; each < 70; each++) await act(document, 'comments', { body: `annotation ${each}` }, 'reviewer')
  const { context, page } = await open(document.url, 'Ana')
  await openPanel(page)
  await panel(page).getByRole('button', { name: 'Show older' }).click()
  await panel(page).getByText('created the document').waitFor()
  expect(await panel(page).locator('.activity-event').count()).toBe(71)
  expect(await panel(page).getByRole('button', { name: 'Show older' }).count()).toBe(0)
  await context.setOffline(true)
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await chip(page, 'offline').waitFor()
  await act(document, 'comments', { body: 'missed' }, 'reviewer')
  await context.setOffline(false)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await until(async () => (await panel(page).locator('.activity-event').count()) === 72, 'what was missed is read')
  await page.keyboard.press('Escape')
  // The page loads the panel for the first time without a connection.
  await page.reload()
  await saved(page)
  await page.route('**/events?**', (route) => route.abort())
  await openPanel(page)
  await panel(page).getByText('The server cannot be reached.', { exact: false }).waitFor()
  await page.unroute('**/events?**')
  await panel(page).getByRole('button', { name: 'Try again' }).click()
  await panel(page).locator('.activity-event').first().waitFor()
  await context.close()
})

test('[ACTIVITY-4] activity on wide and narrow screens: no violations, no matter what the names contain', async () => {
  const document = await createDocument(world.url, '# The Seven Lakes\n\nA walk in three days, from the first lake to the last.\n')
  const { context, page, heard } = await open(document.url, 'Ana', { reducedMotion: 'reduce' })
  await act(document, 'comments', { find: 'three days', body: 'Two would do.' }, 'Review agent')
  await act(document, 'suggestions', { operation: 'replace', find: 'three', text: 'two' }, 'Review agent')
  await act(document, 'shares', { role: 'suggest', label: '<img src=x onerror=alert(1)> ‮gnirts' }, 'Bea of the printing house')
  await act(document, 'publish', {}, 'Bea of the printing house')
  await act(document, 'tasks', { requestId: 'one', title: 'Check the tone', instructions: 'Is it kind?' }, 'Bea of the printing house')
  await typeAtEnd(page, 'And back.')
  await saved(page)
  await act(
    document,
    'edits',
    { operations: [{ op: 'append', markdown: 'A line that an agent wrote while Ana was writing, too.' }] },
    'Review agent'
  )
  await page.evaluate((id) => localStorage.setItem(`agmd.seen.${id}`, '7'), document.id)
  await page.reload()
  await saved(page)
  await openPanel(page)
  await panel(page).getByText('Earlier', { exact: true }).waitFor()
  const check = async (where: string): Promise<void> =>
    expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth), where).toBe(true)
  await lookAtSizes(page, 'activity', { check })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByText('Deutsch').waitFor()
  await lookAtSizes(page, 'menu')
  expect(heard).toEqual([])
  await context.close()
})
