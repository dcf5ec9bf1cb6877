/** Comments, suggestions and assignments in the browser: with the keyboard, among people and programs, offline, and by role. */
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { cookiesOf } from '../../server/auth/cookies.ts'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { repeats } from '../support/repeats.ts'
import type { World } from '../support/start.ts'
import { password } from '../support/visitor.ts'
import { ask, launchPlan as text, listComments, listSuggestions } from './annotations.ts'
import { look } from './appearance.ts'
import { startProxy } from './proxy.ts'
import {
  complaints,
  createDocument,
  createLink,
  editorText,
  readMarkdown,
  until,
  workerActive,
  type OwnPage,
  ownPage,
  selectWords
} from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

/** Opens an address as a named person, and waits until annotations can be made. */
async function person(name: string, url: string, options: BrowserContextOptions = {}): Promise<OwnPage> {
  const own = await ownPage(browser, { name, viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options })
  const { page } = own
  await page.goto(url)
  await page.locator('.annotations-button').waitFor()
  await page.locator('.cm-content').waitFor({ state: 'attached' })
  await page.locator('.chip:is([data-state=saved], [data-state=readonly])').waitFor()
  return own
}

/** Opens the text as Bea, whose page receives nothing until `release` is called. */
const personBehind = async () => {
  const [way, document] = [await startProxy(world.url), await createDocument(world.url, text)]
  const own = await person('Bea', `${way.url}/d/${document.id}?key=${document.key}`)
  return { way, document, ...own, release: way.hold() }
}

/** Like `person`, with the service worker that opens documents offline. */
const personWithWorker = async (name: string, url: string): Promise<OwnPage> => {
  const someone = await person(name, url, { serviceWorkers: 'allow' })
  await workerActive(someone.page)
  return someone
}

test('[REVIEW-190] [REVIEW-191] [COMMENT-31] undo, redo and a paste elsewhere bring the marks and cards of deleted text back without the service, and the text stays where it is', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'comments', { body: 'Really?', find: 'twice' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'file', text: ' now' })
  const { context, page } = await person('Ana', document.url)
  const [mark, cards] = [page.locator('.rm-comment', { hasText: 'twice' }), page.locator('.margin .card')]
  await until(async () => (await cards.count()) === 2, 'the cards')
  const left = (): Promise<number> => page.locator('.cm-content').evaluate((content) => content.getBoundingClientRect().left)
  const padding = (): Promise<string> => page.locator('.cm-content').evaluate((content) => getComputedStyle(content).paddingRight)
  const before = [await left(), await padding()]
  const isAsked = Promise.withResolvers<undefined>()
  await page.route(/\/(?:comments|suggestions)(?:\?|$)/, async (route) => {
    await isAsked.promise
    await route.continue()
  })
  await selectWords(page, 'The importer reads every file twice, which is slow.')
  await page.keyboard.press('Delete')
  await until(async () => (await mark.count()) + (await cards.count()) === 0, 'no marks and cards')
  expect([await left(), await padding()]).toEqual(before)
  await page.keyboard.press('Control+z')
  await mark.waitFor()
  await until(async () => (await cards.count()) === 2, 'the cards again')
  await page.locator('.rm-proposed ins', { hasText: 'now' }).waitFor()
  expect([await left(), await padding()]).toEqual(before)
  // After an undo of a cut, a paste inserts a copy, which has no comment.
  const pasteAtEnd = async (): Promise<void> => {
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Control+v')
  }
  const anchor = async () => (await listComments(document))[0]?.anchor
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+x')
  await mark.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await mark.waitFor()
  await pasteAtEnd()
  await until(async () => (await readMarkdown(world.url, document)) === `${text}twice`, 'the copy')
  expect(await mark.count()).toBe(1)
  expect(await anchor()).toMatchObject({ from: text.indexOf('twice') })
  await page.keyboard.press('Control+z')
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+x')
  await mark.waitFor({ state: 'detached' })
  await pasteAtEnd()
  await page.locator('.cm-line:last-child .rm-comment', { hasText: 'twice' }).waitFor()
  await until(async () => (await anchor())?.from === text.length - 'twice'.length, 'the comment at the service')
  await page.keyboard.press('Control+z')
  await mark.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await page.locator('.cm-line', { hasText: 'The importer' }).locator('.rm-comment', { hasText: 'twice' }).waitFor()
  await until(async () => (await anchor())?.from === text.indexOf('twice'), 'the comment at its first place')
  isAsked.resolve(undefined)
  await context.close()
})

test('[REVIEW-220] the text stays where it is while a person drags over it, and the cards that arrive meanwhile appear afterward', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', document.url)
  const line = page.locator('.cm-line', { hasText: 'The importer reads' })
  const { x = 0, y = 0, height = 0 } = (await line.boundingBox()) ?? {}
  const left = (): Promise<number> => line.evaluate((element) => element.getBoundingClientRect().left)
  const paper = page.locator('.paper.has-margin')
  await page.mouse.move(x + 1, y + height / 2)
  await page.mouse.down()
  await ask(document, 'POST', 'comments', { body: 'Really?', find: 'twice' })
  await page.locator('.rm-comment', { hasText: 'twice' }).waitFor()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  expect([await left(), await paper.count()]).toEqual([x, 0])
  await page.mouse.move(x + 60, y + height / 2, { steps: 3 })
  await line.evaluate((element) =>
    addEventListener('click', () => (element.ownerDocument.documentElement.dataset['left'] = String(element.getBoundingClientRect().left)))
  )
  await page.mouse.up()
  expect(await page.locator(':root').getAttribute('data-left')).toBe(String(x))
  await paper.waitFor()
  await page.locator('.margin .card').waitFor()
  expect(await left()).toBeLessThan(x)
  expect(await page.evaluate(() => String(getSelection()))).toMatch(/^The \w+/)
  await context.close()
})

test('[REVIEW-1] [REVIEW-243] a comment is made on a selection, answered and resolved with the keyboard alone', async () => {
  const document = await createDocument(world.url, text)
  const { context, page, heard } = await person('Ana', document.url)
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByLabel('Write a comment').pressSequentially('@')
  const nobody = page.locator('.names', { hasText: 'Nobody to mention yet.' })
  await nobody.waitFor()
  await page.getByRole('status').filter({ hasText: 'Nobody to mention yet.' }).waitFor()
  await page.keyboard.press('Escape')
  await nobody.waitFor({ state: 'detached' })
  await page.keyboard.press('Backspace')
  await page.keyboard.type('Once should do.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.rm-comment', { hasText: 'twice' }).waitFor()
  await until(async () => (await listComments(document)).length === 1, 'the comment at the server')
  expect((await listComments(document))[0]).toMatchObject({ body: 'Once should do.', author: 'Ana', target: { quote: 'twice' } })

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
  await until(async () => (await listComments(document))[0]?.replies.length === 1, 'the reply at the server')
  await page.keyboard.press('Control+Shift+KeyP')
  await page.locator('dialog input').waitFor()
  await page.keyboard.type('resolve this')
  await page.keyboard.press('Enter')
  await until(async () => (await listComments(document))[0]?.resolved === true, 'the comment resolved')
  await page.locator('.rm-comment').waitFor({ state: 'detached' })
  expect(heard).toEqual([])
  await context.close()
})

/** Holds back the scripts for comments and writing aids until the returned function is called. */
async function holdParts(context: BrowserContext): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  const wait = async (route: Route): Promise<void> => {
    await gate.promise
    await route.continue()
  }
  await context.route(/\/assets\/(?:soon|review|extras|palette)-/, wait)
  // The role also arrives later than the text.
  await context.route(/\/api\/docs\/[\w-]+$/, wait)
  return gate.resolve
}

test('[REVIEW-16] [REVIEW-76] letters typed after the shortcut for a comment become the comment, even before its part of the page has loaded', async () => {
  const document = await createDocument(world.url, text)
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  await context.addInitScript(() => localStorage.setItem('agmd.name', 'Ana'))
  const release = await holdParts(context)
  const page = await context.newPage()
  const heard = complaints(page)
  await page.goto(document.url)
  await page.locator('.chip[data-state=saved]').waitFor()
  const early = page.locator('.early-field')

  // If the person leaves the field, nothing is created, and the text has the focus.
  await selectWords(page, 'Monday')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.keyboard.type('No')
  expect(await early.inputValue()).toBe('No')
  await page.keyboard.press('Escape')
  expect(await early.count()).toBe(0)
  await page.locator('.cm-content:focus').waitFor()

  await selectWords(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.keyboard.type('Once should do')
  expect(await early.inputValue()).toBe('Once should do')
  await page.keyboard.press('ArrowLeft')
  expect(await editorText(page)).toBe(text)
  release()
  const writer = page.locator('.card.composer textarea')
  await page.locator('.card.composer textarea:focus').waitFor()
  await until(async () => (await writer.inputValue()) === 'Once should do', 'what was typed, in the comment')
  expect(await early.count()).toBe(0)
  // The caret has not moved.
  await page.keyboard.type('0')
  expect(await writer.inputValue()).toBe('Once should d0o')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment at the server')
  expect((await listComments(document))[0]).toMatchObject({ body: 'Once should d0o', target: { quote: 'twice' } })
  expect(await readMarkdown(world.url, document)).toBe(text)
  // The shortcut for comments is kept until the code of the page has loaded.
  const gate = Promise.withResolvers<void>()
  await page.route(/\/assets\/page-/, async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await page.locator('#app').waitFor({ state: 'attached' })
  await page.keyboard.press('Control+.')
  expect(await page.locator('.top-bar').count()).toBe(0)
  gate.resolve()
  await page.locator('.side-panel').waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-17] [WRITE-105] a comment sent before its part of the page has loaded goes out afterward; suggesting, search, palette and bold wait for theirs, too', async () => {
  const document = await createDocument(world.url, text)
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const visit = async (): Promise<{ page: Page; release: () => void }> => {
    await context.unrouteAll()
    const release = await holdParts(context)
    const page = await context.newPage()
    await page.goto(document.url)
    await page.locator('.chip[data-state=saved]').waitFor()
    return { page, release }
  }

  const sent = await visit()
  await selectWords(sent.page, 'Monday')
  await sent.page.keyboard.press('Control+Alt+KeyM')
  await sent.page.keyboard.type('Tuesday?')
  await sent.page.keyboard.press('Control+Enter')
  sent.release()
  await until(async () => (await listComments(document)).length === 1, 'the comment at the server')
  expect((await listComments(document))[0]).toMatchObject({ body: 'Tuesday?', target: { quote: 'Monday' } })
  await sent.page.close()

  const formatted = await visit()
  await formatted.page.locator('.cm-content').press('Control+a')
  await formatted.page.keyboard.press('Control+b')
  formatted.release()
  const bold = text.replaceAll(/[A-Z].*/g, '**$&**')
  await until(async () => (await editorText(formatted.page)) === bold, 'each block in bold')
  await formatted.page.keyboard.press('Control+z')
  await until(async () => (await editorText(formatted.page)) === text, 'the text without bold')
  await formatted.page.locator('.chip[data-state=saved]').waitFor()
  await formatted.page.close()

  for (const [keys, words, field] of [
    ['Control+KeyF', 'reads', '.find [main-field]'],
    ['Control+Shift+KeyP', 'source', '.palette-input']
  ] as const) {
    const found = await visit()
    await found.page.locator('.cm-content').press('Control+Home')
    await found.page.keyboard.press(keys)
    await found.page.keyboard.type(words)
    found.release()
    await until(async () => (await found.page.locator(field).inputValue()) === words, `what was typed, in ${field}`)
    await found.page.locator(`${field}:focus`).waitFor()
    await found.page.close()
  }

  const proposed = await visit()
  await selectWords(proposed.page, 'twice')
  await proposed.page.keyboard.press('Control+Shift+KeyE')
  await proposed.page.keyboard.type('once')
  expect(await editorText(proposed.page)).toBe(text)
  proposed.release()
  await proposed.page.locator('.button.mode[aria-pressed=true]', { hasText: 'Suggest' }).waitFor()
  await proposed.page.keyboard.type('once')
  await proposed.page.locator('.rm-own', { hasText: 'once' }).waitFor()
  await proposed.page.close()

  // On the next visit, typing creates suggestions from the first letter on.
  const again = await visit()
  await selectWords(again.page, 'tests')
  await again.page.keyboard.type('checks')
  expect(await editorText(again.page)).toContain('tests')
  again.release()
  await again.page.locator('.cm-content[aria-readonly=false]').waitFor()
  await again.page.keyboard.type('checks')
  await again.page.locator('.rm-own', { hasText: 'checks' }).waitFor()
  expect(await readMarkdown(world.url, document)).toBe(text)
  await context.close()
})

test('[REVIEW-18] comments and replies suggest names after @; a mention is highlighted in the text, and the activity reports it', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'comments', { body: 'Who looks after this?', find: 'tests' })
  const { context, page, heard } = await person('Ana', document.url)
  const clara = await person('Clara Bo', (await createLink(world.url, document, 'comment')).url)
  await page.locator('.rm-comment', { hasText: 'tests' }).waitFor()
  await page
    .locator('.avatars')
    .getByRole('button', { name: /Clara Bo/ })
    .waitFor()
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  const field = page.getByLabel('Write a comment')
  const names = page.getByRole('option')
  await field.pressSequentially('Once, @')
  await until(async () => (await names.allTextContents()).toSorted().join(' ') === '@Clara-Bo @Robot', 'both names')
  await page.getByRole('status').filter({ hasText: '2 names' }).waitFor()
  await field.press('Escape')
  await until(async () => (await names.count()) === 0, 'they are closed')
  await field.pressSequentially('c')
  await until(async () => (await names.allTextContents()).join(' ') === '@Clara-Bo', 'her name alone')
  await field.press('Enter')
  expect(await field.inputValue()).toBe('Once, @Clara-Bo ')
  await field.pressSequentially('and `@nobody`')
  await field.press('Control+Enter')
  const told = clara.page.locator('.card .mention')
  await told.waitFor()
  expect(await told.allTextContents()).toEqual(['@Clara Bo'])
  await until(async () => (await told.getAttribute('class')) === 'mention own', 'she is told it is her')
  expect(await page.locator('.card .mention').first().getAttribute('class')).toBe('mention')
  await clara.page.getByRole('button', { name: 'Activity' }).click()
  await clara.page.locator('.activity-event', { hasText: 'mentioned you in a comment' }).waitFor()
  await page.locator('.rm-comment', { hasText: 'tests' }).click()
  await page.getByLabel('Reply').pressSequentially('@rob')
  await names.filter({ hasText: 'Robot' }).click()
  await page.keyboard.press('Control+Enter')
  await page.locator('.card-reply .mention', { hasText: '@Robot' }).waitFor()
  await page.getByRole('button', { name: 'Activity' }).click()
  await page.locator('.activity-event', { hasText: /mentioned .*Robot.* in a comment/ }).waitFor()
  expect(heard).toEqual([])
  await context.close()
  await clara.context.close()
})

