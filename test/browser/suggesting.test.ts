/** Suggestions that others see while they are typed, and decisions that are undone. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import type { World } from '../support/start.ts'
import { ask, launchPlan as text, listComments, listSuggestions } from './annotations.ts'
import { complaints, createDocument, createLink, editorText, readMarkdown, saved, selectWords, until } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

async function contextOf(name: string, viewport = { width: 1280, height: 860 }, hasTouch = false): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', hasTouch, isMobile: hasTouch })
  await context.addInitScript((own) => localStorage.setItem('agmd.name', own), name)
  return context
}

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.chip:is([data-state=saved], [data-state=readonly])').waitFor()
  await page.locator('.annotations-button').waitFor()
  return page
}

/** Waits until the service has the whole typed text as a pending suggestion. A decision before then leaves the rest as a new suggestion. */
const stored = (document: Parameters<typeof listSuggestions>[0], typed: string): Promise<unknown> =>
  until(async () => (await listSuggestions(document)).some(({ status, text: sent }) => status === 'pending' && sent === typed), typed)

/** Opens a document for suggesting, with the caret at its end. */
async function suggester(context: BrowserContext, url: string): Promise<Page> {
  const page = await opened(context, url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  // The chip shows its text before the code for suggestions has loaded. Until then, the editor accepts no letters.
  // The writing aids, which set the other attribute, load on their own. Before that, a deletion cuts formats.
  await page.locator('.cm-content[aria-readonly=false][aria-autocomplete]').press('Control+End')
  return page
}

test('[WRITE-180] [GRID-60] [GRID-61] [GRID-62] [GRID-84] a deletion within a format is one suggestion, and so is that of a column; a click below a table suggests nothing', async () => {
  const table = '\n\n| Item | Price |\n| --- | --- |\n| Bread | 2 |\n'
  const document = await createDocument(world.url, `Say **very bold** now${table}`)
  const context = await contextOf('Ana')
  const page = await suggester(context, (await createLink(world.url, document, 'suggest')).url)
  await page.keyboard.press('Control+Home')
  for (let word = 0; word < 3; word++) await page.keyboard.press('Control+Shift+ArrowRight')
  await page.keyboard.press('Backspace')
  await until(async () => (await editorText(page)) === ` **bold** now${table}`, 'the text with one pair of marks')
  await until(async () => (await listSuggestions(document)).some(({ status }) => status === 'pending'), 'a suggestion')
  expect((await listSuggestions(document)).map(({ original, text: sent }) => [original, sent])).toEqual([['Say **very ', ' **']])
  // A click below the table creates no line. Typing does.
  const last = await page.locator('.cm-line').last().boundingBox()
  await page.mouse.click((last?.x ?? 0) + 50, (last?.y ?? 0) + (last?.height ?? 0) + 100)
  expect(await editorText(page)).toBe(` **bold** now${table}`)
  await page.keyboard.type('End')
  await until(async () => (await editorText(page)) === ` **bold** now${table}\nEnd`, 'the text below')
  // A deleted row stays in the columns of the table.
  const price = page.getByText('2', { exact: true })
  await price.click()
  await page.getByRole('button', { name: 'Delete row' }).click()
  const struck = (await page.locator('.rm-del .rm-cell', { hasText: '2' }).boundingBox())!
  const { x, width } = (await page.locator('.md-cell', { hasText: 'Price' }).boundingBox())!
  expect([struck.x, struck.width]).toEqual([x, width])
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)).includes('Bread'), 'the row')
  // The column has space for the word that is struck out.
  await page.getByText('Bread').dblclick()
  await page.keyboard.type('Rye')
  await until(() => page.locator('del', { hasText: 'Bread' }).evaluate((word) => word.getClientRects().length === 1), 'one line')
  await price.click()
  await page.getByRole('button', { name: 'Delete column' }).click()
  await stored(document, '|\n| --- |\n| Rye ')
  await context.close()
})

