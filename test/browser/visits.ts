/** Visits to documents, each in its own browser context. Unexpected console messages and requests make a visit fail. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { World } from '../support/start.ts'
import { complaints, createDocument, type Document, editorText, type OwnPage, ownPage, saved, until } from './browser.ts'

export interface Visitor {
  readonly page: Page
  readonly document: Document
  /** Waits until the editor contains text. */
  text(expected: string): Promise<void>
  /** Ends the visit. Fails if the page reported an error. */
  leave(): Promise<void>
}

export interface Visits {
  visit(document: Document, url?: string, options?: BrowserContextOptions): Promise<Visitor>
  /** Creates a document with this content, and opens it in the owner's editor. */
  writer(content: string): Promise<Visitor>
}

/** `stage` is called when a visit begins, because the server and the browser start only with the tests of the file. */
export function createVisits(stage: () => { readonly world: World; readonly browser: Browser }): Visits {
  async function visit(document: Document, url = document.url, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await stage().browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const heard = complaints(page)
    await page.goto(url)
    return {
      page,
      document,
      text: (expected) =>
        until(async () => (await editorText(page)) === expected, JSON.stringify(expected)).catch(async () => {
          expect(await editorText(page)).toBe(expected)
        }),
      leave: async () => {
        expect(heard).toEqual([])
        await context.close()
      }
    }
  }
  return {
    visit,
    async writer(content) {
      const visitor = await visit(await createDocument(stage().world.url, content))
      await saved(visitor.page)
      return visitor
    }
  }
}

/** A page in its own browser context, in which a document is open. */
export interface OpenedPage extends OwnPage {
  readonly document: Document
}

/** Creates a document with this content, and opens it in the owner's editor. */
export async function openNew(browser: Browser, base: string, content: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const document = await createDocument(base, content)
  const own = await ownPage(browser, options)
  await own.page.goto(document.url)
  await saved(own.page)
  return { ...own, document }
}