test('[LOOK-20] F6 moves to the active card in the margin', async () => {
  const lines = Array.from({ length: 3 }, (_each, index) => `Line ${index + 10}.`)
  const document = await createDocument(world.url, lines.join('\n\n'))
  for (const line of lines) await ask(document, 'POST', 'comments', { body: `About ${line}`, find: line })
  const { context, page, heard } = await person('', document.url)
  await page.locator('.margin .card').nth(2).waitFor()
  await page.locator('.rm-comment', { hasText: 'Line 11' }).click()
  await page.locator('.margin .card.active', { hasText: 'About Line 11.' }).waitFor()
  await page.keyboard.press('F6')
  await page.locator('.margin .card.active:focus', { hasText: 'About Line 11.' }).waitFor()
  await page.keyboard.press('Shift+F6')
  await page.locator('.cm-content:focus').waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-151] [REVIEW-152] [REVIEW-240] [REVIEW-241] the panel opens at a whole card, with its filter in view, and a phone shows the buttons of a new comment', async () => {
  const lines = Array.from({ length: 20 }, (_each, index) => `Line ${index + 10}.`)
  const document = await createDocument(world.url, lines.join('\n\n'))
  for (const line of lines) await ask(document, 'POST', 'comments', { body: `About ${line}`, find: line })
  const { context, page, heard } = await person('', document.url)
  await page.locator('.margin .card').nth(19).waitFor()
  await page.locator('.rm-comment', { hasText: 'Line 17' }).click()
  await page.locator('.margin .card.active', { hasText: 'About Line 17.' }).waitFor()
  await page.locator('.annotations-button').click()
  const card = page.locator('.side-panel .card.active', { hasText: 'About Line 17.' })
  await until(
    () =>
      card.evaluate((element) => {
        const outer = element.closest('.side-panel-body')?.getBoundingClientRect()
        return Math.abs(element.getBoundingClientRect().top - (outer?.top ?? 0)) < 16
      }),
    'the card is at the top of the panel'
  )
  const isInView = await page.getByRole('radio', { name: 'Resolved' }).evaluate((element) => {
    const { left, top } = element.parentElement?.getBoundingClientRect() ?? new DOMRect()
    return element.parentElement?.contains(globalThis.document.elementFromPoint(left + 5, top + 5)) === true
  })
  expect(isInView, 'the filter is in view').toBe(true)
  await page.locator('.side-panel').getByRole('button', { name: 'Close' }).click()
  await page.setViewportSize({ width: 360, height: 420 })
  await selectWords(page, 'Line 12')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByLabel('Write a comment').pressSequentially('Why?')
  await page.getByRole('textbox', { name: 'Your name' }).waitFor()
  const send = page.locator('.side-panel .card.composer').getByRole('button', { name: 'Comment' })
  await until(
    () =>
      send.evaluate((element) => {
        const { left, bottom } = element.getBoundingClientRect()
        const found = globalThis.document.elementFromPoint(left + 5, bottom - 5)
        return bottom <= innerHeight && found !== null && element.contains(found)
      }),
    'the button is visible'
  )
  // In landscape, the panel is next to the text, and as high as the text.
  await page.setViewportSize({ width: 740, height: 360 })
  const boxOf = (name: string) => page.locator(name).boundingBox()
  const isBeside = async (): Promise<boolean> => {
    const [panel, main] = [await boxOf('.side-panel'), await boxOf('.document-main')]
    return panel !== null && main !== null && panel.x >= 370 && panel.height === main.height
  }
  await until(isBeside, 'the panel is next to the text')
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-32] a reply appears once, even if its event arrives before the answer', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'comments', { body: 'Who looks after this?', find: 'tests' })
  const { context, page, heard } = await person('Ana', document.url)
  await page.locator('.rm-comment').click()
  const answered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await page.route('**/replies', async (route: Route) => {
    const response = await route.fetch()
    answered.resolve()
    await gate.promise
    await route.fulfill({ response })
  })
  await page.getByLabel('Reply').fill('I do.')
  await page.keyboard.press('Control+Enter')
  await answered.promise
  // The later request has been answered, so the earlier message has arrived too.
  await ask(document, 'POST', 'edits', { edits: [{ find: 'Monday', replace: 'Tuesday' }] })
  await page.locator('.cm-line', { hasText: 'Tuesday' }).waitFor()
  expect(await page.locator('.card-reply').count()).toBe(1)
  gate.resolve()
  await page.locator('.card-reply:not(.waiting)').waitFor()
  expect(await page.locator('.card-reply').count()).toBe(1)
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-2] typing with the suggest role becomes a suggestion, which is accepted with the keyboard alone', async () => {
  const document = await createDocument(world.url, text)
  const bea = await person('Bea', (await createLink(world.url, document, 'suggest')).url)
  const ana = await person('Ana', document.url)
  await selectWords(bea.page, 'twice')
  await bea.page.keyboard.type('once')
  await bea.page.locator('.rm-own', { hasText: 'once' }).waitFor()
  await bea.page.keyboard.press('Control+End')
  await until(async () => (await listSuggestions(document))[0]?.text === 'once', 'the suggestion at the server')
  expect((await listSuggestions(document))[0]).toMatchObject({ original: 'twice', text: 'once', author: 'Bea', status: 'pending' })
  expect(await readMarkdown(world.url, document)).toBe(text)
  await ana.page.locator('ins', { hasText: 'once' }).first().waitFor()
  await ana.page.locator('.cm-content').press('Control+Home')
  await ana.page.keyboard.press('F8')
  await ana.page.getByRole('status').filter({ hasText: '1 of 1.' }).waitFor()
  await ana.page.keyboard.press('Control+Alt+Enter')
  await until(async () => (await editorText(ana.page)).includes('every file once'), 'the text of Ana')
  await until(async () => (await editorText(bea.page)).includes('every file once'), 'the text of Bea')
  expect(await readMarkdown(world.url, document)).toBe(text.replace('twice', 'once'))
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

test('[EXPORT-5] a printed live view has suggestions, but no carets, selections or marks of comments', async () => {
  const document = await createDocument(world.url, text)
  const ana = await person('Ana', document.url)
  const bea = await person('Bea', (await createLink(world.url, document, 'edit')).url)
  await ask(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'green', text: 'all green', note: '' })
  await selectWords(bea.page, 'tests')
  await selectWords(ana.page, 'ship')
  const { page } = ana
  const marks = ['.own-selection', '.remote-selection', '.remote-caret', '.cm-cursor', '.rm-ins', '.rm-initial']
  for (const mark of [...marks, '.rm-comment']) await page.locator(mark).first().waitFor({ state: 'attached' })
  await page.emulateMedia({ media: 'print' })
  const isDrawn = (mark: string): Promise<boolean> =>
    page
      .locator(mark)
      .first()
      .evaluate((element) => element.checkVisibility())
  expect(await Promise.all(marks.map(isDrawn))).toEqual([false, false, false, false, true, true])
  const drawn = await page.locator('.rm-comment').evaluate((element) => {
    const { backgroundColor, borderBottomStyle } = getComputedStyle(element)
    return [backgroundColor, borderBottomStyle]
  })
  expect(drawn).toEqual(['rgba(0, 0, 0, 0)', 'none'])
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

test('[REVIEW-84] [REVIEW-112] [REVIEW-113] [REVIEW-223] [GRID-82] [GRID-83] suggested list items, headings and table rows look as they will in the live view', async () => {
  const document = await createDocument(
    world.url,
    `${text}\nLast words.\n\n## Low level\n\n| A | B |\n|---|---|\n| one | two |\n\n| C | D |\n|---|---|\n| 1 | 2 |\n`
  )
  const { context, page, heard } = await person('Ana', document.url)
  const added = '\n\n- one - two\n  * three\n- [ ] four\n\n## Heading'
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'Last words', at: 'before', text: '### ' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: '## Low', at: 'before', text: '#' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: '| one | two |', at: 'after', text: '\n| red | blue |' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'green.', at: 'after', text: added })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'We ship', at: 'before', text: '+ five\n\n' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'twice', at: 'before', text: '- six ' })
  const [columns, wider] = ['| C | D |\n|---|---|\n| 1 | 2 |', '| C | Cost | D |\n|---|---|---|\n| 1 | low | 2 |']
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: columns, text: wider })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: '| 1 | 2 |', at: 'before', text: '| grey | pink |\n' })
  await page.locator('.rm-ins', { hasText: 'six' }).waitFor()
  await page.locator('.rm-ins', { hasText: 'four' }).waitFor()
  const marks = page.locator('.rm-bullet')
  await until(async () => (await marks.count()) === 3, 'the bullets')
  expect(await marks.allTextContents()).toEqual(['+ ', '- ', '* '])
  expect(await page.locator('.rm-ins', { hasText: 'four' }).textContent()).toBe(added)
  const drawn = (): Promise<string> => marks.first().evaluate((element) => getComputedStyle(element, '::before').content)
  expect(await drawn()).toBe('"•"')
  const sizeOf = (found: Locator): Promise<string> => found.evaluate((element) => getComputedStyle(element).fontSize)
  expect(await sizeOf(page.locator('.rm-h2', { hasText: 'Heading' }))).toBe('24px')
  expect(await sizeOf(page.locator('.cm-line', { hasText: 'Last words' }))).toBe('20px')
  await page.locator('.margin .card', { hasText: 'Heading 3: “Last words.”' }).waitFor()
  expect(await page.locator('.rm-mark').evaluateAll((all) => all.every((mark) => getComputedStyle(mark).display === 'none'))).toBe(true)
  const boxOf = async (found: Locator) => (await found.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 }
  const low = page.locator('.cm-line', { hasText: 'Low level' })
  expect(await low.locator('.rm-ins').textContent()).toBe('H3')
  expect(await sizeOf(low)).toBe('20px')
  await low.click({ position: { x: 100, y: 20 } })
  const [hanging, level] = [await boxOf(low.locator('.md-hang')), await boxOf(low.locator('.rm-ins'))]
  expect(hanging.x + hanging.width).toBeLessThanOrEqual(level.x)
  // The row is below the last row, in the same columns.
  const [above, below] = [
    await boxOf(page.locator('.md-cell', { hasText: 'two' })),
    await boxOf(page.locator('.rm-cell', { hasText: 'blue' }))
  ]
  expect(below.y).toBeCloseTo(above.y + above.height, 0)
  expect([below.x, below.width]).toEqual([above.x, above.width])
  // The new column is between the others, and the new row is between its neighbors in all three columns.
  const cellOf = (name: string, words: string) => boxOf(page.locator(name, { hasText: words }))
  const [before, column, after] = [await cellOf('.md-cell', 'C'), await cellOf('.rm-column', 'Cost'), await cellOf('.md-cell', 'D')]
  expect([column.x, column.y, after.x]).toEqual([before.x + before.width, before.y, column.x + column.width])
  const [lower, grey, pink] = [await cellOf('.rm-column', 'low'), await cellOf('.rm-cell', 'grey'), await cellOf('.rm-cell', 'pink')]
  expect([lower.x, lower.width, grey.x, pink.x]).toEqual([column.x, column.width, before.x, after.x])
  expect([grey.y, lower.y]).toEqual([expect.closeTo(before.y + before.height, 0), expect.closeTo(grey.y + grey.height, 0)])
  const card = page.locator('.margin .card', { hasText: 'Add column “Cost”: low' })
  await card.waitFor()
  expect(await card.locator('.card-source').count()).toBe(0)
  await page.getByRole('button', { name: 'Source' }).click()
  await page.locator('.cm-source').waitFor()
  expect(await drawn()).toBe('none')
  expect(await sizeOf(page.locator('.rm-h2', { hasText: '## Heading' }))).toBe(await sizeOf(page.locator('.cm-content')))
  await page.locator('.rm-ins', { hasText: '| red | blue |' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-3] two people and a program see each other’s annotations at once, and these stay on their words while all of them write', async () => {
  const document = await createDocument(world.url, text)
  const ana = await person('Ana', document.url)
  const bea = await person('Bea', (await createLink(world.url, document, 'edit')).url)
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  for (const { page } of [ana, bea]) {
    await page.locator('.rm-comment', { hasText: 'Monday' }).waitFor()
    await page.locator('.margin .card', { hasText: 'A holiday!' }).waitFor()
  }
  await bea.page.locator('.cm-content').press('Control+Home')
  await bea.page.keyboard.type('Before all. ')
  await ask(document, 'POST', 'edits', { edits: [{ find: 'We ship on', replace: 'The whole team ships on' }] })
  await until(async () => (await editorText(ana.page)).includes('The whole team ships on'), 'the edit of the program')
  for (const { page } of [ana, bea]) expect(await page.locator('.rm-comment').allTextContents()).toEqual(['Monday'])

  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'green', text: 'all green', note: 'To be sure.' })
  await ana.page.locator('.margin .card', { hasText: 'To be sure.' }).getByRole('button', { name: 'Accept' }).click()
  await until(async () => (await editorText(bea.page)).includes('are all green'), 'the accepted text at Bea')
  await bea.page.locator('.margin .card', { hasText: 'To be sure.' }).waitFor({ state: 'detached' })
  expect(await readMarkdown(world.url, document)).toContain('if the tests are all green.')

  await ana.page.locator('.margin .card', { hasText: 'A holiday!' }).click()
  await ana.page.getByRole('textbox', { name: 'Reply' }).fill('Tuesday, then.')
  await ana.page.getByRole('button', { name: 'Reply' }).click()
  await bea.page.locator('.margin .card', { hasText: '1 reply' }).waitFor()
  await ask(document, 'POST', `comments/${id}/resolve`, {})
  await ana.page.locator('.rm-comment').waitFor({ state: 'detached' })
  await bea.page.locator('.rm-comment').waitFor({ state: 'detached' })
  // The text column widens again when the last annotation is gone. Ana's page still shows the card of her decision.
  await bea.page.locator('.paper.has-margin').waitFor({ state: 'detached' })

  // Deleting the text orphans the comment, and undo restores its place.
  await ask(document, 'POST', `comments/${id}/resolve`, { resolved: false })
  await bea.page.locator('.rm-comment', { hasText: 'Monday' }).waitFor()
  await selectWords(bea.page, ' on Monday')
  await bea.page.keyboard.press('Delete')
  await ana.page.locator('.rm-comment').waitFor({ state: 'detached' })
  await bea.page.keyboard.press('Control+z')
  await ana.page.locator('.rm-comment', { hasText: 'Monday' }).waitFor()
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

