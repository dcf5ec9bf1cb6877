/** Live components on a document's page: pointer and keyboard, roles, two people at once, and the source. */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { ask, listComments, listSuggestions } from './annotations.ts'
import { look } from './appearance.ts'
import { createDocument, createLink, type Document, editorText, readMarkdown, saved, until } from './browser.ts'
import { createVisits } from './visits.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const { visit, writer } = createVisits(() => ({ world, browser }))

const fenced = (...lines: readonly string[]): string => `# Plan\n\n\`\`\`board #launch\n${lines.join('\n')}\n\`\`\`\n\nAfter\n`
/** Returns the column names that a board shows. */
const columnNames = (page: Page): Promise<string[]> =>
  page.locator('.board-column').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''))
const cards = ['## Todo', '- [ ] Write importer @ana #backend', '- [ ] Test', '## Doing', '## Done', '- [x] Pick name']

/** Drags a card into a column with the mouse. */
async function dragCard(page: Page, name: string, column: string): Promise<void> {
  const card = page.locator('.card[data-place]', { hasText: name })
  const [from, to] = [await card.boundingBox(), await page.getByRole('group', { name: column, exact: true }).boundingBox()]
  if (from === null || to === null) throw new Error('they are not drawn')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 40, { steps: 5 })
  await page.locator('.drop-line').waitFor()
  await page.mouse.up()
}

test('[COMP-1] [COMP-62] [COMP-63] [COMP-64] [COMP-65] [COMP-66] [COMP-79] [COMP-119] [COMP-120] [COMP-133] [COMP-125] [COMP-254] a board works with the pointer: each interaction is a small edit of its text and one undo step', async () => {
  const { page, text, leave } = await writer(fenced(...cards))
  const column = (name: string) => page.getByRole('group', { name, exact: true })
  const card = (name: string) => page.locator('.card', { hasText: name })
  await page.getByRole('button', { name: 'To do: Test' }).click()
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '- [>] Test', '## Doing', '## Done', '- [x] Pick name'))
  await page.getByRole('button', { name: 'In progress: Test' }).click()
  // Two clicks in a row are two undo steps.
  await page.keyboard.press('Control+z')
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '- [>] Test', '## Doing', '## Done', '- [x] Pick name'))
  await page.keyboard.press('Control+z')
  await text(fenced(...cards))
  // Text typed right after a click is a separate undo step, too.
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await page.getByRole('button', { name: 'To do: Test' }).click()
  await page.locator('.cm-content').press('End')
  await page.keyboard.type('!')
  const typed = fenced('## Todo', '- [ ] Write importer @ana #backend', '- [>] Test', '## Doing', '## Done', '- [x] Pick name')
  await text(typed.replace('After', 'After!'))
  await page.keyboard.press('Control+z')
  await text(typed)
  await page.keyboard.press('Control+z')
  await text(fenced(...cards))
  const from = await card('Write importer').boundingBox()
  const to = await column('Doing').boundingBox()
  if (from === null || to === null) throw new Error('they are not drawn')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + 40, { steps: 5 })
  await page.locator('.drop-line').waitFor()
  // Dragging a card does not select text.
  expect(await page.evaluate(() => getSelection()?.toString() ?? '')).toBe('')
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
  await card('Tell all').press('Delete')
  await text(fenced(...moved, '- [x] Ship it'))
  await page.locator('.toast', { hasText: 'Card deleted' }).getByRole('button', { name: 'Undo' }).click()
  await text(fenced(...moved, '- [x] Ship it', '- [x] Tell all'))
  // The button undoes the deletion alone, so it goes when the person changes something else.
  await card('Tell all').press('Delete')
  await page.locator('.toast', { hasText: 'Card deleted' }).waitFor()
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await page.keyboard.press('End')
  await page.keyboard.type('?')
  await text(fenced(...moved, '- [x] Ship it').replace('After', 'After?'))
  expect(await page.locator('.toast', { hasText: 'Card deleted' }).count()).toBe(0)
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await text(fenced(...moved, '- [x] Ship it', '- [x] Tell all'))
  // The second click of a double click lands in the form.
  await card('Tell all').locator('.card-text').dblclick()
  await page.locator('.card-form :focus').waitFor()
  await page.keyboard.press('Control+z')
  await page.getByLabel('Assignee').fill('ben')
  await page.getByLabel('Tags').fill('news press')
  await page.getByLabel('Details').fill('In the letter\n\nSoon')
  const selectionColor = (element: Element): string => getComputedStyle(element, '::selection').backgroundColor
  expect(await page.getByLabel('Details').evaluate(selectionColor)).toBe(await page.locator('body').evaluate(selectionColor))
  await page.getByRole('button', { name: 'Save' }).click()
  await text(fenced(...moved, '- [x] Ship it', '- [x] Tell all @ben #news #press', '  In the letter', '', '  Soon'))
  const lineHeights = await card('Tell all')
    .locator('.card-details > div')
    .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height))
  expect(lineHeights[1]).toBe(lineHeights[0])
  // The end of the drag has not opened the form of the card.
  expect(await page.locator('.card-form').count()).toBe(0)
  await page.getByLabel('Filter cards').fill('#backend')
  await until(async () => (await page.locator('.card').count()) === 1, 'one card is left')
  await page.getByLabel('Filter cards').fill('')
  const [done, todo] = [await column('Done').locator('.board-title').boundingBox(), await column('Todo').boundingBox()]
  if (done === null || todo === null) throw new Error('they are not drawn')
  await page.mouse.move(done.x + 10, done.y + 10)
  await page.mouse.down()
  await page.mouse.move(todo.x + 10, todo.y + 40, { steps: 5 })
  await page.mouse.up()
  await until(async () => (await columnNames(page)).join() === 'Done,Todo,Doing', 'the column was dragged')
  await page.getByRole('button', { name: 'Actions for Done' }).press('Alt+ArrowRight')
  await page.getByRole('status').filter({ hasText: 'Done moved, position 2 of 3' }).waitFor()
  await until(async () => (await columnNames(page)).join() === 'Todo,Done,Doing', 'the column was moved by key')
  await page.keyboard.press('Alt+ArrowRight')
  await until(async () => (await columnNames(page)).join() === 'Todo,Doing,Done', 'the key goes on with it')
  await column('Doing').locator('.board-title').dblclick()
  await page.keyboard.type('Under way')
  await page.keyboard.press('Enter')
  await column('Under way').waitFor()
  // A column with cards cannot be deleted, and a message says so.
  await page.getByRole('button', { name: 'Actions for Under way' }).click()
  await page.getByText('Move or delete its cards first.').waitFor()
  for (const key of ['End', 'Enter', 'Escape']) await page.keyboard.press(key)
  await column('Under way').waitFor()
  await page.setViewportSize({ width: 700, height: 800 })
  await page.getByRole('button', { name: 'Add a column' }).click()
  await page.keyboard.type('Later')
  await page.keyboard.press('Enter')
  await column('Later').waitFor()
  const isInView = () =>
    column('Later').evaluate((element) => {
      const area = element.closest('.board')?.getBoundingClientRect()
      return area !== undefined && element.getBoundingClientRect().right <= area.right + 1
    })
  await until(isInView, 'the new column is in view')
  // Four columns fit in a wide window. In a narrow one, the edge fades until the last column is in view.
  const board = page.locator('.board')
  await page.setViewportSize({ width: 1280, height: 720 })
  expect(await board.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const fade = () => board.evaluate((element) => getComputedStyle(element).maskSize)
  expect(await fade()).toBe('calc(100% + 40px) 100%')
  await page.setViewportSize({ width: 500, height: 720 })
  await board.evaluate((element) => element.scrollTo({ left: 0 }))
  await until(async () => (await fade()) === '100% 100%', 'the faded edge')
  await board.evaluate((element) => element.scrollTo({ left: element.scrollWidth }))
  await until(async () => (await fade()) === 'calc(100% + 40px) 100%', 'no faded edge')
  await leave()
})

test('[COMP-2] with the keyboard alone: into a board, along its cards, moving and editing them, its source, and out again', async () => {
  const { page, text, leave } = await writer(fenced(...cards))
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const active = globalThis.document.activeElement
      const inner = active?.shadowRoot?.activeElement ?? active
      return `${inner?.className} ${inner?.textContent ?? ''}`
    })
  await page.locator('.card').first().waitFor()
  await page.locator('.cm-content').press('Control+Home')
  await press('ArrowDown', 'ArrowDown')
  await until(async () => (await focused()).startsWith('frame'), 'the board has the focus')
  // Tab moves to the source button, the copy button and the column actions, and then to the cards.
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab')
  await until(async () => (await focused()).includes('Write importer'), 'the first card has the focus')
  await press('ArrowDown', 'Alt+ArrowRight')
  const moved = ['## Todo', '- [ ] Write importer @ana #backend', '', '## Doing', '- [>] Test', '## Done', '- [x] Pick name']
  await text(fenced(...moved))
  await until(async () => (await focused()).includes('Test'), 'the moved card has the focus')
  await page.getByRole('status').filter({ hasText: 'Test moved to Doing, position 1 of 1' }).waitFor()
  await press('Enter')
  await page.getByLabel('Card', { exact: true }).waitFor()
  await page.keyboard.type('Test all')
  await press('Enter')
  await text(fenced(...moved.with(4, '- [>] Test all')))
  await until(async () => (await focused()).includes('Test all'), 'it is focused again')
  await press(' ')
  await text(fenced(...moved.with(4, '- [x] Test all')))
  // The source button is the first control after the name of the board.
  await press('Escape', 'Tab', 'Enter')
  await until(async () => (await page.locator('.cm-line', { hasText: '- [x] Test all' }).count()) === 1, 'the source shows')
  await page.keyboard.type('Notes')
  await press('Enter', 'Escape')
  await page.locator('.component-note', { hasText: 'Notes' }).waitFor()
  await until(async () => (await focused()).startsWith('frame'), 'the board has the focus again')
  await press('ArrowDown')
  await page.keyboard.type('More')
  expect(await editorText(page)).toContain('```\nMore\n\nAfter')
  await leave()
})

test('[COMP-3] the caret never rests at the edge of a component, and text typed there cannot break its fence', async () => {
  const source = '```board\n## A\n- [ ] One\n```'
  const { page, text, leave } = await writer(source)
  await page.locator('.card').first().waitFor()
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('After')
  await text(`${source}\n\nAfter`)
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('Before')
  await until(async () => (await editorText(page)).startsWith('Before'), 'it is written before')
  await until(async () => (await page.locator('.card').count()) === 1, 'the board is drawn')
  expect(await editorText(page)).toContain(`\n\n${source}\n\nAfter`)
  await page.keyboard.press('Control+End')
  for (const _letter of 'After..') await page.keyboard.press('Backspace')
  await until(async () => (await page.locator('.card').count()) === 1, 'the board is still drawn')
  expect(await editorText(page)).toContain(source)
  await leave()
})

test('[COMP-132] [COMP-150] after a click on an empty part of its frame, a board is deleted, copied and passed like a selected block', async () => {
  const source = fenced('## Todo', '- [ ] Test')
  const { page, text, leave } = await writer(source)
  const inText = page.locator('.cm-content:focus')
  const toFrame = async (): Promise<void> => {
    await page.locator('.frame-bar').click({ position: { x: 300, y: 10 } })
    await page.locator('.frame:focus').waitFor()
  }
  await toFrame()
  await page.keyboard.type('Under')
  const under = source.replace('After', 'Under\n\nAfter')
  await text(under)
  await toFrame()
  await page.evaluate(() => {
    navigator.clipboard.writeText = (words) => {
      globalThis.document.body.dataset['copied'] = words
      return Promise.resolve()
    }
  })
  await page.keyboard.press('Control+c')
  expect(await page.locator('body').getAttribute('data-copied')).toBe('```board #launch\n## Todo\n- [ ] Test\n```')
  for (const key of ['Delete', 'Backspace']) {
    await toFrame()
    await page.keyboard.press(key)
    await text('# Plan\n\nUnder\n\nAfter\n')
    expect(await inText.count()).toBe(1)
    await page.keyboard.press('Control+z')
    await text(under)
  }
  // The space around the board belongs to the line next to it, also for a caret on the other side.
  const board = await page.locator('.md-component').boundingBox()
  if (board === null) throw new Error('it is not drawn')
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await page.mouse.click(board.x + 200, board.y + board.height - 2)
  await page.keyboard.type('low')
  await text(under.replace('```\n\nUnder', '```\nlow\n\nUnder'))
  await page.keyboard.press('Control+z')
  await text(under)
  await page.locator('.cm-line', { hasText: 'Plan' }).click()
  await page.mouse.click(board.x + 200, board.y + 2)
  await page.keyboard.type('high')
  await text(under.replace('Plan\n\n', 'Plan\nhigh\n'))
  await page.keyboard.press('Control+z')
  await text(under)
  await toFrame()
  await page.keyboard.press('Control+Home')
  expect(await inText.count()).toBe(1)
  await page.keyboard.press('Control+End')
  await page.keyboard.type('Last')
  await text(`${under}Last`)
  await toFrame()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await text('')
  await leave()
})

