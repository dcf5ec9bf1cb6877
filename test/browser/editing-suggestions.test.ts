/** Suggestions that their authors edit where the text shows them. */
import type { Browser, BrowserContext, Page, WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { ask, launchPlan as text, listSuggestions } from './annotations.ts'
import {
  complaints,
  createDocument,
  createLink,
  type Document,
  editorText,
  ownPage,
  readMarkdown,
  saved,
  selectWords,
  until
} from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

async function personOf(name: string, url: string, hasTouch = false): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const viewport = hasTouch ? { width: 360, height: 740 } : { width: 1280, height: 860 }
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', hasTouch, isMobile: hasTouch })
  await context.addInitScript((own) => localStorage.setItem('agmd.name', own), name)
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.cm-content[aria-readonly=false][aria-autocomplete]').waitFor()
  return { context, page }
}

/** Returns where the editor draws some words: their left edge and their middle, in pixels of the page. */
const placeOf = (page: Page, words: string): Promise<{ readonly left: number; readonly x: number; readonly y: number }> =>
  page.locator('.cm-content').evaluate((content, wanted) => {
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1
      if (at === -1) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      const { left, width, top, height } = range.getBoundingClientRect()
      return { left, x: left + width / 2, y: top + height / 2 }
    }
    throw new Error(`the editor draws no “${wanted}”`)
  }, words)

const press = async (page: Page, words: string, clickCount = 1): Promise<void> => {
  await page.locator('.cm-content', { hasText: words }).waitFor()
  const { x, y } = await placeOf(page, words)
  await page.mouse.click(x, y, { clickCount })
}

const pending = async (document: Document): Promise<readonly string[]> =>
  (await listSuggestions(document)).flatMap(({ status, original, text: proposed }) =>
    status === 'pending' ? [`${original}→${proposed}`] : []
  )
const arePending = (document: Document, ...wanted: readonly string[]): Promise<void> =>
  until(async () => (await pending(document)).toSorted().join('|') === wanted.toSorted().join('|'), wanted.join('|'))

/** Waits until the editor contains no suggestion that is being typed. */
const areTaken = (page: Page): Promise<void> => until(async () => (await page.locator('.rm-own').count()) === 0, 'no typed suggestion')

/** Types a suggestion after some words, and leaves it. */
async function suggestAfter(page: Page, words: string, typed: string): Promise<void> {
  await selectWords(page, words, { isCursor: true })
  for (const [index, line] of typed.split('\n').entries()) {
    if (index > 0) await page.keyboard.press('Enter')
    await page.keyboard.type(line)
  }
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
}