test('[REVIEW-41] [REVIEW-114] a comment can be written where a hundred others are; the cards near it are connected with the text', async () => {
  const document = await createDocument(world.url, text)
  for (let each = 0; each < 100; each++) await ask(document, 'POST', 'comments', { find: 'Monday', body: `Annotation ${each}` })
  const { context, page, heard } = await person('Ana', document.url)
  await page.locator('.margin .card').first().waitFor()
  const lines = page.locator('.margin-lines path')
  await until(async () => (await lines.count()) > 7 && (await lines.count()) < 80, 'the lines of the near cards')
  await selectWords(page, 'Monday')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('One more.')
  await page.keyboard.press('Control+Enter')
  await until(async () => JSON.stringify(await ask(document, 'GET', 'comments')).includes('One more.'), 'the comment at the service')
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-4] [REVIEW-63] actions without a connection survive a reload, are shown, and arrive once, in order, even with two tabs open', async () => {
  const document = await createDocument(world.url, text)
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  const { id: proposal } = await ask<{ id: string }>(document, 'POST', 'suggestions', { operation: 'delete', find: ', which is slow' })
  const { context, page } = await personWithWorker('Ana', document.url)
  await page.locator('.margin .card').first().waitFor()
  const other = await context.newPage()
  await other.goto(`${world.url}/d/${document.id}`)
  await other.locator('.annotations-button').waitFor()
  await context.setOffline(true)

  await selectWords(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('Once should do.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.card', { hasText: 'Once should do.' }).getByText('Stored on this device.', { exact: false }).waitFor()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('F8')
  await page.getByRole('status').filter({ hasText: '1 of 3. Comment by Ana: Once should do. (not sent yet)' }).waitFor()
  await page.locator('.card', { hasText: 'A holiday!' }).getByRole('button', { name: 'Resolve' }).click()
  await page.locator('.rm-comment', { hasText: 'Monday' }).waitFor({ state: 'detached' })
  await page.locator('.card.proposal').getByRole('button', { name: 'Accept' }).click()
  await page.locator('.card.proposal').getByText('Accepting…').waitFor()
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+Shift+KeyE')
  await selectWords(page, 'Launch')
  await page.keyboard.type('Start')
  await page.locator('.cm-content').press('Control+End')
  await page.locator('.card', { hasText: 'Start' }).getByText('Stored on this device.', { exact: false }).waitFor()
  await page.reload()
  await page.locator('.card', { hasText: 'Once should do.' }).waitFor()
  await page.locator('.card', { hasText: 'Start' }).waitFor()
  await page.locator('.rm-comment', { hasText: 'twice' }).waitFor()

  await context.setOffline(false)
  await until(async () => (await readMarkdown(world.url, document)) === text.replace(', which is slow', ''), 'the accepted suggestion')
  await until(async () => (await listSuggestions(document)).length === 2, 'the suggestion of Ana')
  await until(async () => (await page.getByText('Stored on this device.', { exact: false }).count()) === 0, 'nothing waits')
  const now = await listComments(document)
  expect(now.map(({ body }) => body).toSorted()).toEqual(['A holiday!', 'Once should do.'])
  expect(now.find((comment) => comment.id === id)?.resolved).toBe(true)
  expect((await listSuggestions(document)).find((each) => each.id === proposal)?.status).toBe('accepted')
  const { events } = await ask<{ events: { type: string }[] }>(document, 'GET', 'events')
  expect(events.map(({ type }) => type).filter((type) => /^(comment|suggestion)\./.test(type))).toEqual([
    'comment.created',
    'suggestion.created',
    'comment.created',
    'comment.resolved',
    'suggestion.accepted',
    'suggestion.created'
  ])
  await other.locator('.rm-comment', { hasText: 'twice' }).waitFor()
  expect(await other.locator('.card', { hasText: 'Once should do.' }).count()).toBe(1)
  await context.close()
})

/** Returns everything that this device stores for a document: values, database records, and the text. */
const keptOf = (page: Page, id: string): Promise<readonly string[]> =>
  page.evaluate(async (id) => {
    const values = Object.entries(localStorage).filter((entry) => entry.join().includes(id))
    const texts = (await indexedDB.databases()).filter(({ name }) => name?.includes(id))
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    const opening = indexedDB.open('agmd')
    opening.onsuccess = () => {
      const reading = opening.result.transaction(opening.result.objectStoreNames)
      const asked = [...opening.result.objectStoreNames].map((name) => [name, reading.objectStore(name).index('doc').count(id)] as const)
      reading.oncomplete = () => {
        opening.result.close()
        resolve(asked.filter(([, { result }]) => result > 0).map(([name]) => name))
      }
    }
    return [...values.map(([name]) => name), ...texts.map(({ name }) => name ?? ''), ...(await promise)]
  }, id)

test('[REVIEW-31] without a connection annotations appear as this device last saw them, on their characters; [WEB-71] removing a document removes everything stored for it', async () => {
  const document = await createDocument(world.url, text)
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { find: 'every', body: 'Really every one?' })
  await ask(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  await ask(document, 'POST', 'suggestions', { operation: 'delete', find: ', which is slow' })
  const { context, page } = await personWithWorker('Ana', document.url)
  await page.locator('.rm-comment', { hasText: 'every' }).waitFor()
  await until(async () => (await keptOf(page, document.id)).includes('lists'), 'they are kept')
  await context.setOffline(true)
  await selectWords(page, 'Monday')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('every ')
  await page.locator('.rm-comment', { hasText: 'every' }).waitFor()
  await page.reload()
  const comment = page.locator('.rm-comment')
  await comment.filter({ hasText: 'every' }).waitFor()
  expect(await comment.count()).toBe(1)
  expect(await page.locator('.cm-line', { has: comment }).textContent()).toContain('reads every file')
  await page.locator('.rm-del', { hasText: ', which is slow' }).waitFor()
  await page.locator('.annotations-button').click()
  await page.locator('.side-panel').getByText('Last updated', { exact: false }).waitFor()
  await page.locator('.side-panel .card', { hasText: 'A holiday!' }).getByText('The text was deleted.').waitFor()
  await page.locator('.side-panel .card', { hasText: 'Really every one?' }).click()
  await page.getByLabel('Reply').fill('I mean it.')
  await page.keyboard.press('Control+Enter')
  await page.locator('.card-reply', { hasText: 'I mean it.' }).waitFor()
  await context.setOffline(false)
  await until(async () => (await listComments(document)).find((each) => each.id === id)?.replies.length === 1, 'the reply at the server')
  await page.getByText('Last updated', { exact: false }).waitFor({ state: 'detached' })

  await page.goto(world.url)
  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('button', { name: 'Remove from this device…' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await until(async () => (await keptOf(page, document.id)).length === 0, 'all of it is gone')
  await context.close()
})

/** Returns the words that the reading view highlights, and the number of blocks with a bar. */
const readingMarks = (page: Page): Promise<{ words: string[]; active: string[]; suggested: string[]; bars: number }> =>
  page.evaluate(() => {
    const of = (name: string): string[] => [...(CSS.highlights.get(name) ?? [])].map((range) => (range as Range).toString())
    const bars = globalThis.document.querySelector('.reading')?.shadowRoot?.querySelectorAll('.annotation-bar').length ?? 0
    return { words: of('agmd-comment'), active: of('agmd-comment-active'), suggested: of('agmd-suggestion'), bars }
  })

test('[REVIEW-30] comments are highlighted in the reading view, whose HTML stays unchanged; a click or F8 opens them', async () => {
  const source = `# Plan\n\nThe **importer** reads every file twice.\n\n- one fish\n- two fish\n\n$$\n\\frac{a}{b}\n$$\n`
  const document = await createDocument(world.url, source)
  const viewer = await createLink(world.url, document, 'view')
  const { context, page, heard } = await person('Ana', viewer.url)
  const article = page.locator('.reading article')
  await article.locator('li').first().waitFor()
  await article.locator('mfrac').waitFor()
  const html = await article.evaluate((element) => element.innerHTML)
  for (const [body, find] of [
    ['Which one?', '**importer** reads'],
    ['Red?', 'one fish\n- two'],
    ['By b?', '\\frac{a}{b}']
  ])
    await ask(document, 'POST', 'comments', { body, find })
  await until(async () => (await readingMarks(page)).words.length === 2, 'two are highlighted')
  expect(await readingMarks(page)).toEqual({ words: ['importer reads', 'one fish\ntwo'], active: [], suggested: [], bars: 1 })
  expect(await article.evaluate((element) => element.innerHTML)).toBe(html)
  await look(page, 'review-reading')

  await article.locator('strong', { hasText: 'importer' }).click()
  await page.locator('.side-panel .card.active', { hasText: 'Which one?' }).waitFor()
  await until(async () => (await readingMarks(page)).active.join() === 'importer reads', 'the one that is looked at')
  await page.locator('.reading').focus()
  await page.keyboard.press('F8')
  await page.getByRole('status').filter({ hasText: '2 of 3. Comment by Robot: Red?' }).waitFor()
  await page.keyboard.press('F8')
  await page.getByRole('status').filter({ hasText: '3 of 3' }).waitFor()
  await page.locator('.reading .annotation-bar.active').waitFor({ state: 'attached' })
  await page.keyboard.press('Shift+F8')
  await page.getByRole('status').filter({ hasText: '2 of 3' }).waitFor()

  // Highlights follow changes by others, and disappear once the comments are resolved.
  await ask(document, 'POST', 'edits', { operations: [{ op: 'replace', find: '# Plan', with: '# The plan for today\n\nFirst' }] })
  await article.getByText('First').waitFor()
  const all = await listComments(document)
  await ask(document, 'POST', `comments/${all.find(({ body }) => body === 'Red?')?.id ?? ''}/resolve`, {})
  await until(async () => (await readingMarks(page)).words.join() === 'importer reads', 'only the open one')
  expect((await readingMarks(page)).bars).toBe(1)
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-38] suggestions are marked in the reading view, and a comment started there is on the selected words', async () => {
  const source = `# Plan\n\nThe **importer** reads *every* file twice.\n\nThe end.\n`
  const document = await createDocument(world.url, source)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'file twice', text: 'file once' })
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'The end.', at: 'after', text: ' Or not.' })
  const { context, page } = await person('Ana', (await createLink(world.url, document, 'comment')).url)
  await page.locator('.cm-content').waitFor()
  await page.getByRole('button', { name: 'Read' }).click()
  const article = page.locator('.reading article')
  await article.locator('strong', { hasText: 'importer' }).waitFor()
  await until(async () => (await readingMarks(page)).suggested.join() === 'file twice', 'what is to be replaced')
  await page.locator('.reading .annotation-bar.suggestion').waitFor({ state: 'attached' })
  await look(page, 'review-reading-suggestions')

  await article.locator('strong').dblclick()
  await page.keyboard.press('Shift+Control+ArrowRight')
  await page.keyboard.press('Shift+Control+ArrowRight')
  await page.keyboard.press('Control+Alt+m')
  await page.keyboard.type('Which one?')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment')
  const [first] = await listComments(document)
  expect(first?.target.quote).toBe('importer** reads *every')
  await until(async () => (await readingMarks(page)).active.join() === 'importer reads every', 'it is marked')

  await article.getByText('The end.').click()
  await page.keyboard.press('Control+Alt+m')
  await page.keyboard.type('All of it?')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 2, 'the other one')
  expect((await listComments(document)).map(({ target }) => target.quote).toSorted()).toEqual(['', 'importer** reads *every'])
  await context.close()
})