test('[SUGG-8] [SUGG-9] [SUGG-60] [SUGG-90] [UNDO-8] [REVIEW-81] others see a suggestion while it is typed; if they accept half of it, the rest becomes a new one, and nothing appears twice', async () => {
  const document = await createDocument(world.url, text)
  const anas = await contextOf('Ana')
  const eves = await contextOf('Eve')
  const [ana, eve] = [await suggester(anas, (await createLink(world.url, document, 'suggest')).url), await opened(eves, document.url)]
  const heard = [complaints(ana), complaints(eve)]
  await ana.keyboard.type('The docs ')
  await eve.locator('.rm-proposed ins', { hasText: 'The docs' }).waitFor()
  await eve.locator('.margin .card', { hasText: 'The docs' }).getByRole('button', { name: 'Accept' }).waitFor()
  await ana.keyboard.type('come')
  await eve.locator('.rm-proposed ins', { hasText: 'The docs come' }).waitFor()
  // The author sees the suggestion only in the text. The chip shows that the service has it.
  await ana.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  expect(await ana.locator('.margin .card').count()).toBe(0)
  expect(await ana.locator('.rm-own', { hasText: 'The docs come' }).count()).toBe(1)

  await eve.locator('.margin .card', { hasText: 'The docs come' }).getByRole('button', { name: 'Accept' }).click()
  await until(async () => (await readMarkdown(world.url, document)) === `${text}The docs come`, 'the accepted words')
  await ana.locator('.rm-own').waitFor({ state: 'detached' })
  await ana.keyboard.type(' later')
  await eve.locator('.rm-proposed ins', { hasText: 'later' }).waitFor()
  expect(await editorText(ana)).toBe(`${text}The docs come later`)
  expect(await editorText(eve)).toBe(`${text}The docs come`)
  await ana.locator('.cm-content').press('Control+Home')
  await ana.locator('.margin .card', { hasText: 'later' }).waitFor()
  expect((await listSuggestions(document)).map((each) => [each.status, each.text])).toEqual([
    ['pending', ' later'],
    ['accepted', 'The docs come']
  ])

  // A rejected suggestion that has not changed since disappears from its author's editor.
  await ana.keyboard.type('Draft. ')
  await stored(document, 'Draft. ')
  const card = eve.locator('.margin .card', { hasText: 'Draft.' })
  await card.getByRole('button', { name: 'Reject', exact: true }).click()
  await ana.getByText('Eve rejected your suggestion.').waitFor()
  await until(async () => !(await editorText(ana)).includes('Draft.'), 'the rejected words gone')
  // The notice has the reason, if there is one.
  await ana.keyboard.type('Plan. ')
  await stored(document, 'Plan. ')
  const second = eve.locator('.margin .card', { hasText: 'Plan.' })
  await second.getByRole('button', { name: 'Reject with a reason' }).click()
  await second.getByLabel('Reason').fill('Too early')
  await second.getByRole('button', { name: 'Reject', exact: true }).click()
  await ana.getByText('Eve rejected your suggestion: Too early').waitFor()
  await until(async () => !(await editorText(ana)).includes('Plan.'), 'the other rejected words gone')
  // The author types on before the rejection arrives. The words that others could not see become the beginning of the next suggestion.
  await ana.keyboard.type('Idea')
  await stored(document, 'Idea')
  const isRejected = Promise.withResolvers<undefined>()
  await ana.route('**/drafts/*', async (route) => {
    await isRejected.promise
    await route.continue()
  })
  await ana.keyboard.type('s, no')
  await eve.locator('.margin .card', { hasText: 'Idea' }).getByRole('button', { name: 'Reject', exact: true }).click()
  await ana.getByText('Eve rejected your suggestion.').waitFor()
  await ana.keyboard.type('w. ')
  isRejected.resolve(undefined)
  await stored(document, 'Ideas, now. ')
  expect((await listSuggestions(document)).filter(({ status, text: sent }) => status === 'rejected' && sent === 'Idea')).toHaveLength(1)
  for (let count = 0; (await editorText(ana)).includes('Idea'); count++) {
    expect(count).toBeLessThan(3)
    await ana.keyboard.press('Control+z')
  }
  // Text that is typed and then deleted leaves no suggestion.
  await ana.keyboard.type('Hm')
  await stored(document, 'Hm')
  await ana.keyboard.press('Backspace')
  await ana.keyboard.press('Backspace')
  await until(
    async () => !(await listSuggestions(document)).some((each) => /^Hm?$/.test(each.text) && each.status === 'pending'),
    'no letters'
  )

  await ana.keyboard.type('Once. ')
  await stored(document, 'Once. ')
  await eve.locator('.margin .card', { hasText: 'Once.' }).getByRole('button', { name: 'Accept' }).click()
  await ana.locator('.rm-own').waitFor({ state: 'detached' })
  await eve.locator('.toast', { hasText: 'Accepted.' }).getByRole('button', { name: 'Undo' }).click()
  await ana.locator('.margin .card', { hasText: 'Once.' }).waitFor()
  expect((await listSuggestions(document)).find((each) => each.text === 'Once. ')?.status).toBe('pending')

  // The same applies to deleted text. Its author has the card once the caret has left.
  await selectWords(ana, 'twice')
  await ana.keyboard.press('Delete')
  await eve.locator('.margin .card', { hasText: 'twice' }).waitFor()
  await ana.locator('.rm-proposed del', { hasText: 'twice' }).waitFor()
  expect(await ana.locator('.margin .card', { hasText: 'twice' }).count()).toBe(0)
  await ana.keyboard.press('Control+Home')
  await ana.locator('.margin .card', { hasText: 'twice' }).waitFor()
  expect(heard.flat()).toEqual([])
  await anas.close()
  await eves.close()
})