test('[SUGG-33] [SUGG-34] [SUGG-45] a person edits a sent suggestion where the text shows it, by mouse and by keys; it stays one suggestion with one card', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  const heard = complaints(page)
  const sent = page.waitForResponse((response) => response.request().postData()?.includes('"done":true') === true)
  await suggestAfter(page, 'Monday', ' and Sunday noon')
  await sent
  await arePending(document, '→ and Sunday noon')
  const ids = async (): Promise<readonly string[]> => (await listSuggestions(document)).map(({ id }) => id)
  const before = await ids()
  const card = page.locator('.margin .card')
  await card.waitFor()

  // The caret alone sends nothing, and the card stays.
  const versions: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/drafts/')) versions.push(request.postData() ?? '')
  })
  await press(page, 'Sunday')
  await page.locator('.rm-own', { hasText: 'and Sunday noon' }).waitFor()
  await page.locator('.card.active', { hasText: 'and Sunday noon' }).waitFor()
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  expect(versions).toEqual([])

  // A press on the edge of the word behind it moves no text.
  const { left, y } = await placeOf(page, ', if')
  await page.mouse.click(left + 1, y)
  expect(await page.locator('.rm-own').count()).toBe(0)

  await press(page, 'noon', 2)
  await page.keyboard.type('midday')
  await arePending(document, '→ and Sunday midday')
  expect(versions.filter((version) => version.includes('noon'))).toEqual([])
  expect(await card.count()).toBe(1)
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  await page.locator('.rm-proposed ins', { hasText: 'and Sunday midday' }).waitFor()

  // The caret is drawn after the suggestion, so keys there edit the suggestion too.
  await selectWords(page, 'Monday', { isCursor: true })
  await page.keyboard.press('Backspace')
  await page.keyboard.type('y s')
  await arePending(document, '→ and Sunday midday s')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('!')
  await arePending(document, '→ and Sunday midday! s')
  await page.keyboard.press('Control+Home')
  await areTaken(page)
  expect(await ids()).toEqual(before)

  // A caret from the left reaches the beginning of the suggestion.
  await selectWords(page, 'Monda', { isCursor: true })
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type(' only')
  await arePending(document, '→ only and Sunday midday! s')

  // Undo takes back what was typed, then one version of the suggestion after the other, and then the suggestion.
  const texts = ['→ and Sunday midday! s', '→ and Sunday midday', '→ and Sunday noon'] as const
  for (const version of texts) {
    await page.keyboard.press('Control+z')
    await arePending(document, version)
  }
  for (const version of texts.slice(0, -1).toReversed()) {
    await page.keyboard.press('Control+y')
    await arePending(document, version)
  }
  for (const version of texts.slice(1)) {
    await page.keyboard.press('Control+z')
    await arePending(document, version)
  }
  expect(await ids()).toEqual(before)
  await page.keyboard.press('Control+z')
  await arePending(document)
  // Redo suggests it again, and then repeats its versions. It stays one suggestion.
  for (const version of texts.toReversed()) {
    await page.keyboard.press('Control+y')
    await arePending(document, version)
  }
  for (const version of texts.slice(1)) {
    await page.keyboard.press('Control+z')
    await arePending(document, version)
  }
  await page.keyboard.press('Control+z')
  await arePending(document)
  // It stays one suggestion even if the person does not wait for the service.
  for (const _version of texts) await page.keyboard.press('Control+y')
  await arePending(document, texts[0])
  for (const _version of texts) await page.keyboard.press('Control+z')
  await arePending(document)
  // Versions that the caret has not left count, too.
  await suggestAfter(page, 'Monday', ' evening')
  await press(page, 'evening', 2)
  await page.keyboard.type('noon')
  await arePending(document, '→ noon')
  for (const [key, ...versions] of [
    ['Control+z', '→ evening'],
    ['Control+z'],
    ['Control+y', '→ evening'],
    ['Control+y', '→ noon'],
    ['Control+z', '→ evening'],
    ['Control+z']
  ] as const) {
    await page.keyboard.press(key)
    await arePending(document, ...versions)
  }
  expect(await editorText(page)).toBe(text)
  expect(await readMarkdown(world.url, document)).toBe(text)
  expect(heard).toEqual([])
  await context.close()
})

test('[SUGG-33] a replacement, new lines and a suggestion from before a reload are edited in the same way; without the server, too', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  await selectWords(page, 'twice')
  await page.keyboard.type('only once')
  await suggestAfter(page, 'which is slow.', '\nNew line of six words here\nand one more')
  await arePending(document, 'twice→only once', '→\nNew line of six words here\nand one more')
  await page.reload()
  await page.locator('.rm-proposed ins', { hasText: 'six' }).waitFor()
  await press(page, 'six', 2)
  await page.keyboard.type('five')
  await arePending(document, 'twice→only once', '→\nNew line of five words here\nand one more')
  await press(page, 'only', 2)
  await page.keyboard.type('just')
  await arePending(document, 'twice→just once', '→\nNew line of five words here\nand one more')
  await press(page, 'one more', 1)
  await page.keyboard.press('End')
  await page.keyboard.type(' of them')
  await arePending(document, 'twice→just once', '→\nNew line of five words here\nand one more of them')

  await context.setOffline(true)
  await suggestAfter(page, 'Monday', ' or later')
  await press(page, 'later', 2)
  await page.keyboard.type('sooner')
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  await press(page, 'just', 2)
  await page.keyboard.type('exactly')
  await page.locator('.cm-content').press('Control+Home')
  await page.locator('.rm-proposed ins', { hasText: 'exactly once' }).waitFor()
  await context.setOffline(false)
  await arePending(document, 'twice→exactly once', '→\nNew line of five words here\nand one more of them', '→ or sooner')
  expect((await listSuggestions(document)).length).toBe(3)
  expect(await readMarkdown(world.url, document)).toBe(text)
  await context.close()
})