test('[REVIEW-5] [REVIEW-40] [REVIEW-64] [REVIEW-120] [REVIEW-242] [SUGG-43] [SUGG-81] each role has its controls: reading, commenting, suggesting, or choosing between suggesting and editing; a withdrawal can be undone', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'green', text: 'all green' })
  const as = async (role: string): Promise<OwnPage> => person('Bea', (await createLink(world.url, document, role)).url)

  const viewer = await as('view')
  const lines = viewer.page.locator('.reading article')
  const wide = await lines.evaluate((article) => article.clientWidth)
  await viewer.page.keyboard.press('Control+.')
  await viewer.page.locator('.side-panel .card', { hasText: 'A holiday!' }).click()
  expect(await lines.evaluate((article) => article.clientWidth)).toBe(wide)
  expect(
    await viewer.page
      .locator('.side-panel')
      .getByRole('button', { name: /Comment|Reply|Resolve|Accept|Reject|Delete/ })
      .count()
  ).toBe(0)
  expect(await viewer.page.getByRole('button', { name: 'Suggest' }).count()).toBe(0)
  await viewer.context.close()

  const commenter = await as('comment')
  await commenter.page.locator('.chip', { hasText: 'Commenting' }).waitFor()
  await commenter.page.locator('.cm-content').press('Control+Home')
  await commenter.page.keyboard.type('xyz')
  await commenter.page.locator('.margin .card', { hasText: 'A holiday!' }).click()
  const isResolved = (wanted: boolean): Promise<void> =>
    until(async () => (await listComments(document))[0]?.resolved === wanted, `resolved: ${wanted}`)
  await commenter.page.locator('.margin .card').getByRole('button', { name: 'Resolve' }).click()
  await isResolved(true)
  await commenter.page.keyboard.press('Control+z')
  await isResolved(false)
  expect(await commenter.page.getByRole('button', { name: /Accept|Suggest/ }).count()).toBe(0)
  expect(await editorText(commenter.page)).toBe(text)
  await commenter.context.close()

  const suggester = await as('suggest')
  await suggester.page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  expect(await suggester.page.getByRole('button', { name: /Accept|^Suggest$/ }).count()).toBe(0)
  await suggester.page.locator('.cm-content').press('Control+End')
  // The text is inserted in one step. On a slow machine, half a second may pass between two keys, and undo only takes back text typed within that
  // time.
  await suggester.page.keyboard.insertText('And then?')
  await suggester.page.keyboard.press('Control+z')
  await suggester.page.keyboard.type('And now?')
  await suggester.page.locator('.cm-content').press('Control+Home')
  await until(async () => (await listSuggestions(document)).some((each) => each.text === 'And now?'), 'the suggestion')
  // People can withdraw their own suggestions.
  const own = suggester.page.locator('.margin .card', { hasText: 'And now?' })
  await own.click()
  await own.getByRole('button', { name: 'Withdraw' }).getByText('Withdraw').click()
  await until(async () => (await listSuggestions(document)).some((each) => each.status === 'rejected'), 'the suggestion withdrawn')
  await own.waitFor({ state: 'detached' })
  // [REVIEW-40] Undo restores the suggestion.
  await suggester.page.locator('.toast', { hasText: 'Withdrawn' }).getByRole('button', { name: 'Undo' }).click()
  const pending = async (): Promise<string[]> =>
    (await listSuggestions(document)).flatMap(({ status, text: proposed }) => (status === 'pending' ? [proposed] : []))
  await until(async () => (await pending()).includes('And now?'), 'it is proposed again')
  await own.waitFor()
  // So does the key for undo, whose next step withdraws the suggestion that is there again.
  await own.click()
  await own.getByRole('button', { name: 'Withdraw' }).click()
  await until(async () => !(await pending()).includes('And now?'), 'it is withdrawn again')
  await suggester.page.keyboard.press('Control+z')
  await until(async () => (await pending()).includes('And now?'), 'it is proposed once more')
  await suggester.page.locator('.cm-content').press('Control+z')
  await until(async () => !(await pending()).includes('And now?'), 'undo withdraws it')
  // [SUGG-81] The restored suggestion is the same one, with the replies.
  await suggester.page.keyboard.press('Control+Shift+z')
  const open = async () => (await listSuggestions(document)).find((each) => each.status === 'pending' && each.text === 'And now?')
  await until(async () => (await open()) !== undefined, 'redo suggests it again')
  const id = (await open())?.id ?? ''
  await ask(document, 'POST', `suggestions/${id}/replies`, { body: 'Why not?' })
  await own.getByText('1 reply').click()
  await own.getByRole('button', { name: 'Withdraw' }).click()
  await until(async () => (await open()) === undefined, 'it is withdrawn with its reply')
  await suggester.page.keyboard.press('Control+z')
  await until(async () => (await open()) !== undefined, 'undo opens it again')
  expect(await open()).toMatchObject({ id, replies: [{ body: 'Why not?' }] })
  await own.getByText('Why not?').or(own.getByText('1 reply')).waitFor()
  await suggester.context.close()

  const editor = await as('edit')
  await editor.page.locator('.cm-content').press('Control+Shift+KeyE')
  await editor.page.locator('.cm-content').press('Control+Home')
  await editor.page.keyboard.type('New ')
  await editor.page.locator('.rm-own', { hasText: 'New' }).waitFor()
  // Leaving suggesting mode submits the typed text as a suggestion. After that, typing changes the document.
  await editor.page.keyboard.press('Control+Shift+KeyE')
  await until(async () => (await listSuggestions(document)).some((each) => each.text === 'New '), 'the other suggestion')
  await editor.page.locator('.cm-content').press('Control+End')
  await editor.page.keyboard.type('Written.')
  await until(async () => (await readMarkdown(world.url, document)) === `${text}Written.`, 'the written text')
  await editor.context.close()
})

test('[REVIEW-47] [WRITE-93] buttons above a selection appear with their part of the page, which leaves the text as it is, and disappear when the link is revoked', async () => {
  const document = await createDocument(world.url, 'Some words to select.\n')
  const link = await createLink(world.url, document, 'comment')
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const release = await holdParts(context)
  const page = await context.newPage()
  await page.goto(link.url)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  const line = await page.locator('.cm-line').first().elementHandle()
  release()
  const bubble = page.getByRole('toolbar', { name: 'Actions for the selection' })
  await bubble.getByRole('button', { name: 'Comment' }).waitFor()
  // [WRITE-93] If the editor had rebuilt its view, this line would be a new element.
  expect(await line?.evaluate((element) => element.isConnected)).toBe(true)
  const revoked = await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, {
    method: 'DELETE',
    headers: { 'x-share-key': document.key }
  })
  expect(revoked.status).toBe(200)
  await page.locator('.chip[data-state=ended]').waitFor()
  await bubble.waitFor({ state: 'detached' })
  await context.close()
})

