/** People on the page: names from links, the person themselves, and several tabs of one person. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look } from './appearance.ts'
import { chip, complaints, createDocument, editorText, until, type Document } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Sends a request about a document as its owner. */
async function ask({ id, key }: Document, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-share-key': key }
  const sent = await fetch(`${world.url}/api/docs/${id}/shares${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  return sent.status === 204 ? undefined : sent.json()
}

const linkFor = async (document: Document, label: string, role: string): Promise<string> =>
  ((await ask(document, 'POST', '', { role, label })) as { url: string }).url

/** Stops a page from renewing its presence every 15 s (y-protocols checks every 3 s). The presence can then reappear only for another reason. */
const neverRenews = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const { setInterval: real } = globalThis
    const without = (handler: () => void, ms?: number): unknown => (ms === 3000 ? 0 : real(handler, ms))
    globalThis.setInterval = without as typeof setInterval
  })

/** Adds a form where the messages appear, with a field that has the focus. A typed letter moves it down to them. */
const addField = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const form = document.body.appendChild(document.createElement('form'))
    Object.assign(form.style, { position: 'fixed', left: '16px', bottom: '60px', height: '30px' })
    form.addEventListener('input', () => (form.style.bottom = '60px'))
    form.appendChild(document.createElement('input')).focus()
  })

/** Moves the form away from the messages, as the keyboard of a phone does. Typing then moves it to them again. */
async function typeBelow(page: Page, isAway: (expected: boolean) => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const form = document.querySelector<HTMLElement>('body > form')
    if (form !== null) form.style.bottom = '160px'
    visualViewport?.dispatchEvent(new Event('resize'))
  })
  await isAway(false)
  await page.keyboard.type('a')
  await isAway(true)
}

const others = (page: Page) => page.locator('.avatars li:not(.avatar-self) .avatar')

test('[WHO-5] [WHO-8] [WHO-20] [SLIP-7] [EDIT-28] [WEB-121] a link gives its visitor a name until they choose another; people see themselves as “You”, once for all tabs', async () => {
  const document = await createDocument(world.url, '# Plan\n\nThe importer reads every file twice.\n')
  const [mine, hers] = await Promise.all(
    [1, 2].map(() => browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' }))
  )
  if (mine === undefined || hers === undefined) throw new Error('no context')
  const [owner, tab, ana] = [await mine.newPage(), await mine.newPage(), await hers.newPage()]
  const heard = [complaints(owner), complaints(ana)]
  await Promise.all([owner, tab, ana].map(neverRenews))
  await owner.goto(document.url)
  await chip(owner, 'saved').waitFor()
  await tab.goto(document.url)
  await chip(tab, 'saved').waitFor()
  await ana.goto(await linkFor(document, 'Ana', 'comment'))
  await others(ana).first().waitFor()
  await owner.getByRole('button', { name: 'Follow Ana (can comment)' }).waitFor()
  await until(async () => (await others(owner).count()) === 1, 'Ana alone next to oneself')
  expect(await others(ana).count()).toBe(1)
  await ana.getByRole('button', { name: 'You (Ana)' }).waitFor()
  await look(ana, 'who-comment')

  await ana.locator('.annotations-button').waitFor()
  await ana.getByText('importer').dblclick()
  await ana.keyboard.press('Control+Alt+KeyM')
  const field = ana.locator('.card-writer textarea').first()
  await field.waitFor()
  await field.fill('Once should do.')
  const name = ana.getByRole('textbox', { name: 'Your name' })
  await name.waitFor()
  expect(await name.inputValue()).toBe('Ana')
  await look(ana, 'who-name')
  await name.fill('Ana Bell')
  await ana.locator('.card-writer .button.primary').first().click()
  await ana.locator('.card-author', { hasText: 'You' }).waitFor()
  await owner.locator('.card-author', { hasText: 'Ana Bell' }).waitFor()
  await until(async () => (await others(owner).first().getAttribute('aria-label')) === 'Follow Ana Bell (can comment)', 'the new name')
  await ana.getByRole('button', { name: /^Activity/ }).click()
  const row = ana.locator('.activity-event', { hasText: 'commented' })
  await row.waitFor()
  await until(async () => (await row.locator('strong').textContent()) === 'You', 'oneself in the activity')
  expect(heard.flat()).toEqual([])

  // A program that has not read the text replaces the entire text or a section. A person who sees this restores the text.
  const text = await editorText(owner)
  // The messages stay away from the field with the focus, even if a dialog was open before.
  await owner.getByRole('button', { name: 'Share', exact: true }).click()
  await owner.getByRole('dialog').waitFor()
  await owner.keyboard.press('Escape')
  await owner.getByRole('dialog').waitFor({ state: 'detached' })
  await addField(owner)
  const isAway = (expected: boolean): Promise<void> =>
    until(async () => ((await owner.locator('.toasts').boundingBox())?.y ?? 0) < 400 === expected, `the message is away: ${expected}`)
  for (const [method, path, body, said] of [
    ['PUT', 'content', { content: '# Other\n' }, 'replaced the whole text.'],
    ['POST', 'edits', { op: 'replace_section', section: 'Plan', markdown: 'Nothing.' }, 'replaced a section.']
  ] as const) {
    await fetch(`${world.url}/api/docs/${document.id}/${path}`, {
      method,
      headers: { 'x-share-key': document.key, 'x-agent-author': 'Importer', 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
    await owner.getByText('Importer').filter({ hasText: said }).waitFor()
    await isAway(true)
    if (method === 'PUT') await typeBelow(owner, isAway)
    await owner.getByRole('button', { name: 'Undo' }).last().click()
    await until(async () => (await editorText(owner)) === text, 'the text is back')
  }

  // The role of Ana's link changes, and then the link is revoked.
  const { shares } = (await ask(document, 'GET', '')) as { shares: { id: string; label: string | null }[] }
  const share = shares.find(({ label }) => label === 'Ana')?.id ?? 'none'
  await ask(document, 'PATCH', `/${share}`, { role: 'edit' })
  await owner.getByRole('button', { name: 'Follow Ana Bell (can edit)' }).waitFor()
  // Ana's page connects again, and sees the owner, whose page does nothing.
  await ana.getByRole('button', { name: /^Follow Guest \d+ \(owner\)/ }).waitFor()
  await ask(document, 'DELETE', `/${share}`)
  // The program that wrote is shown for a while as well.
  await until(async () => (await others(owner).and(owner.getByLabel('Ana')).count()) === 0, 'Ana has left')
  await mine.close()
  await hers.close()
})