test('[SUGG-33] [SUGG-35] [SUGG-42] a press on a suggestion that has a reply, or of somebody else, changes no words beside it', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  // The response to the suggestion arrives after the messages about a reply to it.
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: stored, resolve: store } = Promise.withResolvers<void>()
  await page.route('**/drafts/*', async (route) => {
    const response = await route.fetch()
    if (route.request().postData()?.includes('"done":true') === true) {
      store()
      await told
    }
    await route.fulfill({ response })
  })
  await suggestAfter(page, 'Monday', ' and Sunday noon')
  await stored
  const [own] = await listSuggestions(document)
  await ask(document, 'POST', `suggestions/${own?.id}/replies`, { body: 'Why?' })
  await ask(document, 'POST', 'edits', { operations: [{ op: 'append', markdown: 'More.' }] })
  await until(async () => (await editorText(page)).includes('More.'), 'text that was written after the reply')
  tell()
  await page.locator('.margin .card', { hasText: '1 reply' }).waitFor()
  await ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'green', at: 'after', text: ' and quick enough' })
  await page.locator('.rm-proposed ins', { hasText: 'quick' }).waitFor()
  // Keys do not change the words next to a pressed suggestion, and a notice says why.
  for (const [word, why] of [
    ['noon', 'This suggestion has been answered, so it can no longer be changed.'],
    ['quick', 'Robot suggested this text. Only they can change it.']
  ] as const) {
    await press(page, word, 2)
    await page.keyboard.type('x')
    await page.locator('.toast', { hasText: why }).waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('!')
  await arePending(document, '→ and quick enough', '→ and Sunday noon', '→!')
  expect(await readMarkdown(world.url, document)).toBe(`${text}\nMore.\n`)
  await context.close()
})

test('[SUGG-42] for people who can decide, the notice about a pressed suggestion accepts it; beside suggested lines, too', async () => {
  const document = await createDocument(world.url, text)
  for (const [find, words] of [
    ['Monday', ' and Sunday'],
    ['slow.', '\n\nA new paragraph.']
  ])
    await ask(document, 'POST', 'suggestions', { operation: 'insert', find, at: 'after', text: words })
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(document.url)
  await page.locator('.rm-proposed ins', { hasText: 'Sunday' }).waitFor()
  // The end of suggested words is a place to write after them, but not to delete the words before them.
  const { left, y } = await placeOf(page, ', if')
  const drawn = await page.locator('.rm-proposed', { hasText: 'Sunday' }).boundingBox()
  expect(drawn?.x).toBeLessThan(left)
  await page.mouse.click(left - 3, y)
  await page.keyboard.press('Backspace')
  await page.locator('.toast', { hasText: 'Robot suggested this text. Accept it to change it.' }).waitFor()
  await page.keyboard.type('!')
  await until(async () => (await editorText(page)).includes('Monday!, if'), 'a letter after the suggestion')

  const place = await placeOf(page, 'A new paragraph.')
  await page.mouse.click(place.left + 300, place.y)
  await page.keyboard.type('x')
  await page.keyboard.press('Backspace')
  await page.locator('.toast').getByRole('button', { name: 'Accept' }).click()
  const accepted = text.replace('slow.', 'slow.\n\nA new paragraph.').replace('Monday', 'Monday!')
  await until(async () => (await readMarkdown(world.url, document)) === accepted, 'the accepted paragraph')
  await context.close()
})