test('[REVIEW-6] when access ends during an action, the page keeps the text, shows the reason, and lets people copy it', async () => {
  const document = await createDocument(world.url, text)
  const link = await createLink(world.url, document, 'suggest')
  const { context, page } = await person('Bea', link.url)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await context.setOffline(true)
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('These words cost me an hour.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Stored on this device.', { exact: false }).waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('A draft.')
  await ask(document, 'DELETE', `shares/${link.id}`)
  await context.setOffline(false)
  const card = page.locator('.card', { hasText: 'These words cost me an hour.' })
  await card.getByText('Your access to this document has ended.').waitFor()
  await card.getByRole('button', { name: 'Copy text' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('These words cost me an hour.')
  await page.locator('.card', { hasText: 'A draft.' }).getByText('Your access to this document has ended.').waitFor()
  await card.getByRole('button', { name: 'Discard' }).click()
  await card.waitFor({ state: 'detached' })
  expect(await readMarkdown(world.url, document)).toBe(text)
  await context.close()
})

test('[REVIEW-7] hostile names, comments and suggestions are plain text everywhere', async () => {
  const document = await createDocument(world.url, text)
  const evil = '<img src=x onerror="globalThis.broken=1">\u202e"\'</script><script>globalThis.broken=1</script>'
  const post = async (path: string, body: unknown): Promise<void> => {
    const author = String.fromCharCode(...new TextEncoder().encode(evil.slice(0, 70)))
    const response = await fetch(`${world.url}/api/docs/${document.id}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key, 'x-agent-author': author },
      body: JSON.stringify(body)
    })
    expect(response.status).toBe(201)
  }
  await post('comments', { find: 'Monday', body: evil })
  await post('suggestions', { operation: 'replace', find: 'green', text: `${evil}\n${'wide'.repeat(200)}`, note: evil })
  await post('tasks', { requestId: 'evil', title: evil.slice(0, 100), instructions: evil })
  const { context, page, heard } = await person(evil.slice(0, 40), document.url)
  await page.locator('.margin .card.comment').click()
  await page.keyboard.press('Control+.')
  await page.locator('.side-panel .card').nth(1).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Ask for a review' }).click()
  await page.locator('.side-panel .card.task').waitFor()
  expect(await page.evaluate(() => (globalThis as { broken?: number }).broken)).toBeUndefined()
  expect(await page.locator('.document img:not(.cm-widgetBuffer)').count()).toBe(0)
  expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-180] [REVIEW-181] [REVIEW-182] [REVIEW-183] [REVIEW-227] the author of a reply edits and deletes it, also offline; an owner deletes what others wrote', async () => {
  const document = await createDocument(world.url, text)
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { find: 'Monday', body: 'A holiday!' })
  await ask(document, 'POST', `comments/${id}/replies`, { body: 'Is it?' })
  const { url } = await createLink(world.url, document, 'comment')
  const { context, page, heard } = await person('Ana', url)
  const card = page.locator('.margin .card', { hasText: 'A holiday!' })
  const button = (name: string): Locator => card.getByRole('button', { name, exact: true })
  const bodies = async (): Promise<readonly string[] | undefined> => (await listComments(document))[0]?.replies.map(({ body }) => body)
  await card.click()
  await card.getByRole('textbox', { name: 'Reply' }).fill('Yes, here.')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await bodies())?.length === 2, 'the reply')
  await button('Edit reply').press('Enter')
  await card.getByRole('textbox', { name: 'Edit reply' }).fill('Yes, in Bavaria.')
  await page.keyboard.press('Control+Enter')
  await card.getByText('edited', { exact: true }).waitFor()
  expect(await bodies()).toEqual(['Is it?', 'Yes, in Bavaria.'])
  await button('Delete reply').press('Enter')
  await button('Cancel').press('Enter')
  await card.and(page.locator(':focus')).waitFor()

  await context.setOffline(true)
  await button('Edit reply').click()
  await card.getByRole('textbox', { name: 'Edit reply' }).fill('Yes, in Berlin.')
  await page.keyboard.press('Control+Enter')
  await card.getByText('Yes, in Berlin.').waitFor()
  await context.setOffline(false)
  await until(async () => (await bodies())?.[1] === 'Yes, in Berlin.', 'the edit made offline')
  // Others’ comments and replies have no such buttons.
  expect([await button('Delete reply').count(), await button('Delete comment').count()]).toEqual([1, 0])

  const owner = await person('Olga', document.url, { viewport: { width: 360, height: 740 } })
  const panel = owner.page.locator('.side-panel')
  await owner.page.getByRole('button', { name: /^Comments/ }).click()
  await panel.locator('.card').click()
  expect(await panel.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  const question = panel.getByRole('group', { name: 'Delete reply' })
  await panel.getByRole('button', { name: 'Delete reply' }).last().click()
  await question.getByText('Delete Ana’s reply? You cannot undo this.').waitFor()
  await look(owner.page, 'reply-question')
  await question.getByRole('button', { name: 'Cancel' }).click()

  await button('Delete reply').click()
  await card.getByText('Delete this reply? You cannot undo this.').waitFor()
  await button('Delete').press('Enter')
  await card.getByText('Yes, in Berlin.').waitFor({ state: 'detached' })
  await until(async () => (await bodies())?.length === 1, 'the deletion')
  await panel.getByText('Yes, in Berlin.').waitFor({ state: 'detached' })

  // Somebody deletes the reply whose edit is half-written.
  await card.getByRole('textbox', { name: 'Reply' }).fill('Ask Bea.')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await bodies())?.length === 2, 'the next reply')
  await button('Edit reply').click()
  await card.getByRole('textbox', { name: 'Edit reply' }).fill('Ask Bea or Cem.')
  await panel.getByRole('button', { name: 'Delete reply' }).last().click()
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await card.getByText('Your half-written text can no longer be sent.').waitFor()
  expect(await card.getByRole('textbox', { name: 'Edit reply' }).inputValue()).toBe('Ask Bea or Cem.')
  await button('Discard').click()
  await card.getByRole('textbox', { name: 'Edit reply' }).waitFor({ state: 'detached' })

  await panel.getByRole('button', { name: 'Delete comment' }).click()
  await panel.getByText('Delete Robot’s comment? You cannot undo this. This also deletes the reply.').waitFor()
  await panel.getByRole('button', { name: 'Delete', exact: true }).click()
  await card.waitFor({ state: 'detached' })
  expect(await listComments(document)).toEqual([])

  await selectWords(page, 'Monday')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('Which one?')
  await page.keyboard.press('Control+Enter')
  const own = page.locator('.margin .card')
  await own.getByText('Which one?').click()
  await own.getByRole('button', { name: 'Edit', exact: true }).click()
  await own.getByRole('textbox', { name: 'Comment', exact: true }).fill('Which one? Why?')
  await page.keyboard.press('Control+Enter')
  await own.getByText('edited', { exact: true }).waitFor()
  // After some time, the header has no room for everything. The name is whole.
  await own.locator('.card-time').evaluate((time) => (time.textContent = '25 min. ago'))
  expect(await own.locator('.card-author').evaluate((name) => name.scrollWidth <= name.clientWidth)).toBe(true)
  expect([...heard, ...owner.heard]).toEqual([])
  await context.close()
  await owner.context.close()
})

test('[REVIEW-8] [REVIEW-42] [REVIEW-90] a decision that came too late says so: decided the other way, or the text has changed; its reason is not lost', async () => {
  const document = await createDocument(world.url, text)
  const suggest = async (find: string, body: string): Promise<string> =>
    (await ask<{ id: string }>(document, 'POST', 'suggestions', { operation: 'replace', find, text: body })).id
  const rejected = await suggest('Monday', 'Tuesday')
  await suggest('green', 'all green')
  await suggest('twice', 'once')
  const accepted = await suggest('slow', 'wasteful')
  const { context, page } = await person('Ana', document.url)
  await page.locator('.margin .card.proposal').nth(3).waitFor()
  await context.setOffline(true)
  for (const words of ['Tuesday', 'all green', 'once'])
    await page.locator('.card.proposal', { hasText: words }).getByRole('button', { name: 'Accept' }).click()
  const unwanted = page.locator('.margin .card.proposal', { hasText: 'wasteful' })
  await unwanted.getByRole('button', { name: 'Reject with a reason' }).click()
  await unwanted.getByRole('textbox', { name: 'Reason' }).fill('It is slow, no more.')
  await unwanted.getByRole('button', { name: 'Reject', exact: true }).click()
  await unwanted.getByText('It is slow, no more.').waitFor()
  await ask(document, 'POST', `suggestions/${rejected}`, { action: 'reject' })
  await ask(document, 'POST', `suggestions/${accepted}`, { action: 'accept' })
  await ask(document, 'POST', 'edits', { edits: [{ find: 'green', replace: 'red' }] })
  await context.setOffline(false)
  await until(async () => (await readMarkdown(world.url, document)).includes('every file once'), 'the one that could be accepted')
  await page.getByRole('button', { name: /^Comments/ }).click()
  const changed = 'The text has changed, so this suggestion cannot be accepted. Reject it, or undo the change to the text.'
  await page.locator('.side-panel .card', { hasText: 'all green' }).getByRole('alert').getByText(changed, { exact: true }).waitFor()
  expect(await page.locator('.side-panel .card', { hasText: 'all green' }).textContent()).not.toContain('deleted')
  await page.locator('.segments').getByText('Resolved').click()
  await page.locator('.side-panel .card', { hasText: 'Tuesday' }).getByText('Rejected by Robot').waitFor()
  await page
    .locator('.side-panel .card', { hasText: 'Tuesday' })
    .getByRole('alert')
    .getByText('Someone else made the opposite decision.')
    .waitFor()
  await page.locator('.side-panel .card', { hasText: 'wasteful' }).getByRole('alert').getByText('It is slow, no more.').waitFor()
  expect(await readMarkdown(world.url, document)).toContain('on Monday')
  await context.close()
})

test('[REVIEW-9] [REVIEW-73] [REVIEW-78] [REVIEW-116] [REVIEW-160] [REVIEW-226] the address of a comment opens it, even if its text is gone; comments are found by author and by state', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', document.url)
  await selectWords(page, 'Monday')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('Mine.')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment')
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { find: 'twice', body: 'Not mine.' })
  await page.goto(`${world.url}/d/${document.id}#comment-${id}`)
  await page.locator(`#annotation-${id}.active`).waitFor()
  await until(() => page.evaluate((name) => globalThis.document.activeElement?.id === name, `annotation-${id}`), 'the focus on the comment')
  await page.keyboard.press('Control+.')
  await page.locator('.segments').getByText('Mine').click()
  await page.locator('.side-panel .card', { hasText: 'Mine.' }).waitFor()
  expect(await page.locator('.side-panel .card').count()).toBe(1)
  // People can edit and delete their own comments.
  await page.locator('.side-panel .card').click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Comment' }).fill('Mine, still.')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).some(({ body }) => body === 'Mine, still.'), 'the changed comment')
  // The guest signs in, and the comment remains theirs.
  const account = (await createAccount(world.service, { email: 'ana.guest@example.org', password })) as Account
  const { token } = await openSession(world.service, account.id, 'browser', 'a test')
  await context.addCookies([{ name: cookiesOf(world.url).session, value: token, url: world.url }])
  await page.reload()
  await page.locator('.annotations-button').waitFor()
  await page.keyboard.press('Control+.')
  await page.locator('.side-panel .card', { hasText: 'Mine, still.' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Comment' }).fill('Mine, with an account.')
  await page.keyboard.press('Control+Enter')
  await until(
    async () => (await listComments(document)).some(({ body }) => body === 'Mine, with an account.'),
    'the change after signing in'
  )
  // The page asks before it deletes a comment. If there are replies, the question says that they are deleted too.
  const question = page.getByRole('group', { name: 'Delete comment' })
  await page.getByRole('button', { name: 'Delete comment' }).click()
  await question.getByText('Delete this comment?').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  const mine = (await listComments(document)).find(({ body }) => body === 'Mine, with an account.')
  await ask(document, 'POST', `comments/${mine?.id}/replies`, { body: 'A reply.' })
  await page.locator('.side-panel .card.active').getByText('A reply.').waitFor()
  await page.getByRole('button', { name: 'Delete comment' }).click()
  await question.getByText('This also deletes the reply.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await listComments(document)).toHaveLength(2)
  await page.getByRole('button', { name: 'Delete comment' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await until(async () => (await listComments(document)).length === 1, 'the comment deleted')
  await page.locator('.segments').getByText('Open').click()
  await page.locator('.side-panel .card', { hasText: 'Not mine.' }).click()
  // An owner of the document can delete it, but not edit it.
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  // Resolving a comment whose text exists does not orphan it.
  await ask(document, 'POST', `comments/${id}/resolve`, { resolved: true })
  await page.locator('.segments').getByText('Resolved').click()
  const done = page.locator('.side-panel .card', { hasText: 'Not mine.' })
  await done.waitFor()
  expect(await done.textContent()).not.toContain('The text was deleted.')
  // The panel stays on resolved comments only for a person who is looking at one.
  const chosen = page.locator('.segments label', { has: page.locator(':checked') })
  for (const [line, name] of [
    [undefined, 'Resolved'],
    [0, 'Open']
  ] as const) {
    await done.click()
    await page.keyboard.press('Control+.')
    await page.locator('.side-panel').waitFor({ state: 'detached' })
    if (line !== undefined) {
      await page.locator('.cm-line').nth(line).click()
      // The page learns in a timer where the click was, and the next key may come before that timer.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    }
    await page.keyboard.press('Control+.')
    await page.locator('.side-panel').waitFor()
    expect(await chosen.textContent()).toBe(name)
  }
  // A person who has just accepted a suggestion in the margin is not looking at the resolved ones.
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'Monday', text: 'Sunday' })
  await page.locator('.segments').getByText('Resolved').click()
  await page.keyboard.press('Control+.')
  await page.locator('.margin .card.proposal').getByRole('button', { name: 'Accept', exact: true }).click()
  await page.locator('.margin .card.proposal').getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('Control+.')
  await page.locator('.side-panel').waitFor()
  expect(await chosen.textContent()).toBe('Open')
  await ask(document, 'POST', `comments/${id}/resolve`, { resolved: false })
  await page.locator('.segments').getByText('Open').click()

  await ask(document, 'POST', 'comments', { quote: 'Launch', body: 'There.' })
  await page.locator('.side-panel .card', { hasText: 'There.' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 300 })
  await ask(document, 'POST', 'edits', { edits: [{ find: 'twice, ', replace: '' }] })
  const gone = page.getByRole('heading', { name: 'Original text changed or deleted (1)' })
  await gone.waitFor()
  const isSeen = (): Promise<boolean> => gone.evaluate((head) => head.getBoundingClientRect().bottom < innerHeight)
  expect(await isSeen()).toBe(false)
  await page.getByRole('button', { name: 'Original text changed or deleted (1)' }).click()
  await until(isSeen, 'the heading')
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.keyboard.press('Escape')
  await page.locator('.side-panel').waitFor({ state: 'detached' })
  await page.goto(world.url)
  await page.goto(`${world.url}/d/${document.id}#comment-${id}`)
  await page.locator('.side-panel').getByText('The text was deleted.').waitFor()
  expect(await page.locator(`#annotation-${id} .card-quote`).textContent()).toBe('twice')
  await context.close()
})

test('[REVIEW-33] F8 directly after typing goes to the next comment', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'comments', { quote: 'Launch', body: 'First' })
  await ask(document, 'POST', 'comments', { quote: 'Monday', body: 'Second' })
  const { context, page } = await person('Ana', document.url)
  await page.locator('.rm-comment', { hasText: 'Monday' }).waitFor()
  await page.locator('.cm-content').evaluate((element) => {
    interface View {
      dispatch(change: object): void
      focus(): void
    }
    const { view } = (element as unknown as { cmTile: { view: View } }).cmTile
    view.focus()
    // Both events are dispatched in one task, so that no pending task runs in between.
    view.dispatch({ changes: { from: 0, insert: 'Typed a moment ago.\n\n' }, selection: { anchor: 21 } })
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'F8', code: 'F8', keyCode: 119, bubbles: true, cancelable: true }))
  })
  await page.getByRole('status').filter({ hasText: '1 of 2. Comment by Robot: First' }).waitFor()
  await context.close()
})

test('[REVIEW-34] [WEB-91] a suggestion made while the page closes is there at the next visit, and reaches the service once, however slow the disk', async () => {
  const document = await createDocument(world.url, text)
  const { url } = await createLink(world.url, document, 'suggest')
  const { context, page } = await personWithWorker('Ana', url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  const proposed = async (): Promise<string[]> => (await listSuggestions(document)).map((each) => each.text)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('Before a reload.')
  await page.reload()
  await until(async () => (await proposed()).join() === 'Before a reload.', 'what was typed before the reload')

  await page.locator('.annotations-button').waitFor()
  await page.locator('.cm-content').waitFor()
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await selectWords(page, 'twice')
  await page.keyboard.type('once')
  await until(async () => (await proposed()).includes('once'), 'what is typed, with the caret in it')
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await context.setOffline(true)
  await page.reload()
  const delivered = page.locator('.margin .card', { hasText: 'once' })
  await delivered.waitFor()
  expect(await delivered.getByText('Stored on this device.', { exact: false }).count()).toBe(0)
  // A transaction that does not end blocks all later ones.
  await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open('agmd')
      request.onsuccess = () => resolve(request.result)
    })
    const store = database.transaction('outbox', 'readwrite').objectStore('outbox')
    await new Promise<void>((resolve) => {
      const again = (): void => {
        store.get('none').onsuccess = again
        resolve()
      }
      again()
    })
  })
  await page.locator('.cm-content').press('Control+Home')
  await page.keyboard.type('Before a link.')
  await page.goto(world.url)
  await page.goto(`${world.url}/d/${document.id}`)
  await page.locator('.card', { hasText: 'Before a link.' }).getByText('Stored on this device.', { exact: false }).waitFor()
  await context.setOffline(false)
  await until(async () => (await proposed()).length === 3, 'what was typed before the link')
  await until(async () => (await page.getByText('Stored on this device.', { exact: false }).count()) === 0, 'nothing waits')
  await until(() => page.evaluate((id) => localStorage.getItem(`agmd.deeds.${id}`) === null, document.id), 'nothing is left')
  await page.reload()
  await page.locator('.card', { hasText: 'Before a link.' }).waitFor()
  expect((await proposed()).toSorted()).toEqual(['Before a link.', 'Before a reload.', 'once'])
  await context.close()
})

