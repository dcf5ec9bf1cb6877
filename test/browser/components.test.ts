/** Live components on the page of a document: pointer and keys, roles, two people, the source. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start, type World } from '../support/start.ts'
import { complaints, createDocument, createLink, type Document, editorText, launch, saved, until } from './browser.ts'

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

interface Visitor {
  readonly page: Page
  readonly document: Document
  readonly heard: readonly string[]
  /** Waits until the editor holds a text. */
  text(expected: string): Promise<void>
  leave(): Promise<void>
}

async function visit(document: Document, url = document.url): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto(url)
  return {
    page,
    document,
    heard,
    text: (expected) =>
      until(async () => (await editorText(page)) === expected, JSON.stringify(expected), 4000).catch(async () => {
        expect(await editorText(page)).toBe(expected)
      }),
    leave: async () => {
      expect(heard).toEqual([])
      await context.close()
    }
  }
}

async function writer(content: string): Promise<Visitor> {
  const visitor = await visit(await createDocument(world.url, content))
  await saved(visitor.page)
  return visitor
}

const fenced = (...lines: readonly string[]): string => `# Plan\n\n\`\`\`board #launch\n${lines.join('\n')}\n\`\`\`\n\nAfter\n`
const cards = ['## Todo', '- [ ] Write importer @ana #backend', '- [ ] Test', '## Doing', '## Done', '- [x] Pick name']

test('[LIVE-1] a board is worked with by pointer: each interaction is a small edit of its text and one step of undo', async () => {
  const { page, text, leave } = await writer(fenced(...cards))
  const column = (name: string) => page.getByRole('region', { name, exact: true })
  const card = (name: string) => page.locator('.card', { hasText: name })
  await page.getByRole('button', { name: 'To do: Test' }).click()
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '- [>] Test', '## Doing', '## Done', '- [x] Pick name'))
  await page.getByRole('button', { name: 'In progress: Test' }).click()
  // Two clicks in a row are two steps.
  await page.keyboard.press('Control+z')
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '- [>] Test', '## Doing', '## Done', '- [x] Pick name'))
  await page.keyboard.press('Control+z')
  await text(fenced(...cards))
  const from = await card('Write importer').boundingBox()
  const to = await column('Doing').boundingBox()
  if (from === null || to === null) throw new Error('they are not drawn')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 40, { steps: 5 })
  await page.locator('.drop-line').waitFor()
  await page.mouse.up()
  const moved = ['## Todo', '', '- [ ] Test', '## Doing', '- [>] Write importer @ana #backend', '## Done', '- [x] Pick name']
  await text(fenced(...moved))
  await column('Done').getByRole('button', { name: 'Add a card to Done' }).click()
  await page.keyboard.type('Ship it')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Tell all')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await text(fenced(...moved, '- [x] Ship it', '- [x] Tell all'))
  await page.getByRole('button', { name: 'Actions for Tell all' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByLabel('Who has it').fill('ben')
  await page.getByLabel('Tags').fill('news press')
  await page.getByLabel('Details').fill('In the letter')
  await page.getByRole('button', { name: 'Save' }).click()
  await text(fenced(...moved, '- [x] Ship it', '- [x] Tell all @ben #news #press', '  In the letter'))
  await page.getByLabel('Show cards with').fill('#backend')
  await until(async () => (await page.locator('.card').count()) === 1, 'one card is left')
  await leave()
})