test('[SUGG-33] on a phone, a tap places the caret in a sent suggestion', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url, true)
  await suggestAfter(page, 'Monday', ' and Sunday noon')
  await arePending(document, '→ and Sunday noon')
  const { x, y } = await placeOf(page, 'Sunday')
  await page.touchscreen.tap(x, y)
  await page.locator('.rm-own', { hasText: 'and Sunday noon' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('!')
  await until(async () => /^→ and Su?n?d?!/.test((await pending(document)).join('|')), 'a letter in the suggestion')
  await context.close()
})

test('[SUGG-36] a suggestion that its author edits can be decided, withdrawn and answered at any moment; nothing is lost or appears twice', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  const decide = (action: string, words: string): Promise<unknown> =>
    listSuggestions(document).then((all) =>
      ask(document, 'POST', 'decisions', { action, suggestionIds: all.filter((each) => each.text === words).map(({ id }) => id) })
    )
  await suggestAfter(page, 'Monday', ' and Sunday noon')
  await arePending(document, '→ and Sunday noon')
  await press(page, 'noon', 2)
  await decide('accept', ' and Sunday noon')
  const accepted = text.replace('Monday', 'Monday and Sunday noon')
  await until(async () => (await editorText(page)) === accepted, 'the accepted words, once')
  await page.keyboard.type('soon')
  await arePending(document, 'noon→soon')

  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  await press(page, 'soon')
  await decide('reject', 'soon')
  await page.getByText('Robot rejected your suggestion.').waitFor()
  await until(async () => (await editorText(page)) === accepted, 'the text without the rejected word')

  await suggestAfter(page, 'green', ' and fast')
  await arePending(document, '→ and fast')
  await press(page, 'fast', 2)
  await page.keyboard.type('quick')
  const card = page.locator('.margin .card', { hasText: 'and quick' })
  await card.getByRole('textbox', { name: 'Reply' }).click()
  await page.keyboard.type('Or is it?')
  await page.keyboard.press('Control+Enter')
  await card.getByText('Or is it?').waitFor()
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  await arePending(document, '→ and quick')

  await suggestAfter(page, 'slow', ' now')
  await arePending(document, '→ and quick', '→ now')
  await press(page, 'now')
  await page.keyboard.type('x')
  await page.locator('.margin .card.active').getByRole('button', { name: 'Withdraw' }).click()
  await arePending(document, '→ and quick')
  expect(await editorText(page)).toBe(accepted)
  expect(await readMarkdown(world.url, document)).toBe(accepted)
  expect(await listSuggestions(document)).toHaveLength(4)
  await context.close()
})