test('[REVIEW-37] a typed suggestion survives a crash of its page, and is sent once', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  const kept = (other: Page): Promise<number> =>
    other.evaluate((id) => Object.keys(localStorage).filter((name) => name.startsWith(`agmd.drafts.${id}.`)).length, document.id)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('Before the end.')
  await page.waitForFunction((id) => {
    const name = Object.keys(localStorage).find((each) => each.startsWith(`agmd.drafts.${id}.`))
    return name !== undefined && localStorage.getItem(name)?.includes('Before the end.')
  }, document.id)
  // Another page does not take over the entries of an open page.
  const second = await context.newPage()
  await second.goto(`${world.url}/d/${document.id}`)
  await second.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await second.locator('.cm-content').press('Control+Home')
  await second.keyboard.type('Second. ')
  await until(async () => (await kept(second)) === 2, 'two pages with drafts')

  const cdp = await context.newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  void cdp.send('Page.crash').catch(() => undefined)
  await crashed
  await second.reload()
  await until(async () => (await listSuggestions(document)).length === 2, 'what both typed')
  await second.locator('.card', { hasText: 'Before the end.' }).waitFor()
  await until(async () => (await kept(second)) === 0, 'nothing is left')
  await second.reload()
  await second.locator('.card', { hasText: 'Before the end.' }).waitFor()
  expect((await listSuggestions(document)).map((each) => each.text).toSorted()).toEqual(['Before the end.', 'Second. '])
  await context.close()
})

test('[REVIEW-39] a person who withdraws a suggestion offline that others have since accepted sees that they came too late', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('Once more.')
  await page.locator('.cm-content').press('Control+Home')
  await until(async () => (await listSuggestions(document)).length === 1, 'the suggestion')
  const card = page.locator('.margin .card', { hasText: 'Once more.' })
  const withdraw = card.getByRole('button', { name: 'Withdraw' })
  await card.click()
  await withdraw.waitFor()
  await context.setOffline(true)
  await withdraw.click()
  const id = (await listSuggestions(document))[0]?.id ?? ''
  await ask(document, 'POST', 'decisions', { action: 'accept', suggestionIds: [id] })
  await context.setOffline(false)
  await page.locator('.toast', { hasText: 'Not saved:' }).waitFor()
  await page.locator('.cm-content').getByText('Once more.').waitFor()
  await context.close()
})

test('[REVIEW-35] [SUGG-32] undo does not reinsert text that has become a suggestion, but withdraws the suggestion, and redo suggests it again', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await selectWords(page, 'twice')
  await page.keyboard.press('Delete')
  await page.keyboard.type('once')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+y')
  await page.locator('.cm-content').press('Control+End')
  // On a slow machine, the page has already sent an earlier version, and undo withdraws that version.
  const pending = async (): Promise<string[]> =>
    (await listSuggestions(document)).flatMap(({ status, text: proposed }) => (status === 'pending' ? [proposed] : [])).toSorted()
  await until(async () => (await pending()).join() === 'once', 'the suggestion')
  await page.locator('.rm-own').waitFor({ state: 'detached' })
  expect(await editorText(page)).toBe(text)
  // The first of two changes is sent while the caret is in the second one.
  await page.keyboard.type('More. ')
  await selectWords(page, 'tests')
  await page.keyboard.press('Delete')
  await page.locator('.rm-own').waitFor({ state: 'detached' })
  const without = text.replace('tests', '')
  expect(await editorText(page)).toBe(without)
  await until(async () => (await pending()).join() === ',More. ,once', 'three suggestions')
  const steps = [
    [text, 'More. ,once'],
    [text, 'once'],
    [text, '']
  ] as const
  for (const [shown, left] of steps) {
    await page.keyboard.press('Control+z')
    await until(async () => (await pending()).join() === left, `“${left}” after undo`)
    expect(await editorText(page)).toBe(shown)
  }
  await page.keyboard.press('Control+z')
  await page.getByText('Nothing to undo').waitFor()
  for (const [shown, left] of [
    [text, 'once'],
    [text, 'More. ,once'],
    [without, ',More. ,once']
  ] as const) {
    await page.keyboard.press('Control+y')
    await until(async () => (await pending()).join() === left, `“${left}” after redo`)
    expect(await editorText(page)).toBe(shown)
  }
  await context.close()
})

test('[REVIEW-36] [REVIEW-42] after deciding a card by key a person continues with the next one, and after the last in the text; a rejection takes a reason by key', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'twice', text: 'once' })
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'Monday', text: 'Tuesday' })
  await ask(document, 'POST', 'comments', { quote: 'green', body: 'All of them?' })
  const { context, page } = await person('Ana', document.url)
  const card = (words: string) => page.locator('.margin .card', { hasText: words })
  await card('once').getByRole('button', { name: 'Accept' }).press('Enter')
  // The card with the decision must still be visible.
  const goingOn = page.locator('.margin:has(.card:focus:has-text("Tuesday")) .card', { hasText: 'Accepted by you' })
  await goingOn.getByRole('button', { name: 'Undo' }).waitFor()
  await card('Tuesday').getByRole('button', { name: 'Reject', exact: true }).press('Tab')
  await page.keyboard.press('Enter')
  const reason = card('Tuesday').getByRole('textbox', { name: 'Reason' })
  await reason.and(page.locator(':focus')).waitFor()
  await look(page, 'rejection-reason')
  await page.keyboard.press('Escape')
  await card('Tuesday').getByRole('button', { name: 'Reject with a reason' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await reason.pressSequentially('The tests need until Monday.')
  await page.keyboard.press('Control+Enter')
  await card('All of them?').and(page.locator(':focus')).waitFor()
  await card('All of them?').getByRole('button', { name: 'Resolve' }).press('Enter')
  await page.locator('.cm-content:focus').waitFor()
  await until(async () => (await readMarkdown(world.url, document)) === text.replace('twice', 'once'), 'the text')
  await page.locator('.annotations-button').click()
  await page.locator('.segments').getByText('Resolved').click()
  await page.locator('.card', { hasText: 'All of them?' }).getByText('Resolved by you', { exact: true }).waitFor()
  await page.locator('.card', { hasText: 'Tuesday' }).getByText('The tests need until Monday.').waitFor()
  const [told] = (await ask<{ suggestions: readonly { reason?: string }[] }>(document, 'GET', 'suggestions?status=rejected')).suggestions
  expect(told?.reason).toBe('The tests need until Monday.')
  await context.close()
})

test('[REVIEW-70] [REVIEW-71] [REVIEW-72] a half-written reply stays when its comment is resolved or its suggestion decided, even by others; a deleted comment leaves it for copying', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'twice', text: 'once' })
  const { id: all } = await ask<{ id: string }>(document, 'POST', 'comments', { quote: 'green', body: 'All of them?' })
  const { id: when } = await ask<{ id: string }>(document, 'POST', 'comments', { quote: 'Monday', body: 'Which one?' })
  const { context, page } = await person('Ana', document.url)
  const card = (words: string) => page.locator('.margin .card', { hasText: words })
  const begin = async (words: string, reply: string): Promise<void> => {
    await card(words).locator('.card-byline').click()
    await card(words).getByRole('textbox', { name: 'Reply' }).fill(reply)
  }
  await begin('All of them?', 'I thi')
  await begin('Which one?', 'The nex')
  await begin('once', 'Once is eno')
  // By this person: the comment with the pointer, and the suggestion with its button.
  await card('All of them?').getByRole('button', { name: 'Resolve' }).click()
  await card('once').getByRole('button', { name: 'Accept' }).click()
  // By others.
  await ask(document, 'POST', `comments/${when}/resolve`, {})
  for (const words of ['All of them?', 'Which one?', 'once'])
    await card(words).getByRole('status').getByText('Your reply has not been sent.').waitFor()
  await card('Which one?').getByText('Resolved by Robot').waitFor()
  await look(page, 'half-written')
  await card('once').getByRole('button', { name: 'Discard' }).click()
  await card('once').getByText('Your reply has not been sent.').waitFor({ state: 'detached' })
  await page.reload()
  await card('Which one?').getByText('Your reply has not been sent.').waitFor()
  await page.locator('.annotations-button').click()
  const listed = (words: string) => page.locator('.side-panel .card', { hasText: words })
  await listed('All of them?').locator('.card-byline').click()
  expect(await page.getByRole('radio', { name: 'Open' }).isChecked()).toBe(true)
  await listed('Which one?').waitFor()
  await listed('All of them?').getByRole('textbox', { name: 'Reply' }).press('End')
  await page.keyboard.type('nk so.')
  await page.keyboard.press('Control+Enter')
  await listed('All of them?').waitFor({ state: 'detached' })
  await until(async () => (await listComments(document)).find(({ id }) => id === all)?.replies[0]?.body === 'I think so.', 'the reply')
  await ask(document, 'DELETE', `comments/${when}`)
  await page.getByText('Your half-written text can no longer be sent.').waitFor()
  await page.getByRole('button', { name: 'Copy text' }).click()
  await context.close()
})

test('[REVIEW-200] [REVIEW-201] [REVIEW-202] others can delete or resolve what a person types in: the keys stay in the field and never reach the text', async () => {
  const document = await createDocument(world.url, text)
  const comment = async (quote: string, body: string): Promise<string> =>
    (await ask<{ id: string }>(document, 'POST', 'comments', { quote, body })).id
  const [all, when, how] = [await comment('green', 'All of them?'), await comment('Monday', 'Which one?'), await comment('twice', 'How?')]
  const before = await readMarkdown(world.url, document)
  const { context, page, heard } = await person('Ana', document.url)
  const card = (words: string) => page.locator('.margin .card', { hasText: words })
  const field = (words: string, name = 'Reply') => card(words).getByRole('textbox', { name, exact: true })
  // A half-written reply to a comment that is deleted.
  await card('All of them?').locator('.card-byline').click()
  await field('All of them?').pressSequentially('I th')
  await ask(document, 'DELETE', `comments/${all}`)
  await card('All of them?').getByText('This comment was deleted.').waitFor()
  await page.keyboard.type('ink so.')
  expect(await field('All of them?').inputValue()).toBe('I think so.')
  await card('All of them?').getByRole('button', { name: 'Copy text' }).waitFor()
  await card('All of them?').getByRole('button', { name: 'Discard' }).click()
  await card('All of them?').waitFor({ state: 'detached' })
  // An empty field whose comment is resolved, and then deleted.
  await card('Which one?').locator('.card-byline').click()
  await field('Which one?').focus()
  await ask(document, 'POST', `comments/${when}/resolve`, {})
  await card('Which one?').getByText('Resolved by Robot').waitFor()
  await ask(document, 'DELETE', `comments/${when}`)
  await card('Which one?').getByText('This comment was deleted.').waitFor()
  await page.keyboard.type('Next')
  expect(await field('Which one?').inputValue()).toBe('Next')
  await card('Which one?').getByRole('button', { name: 'Discard' }).click()
  // An edit of a reply that is deleted.
  await card('How?').locator('.card-byline').click()
  await field('How?').fill('Slowly.')
  await page.keyboard.press('Control+Enter')
  await card('How?').getByRole('button', { name: 'Edit reply' }).click()
  await field('How?', 'Edit reply').press('End')
  await page.keyboard.type(' Or')
  const listed = await ask<{ comments: readonly { id: string; replies: readonly { id: string }[] }[] }>(document, 'GET', 'comments')
  await ask(document, 'DELETE', `replies/${listed.comments.find(({ id }) => id === how)?.replies[0]?.id}`)
  await card('How?').getByRole('button', { name: 'Copy text' }).waitFor()
  await page.keyboard.type(' not.')
  expect(await field('How?', 'Edit reply').inputValue()).toBe('Slowly. Or not.')
  await card('How?').getByRole('button', { name: 'Discard' }).click()
  await field('How?', 'Edit reply').waitFor({ state: 'detached' })
  // A card without a field in use.
  await card('How?').press('Shift')
  await ask(document, 'DELETE', `comments/${how}`)
  await card('How?').waitFor({ state: 'detached' })
  await page.keyboard.type('lost')
  expect(await readMarkdown(world.url, document)).toBe(before)
  expect(await editorText(page)).not.toContain('lost')
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-203] an edit made offline of a reply whose comment was deleted is kept, and a notice shows it', async () => {
  const document = await createDocument(world.url, text)
  const { id } = await ask<{ id: string }>(document, 'POST', 'comments', { quote: 'Monday', body: 'Which one?' })
  const { context, page } = await person('Ana', document.url)
  const card = page.locator('.margin .card', { hasText: 'Which one?' })
  await card.locator('.card-byline').click()
  await card.getByRole('textbox', { name: 'Reply' }).fill('The next.')
  await page.keyboard.press('Control+Enter')
  await card.getByRole('button', { name: 'Edit reply' }).waitFor()
  await context.setOffline(true)
  await card.getByRole('button', { name: 'Edit reply' }).click()
  await card.getByRole('textbox', { name: 'Edit reply' }).fill('The last.')
  await page.keyboard.press('Control+Enter')
  await ask(document, 'DELETE', `comments/${id}`)
  await context.setOffline(false)
  await page.getByText('The comment is gone, so your text could not be saved. It is kept.').waitFor()
  await page.getByRole('button', { name: 'Show' }).click()
  const kept = page.locator('.side-panel .card', { hasText: 'The last.' })
  await kept.getByRole('button', { name: 'Copy text' }).waitFor()
  await context.close()
})