test('[COMP-4] [COMP-183] [COMP-255] two people on one board: each sees what the other drags, and both changes take effect', async () => {
  const ana = await writer(fenced(...cards))
  const ben = await visit(ana.document)
  await saved(ben.page)
  const sizeForBen = await ben.page.locator('.board').boundingBox()
  await ana.page.locator('.card', { hasText: 'Write importer' }).press('Enter')
  await ben.page
    .locator('.card.held')
    .getByTitle(/Guest \d+ is editing this/)
    .waitFor()
  expect(await ben.page.locator('.board').boundingBox()).toEqual(sizeForBen)
  expect(await ben.page.getByRole('button', { name: 'To do: Write importer' }).isDisabled()).toBe(true)
  await ben.page.locator('.card.held').hover({ position: { x: 40, y: 10 } })
  await ben.page.mouse.down()
  await ben.page.locator('.card', { hasText: 'Pick name' }).hover()
  const selected = ben.page.locator('.board').evaluate((board) => {
    const root = board.getRootNode() as ShadowRoot & { getSelection(): Selection }
    return String(root.getSelection())
  })
  expect(await selected).toBe('')
  await ben.page.mouse.up()
  await ben.page.locator('.card', { hasText: 'Test' }).press('Alt+ArrowRight')
  await ana.page.locator('[data-column="1"] .card', { hasText: 'Test' }).waitFor()
  // A draft stays while others move cards.
  await ana.page.getByLabel('Card', { exact: true }).fill('Write the importer')
  await ana.page.keyboard.press('Enter')
  const after = ['## Todo', '- [ ] Write the importer @ana #backend', '', '## Doing', '- [>] Test', '## Done', '- [x] Pick name']
  await ben.text(fenced(...after))
  await until(async () => (await ben.page.locator('.card.held').count()) === 0, 'it is free again')
  await ana.leave()
  await ben.leave()
})

test('[COMP-5] [SUGG-120] [SUGG-121] [SUGG-122] [SUGG-123] [SUGG-124] [SUGG-127] one interaction by a suggester makes one suggestion, which the component shows in its place; people who may not change it see the reason', async () => {
  const others = '\n```chat\n[2026-11-20T10:02Z] @Ana: Yes\n```\n\n```sheet\n| A |\n|---|\n| 1 |\n```\n'
  const document = await createDocument(world.url, fenced(...cards) + others)
  const suggester = await visit(document, (await createLink(world.url, document, 'suggest')).url)
  await suggester.page.getByRole('button', { name: 'Suggesting' }).or(suggester.page.locator('.chip')).first().waitFor()
  await suggester.page.locator('.card', { hasText: 'Test' }).press('Alt+ArrowRight')
  const list = async (): Promise<readonly { original: string; text: string }[]> => {
    const answer = await fetch(`${world.url}/api/docs/${document.id}/suggestions`, { headers: { 'x-share-key': document.key } })
    return ((await answer.json()) as { suggestions: { original: string; text: string }[] }).suggestions
  }
  await until(async () => (await list()).length === 1, 'one suggestion')
  const [made] = await list()
  expect(made?.original).toContain('Test')
  expect(made?.text).toContain('- [>] Test')
  await suggester.page.getByRole('button', { name: '1 suggestion' }).waitFor()
  const proposed = suggester.page.locator('.proposed')
  await suggester.page.locator('[data-column="1"] .card-proposed', { hasText: 'Test' }).waitFor()
  await suggester.page.locator('[data-column="0"] .card .proposed-old', { hasText: 'Test' }).waitFor()
  const message = suggester.page.getByLabel('Message as a suggest')
  await message.fill('No')
  await message.press('Enter')
  await until(async () => (await list()).length === 2, 'the message is suggested')
  expect((await list()).find(({ text }) => text.includes('@a suggest: No'))?.original).not.toContain('No')
  await suggester.page.locator('[data-cell=A2]').press('7')
  await suggester.page.keyboard.press('Enter')
  await until(async () => (await list()).length === 3, 'the cell is suggested')
  expect((await list()).map(({ original, text }) => original.includes('1') && text === original.replace('1', '7'))).toContain(true)
  expect(await editorText(suggester.page)).toBe(fenced(...cards) + others)
  await suggester.page.locator('.message:last-child .proposed', { hasText: 'No' }).waitFor()
  expect(await suggester.page.locator('[data-cell=A2] :is(del, ins)').allTextContents()).toEqual(['1', '7'])
  await suggester.page.getByRole('button', { name: 'Add a card to Done' }).click()
  await suggester.page.keyboard.type('Ship it')
  await suggester.page.keyboard.press('Enter')
  await suggester.page.locator('[data-column="2"] .card-proposed', { hasText: 'Ship it' }).waitFor()
  await suggester.page.keyboard.press('Escape')
  const margin = suggester.page.locator('article.card')
  for (const words of ['Move card “Test” to Doing', 'Send the message “No”', 'Set A2 to 7', 'Add card “Ship it” to Done'])
    await margin.filter({ hasText: words }).waitFor()
  expect(await margin.locator('.card-source').count()).toBe(0)
  await until(async () => (await list()).length === 4, 'the card is suggested')
  const changed = suggester.page.locator('.card[data-place]', { hasText: 'Pick name' })
  await changed.press('Enter')
  await suggester.page.keyboard.type('Choose')
  await suggester.page.keyboard.press('Enter')
  await changed.locator('.card-suggested').waitFor()
  expect(await changed.locator('.proposed, .card-suggested').allTextContents()).toEqual(['Choose', 'Suggested'])
  await until(async () => (await list()).length === 5, 'the change of the card is suggested')
  // A changed message is struck out next to its new text, and one that would be deleted has no new text.
  const yes = suggester.page.locator('.message', { hasText: 'Yes' })
  await ask(document, 'POST', 'suggestions', { operation: 'replace', find: '@Ana: Yes', text: '@Ana: Maybe' })
  await yes.locator('ins', { hasText: 'Maybe' }).waitFor()
  expect(await yes.locator('del').allTextContents()).toEqual(['Yes'])
  const [maybe] = (await listSuggestions(document)).filter(({ text }) => text.includes('Maybe'))
  await ask(document, 'POST', `suggestions/${maybe?.id}`, { action: 'reject' })
  await yes.locator('ins').waitFor({ state: 'detached' })
  await ask(document, 'POST', 'suggestions', { operation: 'delete', find: '[2026-11-20T10:02Z] @Ana: Yes\n' })
  await yes.locator('del', { hasText: 'Yes' }).waitFor()
  expect(await yes.locator('ins').count()).toBe(0)
  for (const { id, text } of await listSuggestions(document))
    await ask(document, 'POST', `suggestions/${id}`, { action: text.includes('No') ? 'accept' : 'reject' })
  await proposed.first().waitFor({ state: 'detached' })
  await suggester.page.locator('.message', { hasText: 'No' }).waitFor()
  expect(await suggester.page.locator('.proposed, .proposed-old').count()).toBe(0)
  await suggester.leave()

  const commenter = await visit(document, (await createLink(world.url, document, 'comment')).url)
  await commenter.page.getByText('You can comment but not edit this.').first().waitFor()
  expect(await commenter.page.getByRole('button', { name: 'To do: Test' }).isDisabled()).toBe(true)
  expect(await commenter.page.getByRole('button', { name: 'Add a card to Todo' }).isDisabled()).toBe(true)
  expect(await commenter.page.getByLabel('Message as a comment').isDisabled()).toBe(true)
  expect(await commenter.page.getByRole('grid').getAttribute('aria-readonly')).toBe('true')
  await commenter.page.locator('[data-cell=A2]').press('7')
  expect(await commenter.page.locator('.sheet-field').count()).toBe(0)
  await commenter.leave()
})

test('[COMP-6] components work in the reading view for people with the role; others see changes and the reason for disabled controls', async () => {
  const { page, document, text, leave } = await writer(fenced(...cards))
  await page.locator('.card').first().waitFor()
  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.reading .card', { hasText: 'Test' }).press('Alt+ArrowRight')
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '', '## Doing', '- [>] Test', '## Done', '- [x] Pick name'))
  await page.locator('.reading [data-column="1"] .card', { hasText: 'Test' }).waitFor()
  const reader = await visit(document, (await createLink(world.url, document, 'view')).url)
  const seen = (name: string) => reader.page.locator('.reading .card', { hasText: name })
  await reader.page.locator('.reading').getByText('You can view but not edit this.').waitFor()
  const controls = reader.page.locator('.reading').getByRole('button', { name: /^(\+ )?(Add|Actions|To do|In progress|Done)/ })
  expect(await controls.evaluateAll((all) => all.map((each) => (each as HTMLButtonElement).disabled))).toEqual(Array(13).fill(true))
  // Other people's changes appear. The arrow keys move between cards and change nothing.
  await page.locator('.reading .card', { hasText: 'Test' }).press(' ')
  await reader.page.getByRole('button', { name: 'Done: Test' }).waitFor()
  await seen('Test').press('ArrowRight')
  await until(() => seen('Pick name').evaluate((card) => card.matches(':focus')), 'the next card')
  for (const key of [' ', 'Enter', 'Delete', 'Alt+ArrowLeft']) await reader.page.keyboard.press(key)
  expect(await reader.page.locator('.reading form').count()).toBe(0)
  await page.locator('.reading .card', { hasText: 'Write importer' }).press('Delete')
  await until(async () => (await seen('Write importer').count()) === 0, 'it is gone for the reader')
  await until(
    async () => (await editorText(page)).includes('- [x] Pick name') && !(await editorText(page)).includes('importer'),
    'the text'
  )
  await reader.leave()
  await leave()

  // A fence that is not closed is drawn in the reading view as well.
  const open = await writer('# Open\n\n```chat\n[2026-11-20T10:02Z] @Ana: First')
  await open.page.getByRole('button', { name: 'Read' }).click()
  await open.page.locator('.reading').getByLabel('Message as Guest').fill('Second')
  await open.page.keyboard.press('Enter')
  await open.page.locator('.reading .message', { hasText: 'Second' }).waitFor()
  await open.leave()
})

test('[COMP-11] cards with the same text in two places are marked, and one of them is kept', async () => {
  const twice = ['## A', '- [ ] Call @ana', '- [ ] Other', '## B', '- [>] Call @ana']
  const { page, text, leave } = await writer(fenced(...twice))
  const marked = page.locator('.card-repeated')
  await until(async () => (await marked.count()) === 2, 'both are marked')
  await page.locator('[data-column="1"]').getByRole('button', { name: 'Keep only this card' }).click()
  await text(fenced(...twice.with(1, '')))
  await until(async () => (await marked.count()) === 0, 'none is marked')
  await leave()
})

test('[COMP-13] formulas in cards and messages are rendered in every view', async () => {
  const { page, leave } = await writer(
    `${fenced('## A', '- [ ] Show $a^2+b^2$', '- [ ] Pay $5 or $6')}\n\`\`\`chat\n[2026-11-20T10:02Z] @Ana: So $\\frac{1}{2}$ and $\\nonsense{$\n\`\`\`\n`
  )
  await page.locator('.card math msup').first().waitFor()
  await page.locator('.message math mfrac').waitFor()
  expect(await page.locator('.card', { hasText: 'Pay $5 or $6' }).count()).toBe(1)
  await page.locator('.message code.math', { hasText: 'nonsense' }).waitFor()
  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.reading .card math msup').first().waitFor()
  await leave()
})