test('[SUGG-30] [REVIEW-141] the marks of others leave with the text that a suggestion replaces, and undo brings them back to their positions', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'twice', text: 'once' })
  const { comment } = await ask<{ comment: { id: string } }>(document, 'POST', 'comments', { body: 'All?', find: 'tests' })
  const context = await contextOf('Ana')
  const page = await suggester(context, (await createLink(world.url, document, 'suggest')).url)
  const marks = page.locator('.cm-content :is(.rm-proposed, .rm-del, .rm-comment)')
  const lines = async (): Promise<string> => (await page.locator('.cm-content .cm-line').allTextContents()).join('\n')
  await page.keyboard.press('Control+.')
  await selectWords(page, 'importer', { isCursor: true })
  await page.keyboard.type(' nights')
  await page.locator('.cm-content').press('Control+Home')
  await page.locator('.side-panel .card', { hasText: 'nights' }).waitFor()
  await stored(document, ' nights')
  await until(async () => (await marks.count()) === 4, 'all marks')
  const before = await lines()
  expect(before).toContain('The importer nightsA reads every file twiceonceR,')

  const proposed = await listSuggestions(document)
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('New text')
  // Replies make the service report the annotations once more.
  for (const { id } of proposed) await ask(document, 'POST', `suggestions/${id}/replies`, { body: 'Why?' })
  await ask(document, 'POST', `comments/${comment.id}/replies`, { body: 'Yes, all.' })
  const answered = page.locator('.side-panel .card').filter({ hasText: '1 reply' })
  await until(async () => (await answered.count()) === 3, 'a reply to each')
  expect(await lines()).toBe(`${text}New text`)
  await page.keyboard.press('Control+z')
  expect(await lines()).toBe(before)
  expect(await marks.count()).toBe(4)
  // If the person deletes words that others replace, both suggestions are visible.
  await selectWords(page, 'twice')
  await page.keyboard.press('Delete')
  await page.locator('.cm-content .rm-proposed:not([data-annotation]) del', { hasText: /^twice$/ }).waitFor()
  await page.locator('.cm-content .rm-proposed[data-annotation] ins', { hasText: /^once$/ }).waitFor()
  expect(await lines()).toContain('every file twiceonceR, which')
  await context.close()
})

test('[REVIEW-66] letters typed before the code for suggestions has loaded become part of the suggestion', async () => {
  const document = await createDocument(world.url, text)
  const context = await contextOf('Ana')
  const page = await context.newPage()
  const { promise: typed, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/review-*.js', async (route) => {
    await typed
    await route.continue()
  })
  await page.goto((await createLink(world.url, document, 'suggest')).url)
  await page.locator('.chip', { hasText: 'Suggesting' }).waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('Early. T')
  await page.keyboard.press('Backspace')
  resolve()
  await page.locator('.cm-content[aria-readonly=false][aria-autocomplete]').waitFor()
  await page.keyboard.type('Later.')
  await until(async () => (await listSuggestions(document)).some((each) => each.text === 'Early. Later.'), 'what was typed early')
  await context.close()
})

test('[SUGG-27] [SUGG-28] [SUGG-29] suggested bold is drawn as bold text, without marks, and is one suggestion; suggested lines stay below their line', async () => {
  const before = `${text}\n- plant roses\n- passport\n- socks\n`
  const document = await createDocument(world.url, before)
  const anas = await contextOf('Ana')
  const eves = await contextOf('Eve')
  const [ana, eve] = [await suggester(anas, (await createLink(world.url, document, 'suggest')).url), await opened(eves, document.url)]
  await selectWords(ana, 'every file')
  await ana.keyboard.press('Control+b')
  await stored(document, '**every file**')
  await ana.keyboard.press('Control+Home')
  for (const page of [ana, eve]) {
    await page.locator('.margin .card', { hasText: 'Bold: “every file”' }).waitFor()
    await page.locator('.cm-content ins.tok-strong', { hasText: /^every file$/ }).waitFor()
    expect(await page.locator('.cm-content').textContent()).not.toContain('*')
  }
  await eve.locator('.margin .card').getByRole('button', { name: 'Accept' }).click()
  const bold = before.replace('every file', '**every file**')
  await until(async () => (await readMarkdown(world.url, document)) === bold, 'bold text')
  await until(async () => (await editorText(ana)) === bold, 'bold text on the page of Ana')

  const drawn = (page: Page, words: string): Promise<string> => page.locator('.cm-line', { hasText: words }).innerText()
  await selectWords(ana, 'passport', { isCursor: true })
  await ana.keyboard.press('Enter')
  await ana.keyboard.type('hat')
  await stored(document, '\n- hat')
  await eve.locator('.rm-proposed ins', { hasText: 'hat' }).waitFor()
  await selectWords(eve, 'pass', { isCursor: true })
  await eve.keyboard.press('End')
  await eve.keyboard.type(', visa')
  await saved(eve)
  expect(await drawn(eve, 'passport')).toMatch(/passport, visa\n- hat/)
  await eve.locator('.margin .card', { hasText: 'hat' }).getByRole('button', { name: 'Accept' }).click()
  const longer = bold.replace('passport\n', 'passport, visa\n- hat\n')
  await until(async () => (await readMarkdown(world.url, document)) === longer, 'the accepted line below the typed words')
  // The caret of the author is still in the suggested line.
  await until(async () => (await editorText(ana)) === longer, 'the accepted line on the page of Ana, once')
  expect((await listSuggestions(document)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])

  await selectWords(ana, 'roses', { isCursor: true })
  await ana.keyboard.press('Enter')
  await ana.keyboard.type('paint')
  await ana.keyboard.press('Control+Home')
  await ana.locator('.margin .card', { hasText: 'paint' }).waitFor()
  await selectWords(ana, 'roses')
  await ana.keyboard.press('Delete')
  await ana.locator('.rm-proposed del', { hasText: 'roses' }).waitFor()
  expect(await drawn(ana, 'plant')).toMatch(/plant roses\n- paint/)
  await ana.keyboard.press('Control+Home')
  await ana.locator('.margin .card', { hasText: 'roses' }).waitFor()
  await eve.locator('.rm-del', { hasText: 'roses' }).waitFor()
  // The initial of the author is after the struck word.
  for (const page of [ana, eve]) expect(await drawn(page, 'plant')).toMatch(/plant rosesA\n- paint/)
  await anas.close()
  await eves.close()
})

