/** Two browsers and an agent edit a real document at the same time. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import type { World } from '../support/start.ts'
import { putMarkdown, readMarkdown, seeded, type Target } from '../support/typist.ts'
import { createDocument, createLink, cursorAtLine, editorText, saved, until } from './browser.ts'
import { onStage } from './stage.ts'

const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const marksOfPage = repeats(4, 15)
const marksOfAgent = repeats(3, 10)

test('[WEB-42] the CommonMark specification, typed into on two pages and replaced by an agent at once, ends byte-equal everywhere', async () => {
  expect(specification.length).toBeGreaterThan(190_000)
  const document = await createDocument(world.url, specification)
  const target: Target = { url: world.url, doc: document.id, key: document.key }
  const link = await createLink(world.url, document, 'edit')
  const pages: Page[] = []
  for (const url of [document.url, link.url]) {
    const page = await (await browser.newContext()).newPage()
    await page.goto(url)
    await saved(page)
    expect(await editorText(page)).toBe(specification)
    pages.push(page)
  }
  // Text that is typed before a fence gets a line of its own, so the pages type on all other lines.
  const lines = specification.split('\n').flatMap((line, index) => (/^\s*(?:```|~~~)/.test(line) ? [] : [index]))
  const random = seeded(42)
  const marks: string[] = []

  const write = async (page: Page, name: string): Promise<void> => {
    for (let count = 0; count < marksOfPage; count++) {
      const mark = `⟦${name}-${count}⟧`
      marks.push(mark)
      await cursorAtLine(page, lines[random(lines.length)] ?? 0)
      await page.keyboard.type(mark)
    }
  }
  const replace = async (): Promise<void> => {
    for (let count = 0; count < marksOfAgent; count++) {
      const mark = `⟦agent-${count}⟧`
      marks.push(mark)
      let status = 409
      while (status === 409) {
        const { content, version } = await readMarkdown(target)
        const at = content.indexOf('\n', random(content.length - 1000)) + 1
        status = (await putMarkdown(target, `${content.slice(0, at)}${mark}${content.slice(at)}`, version)).status
      }
      expect(status).toBe(200)
    }
  }
  await Promise.all([...pages.map((page, index) => write(page, `page ${index}`)), replace()])

  await Promise.all(pages.map(saved))
  const { content } = await readMarkdown(target)
  for (const page of pages) await until(async () => (await editorText(page)) === content, 'the same text on the page and the server')
  expect(marks.filter((mark) => content.split(mark).length !== 2)).toEqual([])
  // Without the marks, the text is unchanged.
  expect(content.replace(/⟦(page \d|agent)-\d+⟧/g, '')).toBe(specification)
})