const chatFence = (...lines: readonly string[]): string => `# Talk\n\n\`\`\`chat\n${lines.join('\n')}\n\`\`\`\n`

/** Opens a document as a person with this name. */
async function visitAs(name: string, document: Document): ReturnType<typeof visit> {
  const origins = [{ origin: world.url, localStorage: [{ name: 'agmd.name', value: name }] }]
  const visitor = await visit(document, document.url, { storageState: { cookies: [], origins } })
  await saved(visitor.page)
  return visitor
}

test('[COMP-7] [COMP-36] [COMP-92] [COMP-131] [COMP-151] [COMP-181] a chat adds messages at its end, with all lines; people change and delete their own while nobody else has their name', async () => {
  const document = await createDocument(world.url, chatFence('[2026-11-20T10:02Z] @Ana: Can we ship?', '--- 2026-11-21'))
  const ana = await visitAs('Bo: b', document)
  const field = ana.page.getByLabel('Message as Bo b')
  await field.fill('Yes, **today**')
  await field.press('Shift+Enter')
  await ana.page.keyboard.type('or tomorrow')
  await field.press('Enter')
  const stamp = /\[\d{4}-\d\d-\d\dT\d\d:\d\dZ\]/g
  const text = async (): Promise<string> => (await editorText(ana.page)).replace(stamp, '[T]')
  const first = ['[T] @Ana: Can we ship?', '--- 2026-11-21']
  await ana.page.locator('.message', { hasText: 'or tomorrow' }).waitFor()
  expect(await text()).toBe(chatFence(...first, '[T] @Bo b: Yes, **today**', '  or tomorrow'))
  expect(await field.inputValue()).toBe('')
  await ana.page.locator('.message strong', { hasText: 'today' }).waitFor()
  await ana.page.getByRole('status').filter({ hasText: 'Message sent' }).waitFor()
  const change = ana.page.getByRole('button', { name: /^Edit the message/ })
  expect(await change.count()).toBe(1)
  const written = await text()
  for (const cancel of [() => ana.page.keyboard.press('Escape'), () => ana.page.getByRole('button', { name: 'Cancel' }).click()]) {
    await change.click()
    const draft = ana.page.getByLabel('Message', { exact: true }).and(ana.page.locator(':focus'))
    expect(await draft.evaluate((element: HTMLTextAreaElement) => element.value.slice(element.selectionStart))).toBe('')
    await draft.fill('Never')
    await cancel()
    await field.and(ana.page.locator(':focus')).waitFor()
    expect(await text()).toBe(written)
  }
  await change.click()
  await ana.page.getByLabel('Message', { exact: true }).and(ana.page.locator(':focus')).fill('No')
  await ana.page.keyboard.press('Enter')
  await field.and(ana.page.locator(':focus')).waitFor()
  await until(async () => (await text()).replace(/\n+/g, '\n').includes('@Bo b: No\n```'), 'it is changed')
  const ben = await visitAs('Bo b', document)
  await ana.page.getByText('Someone else here is also called Bo b.').waitFor()
  expect(await change.count()).toBe(0)
  await ben.page.getByText('Someone else here is also called Bo b.').waitFor()
  await ben.page.getByLabel('Message as Bo b').fill('Hello')
  await ben.page.getByLabel('Message as Bo b').press('Enter')
  await ana.page.locator('.message', { hasText: 'Hello' }).waitFor()
  await ben.leave()
  await ana.page.getByRole('button', { name: 'Delete the message “No”' }).click()
  await until(async () => !(await text()).includes('Bo b: No'), 'it is gone')
  await ana.page.locator('.toast', { hasText: 'Message deleted' }).getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await text()).includes('@Bo b: No\n'), 'it is back')
  // A change of the view keeps a new message in its field, and writes a change of a message first.
  await field.fill('Half')
  await change.filter({ hasText: 'Edit' }).first().click()
  await ana.page.getByLabel('Message', { exact: true }).and(ana.page.locator(':focus')).fill('Nope')
  const source = ana.page.locator('.top-bar').getByRole('button', { name: 'Source', exact: true })
  await source.click()
  await until(async () => (await text()).includes('@Bo b: Nope\n'), 'the change is written')
  expect(await text()).not.toContain('Half')
  await source.click()
  await until(async () => (await field.inputValue()) === 'Half', 'the message in its field')
  const read = ana.page.locator('.top-bar').getByRole('button', { name: 'Read', exact: true })
  await read.click()
  const reading = ana.page.locator('.reading').getByLabel('Message as Bo b')
  expect(await reading.inputValue()).toBe('Half')
  await reading.fill('Half done')
  await read.click()
  await until(async () => (await field.inputValue()) === 'Half done', 'the longer message in the field')
  expect(await ana.page.locator('.toast', { hasText: 'Half' }).count()).toBe(0)
  await ana.leave()
})

test('[COMP-10] [COMP-49] [COMP-152] [UNDO-21] [WRITE-261] a chat suggests names after @, the activity reports mentions, and unnamed people are asked for a name', async () => {
  const ana = await writer(chatFence('[2026-11-20T10:02Z] @Claude: Ready', '[2026-11-20T10:03Z] @Clara Bo: So am I'))
  const names = ana.page.getByRole('option')
  const field = ana.page.getByLabel('Message as Guest')
  await field.pressSequentially('Thanks @cl')
  await until(async () => (await names.allTextContents()).join(' ') === '@Clara-Bo @Claude', 'two names')
  expect(await field.getAttribute('aria-activedescendant')).toBe(await names.first().getAttribute('id'))
  await ana.page.getByRole('status').filter({ hasText: '2 names' }).waitFor()
  await look(ana.page, 'components-names')
  await field.press('Escape')
  await until(async () => (await names.count()) === 0, 'they are closed')
  await field.press('a')
  await field.press('ArrowDown')
  expect(await names.nth(1).getAttribute('aria-selected')).toBe('true')
  await field.press('Enter')
  expect(await field.inputValue()).toBe('Thanks @Claude ')
  await field.pressSequentially('and @cl')
  await names.filter({ hasText: 'Clara' }).click()
  expect(await field.inputValue()).toBe('Thanks @Claude and @Clara-Bo ')
  await field.pressSequentially(':ta')
  await names.filter({ hasText: 'tada' }).waitFor()
  await field.press('Tab')
  await field.pressSequentially(' :smile: ')
  expect(await field.inputValue()).toBe('Thanks @Claude and @Clara-Bo 🎉 😄 ')
  await field.pressSequentially('`@nobody`')
  await field.press('Enter')
  await ana.page.locator('.message', { hasText: 'Thanks' }).waitFor()
  expect(await ana.page.getByRole('button', { name: /^Edit the message/ }).count()).toBe(1)
  await ana.page.getByRole('button', { name: 'Activity' }).click()
  const event = ana.page.locator('.activity-event', { hasText: /mentioned .*Claude and Clara-Bo.* in a chat/ })
  await event.filter({ hasText: 'Thanks @Claude' }).waitFor()
  expect(await event.count()).toBe(1)
  const context = {
    locale: 'de-DE',
    storageState: { cookies: [], origins: [{ origin: world.url, localStorage: [{ name: 'agmd.name', value: 'clara bo' }] }] }
  }
  const clara = await visit(ana.document, ana.document.url, context)
  await saved(clara.page)
  await clara.page.getByRole('button', { name: 'Aktivität' }).click()
  await clara.page.locator('.activity-event', { hasText: 'hat dich in einem Chat erwähnt' }).waitFor()
  await ana.page.locator('.chat-live').getByRole('button', { name: 'Set your name' }).click()
  await ana.page.getByRole('dialog').getByRole('textbox').fill('Kim')
  await ana.page.keyboard.press('Enter')
  await ana.page.getByLabel('Message as Kim').and(ana.page.locator(':focus')).waitFor()
  expect(await ana.page.getByText('Others see you as a guest').count()).toBe(0)
  await clara.page.locator('.message-head b', { hasText: 'Kim' }).waitFor()
  await ana.page.locator('.cm-line', { hasText: 'Talk' }).click()
  await ana.page.keyboard.press('Control+z')
  await clara.page.locator('.message', { hasText: 'Thanks' }).waitFor({ state: 'detached' })
  expect(await editorText(ana.page)).not.toMatch(/Kim|Guest/)
  await ana.leave()
  await clara.leave()
})

const sheets = (...rows: readonly string[]): string =>
  `\`\`\`sheet #a\n${rows.join('\n')}\n\`\`\`\n\n\`\`\`sheet #b\n| Of a |\n| ---- |\n| =#a!B3 |\n\`\`\`\n`