test('[SUGG-25] [SUGG-26] [REVIEW-110] a reason is sent with one suggestion, and only once its field has lost the focus; a tick becomes a suggestion, which the box shows and a second click withdraws', async () => {
  const ticked = '# Plan\n\n- [ ] one\n- [x] two\n\nMore.\n'
  const document = await createDocument(world.url, ticked)
  // On a touch screen, the text does not take the focus by itself, so nothing redraws the boxes that were drawn before the role was known.
  const context = await contextOf('Ana', undefined, true)
  const page = await opened(context, (await createLink(world.url, document, 'suggest')).url)
  await page.locator('.cm-content[aria-readonly=false][aria-autocomplete]').waitFor()
  const boxes = page.locator('.md-task input')
  await boxes.nth(0).click()
  await page.locator('.margin .card', { hasText: 'Check off “one”' }).waitFor()
  await boxes.nth(1).click()
  await page.locator('.margin .card', { hasText: 'Mark “two” as not started' }).waitFor()
  await stored(document, 'x')
  await stored(document, ' ')
  // The boxes show what is suggested, and the text still has the earlier state.
  await page.locator('.rm-tick.rm-done', { hasText: 'one' }).waitFor()
  await page.locator('.rm-tick:not(.rm-done)', { hasText: 'two' }).waitFor()
  expect([await boxes.nth(0).isChecked(), await boxes.nth(1).isChecked()]).toEqual([false, true])
  await boxes.nth(0).click()
  await page.locator('.rm-tick', { hasText: 'one' }).waitFor({ state: 'detached' })
  await until(async () => (await listSuggestions(document)).filter(({ status }) => status === 'pending').length === 1, 'one suggestion')
  // Two clicks in a row add nothing, even if the second click comes before the suggestion has reached the service.
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/drafts/*', (route) => held.then(() => route.continue()))
  for (let click = 0; click < 3; click++) await boxes.nth(0).click()
  go()
  await until(
    async () => (await listSuggestions(document)).map(({ status }) => status).join() === 'pending,rejected,pending,rejected',
    'one of three clicks'
  )
  await page.unroute('**/drafts/*')
  await page.locator('.rm-tick.rm-done', { hasText: 'one' }).waitFor()
  expect(await page.locator('.margin .card', { hasText: 'Check off “one”' }).count()).toBe(1)
  expect(await readMarkdown(world.url, document)).toBe(ticked)

  const has = (words: string, note: string | null): Promise<void> =>
    until(
      async () => (await listSuggestions(document)).some((each) => each.text === words && each.note === note),
      `“${words}” with the note “${note}”`
    )
  await page.keyboard.press('Control+.')
  const field = page.getByRole('textbox', { name: 'Reason for your next suggestion' })
  await field.waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('One. ')
  await page.clock.install()
  await page.getByRole('textbox', { name: 'Reason for your suggestion' }).fill('It is')
  await page.clock.runFor(3000)
  expect(await page.locator('.rm-own', { hasText: 'One.' }).count()).toBe(1)
  await page.keyboard.type(' shorter.')
  await page.clock.runFor(1000)
  await has('One. ', 'It is shorter.')
  await page.locator('.cm-content').press('Control+Home')
  await page.clock.runFor(1000)
  await page.locator('.side-panel .card', { hasText: 'It is shorter.' }).waitFor()
  expect(await field.inputValue()).toBe('')

  await page.keyboard.type('Two. ')
  await page.clock.runFor(1000)
  await has('Two. ', null)
  expect(
    (await listSuggestions(document)).flatMap(({ status, text: words, note }) => (status === 'pending' ? [[words, note]] : []))
  ).toEqual([
    ['Two. ', null],
    ['One. ', 'It is shorter.'],
    ['x', null],
    [' ', null]
  ])
  await context.close()
})

test('[SUGG-10] a tab closed right after typing has sent the typed text, in every round; so has a phone browser in the background', async () => {
  const document = await createDocument(world.url, text)
  const { url } = await createLink(world.url, document, 'suggest')
  const found = async (): Promise<readonly string[]> => (await listSuggestions(document)).map((each) => each.text)
  const rounds = repeats(2, 6)
  for (let round = 1; round <= rounds; round++) {
    // Each round uses a separate context, so that no other page of the device can send the text later.
    const context = await contextOf('Ana', round % 2 === 0 ? { width: 360, height: 740 } : undefined)
    const page = await suggester(context, url)
    const words = `Words of round ${round}.`
    await page.keyboard.type(words)
    await page.close({ runBeforeUnload: true })
    await until(async () => (await found()).includes(words), `what was typed in round ${round}`)
    await context.close()
  }
  expect(await found()).toHaveLength(rounds)

  const context = await contextOf('Bea', { width: 360, height: 740 })
  const page = await suggester(context, url)
  await page.keyboard.type('From a phone.')
  await page.evaluate(() => {
    Object.defineProperty(globalThis.document, 'visibilityState', { value: 'hidden', configurable: true })
    globalThis.document.dispatchEvent(new Event('visibilitychange'))
  })
  await until(async () => (await found()).includes('From a phone.'), 'what was typed on the phone')
  expect(await page.getByText('Not sent', { exact: false }).count()).toBe(0)
  // When the connection is back, typing continues the same suggestion.
  await page.keyboard.type(' And back.')
  await until(async () => (await found()).includes('From a phone. And back.'), 'what was typed since')
  expect(await found()).toHaveLength(rounds + 1)
  await context.close()
})

test('[UNDO-5] [UNDO-9] [UNDO-10] [UNDO-12] [SUGG-83] [UNDO-40] [UNDO-41] [REVIEW-130] [REVIEW-131] a decision is undone from the notice, at the place of the card, by the keys, in the panel and in the reading view', async () => {
  const document = await createDocument(world.url, text)
  const propose = (find: string, words: string): Promise<unknown> =>
    ask(document, 'POST', 'suggestions', { operation: 'replace', find, text: words })
  await propose('twice', 'once')
  await propose('Monday', 'Tuesday')
  const context = await contextOf('Eve')
  const page = await opened(context, document.url)
  const heard = complaints(page)
  const accepted = text.replace('twice', 'once')
  const isText = (wanted: string): Promise<void> => until(async () => (await readMarkdown(world.url, document)) === wanted, wanted)
  const card = (words: string) => page.locator('.margin .card', { hasText: words })

  await card('once').getByRole('button', { name: 'Accept' }).click()
  await isText(accepted)
  await page.locator('.toast', { hasText: 'Accepted.' }).getByRole('button', { name: 'Undo' }).click()
  await isText(text)
  await card('once').getByRole('button', { name: 'Accept' }).click()
  await isText(accepted)
  await card('once').getByRole('button', { name: 'Undo' }).click()
  await isText(text)
  await card('once').getByRole('button', { name: 'Reject', exact: true }).click()
  await card('once').getByText('Rejected by you').waitFor()
  await card('once').getByRole('button', { name: 'Undo' }).click()
  await card('once').getByRole('button', { name: 'Accept' }).waitFor()

  // With the keyboard, undo first takes back the text typed after the decision, then the decision, and then the text typed before.
  await page.locator('.cm-content').press('Control+End')
  // Each text is inserted in one step, because letters typed more than half a second apart are several steps.
  await page.keyboard.insertText('Before.')
  await isText(`${text}Before.`)
  await card('once').getByRole('button', { name: 'Accept' }).click()
  await isText(`${accepted}Before.`)
  await card('Tuesday').click()
  await page.keyboard.press('Control+z')
  await isText(`${text}Before.`)
  await page.locator('.margin .card.active', { hasText: 'once' }).waitFor()
  await page.keyboard.press('Control+Shift+z')
  await isText(`${accepted}Before.`)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.insertText(' After.')
  await isText(`${accepted}Before. After.`)
  await page.keyboard.press('Control+z')
  await isText(`${accepted}Before.`)
  await page.keyboard.press('Control+z')
  await isText(`${text}Before.`)
  await page.keyboard.press('Control+z')
  await isText(text)

  // Words that are typed within and after accepted ones come back there, even if all keys are pressed at once.
  const changed = accepted.replace('once', 'once, now')
  await card('once').getByRole('button', { name: 'Accept' }).click()
  await isText(accepted)
  await selectWords(page, 'once', { isCursor: true })
  await page.keyboard.insertText(', now')
  await isText(changed)
  for (const [keys, wanted] of [
    ['Control+z', text],
    ['Control+y', changed]
  ] as const) {
    for (let press = 0; press < 2; press++) await page.keyboard.press(keys)
    await isText(wanted)
  }
  for (let press = 0; press < 2; press++) await page.keyboard.press('Control+z')
  await isText(text)

  // Several suggestions are decided at once in the panel.
  await page.keyboard.press('Control+.')
  await page.locator('.side-panel').getByRole('button', { name: 'Accept 2' }).click()
  await isText(accepted.replace('Monday', 'Tuesday'))
  await page.locator('.toast', { hasText: '2 suggestions accepted.' }).getByRole('button', { name: 'Undo' }).click()
  await isText(text)
  // One of them is refused because its words have changed. Undo takes back the others.
  await propose('Monday', 'Friday')
  await page.locator('.side-panel').getByRole('button', { name: 'Accept 3' }).click()
  await page.getByText('2 suggestions accepted. 1 could not be accepted: the text has changed.', { exact: true }).waitFor()
  await page.locator('.side-panel .card', { hasText: 'Friday' }).getByText('The text has changed').waitFor()
  await isText(accepted.replace('Monday', 'Tuesday'))
  await page.locator('.cm-content').press('Control+z')
  await isText(text)
  // [SUGG-83] The words are back, so the refusal goes.
  await page.locator('.side-panel .card', { hasText: 'Friday' }).getByText('The text has changed').waitFor({ state: 'detached' })
  const listed = page.locator('.side-panel .card', { hasText: 'Tuesday' })
  await listed.getByRole('button', { name: 'Reject', exact: true }).click()
  await page.getByText('Rejected.', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Resolved' }).check({ force: true })
  await listed.getByRole('button', { name: /Undo|Reopen/ }).click()
  await page.getByText('Undone. The suggestion is open again.').waitFor()

  // Decisions can also be undone in the reading view, and after the text has changed.
  await page.getByRole('radio', { name: 'Open', exact: true }).check({ force: true })
  await page.keyboard.press('Control+Alt+KeyP')
  await page.keyboard.press('Control+Alt+KeyP')
  await page.locator('.side-panel .card', { hasText: 'once' }).getByRole('button', { name: 'Accept' }).click()
  await isText(accepted)
  await ask(document, 'PATCH', 'content', { edits: [{ find: 'once', replace: 'one time' }] })
  await page.locator('.toast', { hasText: 'Accepted.' }).getByRole('button', { name: 'Undo' }).click()
  await page.locator('.toast', { hasText: 'The text has changed since, so this cannot be undone.' }).waitFor()
  await isText(accepted.replace('once', 'one time'))
  expect(heard).toEqual([])
  await context.close()

  // On the next visit, decided suggestions are in “Resolved”. The page reads them only then.
  const suggestions = await listSuggestions(document)
  for (const [words, reason] of [
    ['Friday', 'Nobody works then.'],
    ['Tuesday', 'Too late.']
  ])
    await ask(document, 'POST', `suggestions/${suggestions.find((each) => each.text === words)?.id}`, { action: 'reject', reason })
  const laterContext = await contextOf('Ada')
  const later = await laterContext.newPage()
  const reads: (string | null)[] = []
  later.on('request', (request) => reads.push(new URL(request.url()).searchParams.get('status')))
  await later.goto(document.url)
  await later.locator('.cm-content').waitFor()
  await later.keyboard.press('Control+.')
  await later.getByText(/No comments yet/).waitFor()
  expect(reads).not.toContain('rejected')
  await later.getByRole('radio', { name: 'Resolved' }).check({ force: true })
  const resolved = later.locator('.side-panel .card')
  await resolved
    .filter({ hasText: 'twice' })
    .getByText(/Accepted by/)
    .waitFor()
  expect(await resolved.locator('ins').allInnerTexts()).toEqual(['Tuesday', 'Friday', 'once'])
  await resolved.filter({ hasText: 'Tuesday' }).getByText('Too late.').waitFor()
  await resolved
    .filter({ hasText: 'Tuesday' })
    .getByText(/Rejected by/)
    .waitFor()
  await laterContext.close()
})

test('[UNDO-30] [REVIEW-120] the undo keys take back text, decisions, suggestions and resolved comments, newest first, and redo repeats them in order', async () => {
  const document = await createDocument(world.url, text)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'twice', text: 'once' })
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'Monday', text: 'Friday' })
  await ask(document, 'POST', 'comments', { find: 'green', body: 'All of them?' })
  const context = await contextOf('Eve')
  const page = await opened(context, document.url)
  const heard = complaints(page)
  const card = (words: string): Locator => page.locator('.margin .card', { hasText: words })
  const suggest = async (isOn: boolean): Promise<void> => {
    await page.getByRole('button', { name: 'Suggest', exact: true }).click()
    await page.locator('.cm-content[aria-readonly=false][aria-autocomplete]').waitFor()
    await page.locator('.toast', { hasText: isOn ? 'Suggesting:' : 'Editing:' }).waitFor()
  }
  /** Each state is the text, the pending suggestions, and whether the comment is resolved. */
  const now = async (): Promise<string> => {
    const open = (await listSuggestions(document)).flatMap((each) => (each.status === 'pending' ? [each.text] : [])).toSorted()
    const [comment] = await listComments(document)
    return `${(await readMarkdown(world.url, document)).trim()} ${open.join()} ${comment?.resolved}`
  }
  const states: string[] = []
  const isNow = (changed: string, pending: string, resolved = false): Promise<void> => {
    states.push(`${changed.trim()} ${pending} ${resolved}`)
    return until(async () => (await now()) === states.at(-1), states.at(-1) ?? '')
  }
  const once = text.replace('twice', 'once')
  await card('once').getByRole('button', { name: 'Accept' }).waitFor()
  await isNow(text, 'Friday,once')
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.insertText('Before.')
  await isNow(`${text}Before.`, 'Friday,once')
  await card('once').getByRole('button', { name: 'Accept' }).click()
  await isNow(`${once}Before.`, 'Friday')
  await suggest(true)
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.insertText(' New.')
  await isNow(`${once}Before.`, ' New.,Friday')
  // The caret is still in the suggestion. The page sends its last version after the decision.
  await card('Friday').getByRole('button', { name: 'Reject', exact: true }).click()
  await isNow(`${once}Before.`, ' New.')
  await suggest(false)
  await card('All of them?').getByRole('button', { name: 'Resolve' }).click()
  const notice = (words: string): Locator => page.locator('.toast', { hasText: words })
  await notice('Comment resolved').getByRole('button', { name: 'Undo' }).click()
  await notice('Comment reopened').waitFor()
  await card('All of them?').getByRole('button', { name: 'Resolve' }).click()
  await isNow(`${once}Before.`, ' New.', true)

  for (const state of states.toReversed().slice(1)) {
    await page.locator('.cm-content').press('Control+z')
    await until(async () => (await now()) === state, `“${state}” after undo`)
  }
  for (const state of states.slice(1)) {
    await page.locator('.cm-content').press('Control+y')
    await until(async () => (await now()) === state, `“${state}” after redo`)
  }
  await page.locator('.cm-content').press('Control+y')
  expect(await now()).toBe(states.at(-1))

  // While suggesting is on, the order is the same. A reopened comment can be resolved again.
  await page.locator('.annotations-button').click()
  await page.getByRole('radio', { name: 'Resolved' }).check({ force: true })
  await page.locator('.side-panel .card', { hasText: 'All of them?' }).getByRole('button', { name: 'Reopen' }).click()
  await notice('Comment reopened').getByRole('button', { name: 'Undo' }).waitFor()
  await suggest(true)
  for (const state of [states.at(-1), ...states.toReversed().slice(1)]) {
    await page.locator('.cm-content').press('Control+z')
    await until(async () => (await now()) === state, `“${state}” after undo while suggesting`)
  }
  expect(heard).toEqual([])
  await context.close()
})