test('[SUGGEST-31] [SUGG-37] [SUGG-44] suggestions of several people in one place are drawn in their order, also after one of them was accepted', async () => {
  const document = await createDocument(world.url, text)
  const add = (words: string): Promise<unknown> =>
    ask(document, 'POST', 'suggestions', { operation: 'insert', find: 'Monday', at: 'after', text: words })
  await add(' one')
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.rm-proposed ins', { hasText: 'one' }).waitFor()
  await suggestAfter(page, 'Monday', ' two')
  await arePending(document, '→ one', '→ two')
  await add(' three')
  const drawn = async (): Promise<string> =>
    (await page.locator('.cm-line', { hasText: 'Monday' }).allTextContents()).join('').replaceAll(/R(?= |,)|A(?= |,)/g, '')
  const isDrawn = (words: string): Promise<void> => until(async () => (await drawn()).includes(words), words)
  await isDrawn('Monday one two three, if')
  await press(page, 'two')
  await page.locator('.rm-own').waitFor()
  await page.locator('.cm-content').press('Control+Home')
  await areTaken(page)
  await isDrawn('Monday one two three, if')
  const [first] = (await listSuggestions(document)).filter((each) => each.text === ' one')
  await ask(document, 'POST', 'decisions', { action: 'accept', suggestionIds: [first?.id] })
  await until(async () => (await editorText(page)).includes('Monday one, if'), 'the accepted word')
  await isDrawn('Monday one two three, if')
  await ask(document, 'POST', 'decisions', { action: 'reopen', suggestionIds: [first?.id] })
  await until(async () => (await editorText(page)).includes('Monday, if'), 'the reopened word')
  await isDrawn('Monday one two three, if')
  // All of them are accepted while the caret is in one of them.
  await selectWords(page, 'Monday', { isCursor: true })
  await page.keyboard.type('-')
  await arePending(document, '→ one', '→ two-', '→ three')
  const edited = await listSuggestions(document)
  await ask(document, 'POST', 'decisions', { action: 'accept', suggestionIds: edited.map(({ id }) => id) })
  const words = edited
    .toReversed()
    .map((each) => each.text)
    .join('')
  await until(async () => (await editorText(page)).includes(`Monday${words}, if`), 'the accepted words')
  await areTaken(page)
  await arePending(document)
  // Undo does not suggest to delete them.
  await page.keyboard.press('Control+z')
  await page.locator('.toast', { hasText: 'Nothing to undo.' }).waitFor()
  await arePending(document)
  expect(await readMarkdown(world.url, document)).toBe(text.replace('Monday', `Monday${words}`))
  await context.close()
})

test('[SUGG-41] undo restores what one suggestion was before, even if the caret came from an edit of another one that was undone', async () => {
  const document = await createDocument(world.url, text)
  const { context, page } = await personOf('Ana', (await createLink(world.url, document, 'suggest')).url)
  await suggestAfter(page, 'Monday', ' and big Sunday')
  await suggestAfter(page, 'file', ' or folder')
  await arePending(document, '→ or folder', '→ and big Sunday')
  await press(page, 'big', 2)
  await page.keyboard.press('Backspace')
  await arePending(document, '→ or folder', '→ and  Sunday')
  await page.keyboard.press('Control+z')
  await arePending(document, '→ or folder', '→ and big Sunday')
  // The arrow key closes the bar of the restored selection.
  await page.keyboard.press('ArrowRight')
  // The suggestion of the deleted word is sent while the caret is already in the other one.
  const sent = page.waitForResponse((response) => response.request().postData()?.includes('"done":true') === true)
  await press(page, 'folder')
  await page.keyboard.insertText('XX')
  await arePending(document, '→ or folXXder', '→ and big Sunday')
  await sent
  await page.keyboard.press('Control+z')
  await arePending(document, '→ or folder', '→ and big Sunday')
  await page.keyboard.press('Control+z')
  await arePending(document, '→ and big Sunday')
  await page.keyboard.press('Control+z')
  await arePending(document)
  expect(await editorText(page)).toBe(text)
  await context.close()
})