test('[COMP-126] [COMP-129] [COMP-257] while the focus is in a component, the toolbar and the palette do not change the text at the old caret', async () => {
  const around = (cell: string): string => `\`\`\`sheet\n| ${cell} |\n| --- |\n\`\`\`\n\n| a |\n| - |\n| b |\n\nend`
  const { page, text, leave } = await writer(around('x'))
  const bar = page.getByRole('toolbar', { name: 'Formatting' })
  const ofTable = bar.getByRole('button', { name: 'Add row below' })
  const inTable = page.locator('.cm-line', { hasText: 'b' })
  const cell = page.locator('[data-cell=A1]')
  // The sheet moves the table when it is drawn.
  await cell.waitFor()
  await inTable.click({ position: { x: 16, y: 16 } })
  await ofTable.waitFor()
  await cell.click()
  await ofTable.waitFor({ state: 'detached' })
  for (const name of ['Bold', 'Link', 'Bulleted list', 'Table']) {
    const button = bar.getByRole('button', { name, disabled: true })
    await button.waitFor()
    await button.click({ force: true })
  }
  // The palette offers only commands that do not act at the old caret, and returns the focus to the cell.
  await page.keyboard.press('Control+Shift+p')
  await page.getByRole('option', { name: /^Undo/ }).waitFor()
  expect(await page.getByRole('option', { name: /^(Bold|Table|Duplicate block|Add row below)/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await cell.and(page.locator(':focus-within')).waitFor()
  await page.keyboard.type('7')
  await page.keyboard.press('Control+Alt+KeyH')
  await page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: 'Close' }).click()
  await text(around('7'))
  await inTable.click({ position: { x: 16, y: 16 } })
  await ofTable.waitFor()
  await bar.getByRole('button', { name: 'Bold', disabled: false }).waitFor()
  await leave()
})

test('[COMP-8] [COMP-69] [COMP-84] [COMP-87] [COMP-91] [COMP-97] [COMP-180] [COMP-234] [WRITE-234] a sheet is navigated, edited, copied and pasted with keys only; formulas stay in the text, and values follow, in other sheets too', async () => {
  const rows = ['| Item | Price |', '| --- | ---: |', '| Pens | 3 |', '| Sum | =SUM(B2:B2) |']
  const { page, text, leave } = await writer(sheets(...rows))
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const first = page.getByRole('grid').first()
  const cell = (name: string) => first.locator(`[data-cell=${name}]`)
  const other = page.getByRole('grid').last().locator('[data-cell=A2]')
  await cell('A1').focus()
  await press('ArrowRight', 'ArrowDown')
  await page.keyboard.type('4')
  await page.locator('.sheet-formula').first().filter({ hasText: /^4$/ }).waitFor()
  await press('Enter')
  await text(sheets(...rows.with(2, '| Pens | 4 |')))
  await until(async () => (await cell('B3').textContent()) === '4' && (await other.textContent()) === '4', 'both have followed')
  // The formula is shown next to the name of its cell.
  await page.locator('.sheet-formula', { hasText: '=SUM(B2:B2)' }).waitFor()
  await press('Control+z')
  await text(sheets(...rows))
  // A person fills a new row from its first cell.
  await page.getByRole('button', { name: 'Add row', exact: true }).first().click()
  await first.locator('[data-cell=A4]:focus-within').waitFor()
  await press('Control+z')
  await text(sheets(...rows))
  await cell('B2').focus()
  await press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Add row above' }).press('Enter')
  await until(async () => (await editorText(page)).includes('=#a!B4'), 'the other sheet goes on naming the same cell')
  await press('Control+z')
  await text(sheets(...rows))
  await cell('A2').focus()
  const name = page.locator('.sheet-name').first()
  await until(async () => (await name.textContent()) === 'A2', 'its name')
  await press('Shift+ArrowRight', 'Shift+ArrowDown', 'Control+c')
  await until(async () => (await name.textContent()) === 'A2:B3', 'the name of the range')
  const frame = (at: string): Promise<string> => cell(at).evaluate((element) => getComputedStyle(element).outlineStyle)
  expect([await frame('A2'), await frame('B3')]).toEqual(['solid', 'none'])
  await press('ArrowLeft', 'Control+v')
  await text(sheets(...rows.slice(0, 3), '| Pens | 3 |', '| Sum | =SUM(B3:B3) |'))
  await cell('A4').focus()
  await press('Shift+ArrowRight', 'Control+r')
  await text(sheets(...rows.slice(0, 3), '| Pens | 3 |', '| Sum | Sum |'))
  await press('Control+z')
  await cell('B3').focus()
  await press('Shift+ArrowDown', 'Control+d')
  await text(sheets(...rows.slice(0, 3), '| Pens | 3 |', '| Sum | 3 |'))
  await press('Control+z')
  await text(sheets(...rows.slice(0, 3), '| Pens | 3 |', '| Sum | =SUM(B3:B3) |'))
  await cell('B3').focus()
  await press('Delete')
  await until(async () => (await cell('B4').textContent()) === '0', 'computed again')
  await page.keyboard.type('=1/0')
  await press('Tab')
  await until(async () => (await cell('B3').textContent()) === '#DIV/0!', 'an error shows')
  await cell('B3').focus()
  await press('F2')
  const fault = page.locator('.sheet-fault')
  await fault.getByText('The formula divides by zero.').waitFor()
  await page.keyboard.type('+1')
  await fault.waitFor({ state: 'detached' })
  await press('Escape')
  await fault.waitFor()
  await page.keyboard.type('7,50')
  await press('Tab')
  await first.locator('.sheet-hint[title*="Write 7.50"]').getByText('7,50').waitFor()
  const explained = page.getByText('B3 is text, because numbers have a decimal point here. Write 7.50 to make it a number.')
  await explained.waitFor()
  await cell('B3').focus()
  await page.keyboard.type('7.50')
  await press('Tab')
  await explained.waitFor({ state: 'detached' })
  await leave()
})

/** Changes the document as a program. */
async function patch({ id, key }: Document, ...edits: readonly (readonly [find: string, replace: string])[]): Promise<void> {
  const answer = await fetch(`${world.url}/api/docs/${id}/content`, {
    method: 'PATCH',
    headers: { 'x-share-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ edits: edits.map(([find, replace]) => ({ find, replace })) })
  })
  expect(answer.status, await answer.clone().text()).toBe(200)
}

test('[COMP-27] [COMP-220] the form of a card stays with it, with focus and text; it asks which text stays, and keeps the text of a removed card and of a person who may no longer edit', async () => {
  const { page, document, text, leave } = await writer(fenced(...cards))
  const [title, details] = [page.getByLabel('Card', { exact: true }), page.getByLabel('Details')]
  const focused = (name: string): Promise<boolean> =>
    page.evaluate((wanted) => globalThis.document.activeElement?.shadowRoot?.activeElement?.getAttribute('name') === wanted, name)
  await page.locator('.card', { hasText: 'Test' }).press('Enter')
  await title.fill('Test every part')
  await details.fill('By hand')
  await details.focus()
  // Others move the card to another column.
  await patch(document, ['- [ ] Test\n', ''], ['## Doing\n', '## Doing\n- [>] Test\n'])
  await page.locator('[data-column="1"] form').waitFor()
  expect([await title.inputValue(), await details.inputValue()]).toEqual(['Test every part', 'By hand'])
  await until(() => focused('details'), 'the field has the focus again')
  await page.keyboard.type(' too')
  expect(await details.inputValue()).toBe('By hand too')
  // Others change the card itself. The page asks about text that both people changed, and merges text that only one of them changed.
  await patch(document, ['- [>] Test\n', '- [>] Test soon @ben\n'])
  await text(fenced('## Todo', '- [ ] Write importer @ana #backend', '## Doing', '- [>] Test soon @ben', ...cards.slice(4)))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Card was changed to “Test soon” while you wrote “Test every part”.').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  const after = [
    '## Todo',
    '- [ ] Write importer @ana #backend',
    '## Doing',
    '- [>] Test every part @ben',
    '  By hand too',
    ...cards.slice(4)
  ]
  await text(fenced(...after))
  // Others delete the card.
  await page.locator('.card', { hasText: 'Test every part' }).press('Enter')
  await title.fill('Test all')
  await patch(document, ['- [>] Test every part @ben\n  By hand too\n', ''])
  await page.getByText('Someone deleted this card. Your text:').waitFor()
  expect(await title.inputValue()).toBe('Test all')
  await page.getByRole('button', { name: 'Add as a new card' }).click()
  await text(fenced(...after.with(3, '- [>] Test all @ben')))
  await leave()
  // The role is lowered while the form is open.
  const link = await createLink(world.url, document, 'edit')
  const guest = await visit(document, link.url)
  await guest.page.locator('.card', { hasText: 'Test all' }).press('Enter')
  await guest.page.getByLabel('Details').fill('By noon')
  await ask(document, 'PATCH', `shares/${link.id}`, { role: 'comment' })
  await guest.page.getByText('You can no longer edit this document. Copy your text before you close the card.').waitFor()
  await guest.page.getByLabel('Details').press('Enter')
  await guest.page.getByLabel('Card', { exact: true }).press('Enter')
  expect(await guest.page.getByLabel('Details').inputValue()).toMatch(/^By noon/)
  expect(await guest.page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await guest.page.locator('.card-form').getByRole('button', { name: 'Copy' }).waitFor()
  await guest.leave()
})

test('[COMP-28] [COMP-231] [COMP-251] [COMP-252] the draft of a message stays with it, no matter what others do: the page asks which text stays, and keeps that of a removed message', async () => {
  const [first, mine, last] = ['[2026-11-20T10:02Z] @Ana: Can we ship?', '[2026-11-20T10:03Z] @Kim: Yes', '[2026-11-20T10:04Z] @Ana: Good']
  const boardText = '```board\n## Todo\n- [ ] Test\n```\n'
  const { page, document, leave } = await visitAs('Kim', await createDocument(world.url, `${chatFence(first, mine, last)}\n${boardText}`))
  const field = page.getByLabel('Message', { exact: true })
  await page.getByRole('button', { name: 'Edit the message “Yes”' }).click()
  await field.fill('Tomorrow')
  // A comment on a card writes nothing into the chat.
  await page.getByRole('button', { name: 'Actions for Test' }).click()
  await page.getByRole('menuitem', { name: 'Comment', exact: true }).click()
  const composer = page.getByRole('textbox', { name: 'Write a comment' }).and(page.locator(':focus'))
  await composer.press('Escape')
  await composer.waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('Tomorrow')
  const theirs = mine.replace('Yes', 'No')
  await patch(document, [`${first}\n${mine}`, theirs])
  await until(async () => (await page.locator('.message', { hasText: 'Can we' }).count()) === 0, 'the message above is gone')
  expect(await field.inputValue()).toBe('Tomorrow')
  await field.press('Enter')
  await page.getByText('Message was changed to “No” while you wrote “Tomorrow”.').waitFor()
  await patch(document, [`${theirs}\n`, ''])
  await page.getByText('Someone deleted this message. Your text:').waitFor()
  expect(await field.inputValue()).toBe('Tomorrow')
  await page.getByRole('button', { name: 'Send as a new message' }).click()
  await page.locator('.message', { hasText: 'Tomorrow' }).waitFor()
  await until(async () => (await field.count()) === 0, 'the form is closed')
  // Others remove the whole chat.
  await page.getByRole('button', { name: 'Edit the message “Tomorrow”' }).click()
  await field.fill('Next week')
  await page.getByLabel('Message as Kim').fill('On my way')
  await patch(document, [await readMarkdown(world.url, document), 'gone'])
  await page.getByText('The component is gone, so your text could not be saved: “On my way”').waitFor()
  await page.getByText('The component is gone, so your text could not be saved: “Next week”').waitFor()
  await leave()
})

test('[COMP-61] [COMP-87] [COMP-160] after a sort by menu the focus is in the same cell as before, and text from an input method replaces its content', async () => {
  const one = (...all: readonly string[]): string => `\`\`\`sheet\n${all.join('\n')}\n\`\`\`\n`
  const { page, text, leave } = await writer(one('| A | B |', '|---|---|', '| 2 | x |', '| 1 | y |'))
  await page.locator('[data-cell=A2]').click()
  for (const words of ['Sort A to Z', 'Sort A to Z', 'Sort Z to A']) {
    await page.getByRole('button', { name: 'Rows and columns' }).click()
    await page.getByRole('menuitem', { name: words }).click()
    await page.locator('[data-cell=A2]:focus-within').waitFor()
  }
  await text(one('| A | B |', '|---|---|', '| 2 | x |', '| 1 | y |'))
  await page.keyboard.press('ArrowRight')
  await page.locator('[data-cell=B2]:focus-within').waitFor()
  const input = await page.context().newCDPSession(page)
  await page.locator('[data-cell=B3]').click()
  for (const letters of ['に', 'にほ'])
    await input.send('Input.imeSetComposition', { text: letters, selectionStart: letters.length, selectionEnd: letters.length })
  await page.locator('[data-cell=B3] .sheet-field:focus').waitFor()
  await input.send('Input.insertText', { text: '日本' })
  await input.detach()
  await page.keyboard.press('Escape')
  await page.keyboard.press('F2')
  expect(await page.locator('[data-cell=B3] .sheet-field').inputValue()).toBe('y')
  await page.keyboard.press('Escape')
  await page.keyboard.insertText('日')
  await page.keyboard.insertText('本')
  await page.keyboard.press('Enter')
  await text(one('| A | B |', '|---|---|', '| 2 | x |', '| 1 | 日本 |'))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Control+z')
  await text(one('| A | B |', '|---|---|', '| 2 | x |', '| 1 | y |'))
  // Several selected cells can be filled from the menu, and the focus stays in them.
  await page.locator('[data-cell=A2]').click()
  await page.getByRole('button', { name: 'Rows and columns' }).click()
  expect(await page.getByRole('menuitem', { name: 'Fill down' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.locator('[data-cell=A3]').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Rows and columns' }).click()
  await page.getByRole('menuitem', { name: 'Fill down' }).click()
  await text(one('| A | B |', '|---|---|', '| 2 | x |', '| 2 | y |'))
  await page.locator('[data-cell]:focus-within').waitFor()
  await leave()
})

test('[COMP-29] Enter in the last row and Tab in the last cell begin a row, and the page says how much of a paste fits', async () => {
  const rows = ['| A | B |', '| --- | --- |', '| 1 | 2 |']
  const one = (...all: readonly string[]): string => `\`\`\`sheet\n${all.join('\n')}\n\`\`\`\n`
  const { page, text, leave } = await writer(one(...rows))
  await page.locator('[data-cell=A2]').focus()
  for (const word of ['3', '4']) {
    await page.keyboard.type(word)
    await page.keyboard.press('Enter')
  }
  await text(one(...rows.with(2, '| 3 | 2 |'), '| 4 |  |'))
  await page.locator('[data-cell=B3]').focus()
  await page.keyboard.type('6')
  await page.keyboard.press('Tab')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  const grown = [...rows.with(2, '| 3 | 2 |'), '| 4 | 6 |', '| 7 |  |']
  await text(one(...grown))
  // Undo removes the row, together with its text.
  await page.keyboard.press('Control+z')
  await text(one(...grown.slice(0, -1)))
  // A paste that is too large is cut off, and a message says so.
  await page.locator('[data-cell=B2]').focus()
  await page.locator('[data-cell=B2]').evaluate((cell) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', Array.from({ length: 300 }, () => 'x').join('\n'))
    cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }))
  })
  await page.locator('.toast', { hasText: 'Pasted 199 of 300 rows and 1 of 1 columns. The rest does not fit.' }).waitFor()
  await leave()
})

test('[COMP-30] the filter of a large board searches all cards, and a note says how to reach cards that are not drawn', async () => {
  const many = Array.from({ length: 5000 }, (_card, card) => `- [ ] Card ${card}`)
  const { page, leave } = await writer(fenced('## Todo', ...many, '- [ ] The needle'))
  await page.getByText('3,001 more cards: find them with the filter, or in the source.').waitFor()
  await page.getByLabel('Filter cards').fill('needle')
  await page.locator('.card', { hasText: 'The needle' }).waitFor()
  await page.getByText(/^1 of 5,?001 cards$/).waitFor()
  await page.getByLabel('Filter cards').fill('card')
  await page.getByText(/^5,?000 of 5,?001 cards$/).waitFor()
  await page.getByText('3,000 more cards: find them with the filter, or in the source.').waitFor()
  await leave()
})

test('[COMP-31] long words in messages wrap, and suggesters see that a change is a suggestion', async () => {
  const document = await createDocument(world.url, `${fenced(...cards)}\n${chatFence(`[2026-11-20T10:02Z] @Ana: ${'x'.repeat(600)}`)}`)
  const { page, leave } = await visit(document, (await createLink(world.url, document, 'suggest')).url)
  const isWhole = (element: Element): boolean => element.scrollWidth <= element.clientWidth
  await page.locator('.message').first().waitFor()
  expect(await page.locator('.chat').evaluate(isWhole)).toBe(true)
  await page.getByRole('button', { name: 'Suggesting' }).or(page.locator('.chip')).first().waitFor()
  await page.locator('.card', { hasText: 'Test' }).press('Alt+ArrowRight')
  await page.getByRole('status').filter({ hasText: 'Suggested: Move card “Test” to Doing' }).waitFor()
  await leave()
})

test('[COMP-32] a large sheet draws only nearby cells; keys, selection, copying, counts and the browser’s search cover all of it', async () => {
  const [height, width] = [200, 50]
  const texts = Array.from({ length: height }, (_row, row) => Array.from({ length: width }, (_cell, column) => `r${row + 1}c${column + 1}`))
  texts[150]?.splice(0, 1, 'the longest of all texts')
  const source = `\`\`\`sheet\n${texts.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}\`\`\`\n`
  const { page, text, leave } = await writer(source)
  const cell = (name: string) => page.locator(`[data-cell=${name}]`)
  const isFocused = (name: string): Promise<boolean> => cell(name).evaluate((element) => element.matches(':focus-within'))
  await cell('A2').focus()
  const [cells, grid] = [page.getByRole('gridcell'), page.getByRole('grid')]
  expect(await cells.count()).toBeLessThan(1200)
  expect([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')]).toEqual(['200', '50'])
  const [room, wide] = await page.locator('.sheet-scroll').evaluate(({ scrollHeight, scrollWidth }) => [scrollHeight, scrollWidth])

  await page.keyboard.press('Control+End')
  await until(() => isFocused('AX200'), 'the last cell has the focus')
  expect([await cell('AX200').getAttribute('aria-colindex'), await cell('AX200').locator('..').getAttribute('aria-rowindex')]).toEqual([
    '50',
    '200'
  ])
  // The drawn part follows the focus, and the new cells take the space that was reserved for them.
  await cell('AT195').waitFor()
  expect(await page.locator('.sheet-scroll').evaluate(({ scrollHeight, scrollWidth }) => [scrollHeight, scrollWidth])).toEqual([room, wide])
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowLeft')
  await until(() => isFocused('AW199'), 'and the one next to it')

  // A draft stays while the person looks elsewhere in the sheet.
  await page.keyboard.type('new')
  await page.locator('.sheet-scroll').evaluate((element) => element.scrollTo(0, 0))
  await cell('A1').waitFor()
  expect(await page.locator('.sheet-field').inputValue()).toBe('new')
  await page.keyboard.type('er')
  await page.keyboard.press('Enter')
  await text(source.replace('r199c49', 'newer'))

  const copied = await page.locator('.sheet-live').evaluate((element) => {
    const focused = (element.getRootNode() as ShadowRoot).activeElement
    focused?.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', ctrlKey: true, bubbles: true, composed: true, cancelable: true }))
    return new Promise<string>((resolve) => {
      requestAnimationFrame(() => {
        const clipboardData = new DataTransfer()
        element.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, composed: true, cancelable: true }))
        resolve(clipboardData.getData('text/plain'))
      })
    })
  })
  texts[198]?.splice(48, 1, 'newer')
  expect(copied.trimEnd()).toBe(texts.map((row) => row.join('\t')).join('\n'))

  // The browser's search finds text that is not drawn, and scrolls to it.
  await page.keyboard.press('Control+Home')
  await until(() => isFocused('A1'), 'the first cell')
  const found = page.locator('.sheet-hidden', { hasText: 'the longest of all texts' })
  expect(await found.getAttribute('hidden')).toBe('until-found')
  await found.evaluate((element) => element.dispatchEvent(new Event('beforematch', { bubbles: true })))
  await cell('A151').waitFor()
  await until(() => cell('A151').evaluate((element) => element.getBoundingClientRect().top >= 0), 'it is seen')
  await leave()
})