test('[REVIEW-10] a document of 1 MB with 2,000 annotations can be written in, navigated and listed', async () => {
  const line = (index: number): string => `Line ${index} of a long text about many things, one of which is number ${index}.`
  // The editor parses the whole paragraph at each letter, so these lines are paragraphs.
  const many = Array.from({ length: 14_000 }, (_each, index) => line(index)).join('\n\n')
  const document = await createDocument(world.url, many)
  const count = repeats(200, 2000)
  // The first annotation is on the first line, and the last one is near the end.
  const apart = 13_993 / (count - 1)
  for (let index = 0; index < count; index += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_each, step) => {
        const body = { line: 1 + 2 * Math.floor((index + step) * apart), body: `Annotation ${index + step}` }
        return ask(document, 'POST', 'comments', body)
      })
    )
  const { context, page } = await person('Ana', document.url)
  await page.getByRole('button', { name: `Comments: ${count.toLocaleString('en')} open` }).waitFor()
  await page.locator('.margin .card', { hasText: /^R.*Annotation 0$/ }).waitFor()
  expect(await page.locator('.margin .card').count()).toBeLessThanOrEqual(80)
  await page.locator('.cm-content').press('Control+Home')
  await page.keyboard.type('typed here ')
  await until(async () => (await editorText(page)).startsWith('typed here '), 'what was typed')
  await page.keyboard.press('F8')
  await page.keyboard.press('F8')
  await page.locator('.card.active', { hasText: 'Annotation 1' }).waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.locator('.margin .card', { hasText: `Annotation ${count - 1}` }).waitFor()
  await page.keyboard.press('Control+.')
  await page.getByRole('button', { name: `${(count - 60).toLocaleString('en')} more` }).click()
  await until(async () => (await page.locator('.side-panel .card').count()) === 120, 'more of the list')
  await context.close()
})

test('[REVIEW-11] [REVIEW-46] [REVIEW-61] [WHO-32] [REVIEW-75] [REVIEW-82] [REVIEW-225] an assignment is created, followed and closed; the holder of its link starts it and reports', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await person('Ana', document.url)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Ask for a review' }).click()
  await page.locator('.task-form input:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.side-panel').waitFor({ state: 'detached' })
  await page.locator('.cm-content:focus, button:focus').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Ask for a review' }).click()
  await page.getByLabel('What to review').fill('The dates')
  await page.getByLabel('Instructions').fill('Are they possible?')
  await page.getByRole('button', { name: 'Create assignment' }).click()
  await page.getByText('Waiting for the reviewer').waitFor()
  await page.getByRole('button', { name: 'Copy prompt for an agent' }).click()
  const prompt = await page.evaluate(() => navigator.clipboard.readText())
  expect(prompt).toContain('Are they possible?')
  await page.getByRole('button', { name: 'Copy link for a person' }).click()
  const url = await page.evaluate(() => navigator.clipboard.readText())

  const bea = await person('', url)
  await bea.page.getByText('Waiting for you').waitFor()
  await bea.page.locator('.side-panel').getByRole('heading', { name: 'Your review' }).waitFor()
  await bea.page.getByRole('textbox', { name: 'Your name' }).fill('Bea')
  await bea.page.keyboard.press('Enter')
  await page.getByText('Started by Bea').waitFor()
  expect(await bea.page.getByRole('textbox', { name: 'Your name' }).count()).toBe(0)
  await bea.page.getByText('Select words in the text to comment').waitFor()
  await bea.page.getByRole('textbox', { name: 'What did you find?' }).waitFor()
  expect(await bea.page.locator('.task').getByRole('button').count()).toBe(0)
  // The caret stays in the suggestion.
  await bea.page.locator('.cm-content').click()
  await bea.page.keyboard.press('Control+End')
  await bea.page.keyboard.type(' Good.')
  await bea.page.getByText('0 comments, 1 suggestion').waitFor()
  await selectWords(bea.page, 'Monday')
  await bea.page.keyboard.press('Control+Alt+KeyM')
  await bea.page.getByRole('textbox', { name: 'Write a comment' }).fill('A holiday!')
  await bea.page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment of the review')
  await bea.page.getByRole('button', { name: 'Back to the assignment' }).click()
  await bea.page.getByText('1 comment, 1 suggestion').waitFor()
  await bea.page.getByRole('textbox', { name: 'What did you find?' }).fill('One date is a holiday.')
  await bea.page.keyboard.press('Control+Enter')
  await page.locator('.task-report', { hasText: 'One date is a holiday.' }).waitFor()
  await page.getByRole('button', { name: 'Go to the first one' }).click()
  await page.locator('.side-panel .card.active', { hasText: 'A holiday!' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Ask for a review' }).click()
  await page.getByRole('button', { name: 'Close assignment' }).click()
  await page.locator('.side-panel .tag[data-state=closed]').waitFor()
  await bea.page.locator('.side-panel .tag[data-state=closed]').waitFor()
  await context.close()
  await bea.context.close()
})

test('[REVIEW-85] [REVIEW-87] people who cannot ask for a review find the panel only while there are assignments, under another name', async () => {
  const document = await createDocument(world.url, text)
  const { context, page, heard } = await person('Vera', (await createLink(world.url, document, 'view')).url)
  const frames: string[] = []
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))))
  await page.reload()
  const offered = async (words: string): Promise<string[]> => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.locator('.menu').getByRole('link', { name: 'All documents' }).waitFor()
    const items = await page.locator('.menu .menu-item').allTextContents()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Shift+KeyP')
    await page.getByRole('combobox', { name: 'What do you want to do?' }).fill(words)
    await page.getByRole('option').or(page.getByText('No matching command.')).first().waitFor()
    const found = await page.getByRole('option').allTextContents()
    await page.keyboard.press('Escape')
    return [...items, ...found].filter((each) => /review/i.test(each))
  }
  await page.getByRole('button', { name: 'Comments' }).waitFor()
  expect(await offered('review')).toEqual([])
  // The assignment is created while the page reads the lists again, as it does to find the comment of an address.
  let respond = (): void => undefined
  const mayRespond = new Promise<void>((resolve) => (respond = resolve))
  const asked = new Promise<void>((resolve) => {
    void page.route('**/tasks', async (route) => {
      const response = await route.fetch()
      resolve()
      await mayRespond
      await route.fulfill({ response })
    })
  })
  await page.evaluate(() => void (location.hash = '#comment-unknown'))
  await asked
  const { task } = await ask<{ task: { share: { url: string } } }>(document, 'POST', 'tasks', {
    requestId: 'one',
    title: 'The dates',
    instructions: 'Are they possible?'
  })
  await until(() => frames.some((frame) => frame.includes('The dates')), 'the message')
  respond()
  await page.unrouteAll({ behavior: 'wait' })
  await until(async () => (await offered('assignments')).length === 2, 'the panel is offered')
  expect(await offered('assignments')).toEqual(['Review assignments', 'Review assignments'])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Review assignments' }).click()
  const panel = page.getByRole('region', { name: 'Review assignments' })
  await panel.getByRole('article', { name: 'Assignment: The dates' }).waitFor()
  expect(await panel.getByRole('button', { name: 'Start the review' }).count()).toBe(0)
  await page.goto(task.share.url)
  await page.getByRole('region', { name: 'Your review' }).waitFor()
  expect(await offered('review')).toEqual(['Your review', 'Your review'])
  expect(heard).toEqual([])
  await context.close()
})

/** Makes random changes in the editor: typing, deleting and pasting. */
const scribble = (page: Page, seed: number, rounds: number): Promise<void> =>
  page.locator('.cm-content').evaluate(
    async (element, { from, times }) => {
      interface View {
        readonly state: { readonly doc: { readonly length: number } }
        dispatch(change: object): void
      }
      const view = (element as unknown as { cmTile?: { view?: View } }).cmTile?.view
      if (view === undefined) throw new Error('there is no editor behind this element')
      let state = from
      const random = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
        return (state >>> 8) % below
      }
      for (let round = 0; round < times; round++) {
        const { length } = view.state.doc
        const at = random(length + 1)
        const to = random(3) === 0 ? Math.min(length, at + random(12)) : at
        const insert = random(4) === 0 ? '' : ['x', 'word ', 'two\nlines', 'é😀'][random(4)]
        view.dispatch({ changes: { from: at, to, insert }, userEvent: 'input.type' })
        // Text by others can arrive between two changes.
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
    },
    { from: seed, times: rounds }
  )

test('[REVIEW-13] a suggester types as usual, no matter what others write: none of it enters the text, and leaving the mode shows the current text', async () => {
  const document = await createDocument(world.url, `${text}${'Many words follow here, again and again.\n'.repeat(30)}`)
  const ana = await person('Ana', document.url)
  const bea = await person('Bea', (await createLink(world.url, document, 'edit')).url)
  for (const [round, seed] of [7, 42, 1234].slice(0, repeats(1, 3)).entries()) {
    await bea.page.locator('.cm-content').press('Control+Shift+KeyE')
    await until(async () => (await bea.page.getByRole('button', { name: 'Suggest' }).getAttribute('aria-pressed')) === 'true', 'suggesting')
    await Promise.all([scribble(bea.page, seed, 25), scribble(ana.page, seed + 1, 25)])
    // An input method composes letters, and these must stay together.
    const input = await bea.context.newCDPSession(bea.page)
    await bea.page.locator('.cm-content').press('Control+End')
    await input.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await input.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
    await input.send('Input.insertText', { text: '日本' })
    // Ana's last words may arrive after the composed letters.
    await until(async () => (await editorText(bea.page)).includes('日本'), `the letters, round ${round}`)
    await bea.page.locator('.cm-content').press('Control+Shift+KeyE')
    await until(async () => (await listSuggestions(document)).some((each) => each.text.includes('日本')), 'the suggestions').catch(
      async (error: unknown) => {
        const found = (await listSuggestions(document)).map(({ status, original, text: proposed }) => [status, original, proposed])
        throw new Error(`round ${round}: ${JSON.stringify([found, (await editorText(bea.page)).slice(-60)])}`, { cause: error })
      }
    )
    await until(async () => (await editorText(bea.page)) === (await editorText(ana.page)), `the same text in both, round ${round}`)
    expect(await editorText(bea.page)).toBe(await readMarkdown(world.url, document))
    expect(await editorText(ana.page)).not.toContain('日本')
    for (const { id, status } of await listSuggestions(document))
      if (status === 'pending') await ask(document, 'POST', `suggestions/${id}`, { action: 'reject' })
  }
  await bea.page.locator('.cm-content').press('Control+End')
  await bea.page.keyboard.type('Written again.')
  await until(async () => (await readMarkdown(world.url, document)).endsWith('Written again.'), 'the text of Bea')
  expect([...ana.heard, ...bea.heard]).toEqual([])
  await ana.context.close()
  await bea.context.close()
})