test('[SUGG-39] [SUGG-50] [SUGG-82] [SUGG-111] [LINK-41] [LINK-46] [REVIEW-121] a suggestion that the service has appears once if its author may no longer suggest, even with the caret in it', async () => {
  const document = await createDocument(world.url, text)
  const link = await createLink(world.url, document, 'suggest')
  const { context, page } = await personOf('Ana', link.url)
  const sent = page.waitForResponse((response) => response.request().postData()?.includes('" and Sunday"') === true)
  await selectWords(page, 'Monday', { isCursor: true })
  await page.keyboard.type(' and Sunday')
  await sent
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'view' })
  await page.locator('.chip', { hasText: 'Read only' }).waitFor()
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'suggest' })
  await page.getByText('You can now suggest changes to this document.').waitFor()
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.rm-proposed ins', { hasText: 'and Sunday' }).waitFor()
  expect(await page.locator('.cm-content ins', { hasText: 'and Sunday' }).count()).toBe(1)
  expect(await page.getByText('Not saved').count()).toBe(0)
  expect(await page.locator('.margin .card').count()).toBe(1)
  await arePending(document, '→ and Sunday')

  // Now the person types on after the last version that the service has.
  const held = Promise.withResolvers<undefined>()
  await page.route('**/drafts/*', async (route) => {
    if (route.request().postData()?.includes('today too') === true) await held.promise
    await route.continue()
  })
  await selectWords(page, 'slow', { isCursor: true })
  await page.keyboard.type(' today')
  await arePending(document, '→ and Sunday', '→ today')
  await page.keyboard.type(' too')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'comment' })
  await page.locator('.chip', { hasText: 'Commenting' }).waitFor()
  await page.getByText('Your access changed. You can now only comment on this document.').waitFor()
  await page.keyboard.type('a')
  await page.getByText('You can comment but not edit this.').waitFor()
  held.resolve(undefined)
  const unsaved = page.locator('.margin .card', { hasText: 'Your link no longer allows this.' })
  await unsaved.waitFor()
  expect(await page.locator('.cm-content ins', { hasText: 'today' }).allTextContents()).toEqual([' today too'])
  expect(await page.locator('.margin .card', { hasText: 'today' }).count()).toBe(1)
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'suggest' })
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  // [SUGG-82] The page sends the suggestion again without a press on a button.
  await arePending(document, '→ and Sunday', '→ today too')
  expect(await page.locator('.cm-content ins', { hasText: 'today' }).allTextContents()).toEqual([' today too'])

  // The reading view has no cards.
  await context.setOffline(true)
  await selectWords(page, 'slow', { isCursor: true })
  await page.keyboard.type(' offline')
  await page.keyboard.press('Control+Home')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'view' })
  await context.setOffline(false)
  const notice = page.locator('.toast', { hasText: 'Not saved: Your link no longer allows this.' })
  await notice.waitFor()
  // Once the role allows it again, the page sends the suggestion, and the notice is gone.
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'suggest' })
  await until(async () => (await pending(document)).join('|').includes('offline'), 'the suggestion')
  await notice.waitFor({ state: 'detached' })
  await context.setOffline(true)
  await selectWords(page, 'slow', { isCursor: true })
  await page.keyboard.type(' again')
  await page.keyboard.press('Control+Home')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'view' })
  await context.setOffline(false)
  await notice.getByRole('button', { name: 'Show' }).click()
  await page.locator('.side-panel .card', { hasText: 'again' }).getByRole('button', { name: 'Copy text' }).waitFor()
  await context.close()
})

test('[SUGG-70] edits that the server refuses because the role was lowered become suggestions', async () => {
  const document = await createDocument(world.url, 'One apple.\n\nTwo pears.\n\n| A | B |\n| --- | --- |\n| xx | yy |\n')
  const link = await createLink(world.url, document, 'edit')
  const { context, page } = await ownPage(browser, { name: 'Ana', viewport: { width: 1280, height: 860 } })
  const complained = complaints(page)
  let isLosing = false
  const { promise: lowered, resolve: isLowered } = Promise.withResolvers<void>()
  await page.routeWebSocket('**/collab?*', (socket) => {
    const isEarlier = !isLosing
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (!isEarlier || !isLosing) server.send(message)
    })
    server.onMessage((message) => {
      socket.send(message)
      if (message.includes('"type":"role","role":"suggest"')) isLowered()
    })
  })
  await page.goto(link.url)
  await selectWords(page, 'apple', { isCursor: true })
  await page.keyboard.type(' red')
  await saved(page)
  isLosing = true
  await selectWords(page, 'pears', { isCursor: true })
  await page.keyboard.press('Backspace')
  await selectWords(page, 'xx', { isCursor: true })
  await page.keyboard.type('yz')
  await selectWords(page, 'red', { isCursor: true })
  await page.keyboard.type(' alp')
  const told = page.getByText('You can now only suggest changes to this document.').waitFor()
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'suggest' })
  await lowered
  await page.keyboard.type('ha bravo')
  const all = ['→ alpha bravo', 's→', '→yz']
  await arePending(document, ...all)
  const now = 'One apple red.\n\nTwo pears.\n\n| A | B |\n| --- | --- |\n| xx | yy |\n'
  expect(await readMarkdown(world.url, document)).toBe(now)
  await told
  await page.keyboard.type(' charlie')
  await page.keyboard.press('Control+Home')
  await areTaken(page)
  all[0] = '→ alpha bravo charlie'
  await arePending(document, ...all)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.reload()
  await page.locator('.rm-proposed ins', { hasText: 'alpha bravo charlie' }).waitFor()
  await arePending(document, ...all)

  // Nothing is left on the device that a later edit would send.
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'edit' })
  await page.getByRole('button', { name: 'Accept', exact: true }).first().waitFor()
  await selectWords(page, 'Two', { isCursor: true })
  await page.keyboard.type(' ripe')
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe(now.replace('Two', 'Two ripe'))
  await arePending(document, ...all)
  expect(complained).toEqual([])
  await context.close()
})