test('[REVIEW-83] [REVIEW-95] [COMP-188] on a phone, people who may comment or suggest have the button for comments; one tap opens a comment for those who cannot write', async () => {
  const document = await createDocument(world.url, text)
  const context = await contextOf('Eve', { width: 360, height: 740 }, true)
  for (const role of ['comment', 'suggest'] as const) {
    const page = await opened(context, (await createLink(world.url, document, role)).url)
    const bar = page.locator('.toolbar')
    await bar.getByRole('button', { name: 'Comment', exact: true }).waitFor()
    if (role === 'comment') expect(await bar.getByRole('button').count()).toBe(1)
    await page.locator('.cm-line', { hasText: 'twice' }).dblclick({ position: { x: 30, y: 10 } })
    const words = await page.evaluate(() => String(globalThis.document.getSelection()).trim())
    expect(words).toMatch(/^\w+$/)
    await bar.getByRole('button', { name: 'Comment', exact: true }).tap()
    await page.getByLabel('Write a comment').fill(`By ${role}`)
    const composer = page.locator('.side-panel .card.composer')
    const colorOf = (part: Locator): Promise<string> => part.evaluate((element) => getComputedStyle(element).backgroundColor)
    expect(await colorOf(composer.locator('.actions'))).toBe(await colorOf(composer))
    await composer.getByRole('button', { name: 'Comment', exact: true }).tap()
    await until(
      async () => (await listComments(document)).some(({ body, target }) => body === `By ${role}` && target.quote === words),
      'the comment'
    )
    if (role === 'comment') {
      await page.locator('.side-panel').getByRole('button', { name: 'Close' }).tap()
      await page.locator('.cm-line', { hasText: 'Launch' }).tap()
      await page.locator('.rm-comment:not(.rm-active)').tap()
      await page.locator('.side-panel .card.comment.active').waitFor()
    }
    await page.close()
  }
  await context.close()
})