test('[REVIEW-24] [SUGG-96] [WEB-120] a draft whose words others replaced changes no other words: it says at once that they are gone, and keeps its text', async () => {
  const document = await createDocument(world.url, text)
  const { context, page, heard } = await person('Bea', (await createLink(world.url, document, 'suggest')).url)
  await selectWords(page, 'twice')
  await page.keyboard.type('once')
  await page.locator('.rm-own', { hasText: 'once' }).waitFor()
  await until(async () => (await listSuggestions(document)).some((each) => each.text === 'once'), 'what was typed at the service')
  await ask(document, 'PATCH', 'content', { edits: [{ find: 'every file twice', replace: 'all of it again' }] })
  await page.getByText('Someone changed the text you were replacing. Your suggestion is kept.').waitFor()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const card = page.locator('.card', { hasText: 'once' })
  await card.getByText('The text was changed or deleted, so this suggestion cannot be accepted.').waitFor()
  expect(await editorText(page)).toBe(text.replace('every file twice', 'all of it again'))
  // If the person continues to type, the typed text becomes another suggestion.
  await page.locator('.cm-content').focus()
  await page.keyboard.type(' and again')
  await page.keyboard.press('Control+Home')
  await until(async () => (await listSuggestions(document)).some((each) => each.text.includes('and again')), 'what was typed then')
  expect((await listSuggestions(document)).filter((each) => each.text.includes('once')).map(({ status }) => status)).toEqual(['orphaned'])
  // If the words are gone before the draft reaches the service, the service refuses the draft, and the draft stays on this page.
  let go = (): void => undefined
  const held = new Promise<void>((resolve) => (go = resolve))
  await page.route('**/drafts/*', async (route) => {
    await held
    await route.continue()
  })
  await selectWords(page, 'Monday')
  await page.keyboard.type('Friday')
  await page.locator('.rm-own', { hasText: 'Friday' }).waitFor()
  await ask(document, 'PATCH', 'content', { edits: [{ find: 'on Monday', replace: 'soon' }] })
  await until(async () => (await editorText(page)).includes('ship soon'), 'the text of the others')
  go()
  await page.locator('.card', { hasText: 'Friday' }).getByText('The original text is gone.').waitFor()
  expect(await editorText(page)).toContain('ship soon')
  // The card is only in the panel, so a notice leads to it. It appears at once, next to the notice that others changed the text.
  const notices = page.locator('.toasts', { hasText: 'Someone changed the text you were replacing.' })
  const refused = notices.locator('.toast', { hasText: 'your suggestion could not be added' })
  await refused.getByRole('button', { name: 'Show' }).click()
  await page.locator('.card.active', { hasText: 'Friday' }).getByRole('button', { name: 'Copy text' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-25] [REVIEW-77] [REVIEW-91] undo reverts an acceptance made here; with nothing to undo, it says where earlier versions are; deleted text cannot be accepted, and “Accept 2” leaves it out', async () => {
  const document = await createDocument(world.url, text)
  const { context, page, heard } = await person('Ana', document.url)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'twice', text: 'once' })
  await page.locator('.margin .card').getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Accepted.', { exact: true }).waitFor()
  await until(async () => (await editorText(page)).includes('once'), 'the accepted text')
  await page.locator('.cm-content').press('Control+z')
  await until(async () => (await editorText(page)) === text, 'the text as it was')
  await page.getByText('Undone. The suggestion is open again.').waitFor()
  await page.locator('.cm-content').press('Control+z')
  await page.getByText('Nothing to undo.').waitFor()
  await page.getByRole('button', { name: 'History', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Restore/ })
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // A suggestion whose text is deleted cannot be accepted. The service has not reported it as orphaned.
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'Monday', text: 'Friday' })
  await page.locator('.margin .card', { hasText: 'Friday' }).getByRole('button', { name: 'Accept' }).waitFor()
  await selectWords(page, 'Monday')
  await page.keyboard.press('Delete')
  await page.locator('.annotations-button').click()
  const gone = page.locator('.side-panel .card', { hasText: 'Friday' })
  const misfit = 'The text has changed, so this suggestion cannot be accepted. Reject it, or undo the change to the text.'
  await gone.getByText(misfit).waitFor()
  await gone.getByRole('button', { name: 'Reject', exact: true }).waitFor()
  expect(await gone.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  const decided: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/decisions')) decided.push(...(request.postDataJSON() as { decisions: unknown[] }).decisions)
  })
  // The suggestion that was undone is open, too.
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'tests', text: 'checks' })
  await page.locator('.decide-all').getByRole('button', { name: 'Accept 2' }).click()
  await page.locator('.toast', { hasText: '2 suggestions accepted.' }).waitFor()
  await gone.press('a')
  await page.locator('.toast', { hasText: misfit }).waitFor()
  await gone.press('Control+Alt+Enter')
  await gone.press('r')
  await gone.waitFor({ state: 'detached' })
  expect(decided).toMatchObject([{ action: 'accept' }, { action: 'accept' }, { action: 'reject' }])
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-26] text is not shown as empty when a suggestion deletes all of it', async () => {
  const document = await createDocument(world.url, 'all of it')
  const { context, page, heard } = await person('Bea', (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.cm-content').press('Control+a')
  await page.keyboard.press('Delete')
  await page.locator('.rm-del', { hasText: 'all of it' }).waitFor()
  expect(await page.getByText('Write, or press / for blocks').filter({ visible: true }).count()).toBe(0)
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-86] the comments of two blocks that change places stay on their words', async () => {
  const document = await createDocument(world.url, 'Gamma middle para.\n\nAlpha has a word here.\n\nBeta para.\n')
  for (const find of ['middle', 'word']) await ask(document, 'POST', 'comments', { body: find, find })
  const { context, page } = await person('Ana', document.url)
  const marks = page.locator('.cm-content .rm-comment')
  const areMarked = (): Promise<void> =>
    until(async () => (await marks.allTextContents()).toSorted().join() === 'middle,word', 'both words')
  await areMarked()
  await selectWords(page, 'Gamma', { isCursor: true })
  await page.keyboard.press('Alt+ArrowDown')
  expect(await editorText(page)).toMatch(/^Alpha has a word here\.\n\nGamma middle para\./)
  await areMarked()
  await context.close()
})

test('[GRID-30] comments on cells stay on their words when rows are sorted', async () => {
  const document = await createDocument(
    world.url,
    '| City | Pop |\n| --- | --- |\n| Porto | 231 |\n| Faro | 60 |\n| Lisbon | 545 |\n| Évora | 53 |\n'
  )
  for (const find of ['Porto', '60', '545', 'Évora']) await ask(document, 'POST', 'comments', { body: find, find })
  const { context, page } = await person('Ana', document.url)
  const marks = page.locator('.cm-content .rm-comment')
  const areMarked = (words: string): Promise<void> => until(async () => (await marks.allTextContents()).join() === words, words)
  await areMarked('Porto,60,545,Évora')
  for (const [way, words] of [
    ['Sort A to Z', 'Évora,60,545,Porto'],
    ['Sort Z to A', 'Porto,545,60,Évora']
  ] as const) {
    await page.locator('.md-cell', { hasText: 'City' }).click()
    await page.locator('.grid-handle-column').click()
    await page.getByRole('menuitem', { name: way, exact: true }).click()
    await areMarked(words)
  }
  await context.close()
})

test('[REVIEW-28] a comment whose words were changed is on their new text, not on the same words next to them', async () => {
  const document = await createDocument(world.url, '# Lunch\n\nThe fish is red.\n\nThe fish is blue.\n')
  await ask(document, 'POST', 'comments', { find: 'fish', occurrence: 1, body: 'Fresh?' })
  await ask(document, 'PATCH', 'content', { edits: [{ find: 'sh is red', replace: 'nch and fish are red' }] })
  const made = await listComments(document)
  const anchor = made[0]?.anchor ?? { from: 0, to: 0 }
  const words = (await readMarkdown(world.url, document)).slice(anchor.from, anchor.to)
  expect(words).not.toBe('fish')
  const { context, page } = await person('Ana', document.url)
  const comment = page.locator('.rm-comment')
  await comment.first().waitFor()
  expect((await comment.allTextContents()).join('')).toBe(words)
  await context.close()
})

test('[REVIEW-27] a comment made while others rewrite the text on both sides of its words is on these words', async () => {
  const { way, document, context, page, release } = await personBehind()
  // Bea's page has not received this change yet.
  const edits = [
    { find: 'The importer reads', replace: 'It takes' },
    { find: 'file twice, which is', replace: 'picture and is' },
    { find: '# Launch', replace: 'For every launch' }
  ]
  await ask(document, 'PATCH', 'content', { edits })
  await selectWords(page, 'every')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('Every one?')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment')
  expect((await listComments(document))[0]).toMatchObject({ anchored: true, line: 3, target: { quote: 'every' } })
  release()
  await page.getByText('It takes').waitFor()
  expect(await page.locator('.cm-line', { has: page.locator('.rm-comment') }).textContent()).toContain('It takes every picture')
  await context.close()
  await way.stop()
})

test('[REVIEW-14] an annotation made while others rewrite the text next to its words is on these words once the page has the new text', async () => {
  const { way, document, context, page, release } = await personBehind()
  // Bea's page has not received this change yet.
  await ask(document, 'PATCH', 'content', {
    edits: [
      { find: 'Monday, if', replace: 'Monday, unless' },
      { find: 'reads every file', replace: 'reads each file' }
    ]
  })
  await selectWords(page, 'Monday')
  await page.keyboard.press('Control+Alt+KeyM')
  await page.getByRole('textbox', { name: 'Write a comment' }).fill('A holiday!')
  await page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment')

  await page.locator('.cm-content').press('Control+Shift+KeyE')
  await until(async () => (await page.getByRole('button', { name: 'Suggest' }).getAttribute('aria-pressed')) === 'true', 'suggesting')
  await selectWords(page, 'slow')
  await page.keyboard.type('sluggish')
  await page.locator('.cm-content').press('Control+Shift+KeyE')
  const refusal = page.locator('.margin .card').getByText('The original text is gone.')
  await refusal.waitFor()
  expect(await listSuggestions(document)).toEqual([])

  release()
  await until(async () => (await listSuggestions(document)).length === 1, 'the suggestion')
  expect((await listSuggestions(document))[0]).toMatchObject({ original: 'slow', text: 'sluggish', status: 'pending' })
  expect((await listComments(document))[0]).toMatchObject({ anchored: true })
  await until(async () => (await refusal.count()) === 0, 'no refusal')
  expect(await editorText(page)).toBe(await readMarkdown(world.url, document))
  await context.close()
  await way.stop()
})

test('[REVIEW-44] [REVIEW-45] [REVIEW-65] [REVIEW-67] [REVIEW-68] [WHO-40] on a phone the bar shows that suggesting is on; a reply without a name, typed at the card while its comment is sent, is the person’s own', async () => {
  const document = await createDocument(world.url, 'Some words.\n')
  const { context, page } = await person('', document.url, { viewport: { width: 360, height: 740 } })
  const shown = page.locator('.top-bar .mode[aria-pressed=true]').first()
  expect(await shown.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Suggest instead of editing' }).click()
  await shown.waitFor()
  expect(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Edit directly' }).click()
  await shown.waitFor({ state: 'hidden' })

  await page.setViewportSize({ width: 1280, height: 860 })
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+Alt+m')
  const { promise: answer, resolve: release } = Promise.withResolvers<undefined>()
  await page.route('**/comments', async (route) => {
    if (route.request().method() === 'POST') await answer
    await route.continue()
  })
  await page.getByLabel('Write a comment').fill('First')
  const asked = page.getByRole('textbox', { name: 'Your name' })
  await asked.waitFor()
  await page.keyboard.press('Control+Enter')
  await page.locator('.card', { hasText: 'First' }).click({ position: { x: 4, y: 4 } })
  await page.keyboard.type('Second')
  await page.locator('.card').getByRole('button', { name: 'Reply' }).waitFor()
  expect(await asked.count()).toBe(0)
  await page.keyboard.press('Control+Enter')
  await page.locator('.card-reply.waiting', { hasText: 'Second' }).waitFor()
  await page.keyboard.type('Thi')
  release(undefined)
  await page.locator('.card-reply:not(.waiting)', { hasText: 'Second' }).waitFor()
  expect(await page.locator('.card-reply .card-author').textContent()).toBe('You')
  await page.keyboard.type('rd')
  expect(await page.getByRole('textbox', { name: 'Reply' }).inputValue()).toBe('Third')

  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.press('Control+Alt+m')
  await page.locator('.side-panel .card.composer textarea:focus').waitFor()
  await page.keyboard.type('On everything')
  await page.keyboard.press('Control+Enter')
  await page.locator('.side-panel .card', { hasText: 'On everything' }).waitFor()
  await context.close()
})

test('[REVIEW-80] [LINK-40] [LINK-43] a half-written comment and reply stay, and can be copied, after the link was revoked, even if the device has another link', async () => {
  const document = await createDocument(world.url, text)
  const link = await createLink(world.url, document, 'comment')
  await fetch(`${world.url}/api/docs/${document.id}/comments`, {
    method: 'POST',
    headers: { 'x-share-key': document.key, 'content-type': 'application/json' },
    body: JSON.stringify({ body: 'Is it so?', target: null })
  })
  const hourMs = 3_600_000
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, {
    method: 'PATCH',
    headers: { 'x-share-key': document.key, 'content-type': 'application/json' },
    body: JSON.stringify({ expiresAt: new Date(Date.now() + hourMs).toISOString() })
  })
  const { context, page } = await person('Bea', document.url, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(link.url)
  await page.getByText(/^You can comment until \d+:\d\d\s[AP]M$/).waitFor()
  await page.locator('.chip', { hasText: 'Commenting' }).waitFor()
  await selectWords(page, 'twice')
  await page.keyboard.press('Control+.')
  const card = page.locator('.side-panel .card', { hasText: 'Is it so?' })
  await card.click()
  await card.getByLabel('Reply').and(page.locator('textarea')).fill('Not quite')
  await page.locator('.side-panel').getByRole('button', { name: 'Comment', exact: true }).click()
  await page.getByLabel('Write a comment').fill('And here')
  const writing = page.locator('.side-panel .card.composer textarea:focus')
  await writing.waitFor()
  await page.clock.setFixedTime(Date.now() + hourMs)
  await fetch(`${world.url}/api/docs/${document.id}/shares/${link.id}`, { method: 'DELETE', headers: { 'x-share-key': document.key } })
  await page.locator('.chip[data-state=ended]').waitFor()
  await writing.waitFor()
  for (const [place, words] of [
    [page.locator('.side-panel .card.composer'), 'And here'],
    [card, 'Not quite']
  ] as const) {
    const field = place.locator('textarea')
    await until(() => field.evaluate((element) => (element as HTMLTextAreaElement).readOnly), 'nothing can be sent')
    expect(await field.inputValue()).toBe(words)
    await place.getByRole('button', { name: 'Copy text' }).click()
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === words, 'the copied text')
  }
  // The page does not turn into that of an editor while the person writes.
  await page.getByText('Your link has expired. This device has another link to the document.').waitFor()
  await page.getByRole('link', { name: 'Use the other link' }).click()
  await page.locator('.chip', { hasText: 'Saved' }).waitFor()
  await context.close()
})
