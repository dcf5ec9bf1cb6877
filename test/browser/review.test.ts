/** Comments, suggestions and assignments in the browser: by keyboard, between people and programs, offline, by role. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { complaints, createDocument, createLink, editorText, launch, readMarkdown, until, type Document } from './browser.ts'

const text = `# Launch plan

The importer reads every file twice, which is slow.

We ship on Monday, if the tests are green.
`

let world: World
let browser: Browser

beforeAll(async () => {
  world = await start()
  browser = await launch()
})

afterAll(async () => {
  await browser.close()
  await world.stop()
})

interface Someone {
  readonly context: BrowserContext
  readonly page: Page
  readonly heard: string[]
}

/** A person with a name who opened an address, at which remarks can be made. */
async function person(name: string, url: string, viewport = { width: 1280, height: 860 }): Promise<Someone> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
  await context.addInitScript((own) => localStorage.setItem('agmd.name', own), name)
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto(url)
  await page.locator('.remarks-button').waitFor()
  await page.locator('.cm-content').waitFor()
  return { context, page, heard }
}

/** Selects the first place of some words in the editor, as a person does with the mouse. */
async function select(page: Page, words: string): Promise<void> {
  await page.locator('.cm-content').evaluate((element, wanted) => {
    interface View {
      readonly state: { readonly doc: { toString(): string } }
      dispatch(change: object): void
      focus(): void
    }
    const view = (element as unknown as { cmTile?: { view?: View } }).cmTile?.view
    if (view === undefined) throw new Error('there is no editor behind this element')
    const from = view.state.doc.toString().indexOf(wanted)
    if (from === -1) throw new Error(`the text has no "${wanted}"`)
    view.focus()
    view.dispatch({ selection: { anchor: from, head: from + wanted.length }, scrollIntoView: true })
  }, words)
}

async function ask<Answer>(document: Document, method: string, path: string, body?: unknown, key = document.key): Promise<Answer> {
  const response = await fetch(`${world.url}/api/docs/${document.id}/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-share-key': key, 'x-agent-author': 'Robot' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer
}

interface Listed {
  readonly comments: readonly { id: string; body: string; author: string; resolved: boolean; replies: readonly { body: string; author: string }[]; target: { quote: string } }[]
}
interface ListedSuggestions {
  readonly suggestions: readonly { id: string; status: string; original: string; text: string; author: string }[]
}

const comments = (document: Document): Promise<Listed> => ask(document, 'GET', 'comments')
const suggestions = (document: Document): Promise<ListedSuggestions> => ask(document, 'GET', 'suggestions')

test('[REVIEW-1] a comment is made on a selection, answered and resolved with the keyboard alone', async () => {
  const document = await createDocument(world.url, text)
  const { context, page, heard } = await person('Ana', document.url)
  await select(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.keyboard.type('Once should do.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.rm-comment', { hasText: 'twice' }).waitFor()
  await until(async () => (await comments(document)).comments.length === 1, 'the comment at the server')
  expect((await comments(document)).comments[0]).toMatchObject({ body: 'Once should do.', author: 'Ana', target: { quote: 'twice' } })

  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F8')
  await page.getByRole('status').filter({ hasText: '1 of 1. Comment by Ana' }).waitFor()
  await page.keyboard.press('Control+.')
  await page.locator('.side-panel .card.active').waitFor()
  await page.keyboard.press('F6')
  await until(() => page.evaluate(() => globalThis.document.activeElement?.closest('.side-panel') !== null), 'the focus in the panel')
  await page.locator('.side-panel-body').focus()
  await page.keyboard.press('j')
  for (let tries = 0; tries < 12; tries++) {
    if ((await page.evaluate(() => globalThis.document.activeElement?.tagName)) === 'TEXTAREA') break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.type('Agreed.')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await comments(document)).comments[0]?.replies.length === 1, 'the reply at the server')
  await page.keyboard.press('Control+Shift+KeyP')
  await page.keyboard.type('resolve this')
  await page.keyboard.press('Enter')
  await until(async () => (await comments(document)).comments[0]?.resolved === true, 'the comment resolved')
  await page.locator('.rm-comment').waitFor({ state: 'detached' })
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-2] what somebody types who may only suggest becomes a suggestion, and is accepted with the keyboard alone', async () => {
  const document = await createDocument(world.url, text)
  const bea = await person('Bea', (await createLink(world.url, document, 'suggest')).url)
  const ana = await person('Ana', document.url)
  await select(bea.page, 'twice')
  await bea.page.keyboard.type('once')
  await bea.page.locator('.rm-own', { hasText: 'once' }).waitFor()
  await bea.page.keyboard.press('Control+End')
  await until(async () => (await suggestions(document)).suggestions.length === 1, 'the suggestion at the server')
  expect((await suggestions(document)).suggestions[0]).toMatchObject({ original: 'twice', text: 'once', author: 'Bea', status: 'pending' })
  expect(await readMarkdown(world.url, document)).toBe(text)
  await ana.page.locator('ins', { hasText: 'once' }).first().waitFor()
  await ana.page.locator('.cm-content').press('Control+Home')
  await ana.page.keyboard.press('F8')
  await ana.page.keyboard.press('Control+Alt+Enter')
  await until(async () => (await editorText(ana.page)).includes('every file once'), 'the text of Ana')
  await until(async () => (await editorText(bea.page)).includes('every file once'), 'the text of Bea')
  expect(await readMarkdown(world.url, document)).toBe(text.replace('twice', 'once'))
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})