test('[REPLY-4] [REVIEW-74] [REVIEW-79] [REVIEW-192] [REVIEW-221] [REVIEW-222] [REVIEW-230] on a phone a comment takes two taps, with the passage above the sheet; a suggestion takes one and is answered in its card', async () => {
  const lines = Array.from({ length: 40 }, (_each, index) => `Paragraph ${index} has some words that one may comment on.`)
  const document = await createDocument(world.url, `${lines.join('\n\n')}\n`)
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: 'Paragraph 39', text: 'The last one' })
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce'
  })
  await context.addInitScript(() => localStorage.setItem('agmd.name', 'Eve'))
  const page = await opened(context, document.url)
  const number = page.locator('.annotations-button .count', { hasText: '1' })
  await until(async () => ((await number.boundingBox())?.width ?? 0) > 10, 'the number of open suggestions')
  const passage = page.locator('.cm-line', { hasText: 'Paragraph 7 ' })
  await passage.dblclick({ position: { x: 120, y: 10 } })
  await page.locator('.toolbar').getByRole('button', { name: 'Comment', exact: true }).tap()
  const field = page.locator('.side-panel textarea')
  await until(() => field.evaluate((element) => element.ownerDocument.activeElement === element), 'the field has the focus')
  const isAboveSheet = async (text: Locator): Promise<boolean> => {
    const [words, sheet] = await Promise.all([text.boundingBox(), page.locator('.side-panel').boundingBox()])
    return words !== null && sheet !== null && words.y >= 44 && words.y + words.height <= sheet.y
  }
  await until(() => isAboveSheet(passage), 'the passage above the sheet')
  await field.fill('Which **words**?')
  await page.locator('.side-panel').getByRole('button', { name: 'Comment', exact: true }).last().tap()
  await page.locator('.card.comment strong', { hasText: 'words' }).waitFor()
  // The first tap in the text puts the caret there. The commented words are no longer selected.
  await page.getByRole('button', { name: 'Close' }).first().tap()
  await page.locator('.cm-line', { hasText: 'Paragraph 3 ' }).tap({ position: { x: 60, y: 10 } })
  await page.keyboard.type('!')
  await until(
    async () => /^Para.*!.*Paragraph 4 /s.test((await editorText(page)).split('\n\n').slice(3).join(' ')),
    'the letter at the tap'
  )
  expect(await editorText(page)).toContain('Paragraph 7 has some words that one may comment on.')
  // The first tap on the commented words puts the caret there. The second one opens their card, whose sheet would cover them.
  const commented = page.locator('.rm-comment').first()
  const { y = 0 } = (await commented.boundingBox()) ?? {}
  await page.locator('.cm-scroller').evaluate((scroller, by) => (scroller.scrollTop += by), y - 560)
  await commented.tap()
  await page.locator('.rm-comment.rm-active').waitFor()
  expect(await page.locator('.side-panel').count()).toBe(0)
  await page.keyboard.type('!')
  await until(
    async () => !(await editorText(page)).includes('Paragraph 7 has some words that one may comment on.'),
    'the letter at the tap'
  )
  await commented.tap()
  await page.locator('.card.comment.active').waitFor()
  await until(() => isAboveSheet(commented), 'the commented words above the sheet')
  const card = page.locator('.card.proposal', { hasText: 'The last one' })
  // The buttons are in the middle of the card.
  await card.tap({ position: { x: 60, y: 16 } })
  await until(() => isAboveSheet(page.locator('.cm-line', { hasText: 'Paragraph 39' })), 'the text of the suggestion above the sheet')
  for (const name of ['Accept', 'Reject', 'Reject with a reason']) {
    const { height = 0 } = (await card.getByRole('button', { name, exact: true }).boundingBox()) ?? {}
    expect(height, name).toBeGreaterThanOrEqual(44)
  }
  await card.getByLabel('Reply').fill('Why?')
  await card.getByRole('button', { name: 'Reply' }).tap()
  await card.locator('.card-reply:not(.waiting)', { hasText: 'Why?' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).first().tap()
  await page.locator('.cm-line', { hasText: 'Paragraph 37 ' }).tap({ position: { x: 60, y: 10 } })
  await card.waitFor({ state: 'detached' })
  await page.locator('.rm-proposed ins', { hasText: 'The last one' }).tap()
  await page.locator('.card.proposal.active', { hasText: 'The last one' }).waitFor()
  expect(await page.locator('.cm-content').evaluate((content) => content.ownerDocument.activeElement === content)).toBe(false)
  // After a tap on “Accept”, the text stays where it is, even though another card is left.
  await card.getByRole('button', { name: 'Accept', exact: true }).tap()
  await card.waitFor({ state: 'detached' })
  await page.locator('.side-panel .card.comment').waitFor()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  expect(await isAboveSheet(page.locator('.cm-line', { hasText: 'The last one' }))).toBe(true)
  await context.close()
})