test('[SUGG-70] edits that the server refuses become suggestions once, even if two tabs have them', async () => {
  const document = await createDocument(world.url, 'One apple.\n\nTwo pears.\n\nThree xx.\n')
  const link = await createLink(world.url, document, 'edit')
  const { context, page } = await ownPage(browser, { name: 'Ana', viewport: { width: 1280, height: 860 } })
  const complained = complaints(page)
  let isHeld = false
  const sockets = new Set<WebSocketRoute>()
  await page.routeWebSocket('**/collab?*', (socket) => {
    sockets.add(socket)
    if (isHeld) return
    const server = socket.connectToServer()
    socket.onMessage((message) => (isHeld ? undefined : server.send(message)))
    server.onMessage((message) => (isHeld ? undefined : socket.send(message)))
  })
  await page.goto(link.url)
  await page.locator('.chip[data-state=saved]').waitFor()
  isHeld = true
  await selectWords(page, 'pears', { isCursor: true })
  await page.keyboard.press('Backspace')
  await selectWords(page, 'apple', { isCursor: true })
  await page.keyboard.insertText(' alpha')
  const isOnDisk = (): Promise<boolean> =>
    page.evaluate(async (name) => {
      const asked = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((resolve) => request.addEventListener('success', () => resolve(request.result)))
      const database = await asked(indexedDB.open(name))
      const updates = await asked(database.transaction('updates').objectStore('updates').getAll())
      database.close()
      return updates.some((update) => new TextDecoder('latin1').decode(update as Uint8Array).includes(' alpha'))
    }, `agmd:${document.id}`)
  await until(isOnDisk, 'the edits on the device')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'suggest' })
  // The other tab loads the edits from the device, and suggests them.
  const other = await context.newPage()
  const complainedThere = complaints(other)
  await other.goto(link.url)
  await arePending(document, '→ alpha', 's→')
  await selectWords(page, 'xx', { isCursor: true })
  await page.keyboard.type('yz')
  isHeld = false
  for (const socket of sockets) await socket.close()
  // The first tab suggests only the edits that the other one did not have.
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.keyboard.press('Control+Home')
  await arePending(document, '→ alpha', 's→', '→yz')
  await areTaken(page)
  await arePending(document, '→ alpha', 's→', '→yz')
  expect(await readMarkdown(world.url, document)).toBe('One apple.\n\nTwo pears.\n\nThree xx.\n')
  for (const each of [page, other]) {
    const shown = (): Promise<string[]> => each.locator('.cm-content ins').allTextContents()
    await until(async () => (await shown()).join('|') === ' alpha|yz', 'the suggestions')
  }
  expect([...complained, ...complainedThere]).toEqual([])
  await context.close()
})