test('[COMP-33] in the reading view one interaction is one undo step, by key and from the notice', async () => {
  const source = `${fenced(...cards)}\n${chatFence('[2026-11-20T10:02Z] @Ana: Yes')}`
  const { page, text, leave } = await writer(source)
  await page.getByRole('button', { name: 'Read' }).click()
  const marked = fenced(...cards.with(2, '- [>] Test')) + source.slice(fenced(...cards).length)
  const [open, doing] = [page.getByRole('button', { name: 'To do: Test' }), page.getByRole('button', { name: 'In progress: Test' })]
  await open.click()
  await text(marked)
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await text(source)
  await page.locator('.toast', { hasText: 'Undone' }).waitFor()
  await open.click()
  await doing.press('Control+z')
  await text(source)
  await open.press('Control+y')
  await text(marked)
  // The undo key also works when the page has the focus. In a field, it undoes the field's own text.
  await page.locator('.reading').getByLabel('Message as Guest').pressSequentially('abc')
  await page.keyboard.press('Control+z')
  expect(await editorText(page)).toBe(marked)
  await page.locator('.reading').focus()
  await page.keyboard.press('Control+z')
  await text(source)
  await page.locator('.reading .card', { hasText: 'Test' }).press('Alt+ArrowRight')
  await page.locator('.toast', { hasText: 'Test moved to Doing, position 1 of 1' }).getByRole('button', { name: 'Undo' }).press('Enter')
  await text(source)
  await leave()
})