test('[SUGG-71] [SUGG-72] [SUGG-73] [REVIEW-140] a suggestion is accepted while its author has no connection, their role is raised while they type, and a decision comes too late', async () => {
  const document = await createDocument(world.url, text)
  const link = await createLink(world.url, document, 'suggest')
  const { context, page } = await personOf('Ana', link.url)
  const idOf = async (words: string): Promise<string> =>
    (await listSuggestions(document)).find(({ text: proposed }) => proposed === words)?.id ?? ''
  let refused = 0
  const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
  page.on('websocket', (socket) => socket.on('close', () => isClosed()))
  await page.reload()
  page.on('response', (response) => {
    if (response.url().includes('/drafts/') && response.status() === 409) refused += 1
  })
  await selectWords(page, 'Monday', { isCursor: true })
  await page.keyboard.type(' noon')
  await arePending(document, '→ noon')
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await context.setOffline(true)
  await page.keyboard.type(' or later')
  await page.keyboard.press('Control+Home')
  await areTaken(page)
  // The page must not hear of the acceptance.
  await closed
  await ask(document, 'POST', `suggestions/${await idOf(' noon')}`, { action: 'accept' })
  await context.setOffline(false)
  await arePending(document, '→ or later')
  await page.locator('.rm-proposed ins', { hasText: /^ or later$/ }).waitFor()
  const now = text.replace('Monday', 'Monday noon')
  expect(await readMarkdown(world.url, document)).toBe(now)
  expect(await editorText(page)).toBe(now)
  expect(refused).toBeLessThanOrEqual(2)

  // Now the person edits one suggestion in two tabs.
  await suggestAfter(page, 'green', ' light')
  await arePending(document, '→ or later', '→ light')
  const other = await context.newPage()
  await other.goto(link.url)
  await other.locator('.rm-proposed ins', { hasText: 'light' }).waitFor()
  const both = [page, other]
  for (const tab of both) await selectWords(tab, 'green', { isCursor: true })
  // The tabs write different words, because the service takes the same version from two tabs for a repeated request.
  const inEach = [
    [' one', ' uno'],
    [' two', ' dos']
  ] as const
  for (const words of inEach) for (const [index, tab] of both.entries()) await tab.keyboard.type(words[index] ?? '')
  const inTabs = async (): Promise<string> => (await pending(document)).find((each) => each.startsWith('→ light')) ?? ''
  await until(async () => (await inTabs()).split(' ').toSorted().join(' ') === 'dos light one two uno →', 'the words of both tabs')
  const whole = await inTabs()
  for (const tab of both) await tab.locator('.rm-own', { hasText: whole.slice(1) }).waitFor()
  for (const tab of both) await tab.locator('.cm-content').press('Control+Home')
  for (const tab of both) await areTaken(tab)
  await arePending(document, '→ or later', whole)
  await other.close()

  await selectWords(page, 'slow', { isCursor: true })
  await page.keyboard.type(' and alpha')
  await arePending(document, '→ or later', whole, '→ and alpha')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'edit' })
  await page.getByRole('button', { name: 'Accept', exact: true }).first().waitFor()
  await page.keyboard.type(' bravo')
  await arePending(document, '→ or later', whole, '→ and alpha bravo')
  expect(await readMarkdown(world.url, document)).toBe(now)
  await page.keyboard.press('Control+Home')
  await areTaken(page)
  await selectWords(page, 'twice', { isCursor: true })
  await page.keyboard.type(' today')
  await until(async () => (await readMarkdown(world.url, document)).includes('twice today'), 'the typed text')
  await arePending(document, '→ or later', whole, '→ and alpha bravo')

  await context.setOffline(true)
  await page.locator('.margin .card', { hasText: 'or later' }).getByRole('button', { name: 'Accept', exact: true }).click()
  await ask(document, 'POST', `suggestions/${await idOf(' or later')}`, { action: 'reject' })
  await context.setOffline(false)
  const notice = page.locator('.toast', { hasText: 'Robot rejected this suggestion first.' })
  await notice.getByRole('button', { name: 'Reopen' }).click()
  await arePending(document, '→ or later', whole, '→ and alpha bravo')
  await context.close()
})