test('[COMP-34] [COMP-140] [REVIEW-92] [REVIEW-93] [REVIEW-132] the same suggestion is made once and can be withdrawn; a cell has one suggestion; notice, cards and board describe them', async () => {
  const source = `${fenced(...cards)}\n\`\`\`sheet\n| A |\n|---|\n| 1 |\n\`\`\`\n\n\`\`\`chart\na, b\nx, 1\ny, 2\n\`\`\`\n`
  const document = await createDocument(world.url, source)
  const { page, leave } = await visit(document, (await createLink(world.url, document, 'suggest')).url)
  const pending = async (): Promise<number> => {
    const answer = await fetch(`${world.url}/api/docs/${document.id}/suggestions?status=pending`, {
      headers: { 'x-share-key': document.key }
    })
    return ((await answer.json()) as { suggestions: unknown[] }).suggestions.length
  }
  const [toast, annotation] = [page.locator('.toast'), page.locator('article.card')]
  await page.getByRole('button', { name: 'Suggesting' }).or(page.locator('.chip')).first().waitFor()
  const mark = page.getByRole('button', { name: 'To do: Test' })
  await mark.click()
  await toast.filter({ hasText: 'Suggested: Mark “Test” as in progress' }).waitFor()
  await until(async () => (await pending()) === 1, 'it is suggested')
  await annotation.filter({ hasText: 'Mark “Test” as in progress' }).waitFor()
  const onBoard = page.locator('[data-place] .card-suggested')
  await onBoard.click()
  await page.locator('article.card.active', { hasText: 'Mark “Test” as in progress' }).waitFor()
  expect(await page.locator('[data-place]', { has: page.locator('.card-suggested') }).textContent()).toContain(
    'TestSuggested: Mark “Test” as in progress'
  )
  await mark.click()
  await toast.filter({ hasText: 'You already suggested this.' }).getByRole('button', { name: 'Withdraw' }).click()
  await until(async () => (await pending()) === 0, 'it is taken back')
  await onBoard.waitFor({ state: 'detached' })
  // After withdrawing a suggestion, the person can make it again.
  await page.locator('.card[data-place]', { hasText: 'Test' }).press('Alt+ArrowRight')
  await annotation.filter({ hasText: 'Move card “Test” to Doing' }).waitFor()
  await page.locator('[data-cell=A2]').press('7')
  await page.keyboard.press('Enter')
  await annotation.filter({ hasText: 'Set A2 to 7' }).waitFor()
  await until(async () => (await pending()) === 2, 'the cell is suggested')
  const { promise: held, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/drafts/*', (route) => held.then(() => route.continue()))
  for (const digit of ['8', '9']) {
    await page.locator('[data-cell=A2]').press(digit)
    await page.keyboard.press('Enter')
    await annotation.filter({ hasText: `Set A2 to ${digit}` }).waitFor()
    expect(await annotation.filter({ hasText: 'Set A2' }).count()).toBe(1)
  }
  go()
  await until(async () => (await listSuggestions(document)).some(({ text }) => text.includes('9')), 'the last version')
  expect(await pending()).toBe(2)
  // Undo restores the earlier texts.
  for (const digit of ['8', '7']) {
    await page.locator('[data-cell=A2]').press('Control+z')
    await annotation.filter({ hasText: `Set A2 to ${digit}` }).waitFor()
  }
  await page.getByRole('button', { name: 'Edit data' }).click()
  await page.getByRole('grid', { name: 'Chart data' }).locator('[data-cell=A2]').press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Delete row' }).click()
  await toast.filter({ hasText: 'Suggested: Delete 1 row' }).waitFor()
  await until(async () => (await pending()) === 3, 'all three are there')
  await look(page, 'components-suggested')
  expect(await editorText(page)).toBe(source)
  // A decided suggestion is described in the same words.
  const moved = (await listSuggestions(document)).find(({ status, text }) => status === 'pending' && text.includes('- [>] Test'))
  await ask(document, 'POST', `suggestions/${moved?.id}`, { action: 'accept' })
  await onBoard.waitFor({ state: 'detached' })
  await page.locator('.annotations-button').click()
  await page.locator('.segments').getByText('Resolved').click()
  await page.locator('.side-panel .card', { hasText: 'Accepted by' }).filter({ hasText: 'Move card “Test” to Doing' }).waitFor()
  // So it is on the next visit, after the board and the sheet have changed.
  const cell = (await listSuggestions(document)).find(({ status, text }) => status === 'pending' && text.includes('7'))
  await ask(document, 'POST', `suggestions/${cell?.id}`, { action: 'reject' })
  await patch(document, ['- [>] Test', '- [x] Tests'])
  await patch(document, ['| 1 |', '| 3 |'])
  await page.reload()
  await page.locator('.annotations-button').click()
  await page.locator('.segments').getByText('Resolved').click()
  await page.locator('.side-panel .card', { hasText: 'Accepted by' }).filter({ hasText: 'Move card “Test” to Doing' }).waitFor()
  await page.locator('.side-panel .card', { hasText: 'Rejected by' }).filter({ hasText: 'Set A2 to 7' }).waitFor()
  await leave()
})

test('[COMP-35] [COMP-39] [COMP-256] a field of a board stays with its column, and returns the focus when it is canceled or submitted', async () => {
  const { page, document, leave } = await writer(fenced(...cards))
  await page.getByRole('button', { name: 'Add a card to Doing' }).press('Enter')
  await page.keyboard.type('New')
  await patch(document, ['## Todo', '## Ideas\n## Todo'])
  await page.getByRole('group', { name: 'Ideas', exact: true }).waitFor()
  await page.keyboard.type(' one')
  expect(await page.getByLabel('New card in Doing').inputValue()).toBe('New one')
  await page.keyboard.press('Escape')
  const focused = page.getByRole('group', { name: 'Doing', exact: true }).and(page.locator(':focus'))
  await focused.waitFor()
  await page.keyboard.type(' more ')
  await page.keyboard.press('Enter')
  await focused.waitFor()
  expect([await page.getByLabel('New card in Doing').count(), await page.locator('.card').count()]).toEqual([0, 3])
  await page.getByRole('button', { name: '+ Add a column' }).press('Enter')
  await page.keyboard.type('Later')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Later', exact: true }).waitFor()
  await page.getByRole('button', { name: '+ Add a column' }).and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Actions for Later' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
  await page.getByLabel('Column name').press('Escape')
  await page.getByRole('button', { name: 'Actions for Later' }).and(page.locator(':focus')).press('Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).press('Enter')
  await page.getByLabel('Column name').fill('Last')
  await page.getByLabel('Column name').press('Enter')
  await page.getByRole('button', { name: 'Actions for Last' }).and(page.locator(':focus')).waitFor()
  await leave()
})

test('[COMP-40] the text does not jump when distant components are no longer drawn', async () => {
  const board = (name: string): string => `\`\`\`board #${name}\n## Todo\n- [ ] A card of it\n- [ ] Another one\n\`\`\`\n\n`
  const lines = Array.from({ length: 120 }, (_each, index) => `Line ${index}.\n\n`).join('')
  const { page, leave } = await writer(`${board('one')}${board('two')}${lines}`)
  await page.locator('.md-component .card').nth(3).waitFor()
  const moved = await page.locator('.cm-scroller').evaluate(async (scroller) => {
    const count = (): number => document.querySelectorAll('.md-component').length
    const rest = async (): Promise<void> => {
      for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame)
    }
    scroller.scrollTop = 300
    await rest()
    const before = count()
    // The boards that are in view have been drawn and no longer change.
    scroller.scrollTop = 1300
    const line = [...document.querySelectorAll('.cm-line')].find((each) => each.getBoundingClientRect().top > 200)
    const top = line?.getBoundingClientRect().top ?? Number.NaN
    await rest()
    return { by: (line?.getBoundingClientRect().top ?? 0) - top, isDrawn: line?.isConnected, gone: before > count() }
  })
  expect(moved).toEqual({ by: 0, isDrawn: true, gone: true })
  await leave()
})

test('[COMP-9] [COMP-38] [COMP-51] [COMP-96] [COMP-232] [COMP-238] while a cell is written others cannot open it; its field follows their changes, the person chooses which text stays, and typing reaches no other cell if others delete it', async () => {
  const source = (...lines: readonly string[]): string => `\`\`\`sheet\n| A | B |\n| --- | --- |\n${lines.join('\n')}\n\`\`\`\n`
  const ana = await writer(source('| one | 1 |', '| two | =B2*2 |'))
  const ben = await visit(ana.document)
  await saved(ben.page)
  // Each sees the cell that the other has selected, with the name, until the other leaves the sheet.
  await ben.page.locator('[data-cell=A2]').click()
  await ben.page.keyboard.press('ArrowDown')
  const theirs = ana.page.locator('td.theirs')
  await ana.page.locator('td.theirs[data-cell=A3][title^="Guest "]').waitFor()
  expect([await theirs.count(), await ben.page.locator('td.theirs').count()]).toEqual([1, 0])
  await ben.page.locator('.cm-content').focus()
  await theirs.waitFor({ state: 'detached' })
  const field = ana.page.locator('.sheet-field')
  await ana.page.locator('[data-cell=B3]').press('F2')
  await ana.page.keyboard.type('+B2+1')
  for (const _step of '+1') await ana.page.keyboard.press('ArrowLeft')
  await ben.page.locator('td.held[data-cell=B3]').press('F2')
  expect(await ben.page.locator('.sheet-field').count()).toBe(0)
  // Others add a row with the menu, and the stored formulas follow. The field moves with its row, and the caret stays.
  await patch(ana.document, ['| one | 1 |', '|  |  |\n| one | 1 |'], ['| =B2*2 |', '| =B3*2 |'])
  await ana.page.locator('[data-cell=B4] .sheet-field:focus').waitFor()
  expect([await field.inputValue(), await field.getAttribute('aria-label')]).toEqual(['=B3*2+B3+1', 'Cell B4'])
  await ana.page.keyboard.type('^2')
  expect(await field.inputValue()).toBe('=B3*2+B3^2+1')
  await ben.page.locator('[data-cell=B4]').press('Delete')
  await until(async () => !(await editorText(ana.page)).includes('=B3*2'), 'it is empty')
  await ana.page.keyboard.press('Enter')
  await ana.page.getByText('B4 was changed to “” while you wrote “=B3*2+B3^2+1”.').waitFor()
  await ana.page.getByRole('button', { name: 'Keep mine' }).click()
  await ben.text(source('|  |  |', '| one | 1 |', '| two | =B3*2+B3^2+1 |'))
  // Others delete the row while she types. Her next keys and her clipboard act on no other cell.
  await ana.page.locator('[data-cell=A3]').dblclick()
  await ana.page.keyboard.type(' is a n')
  await patch(ana.document, ['| one | 1 |\n', ''])
  const notice = ana.page.getByText('Someone deleted this cell. Your text: “one is a n”')
  await notice.waitFor()
  await ana.page.keyboard.type('umber')
  for (const key of ['Backspace', 'Delete', 'Enter', 'Control+x']) await ana.page.keyboard.press(key)
  expect([await field.count(), await ana.page.locator('[data-cell=A3]').textContent()]).toEqual([0, 'two'])
  // The notice is still open when the same happens to a cell of another row.
  await patch(ana.document, ['|  |  |\n', '|  |  |\n| six | 6 |\n'])
  await ana.page.locator('[data-cell=A3]', { hasText: 'six' }).dblclick()
  await ana.page.keyboard.type('ty')
  await patch(ana.document, ['| six | 6 |\n', ''])
  await ana.page.getByText('Someone deleted this cell. Your text: “sixty”').waitFor()
  await ana.page.keyboard.type(' two')
  for (const key of ['Backspace', 'Delete', 'Enter', 'Control+x']) await ana.page.keyboard.press(key)
  expect([await field.count(), await ana.page.locator('[data-cell=A3]').textContent()]).toEqual([0, 'two'])
  await ana.page.getByRole('button', { name: 'Discard' }).last().click()
  await notice.getByRole('button', { name: 'Discard' }).click()
  await ana.page.locator('[data-cell=A3]:focus-within').waitFor()
  await ben.text(source('|  |  |', '| two | =B3*2+B3^2+1 |'))
  await ana.leave()
  await ben.leave()
})

test('[COMP-41] [COMP-50] [COMP-78] [COMP-81] [COMP-82] [COMP-83] cells of all sheets are picked for a formula with the mouse and with keys; letters and numbers move columns and rows', async () => {
  const table = '| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n```\n\n'
  const filler = 'Words.\n\n'.repeat(80)
  const own = '| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 5 |\n| 3 | 4 |  |\n'
  const source = `\`\`\`sheet\n${own}\`\`\`\n\n\`\`\`sheet #costs\n${table}\`\`\`sheet title="Far away"\n${table}${filler}\`\`\`sheet\n${table}`
  const { page, text, leave } = await writer(source)
  const grid = (number: number) => page.getByRole('grid').nth(number)
  const cell = (number: number, name: string) => grid(number).locator(`[data-cell=${name}]`)
  const drag = async (number: number, from: string, to: string): Promise<void> => {
    await cell(number, from).hover()
    await page.mouse.down()
    const box = await cell(number, to).boundingBox()
    if (box === null) throw new Error('the cell is not drawn')
    await page.mouse.move(box.x + 5, box.y + 5, { steps: 10 })
    await page.mouse.up()
  }
  const selected = (number: number): Promise<number> => grid(number).locator('td[aria-selected=true]').count()
  const field = page.locator('.sheet-field')
  await cell(0, 'C2').press('=')
  await cell(0, 'A2').click()
  expect(await field.inputValue()).toBe('=A2')
  // A double click only selects another cell for the formula, and does not open it.
  await cell(0, 'B2').dblclick()
  expect(await field.inputValue()).toBe('=B2')
  await page.keyboard.type('+sum(')
  await drag(0, 'B3', 'A2')
  expect([await field.inputValue(), await selected(0)]).toEqual(['=B2+sum(A2:B3', 4])
  await page.keyboard.type(')')
  // No reference can be inserted at the caret, so the text is stored and the click selects the cell as usual.
  await cell(0, 'A3').click()
  await text(source.replace('| 5 |', '| =B2+sum(A2:B3) |'))
  await until(async () => (await cell(0, 'C2').textContent()) === '12', 'it is computed')
  await until(() => cell(0, 'A3').evaluate((element) => element.matches(':focus-within')), 'the cell that was clicked has the focus')
  await drag(0, 'A2', 'B3')
  const marked = await cell(0, 'A2').evaluate((element) => (element.getRootNode() as unknown as Window).getSelection()?.toString())
  expect([await selected(0), marked]).toEqual([4, ''])
  await page.keyboard.press('Control+z')
  await text(source)
  const head = (axis: 'column' | 'row', index: number) => grid(0).locator(`[data-${axis}="${index}"]`)
  await cell(0, 'C3').press('=')
  await head('row', 1).click()
  expect(await field.inputValue()).toBe('=A2:C2')
  await head('column', 0).click()
  expect(await field.inputValue()).toBe('=A1:A3')
  await page.keyboard.press('Escape')
  await head('column', 0).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Move column right' }).click()
  const swapped = source.replace(own, '| B | A | C |\n| --- | --- | --- |\n| 2 | 1 | 5 |\n| 4 | 3 |  |\n')
  await text(swapped)
  // The moved column is still selected, and the focus is in it.
  await until(async () => (await selected(0)) === 3 && (await head('column', 1).getAttribute('aria-selected')) === 'true', 'it is selected')
  await head('column', 1).hover()
  await page.mouse.down()
  const edge = await head('column', 2).boundingBox()
  if (edge === null) throw new Error('the letter is not drawn')
  await page.mouse.move(edge.x + edge.width - 5, edge.y + 5, { steps: 3 })
  await page.locator('.drop-line').waitFor()
  await page.mouse.up()
  await text(source.replace(own, '| B | C | A |\n| --- | --- | --- |\n| 2 | 5 | 1 |\n| 4 |  | 3 |\n'))
  await page.keyboard.press('Control+z')
  await text(swapped)
  await page.keyboard.press('Control+z')
  await text(source)
  await cell(0, 'C2').press('=')
  await page.keyboard.type('sum(')
  await drag(1, 'B3', 'A2')
  await until(async () => (await field.inputValue()) === '=sum(#costs!A2:B3', 'the range')
  // The formula is shown above the sheet in which the person selects cells, with the name of its own cell.
  expect(await selected(1)).toBe(4)
  await page.locator('.sheet-writer', { hasText: 'Sheet C2' }).locator('.sheet-field:focus').waitFor()
  await look(page, 'sheets-point')
  expect(await cell(0, 'C2').textContent()).toBe('=sum(#costs!A2:B3')
  // The clipboard acts on the text of the field, and not on the cells below it.
  const isCopied = await field.evaluate((element) => {
    const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, composed: true, cancelable: true })
    return !element.dispatchEvent(event)
  })
  expect(isCopied).toBe(false)
  await page.keyboard.type(')+')
  await cell(2, 'B2').click()
  await until(async () => (await field.inputValue()) === '=sum(#costs!A2:B3)+#far-away!B2', 'an id that it will get')
  await page.keyboard.press('Enter')
  await text(source.replace('| 5 |', '| =sum(#costs!A2:B3)+#far-away!B2 |').replace('sheet title', 'sheet #far-away title'))
  await until(async () => (await cell(0, 'C2').textContent()) === '12', 'it is computed')
  // The formula and the new id are one undo step.
  await page.keyboard.press('Control+z')
  await text(source)
  // With the keyboard, the person moves to the previous sheet, which is far away, and selects cells there.
  await cell(0, 'C2').press('=')
  await page.keyboard.press('Alt+ArrowUp')
  await page.locator('.sheet-writer .sheet-field:focus').waitFor()
  await page.keyboard.press('Shift+ArrowDown')
  expect(await field.inputValue()).toBe('=#sheet!A1:A2')
  await until(
    async () => (await page.locator('.sheet-live:has(.sheet-writer) td[aria-selected=true]').count()) === 2,
    'the cells are marked'
  )
  // Esc discards the formula and returns to the cell.
  await page.keyboard.press('Escape')
  await until(() => cell(0, 'C2').evaluate((element) => element.matches(':focus-within')), 'the cell has the focus')
  expect(await editorText(page)).toBe(source)
  await leave()
})

test('[COMP-53] an inserted component is in view as a whole if there is space, with words in the language of the page', async () => {
  const document = await createDocument(world.url, `${'Words.\n\n'.repeat(30)}Last\n`)
  const sheet = ['Tabellenblatt', '| Posten | Betrag |', '.sheet-field:focus'] as const
  const board = ['Board', '- [ ] Erste Karte', '.card-form :focus'] as const
  const bars = ['Diagramm', 'Monat, Anzahl\nJanuar, 3', '.chart-data .sheet-field:focus'] as const
  for (const [viewport, kinds] of [
    [{ width: 1280, height: 900 }, [sheet, bars]],
    [{ width: 360, height: 740 }, [board, bars]]
  ] as const) {
    const { page, leave } = await visit(document, document.url, { viewport, locale: 'de-DE' })
    await saved(page)
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const menu = async (kind: string): Promise<void> => {
      await page.locator('.cm-content').press('Control+End')
      await press('Enter', 'Enter')
      await page.keyboard.type(`/${kind}`)
      await page.getByRole('option', { name: kind, selected: true }).waitFor()
      await press('Enter')
    }
    for (const [kind, words, first] of kinds) {
      await menu(kind)
      const field = page.locator(first)
      await field.waitFor()
      const host = page.locator('.md-component', { has: field })
      // A component taller than the window shows its beginning, and its field stays visible.
      await until(async () => {
        const [all, one, seen] = [await host.boundingBox(), await field.boundingBox(), await page.locator('.cm-scroller').boundingBox()]
        if (all === null || one === null || seen === null) return false
        const fits = all.height < seen.height - 20
        const last = fits ? all : one
        return all.y >= seen.y && last.y + last.height <= seen.y + seen.height
      }, `${kind} is in view at ${viewport.width}`)
      expect(await editorText(page)).toContain(words)
      await press('Escape', 'Escape', 'ArrowDown')
    }
    if (viewport.width === 360) {
      await menu('Tabelle')
      await until(async () => (await editorText(page)).includes('|  |  |\n| --- | --- |'), 'the table')
    }
    await leave()
  }
})

test('[COMP-42] [COMP-127] a click elsewhere saves the text typed for a board, and so does the source; Esc discards it, and leaving the window changes nothing', async () => {
  const { page, text, leave } = await writer(fenced(...cards))
  const addTo = (name: string) => page.getByRole('button', { name: `Add a card to ${name}` })
  await addTo('Done').click()
  await page.keyboard.type('Ship it')
  await addTo('Todo').click()
  await text(fenced(...cards, '- [x] Ship it'))
  await page.getByLabel('New card in Todo').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Given up')
  await page.keyboard.press('Escape')
  await until(async () => (await page.getByLabel('New card in Todo').count()) === 0, 'the field is closed')
  // A pressed button keeps its position until it is released.
  await addTo('Done').click()
  await page.keyboard.type('Tell all')
  await page.getByRole('button', { name: '+ Add a column' }).click()
  await text(fenced(...cards, '- [x] Ship it', '- [x] Tell all'))
  await page.getByLabel('Column name').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Later')
  await page.getByRole('button', { name: 'To do: Test' }).click()
  await page.getByRole('group', { name: 'Later', exact: true }).waitFor()
  const grown = [...cards.with(2, '- [>] Test'), '- [x] Ship it', '- [x] Tell all']
  await text(fenced(...grown, '## Later'))
  await page.getByRole('button', { name: 'Actions for Later' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.keyboard.type('Some day')
  // Leaving the window keeps the focus in the field.
  const field = page.getByLabel('Column name')
  await field.evaluate(async (element) => {
    element.dispatchEvent(new FocusEvent('blur'))
    for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame)
  })
  expect(await field.inputValue()).toBe('Some day')
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await text(fenced(...grown, '## Some day'))
  await until(async () => (await field.count()) === 0, 'it is closed')
  // The source shows the text that was typed into a form, and so does the view of the entire source.
  const card = page.getByLabel('Card', { exact: true })
  await page.locator('.card', { hasText: 'Pick name' }).click()
  await card.fill('Pick a name')
  await page.locator('.frame-tools').getByRole('button', { name: 'Source', exact: true }).click()
  const renamed = grown.map((line) => line.replace('Pick name', 'Pick a name'))
  await text(fenced(...renamed, '## Some day'))
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await page.locator('.card', { hasText: 'Ship it' }).click()
  await card.fill('Ship both')
  await page.locator('.top-bar').getByRole('button', { name: 'Source', exact: true }).click()
  await text(fenced(...renamed, '## Some day').replace('Ship it', 'Ship both'))
  await leave()
})

test('[COMP-43] [COMP-44] [COMP-253] [COMP-258] a card added here is visible despite the filter, and the filter stays with its words and the focus', async () => {
  const { page, document, leave } = await writer(fenced(...cards, '- [x] One'))
  const filter = page.getByLabel('Filter cards')
  const boardTop = (): Promise<number | undefined> =>
    page
      .locator('.board')
      .boundingBox()
      .then((box) => box?.y)
  await page.locator('.board').waitFor()
  const [before, count] = [await boardTop(), await filter.count()]
  expect(count).toBe(0)
  await patch(document, ['- [x] One', '- [x] One\n- [x] Two'])
  await filter.waitFor()
  expect(await boardTop()).toBe(before)
  const room = await filter.evaluate((field: HTMLInputElement) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field)
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (context === null) throw new Error('no canvas')
    context.font = font
    return (
      field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - context.measureText(field.placeholder).width
    )
  })
  // Chromium keeps space for the button that empties the field.
  expect(room).toBeGreaterThan(24)
  await filter.fill('#backend')
  await page.getByText('1 of 5 cards').waitFor()
  await page.getByRole('button', { name: 'Add a card to Done' }).click()
  for (const key of ['x', 'Enter', 'Escape']) await page.keyboard.press(key)
  await page.locator('.card-text', { hasText: /^x$/ }).waitFor()
  await patch(document, ['- [x] One\n', ''], ['- [x] Two\n', ''])
  await page.getByText('2 of 4 cards').waitFor()
  await filter.fill('te')
  await page.getByText('2 of 4 cards').waitFor()
  for (const key of ['Backspace', 'Backspace']) await filter.press(key)
  await until(async () => (await page.locator('.card').count()) === 4, 'all cards')
  await filter.and(page.locator(':focus')).pressSequentially('pick')
  await page.getByText('1 of 4 cards').waitFor()
  await leave()
})

test('[COMP-45] each time a person saves a card that others also changed, the page shows what to do', async () => {
  const { page, document, text, leave } = await writer(fenced(...cards))
  const [title, question] = [page.getByLabel('Card', { exact: true }), page.locator('.draft-question')]
  const isSeen = (): Promise<boolean> =>
    question.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return element.matches(':focus') && top >= 0 && bottom <= innerHeight
    })
  await page.setViewportSize({ width: 1280, height: 420 })
  await page.locator('.card', { hasText: 'Test' }).press('Enter')
  await title.fill('Test all')
  await patch(document, ['- [ ] Test', '- [ ] Test soon'])
  await until(async () => (await editorText(page)).includes('Test soon'), 'it is changed')
  for (const _time of [1, 2]) {
    await title.press('Enter')
    await question.filter({ hasText: 'Nothing is saved yet. Choose which version to keep.' }).waitFor()
    await until(isSeen, 'the question is seen and has the focus')
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await text(fenced(...cards.with(2, '- [ ] Test all')))
  await leave()
})

test('[COMP-47] [COMP-231] text typed for a column or a component that others remove is shown, to copy or use', async () => {
  const { page, document, text, leave } = await writer(fenced(...cards, '## Later'))
  const gone = (words: string) => page.locator('.draft-gone', { hasText: `Someone deleted this column. Your text: “${words}”` })
  await page.getByRole('button', { name: 'Add a card to Later' }).click()
  await page.keyboard.type('New one')
  await patch(document, ['## Later\n', ''])
  await gone('New one').and(page.locator(':focus')).waitFor()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await gone('New one').getByRole('button', { name: 'Copy' }).click()
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'New one', 'they are copied')
  await gone('New one').getByRole('button', { name: 'Add a card to Done' }).click()
  await text(fenced(...cards, '- [x] New one'))
  await until(async () => (await page.locator('.draft-gone').count()) === 0, 'it is used')
  await leave()
  const sheet = await writer(sheets('| A | B |', '| --- | --- |', '| 1 | 2 |', '| 3 | 4 |'))
  const cell = (name: string) => sheet.page.getByRole('grid').first().locator(`[data-cell=${name}]`)
  await cell('B2').press('x')
  await sheet.page.keyboard.type('yz')
  await patch(sheet.document, ['| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |', '| A |\n| --- |\n| 1 |\n| 3 |'])
  await sheet.page.locator('.draft-gone:focus', { hasText: '“xyz”' }).waitFor()
  await sheet.page.getByRole('button', { name: 'Discard' }).click()
  await cell('A2').and(sheet.page.locator(':focus-within')).waitFor()
  // The sheet can be edited again.
  await sheet.page.keyboard.type('5')
  await sheet.page.keyboard.press('Enter')
  await sheet.text(sheets('| A |', '| --- |', '| 5 |', '| 3 |'))
  await sheet.leave()
  // Others remove the whole component.
  const sheetText = '```sheet\n| A |\n| --- |\n| 1 |\n```\n'
  const boardText = '```board\n## Todo\n- [ ] Test\n```\n'
  const last = await writer(`${sheetText}\n${boardText}\nend`)
  const lost = async (words: string): Promise<void> => {
    await last.page.getByText(`The component is gone, so your text could not be saved: “${words}”`).waitFor()
    await last.page.locator('.toast').getByRole('button', { name: 'Close', exact: true }).click()
  }
  await last.page.locator('.card', { hasText: 'Test' }).press('Enter')
  await last.page.getByLabel('Card', { exact: true }).fill('Test all')
  await patch(last.document, [`${boardText}\n`, ''])
  await lost('Test all')
  await last.page.locator('.cm-content [data-cell=A2]').press('4')
  await last.page.keyboard.type('2')
  await patch(last.document, [`${sheetText}\n`, ''])
  await lost('42')
  await last.page.getByRole('button', { name: 'Read' }).click()
  await patch(last.document, ['end', `${sheetText}\nend`])
  await last.page.locator('.reading [data-cell=A2]').press('4')
  await last.page.keyboard.type('3')
  await patch(last.document, [`${sheetText}\n`, ''])
  await lost('43')
  await last.leave()
})

test('[SUGG-100] [SUGG-104] [SUGG-105] a dragged card is suggested and accepted after the owner has added a card; once a card is deleted, its move cannot be accepted', async () => {
  const owner = await writer(fenced(...cards))
  const suggester = await visit(owner.document, (await createLink(world.url, owner.document, 'suggest')).url)
  const { page } = suggester
  await page.getByRole('button', { name: 'Suggesting' }).or(page.locator('.chip')).first().waitFor()
  const drag = (name: string, column: string): Promise<void> => dragCard(page, name, column)
  const annotation = (words: string) => owner.page.locator('article.card', { hasText: words })
  await drag('Write importer', 'Doing')
  const moved = annotation('Move card “Write importer” to Doing')
  await moved.getByRole('button', { name: 'Accept' }).waitFor()
  await owner.page.getByRole('button', { name: 'Add a card to Todo' }).click()
  await owner.page.keyboard.type('New')
  await owner.page.keyboard.press('Enter')
  await owner.page.keyboard.press('Escape')
  await owner.text(fenced(...cards.slice(0, 3), '- [ ] New', ...cards.slice(3)))
  await moved.getByRole('button', { name: 'Accept' }).click()
  await owner.text(
    fenced('## Todo', '', '- [ ] Test', '- [ ] New', '## Doing', '- [>] Write importer @ana #backend', '## Done', '- [x] Pick name')
  )
  await page.locator('[data-column="0"] .card[data-place]', { hasText: 'New' }).waitFor()
  await drag('Test', 'Done')
  const other = annotation('Move card “Test” to Done')
  await other.getByRole('button', { name: 'Accept' }).waitFor()
  await owner.page.locator('.card[data-place]', { hasText: 'Test' }).press('Delete')
  await other.getByText('The text has changed, so this suggestion cannot be accepted. Reject it, or undo the change to the text.').waitFor()
  expect(await other.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  await other.getByRole('button', { name: 'Reject', exact: true }).waitFor()
  await page.locator('article.card', { hasText: 'The text was changed or deleted, so this suggestion cannot be accepted.' }).waitFor()
  await owner.page.locator('.toast', { hasText: 'Card deleted' }).getByRole('button', { name: 'Undo' }).click()
  await other.getByRole('button', { name: 'Accept' }).waitFor()
  await suggester.leave()
  await owner.leave()
})

test('[COMP-48] [COMMENT-32] a card keeps the focus and its comments when a move is undone or others move cards', async () => {
  const { page, document, text, leave } = await writer(fenced(...cards))
  const isCommentOn = (card: string): Promise<void> =>
    until(async () => {
      const [[comment], content] = [await listComments(document), await readMarkdown(world.url, document)]
      return content.includes(card) && comment?.anchor?.from === content.indexOf(card) + card.indexOf('Test')
    }, card)
  await ask(document, 'POST', 'comments', { find: 'Test', body: 'Which?' })
  await page.locator('article.card', { hasText: 'Which?' }).waitFor()
  await dragCard(page, 'Test', 'Done')
  await isCommentOn('- [x] Test')
  await page.keyboard.press('Control+z')
  await text(fenced(...cards))
  await isCommentOn('- [ ] Test')
  const card = page.locator('.card', { hasText: 'Write importer' })
  const isFocused = (): Promise<boolean> => card.evaluate((element) => element.matches(':focus'))
  await dragCard(page, 'Write importer', 'Doing')
  await page.locator('[data-column="1"] .card:focus', { hasText: 'Write importer' }).waitFor()
  await page.keyboard.press('Control+z')
  await text(fenced(...cards))
  await page.locator('[data-column="0"] .card:focus', { hasText: 'Write importer' }).waitFor()
  await page.keyboard.press('Control+y')
  await page.locator('[data-column="1"] .card:focus', { hasText: 'Write importer' }).waitFor()
  await patch(document, ['## Doing', '## Doing\n- [ ] First of all'])
  await page.locator('[data-place="1:1"]').waitFor()
  await until(isFocused, 'the card, not the place, has the focus')
  // Others delete the focused card, and the next card takes the focus.
  await patch(document, ['- [>] Write importer @ana #backend\n', ''])
  await page.locator('.card:focus', { hasText: 'First of all' }).waitFor()
  // If the person has moved the focus elsewhere, it stays there.
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await patch(document, ['- [ ] First of all\n', ''])
  await until(async () => (await page.locator('.card[data-place]').count()) === 2, 'it is gone')
  expect(await page.locator('.cm-content').evaluate((element) => element.matches(':focus'))).toBe(true)
  await leave()
})

test('[COMP-134] [COMP-135] [COMP-248] [COMP-249] [COMP-250] [COMMENT-31] a click only selects a cell, also the second one; a comment is on the part of a component that has the focus or whose menu was used, and marks this part', async () => {
  const sheet = (price: string): string =>
    `Some words\n\n\`\`\`sheet\n| A | B |\n|---|---|\n| ${price} | 3 |\n\`\`\`\n\n\`\`\`board\n## Todo\n- [ ] Test\n\`\`\`\n`
  const { page, document, text, leave } = await writer(sheet('12.75'))
  const cell = page.locator('[data-cell=A2]')
  const field = page.locator('.sheet-field:focus')
  await page.locator('.cm-line', { hasText: 'Some words' }).click()
  await cell.click()
  await cell.and(page.locator(':focus-within')).waitFor()
  await cell.click()
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  await text(sheet('5'))
  const openings = [() => cell.dblclick(), () => page.keyboard.press('F2'), () => page.keyboard.press('Enter')]
  for (const [index, open] of openings.entries()) {
    await cell.click()
    await open()
    await field.waitFor()
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await text(sheet(`5${'1'.repeat(index + 1)}`))
  }
  // The caret is far above.
  await page.setViewportSize({ width: 1280, height: 400 })
  const scroller = page.locator('.cm-scroller')
  await page.locator('.cm-line', { hasText: 'Some words' }).click()
  await cell.press('6')
  await page.keyboard.press('Enter')
  await text(sheet('6'))
  const bottom = await scroller.evaluate((element) => {
    element.scrollTop = element.scrollHeight
    return element.scrollTop
  })
  expect(bottom).toBeGreaterThan(100)
  for (const [key, price] of [
    ['z', '5111'],
    ['y', '6'],
    ['z', '5111']
  ] as const) {
    await page.keyboard.press(`Control+${key}`)
    await text(sheet(price))
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(bottom)
  }
  await page.setViewportSize({ width: 1280, height: 900 })

  const composer = page.getByRole('textbox', { name: 'Write a comment' })
  /** Begins a comment with the shortcut, and leaves it again. */
  const isOn = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+Alt+m')
    await page.locator('.card-quote', { hasText: words }).waitFor()
    await composer.press('Escape')
    await composer.waitFor({ state: 'detached' })
  }
  await cell.click()
  await isOn('5111')
  await page.locator('.card', { hasText: 'Test' }).focus()
  await isOn('Test')
  // In the text, a comment begins at the caret as before.
  await page.locator('.cm-line', { hasText: 'Some words' }).click()
  await isOn('Some words')

  const isMarked = (shown: Locator, isActive: boolean, has = true): Promise<void> =>
    until(
      async () => {
        const { image, color } = await shown.evaluate((element) => {
          const { backgroundImage, backgroundColor } = getComputedStyle(element)
          return { image: backgroundImage, color: backgroundColor }
        })
        return (image !== 'none') === has && (color === 'rgb(255, 236, 184)') === isActive
      },
      `the part ${has ? 'has a mark' : 'has no mark'}${isActive ? ' and is highlighted' : ''}`
    )
  await cell.click()
  await page.keyboard.press('Control+Alt+m')
  await isMarked(cell, true)
  await composer.fill('Too much')
  await composer.press('Control+Enter')
  await until(async () => (await listComments(document)).length === 1, 'the comment is sent')
  await page.locator('.cm-line', { hasText: 'Some words' }).click()
  await isMarked(cell, false)
  await isMarked(page.locator('[data-cell=B2]'), false, false)
  const note = page.locator('.card', { hasText: 'Too much' })
  await note.locator('.card-quote', { hasText: '5111' }).waitFor()
  await note.locator('.card-text').click()
  await isMarked(cell, true)
  // Typing above the sheet moves the mark with its cell.
  await page.locator('.cm-line', { hasText: 'Some words' }).click()
  await page.keyboard.press('Home')
  await page.keyboard.type('More ')
  await isMarked(cell, false)
  await cell.click()
  await isMarked(cell, true)
  // The comment goes with its value to the cell in which the value is pasted.
  const other = page.locator('[data-cell=B2]')
  await page.keyboard.press('Control+x')
  await text(`More ${sheet('')}`)
  await other.click()
  await page.keyboard.press('Control+v')
  await text(`More ${sheet('').replace('| 3 |', '| 5111 |')}`)
  await cell.click()
  await other.click()
  await isMarked(other, true)
  for (const after of [sheet(''), sheet('5111')]) {
    await page.keyboard.press('Control+z')
    await text(`More ${after}`)
  }
  await cell.click()
  await isMarked(cell, true)
  await note.getByRole('button', { name: 'Resolve' }).click()
  await isMarked(cell, false, false)
  // The menus of a cell and of a card begin a comment too. The form of the card closes.
  const chooseComment = async (): Promise<void> => {
    await page.getByRole('menuitem', { name: 'Comment', exact: true }).click()
    await composer.and(page.locator(':focus')).waitFor()
  }
  await page.getByRole('button', { name: 'Rows and columns' }).click()
  await chooseComment()
  await isMarked(cell, true)
  await composer.press('Escape')
  await page.getByRole('button', { name: 'Actions for Test' }).click()
  await chooseComment()
  await isMarked(page.locator('[data-place="0:0"]'), true)
  await composer.press('Escape')
  await composer.waitFor({ state: 'detached' })
  await page.locator('.card-text', { hasText: 'Test' }).click()
  await page.locator('.card-form :focus').waitFor()
  await isOn('Test')
  expect(await page.locator('.card-form').count()).toBe(0)
  await page.locator('.card-text', { hasText: 'Test' }).click()
  await page.locator('.card-form :focus').pressSequentially('Test it')
  await page.keyboard.press('Control+Alt+m')
  await composer.and(page.locator(':focus')).waitFor()
  await text(`More ${sheet('5111').replace('Test', 'Test it')}`)
  await page.locator('.card-form').waitFor({ state: 'detached' })
  await page.keyboard.type('Better?')
  expect(await composer.inputValue()).toBe('Better?')
  await leave()

  const commenter = await visit(document, (await createLink(world.url, document, 'comment')).url)
  await commenter.page.locator('.cm-line', { hasText: 'Some words' }).click()
  await commenter.page.locator('.card-text', { hasText: 'Test' }).click()
  await commenter.page.keyboard.press('Control+.')
  await commenter.page.locator('.side-panel').getByRole('button', { name: 'Comment', exact: true }).click()
  await commenter.page.getByRole('textbox', { name: 'Write a comment' }).fill('Which one?')
  await commenter.page.keyboard.press('Control+Enter')
  await until(async () => (await listComments(document)).some(({ target }) => target.quote === 'Test it'), 'the comment is on the card')
  await isMarked(commenter.page.locator('[data-place="0:0"]'), true)
  await commenter.leave()
})

test('[COMP-37] faults are shown in place: an unclosed fence, the reason for an error in a cell, a failing widget', async () => {
  const widget = (title: string, script: string): string => `\`\`\`widget title=${title}\n<script>\n${script}\n</script>\n\`\`\`\n\n`
  const source = `\`\`\`sheet\n| A |\n|---|\n| =1/0 |\n\`\`\`\n\n${widget('Throws', 'setTimeout(() => { throw new Error("broken") })')}${widget('Leaves', 'location = "about:blank"')}${widget('Keeps', 'agmd.setState("x".repeat(9999))')}\`\`\`chat\n[2026-11-20T10:02Z] @Ana: Yes\n`
  const { page } = await writer(source)
  await page.locator('[data-cell=A2]').click()
  await page.locator('.sheet-fault').waitFor()
  expect(await page.locator('.sheet-fault').textContent()).toMatch(/zero/i)
  for (const [name, words] of [
    ['Throws', 'The widget failed: Uncaught Error: broken'],
    ['Leaves', 'The widget was stopped because it tried to open another page or stopped responding.'],
    ['Keeps', 'The state of the widget is too large to save. The limit is 4,096 bytes.']
  ] as const) {
    await page.getByRole('button', { name: `Run: ${name}` }).click()
    await page.locator('.chart-fault', { hasText: words }).waitFor()
  }
  await page.getByText('This block is not closed. End it with a line of ```').waitFor()
  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.reading').getByText('This block is not closed. End it with a line of ```').waitFor()
  // The page is closed without a check of its errors, because it also reports the error of the widget.
  await page.context().close()
})
