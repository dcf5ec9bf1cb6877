/** The version history in the browser, used with the keyboard alone: versions, the difference between two, authors, and restoring. */
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, sizes } from './appearance.ts'
import { createDocument, createLink, type Document, editorText, readMarkdown, saved, typeAtEnd, until, ownPage } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const trip =
  '# Trip\n\nWe leave on Friday.\n\n## Packing\n\n- tent\n- stove\n\n## Costs\n\nNobody knows yet.\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n'

const put = async ({ id, key }: Document, content: string, author: string): Promise<void> => {
  const answer = await fetch(`${world.url}/api/docs/${id}/content`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-share-key': key },
    body: JSON.stringify({ content, author })
  })
  expect(answer.status).toBe(200)
}

/** Creates a document with three versions by two writers. */
async function written(): Promise<Document> {
  const document = await createDocument(world.url, trip)
  await put(document, trip.replace('Friday', 'Saturday at noon').replace('- stove\n', ''), 'Ana')
  await put(document, trip.replace('Friday', 'Saturday at noon').replace('Nobody knows yet.', 'About 300.'), 'Ben <b>bold</b>')
  return document
}

/** Opens a document with text that no version contains yet, and shows the source view of its history. */
async function openTyped(): Promise<Page> {
  const { page } = await open(await written())
  await saved(page)
  await typeAtEnd(page, 'typed')
  await saved(page)
  await openSource(page)
  await page.locator('.timeline-item strong', { hasText: 'Now' }).waitFor()
  return page
}

async function open(document: Document, url = document.url): Promise<{ page: Page; heard: readonly string[] }> {
  const { page, heard } = await ownPage(browser, { viewport: { width: 1280, height: 800 } })
  await page.goto(url)
  await page.locator('.cm-content:visible, .reading:visible').waitFor()
  // The page's keys load with the editor, which the reading view hides.
  await page.locator('.cm-content').waitFor({ state: 'attached' })
  return { page, heard }
}

const changesOf = (page: Page, kind: 'ins' | 'del'): Promise<string[]> => page.locator(`.history-text ${kind}`).allTextContents()

/** Opens the history by its key, and shows the changed lines. */
async function openSource(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+h')
  await page.getByRole('group', { name: 'Version view' }).getByRole('button', { name: 'Source' }).press('Enter')
  await page.locator('.history-text .row').first().waitFor()
}

test('[HISTORY-1] [HISTORY-12] [LINK-45] [UNDO-43] with the keyboard: open, read the changed words, move between changes, restore, and undo that', async () => {
  const document = await written()
  const { page, heard } = await ownPage(browser, { viewport: { width: 1280, height: 800 } })
  let held: (() => void)[] | undefined
  await page.routeWebSocket('**/collab?*', (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (held === undefined) server.send(message)
      else held.push(() => server.send(message))
    })
  })
  await page.goto(document.url)
  await page.locator('.cm-content').waitFor()
  await saved(page)
  await page.locator('.cm-content').click()
  await openSource(page)
  expect(await changesOf(page, 'ins')).toEqual(['- stove', 'About 300'])
  expect(await changesOf(page, 'del')).toEqual(['Nobody knows yet'])
  await page.locator('.history-text').focus()
  await page.keyboard.press('n')
  await page.getByText('1 of 2').waitFor()
  await page.keyboard.press('n')
  await page.getByText('2 of 2').waitFor()
  // The keyboard selects the first version.
  const first = page.locator('.timeline-item').last()
  await first.focus()
  await page.keyboard.press('Enter')
  await until(async () => (await changesOf(page, 'ins')).includes('# Trip'), 'the first version')
  await page.getByRole('button', { name: 'Restore', exact: true }).focus()
  await page.keyboard.press('Enter')
  await until(async () => (await editorText(page)) === trip, 'the restored text')
  await page.locator('.toast', { hasText: /Restored the version from \d{1,2}:\d\d\s[AP]M\./ }).waitFor()
  await page.locator('.cm-content:focus').waitFor()
  // The caret is where the text changed: at the day of the trip.
  await until(
    () =>
      page.evaluate(
        () => globalThis.document.getSelection()?.anchorNode?.parentElement?.closest('.cm-line')?.textContent === 'We leave on Friday.'
      ),
    'the caret at the change'
  )
  // Typed text is undone first, then the restore. On a slow connection, the request for the restore must not overtake the typing.
  await page.keyboard.type('!')
  await saved(page)
  held = []
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/restore')) asked++
  })
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)) === trip, 'only the typing undone')
  await page.keyboard.press('Control+z')
  // A request that was sent at once would have been answered before this one.
  await page.evaluate(() => fetch('/api/health'))
  expect(asked).toBe(0)
  for (const send of held) send()
  held = undefined
  await page.getByText('Restore undone.').waitFor()
  await until(async () => (await editorText(page)).includes('About 300.'), 'the text as it was')
  await page.keyboard.press('Control+Shift+z')
  await until(async () => (await editorText(page)) === trip, 'the version restored again')
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)).includes('About 300.'), 'the text as it was, again')
  for (let press = 0; press < 2; press++) await page.keyboard.press('Control+Shift+z')
  await until(async () => {
    const now = await editorText(page)
    return now.includes('!') && now.replace('!', '') === trip
  }, 'the version and the typing again')
  expect(heard).toEqual([])
  await page.context().close()
})

test('[HISTORY-9] [HISTORY-22] [UNDO-22] [WRITE-162] [REV-8] [WHO-15] [LINK-45] undoing and repeating a restore keeps everything that others wrote since', async () => {
  const document = await written()
  const { page } = await open(document)
  await saved(page)
  const before = await editorText(page)
  const restoreFirst = async (): Promise<void> => {
    await openSource(page)
    await page.locator('.timeline-item').last().click()
    await until(async () => (await changesOf(page, 'ins')).includes('# Trip'), 'the first version')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await until(async () => (await editorText(page)) === trip, 'the restored text')
  }
  const other = (operations: readonly object[]): Promise<Response> =>
    fetch(`${world.url}/api/docs/${document.id}/edits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key },
      body: JSON.stringify({ operations })
    })
  await restoreFirst()
  expect((await other([{ op: 'insert', at: 'start', markdown: 'First of all.' }])).status).toBe(200)
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Restore undone. Later edits are kept.').waitFor()
  await until(async () => (await editorText(page)) === `First of all.\n\n${before}`, 'both')
  const focused = page.locator('.cm-content:focus')
  expect(await focused.count()).toBe(1)
  const { revisions } = (await (
    await fetch(`${world.url}/api/docs/${document.id}/revisions`, { headers: { 'x-share-key': document.key } })
  ).json()) as { revisions: { cause: string; author: string }[] }
  expect(revisions.slice(0, 3).map(({ cause }) => cause)).toEqual(['restore', 'edit', 'restore'])
  expect(revisions[2]?.author).toMatch(/^Guest \d+$/)
  for (const [keys, rest] of [
    ['Control+y', trip],
    ['Control+z', before]
  ] as const) {
    await page.keyboard.press(keys)
    await until(async () => (await editorText(page)) === `First of all.\n\n${rest}`, `${keys}, and the text of others`)
  }

  await restoreFirst()
  const theirs = `${trip}Theirs.\n`.replaceAll(/^[^#\n].*$/gm, 'Theirs.')
  const answer = await fetch(`${world.url}/api/docs/${document.id}/content`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'x-share-key': document.key },
    body: theirs
  })
  expect(answer.status).toBe(200)
  await page.keyboard.press('Control+z')
  const refused = page.locator('.toast', { hasText: 'These lines have been changed since.' })
  await refused.waitFor()
  expect(await focused.count()).toBe(1)
  // The refusal may arrive before the text of others.
  await until(async () => (await editorText(page)) === theirs, 'the text of others')
  await refused.getByRole('button', { name: 'History' }).click()
  await page.locator('dialog.history').getByRole('button', { name: 'Close' }).click()
  // The notice disappears, and does not wait for a press.
  await page.clock.install()
  await restoreFirst()
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).focus()
  await page.clock.fastForward(15_000)
  await page.locator('.toast').waitFor({ state: 'detached' })
  expect(await focused.count()).toBe(1)
  await page.context().close()
})

test('[HISTORY-2] [HISTORY-24] any two versions can be compared; text without a version is Now; versions can be named', async () => {
  const page = await openTyped()
  await until(async () => (await changesOf(page, 'ins')).join() === 'typed', 'what was typed')
  await page.getByLabel('Compared with').selectOption({ index: 3 })
  await until(async () => (await changesOf(page, 'ins')).includes('Saturday at noon'), 'all since the first')
  await page.locator('.timeline-item').nth(1).click()
  expect((await page.locator('.timeline-size').allInnerTexts()).map((words) => words.replaceAll(/\s+/g, ' '))).toEqual([
    '+17 −16 characters',
    '+16 −14 characters',
    '+112 characters'
  ])
  await page.getByRole('button', { name: 'Name this version' }).click()
  await page.keyboard.type('For <i>Ben</i>')
  await page.keyboard.press('Enter')
  await page.locator('.timeline-label', { hasText: 'For <i>Ben</i>' }).waitFor()
  await page.getByLabel('Edited by').selectOption('Ana')
  await until(async () => (await page.locator('.timeline-item').count()) === 1, 'those of Ana')
  await page.keyboard.press('Escape')
  await page.locator('dialog.history').waitFor({ state: 'detached' })
  await page.context().close()
})

test('[HISTORY-10] naming the current text makes it a version', async () => {
  const page = await openTyped()
  await page.getByRole('button', { name: 'Name this version' }).click()
  await page.keyboard.type('Ready')
  await page.keyboard.press('Enter')
  await page.locator('.timeline-label', { hasText: 'Ready' }).waitFor()
  const rename = page.getByRole('button', { name: 'Rename' })
  await rename.waitFor()
  await until(() => rename.evaluate((button) => button === globalThis.document.activeElement), 'the focus on the button')
  expect(await page.locator('.timeline-item strong', { hasText: 'Now' }).count()).toBe(0)
  await until(async () => (await changesOf(page, 'ins')).join() === 'typed', 'what it changed')
  await page.context().close()
})

test('[HISTORY-3] [HISTORY-11] each line shows its author; the page shows inserted and deleted words, items and blocks', async () => {
  const document = await written()
  const costs = trip.replace('Friday', 'Saturday at noon').replace('Nobody knows yet.', 'About 300.')
  await put(document, costs.replace('- tent\n', '- tent\n  - pegs\n'), 'Ana')
  await put(document, costs.replace('- tent\n', '- tent for four\n  - pegs\n'), 'Ben')
  const { page } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  const article = page.locator('.history-page article')
  await article.locator('p', { hasText: 'About 300.' }).waitFor()
  await page.getByRole('button', { name: 'Authors' }).click()
  const run = page.locator('.authored-run', { hasText: 'About 300.' })
  await run.getByText('Ben <b>bold</b>').waitFor()
  await page.locator('.authored-run', { hasText: 'Saturday' }).getByText('Ana').waitFor()

  await page.getByRole('button', { name: 'Page', exact: true }).click()
  await article.locator('p', { hasText: 'About 300.' }).waitFor()
  expect(await article.locator('ins, del').allTextContents()).toEqual([' for four'])
  await page.locator('.timeline-item').nth(2).click()
  await article.locator('.gone', { hasText: 'Nobody knows yet.' }).waitFor()
  expect(await article.locator('.gone').allTextContents()).toEqual(['Nobody knows yet.'])
  await page.locator('.timeline-item').nth(3).click()
  await article.locator('ins', { hasText: 'Saturday at noon' }).waitFor()
  expect(await article.locator('del').allTextContents()).toEqual(['Friday'])
  expect(await article.locator('li.gone').allTextContents()).toEqual(['stove'])
  await page.getByText('2 changes').waitFor()
  await page.locator('.history-text').press('n')
  await page.getByText('1 of 2').waitFor()
  await article.locator('p[data-change]:focus').waitFor()
  await page.context().close()
})

test('[HISTORY-11] [PUBLISH-42] an unchanged formula is not marked as deleted or inserted, and a chat shows local times', async () => {
  const text =
    'Two rules.\n\nThe first: $a$\n\n$$\nE = mc^2 + \\frac{a}{b}\n$$\n\n$$ \\begin{aligned} a &= b \\\\ c &= d \\end{aligned} $$\n\n```chat\n[2026-11-20T10:02Z] @ana: Hi\n```\n'
  const document = await createDocument(world.url, text)
  await put(document, text.replace('Two', 'Both'), 'Ana')
  const { page } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  const article = page.locator('.history-page article')
  await article.locator('ins', { hasText: 'Both' }).waitFor()
  expect([await article.locator('math').count(), await article.locator('.came, .gone').count()]).toEqual([3, 0])
  const local = await page.evaluate(() =>
    new Date('2026-11-20T10:02Z').toLocaleString(navigator.language, { dateStyle: 'medium', timeStyle: 'short' })
  )
  expect(await article.locator('time').textContent()).toBe(local)
  await page.context().close()
})

test('[HISTORY-6] [HISTORY-50] a refusal keeps the focus, and so does the replacement of a name field; a version is restored although others write', async () => {
  const document = await written()
  const { page } = await open(document)
  await saved(page)
  const focused = (): Promise<string> => page.evaluate(() => globalThis.document.activeElement?.textContent ?? '')
  await page.keyboard.press('Control+Alt+h')
  await page.locator('.timeline-item').last().click()
  await page.route('**/restore', (route) => route.fulfill({ status: 429, contentType: 'application/problem+json', body: '{}' }))
  const problem = page.locator('dialog.history .notice.danger')
  await page.getByRole('button', { name: 'Restore', exact: true }).press('Enter')
  await problem.waitFor()
  expect(await focused()).toBe('Restore')
  await page.getByRole('button', { name: 'Name this version' }).press('Enter')
  await page.keyboard.type('The plan')
  await page.keyboard.press('Enter')
  await until(async () => (await focused()) === 'Rename', 'the focus on what stands in the place of the field')
  await page.keyboard.press('Enter')
  await page.getByLabel('Name of this version').press('Escape')
  await until(async () => (await focused()) === 'Rename', 'the focus after Escape')

  // Somebody writes in the lines of the version, between each attempt and the one before.
  await page.unroute('**/restore')
  const before = await readMarkdown(world.url, document)
  let attempts = 0
  await page.route('**/restore', async (route) => {
    if (attempts++ < 3) await put(document, before.replace('Saturday at noon', `Later ${attempts}`), 'Ana')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Restore', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Restore anyway' }).press('Enter')
  await page.getByText('Restored the version “The plan”.').waitFor()
  expect(await readMarkdown(world.url, document)).not.toContain('Later')
  expect(attempts).toBe(4)
  await page.context().close()
})

test('[HISTORY-7] the last listed version is compared with the one before, which is not listed yet', async () => {
  const document = await createDocument(world.url, 'Words that stay. Version 0.')
  for (let number = 1; number <= 101; number++) await put(document, `Words that stay. Version ${number}.`, 'Ana')
  const { page } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  await page.getByRole('button', { name: 'Show older versions' }).waitFor()
  expect(await page.locator('.timeline-item').count()).toBe(100)
  await page.locator('.timeline-item').nth(99).click()
  await until(async () => (await changesOf(page, 'ins')).join() === '2', 'what changed in the second version')
  expect(await changesOf(page, 'del')).toEqual(['1'])
  await page.context().close()
})

test('[HISTORY-8] a refusal disappears with the next action, versions of one minute have different labels, and the bar is never empty', async () => {
  const document = await written()
  const { page } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  await page.route('**/restore', (route) => route.fulfill({ status: 429, contentType: 'application/problem+json', body: '{}' }))
  const problem = page.locator('dialog.history .notice.danger')
  const refused = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await problem.waitFor()
  }
  await page.locator('.timeline-item').last().click()
  await refused()
  await page.locator('.timeline-item').first().click()
  await problem.waitFor({ state: 'detached' })
  await refused()
  await page.getByRole('button', { name: 'Name this version' }).click()
  await page.keyboard.type('The plan')
  await page.keyboard.press('Enter')
  await problem.waitFor({ state: 'detached' })
  // These versions were written within the same minute.
  const options = await page.getByLabel('Compared with').locator('option').allTextContents()
  expect(new Set(options).size).toBe(3)
  const reader = await open(document, (await createLink(world.url, document, 'view')).url)
  await reader.page.setViewportSize({ width: 360, height: 740 })
  await reader.page.keyboard.press('Control+Alt+h')
  await reader.page.getByRole('button', { name: 'Authors' }).click()
  await reader.page.locator('.authored-run').first().waitFor()
  expect(await reader.page.locator('.history-version').isVisible()).toBe(true)
  await reader.page.context().close()
  await page.context().close()
})

test('[HISTORY-4] a viewer reads the history but restores nothing; without the server the history says so, and returns later', async () => {
  const document = await written()
  const { page } = await open(document, (await createLink(world.url, document, 'view')).url)
  await page.locator('.reading').waitFor()
  await page.context().setOffline(true)
  await page.keyboard.press('Control+Alt+h')
  await page.getByText('loads when you are back online').first().waitFor()
  await page.context().setOffline(false)
  const again = page.getByRole('button', { name: 'Try again' })
  await until(async () => {
    if ((await again.count()) > 0) await again.click()
    else if ((await page.locator('dialog.history').count()) === 0) await page.keyboard.press('Control+Alt+h')
    return (await page.locator('.timeline-item').count()) === 3
  }, 'the versions')
  expect(await page.getByRole('button', { name: 'Restore', exact: true }).count()).toBe(0)
  await page.context().close()
})

test.each(sizes)('[HISTORY-5] [HISTORY-21] at $width px: no violations, and nothing is cut off', async (viewport) => {
  const document = await written()
  // A version with a long name makes the list of versions as wide as that name.
  await fetch(`${world.url}/api/docs/${document.id}/revisions/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-share-key': document.key },
    body: JSON.stringify({ label: 'A version with a name that is quite long, as people write them' })
  })
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(document.url)
  await saved(page)
  await page.locator('.cm-content').press('Control+Alt+h')
  await page.locator('.history-page article p').first().waitFor()
  await look(page, 'history-page')
  const select = page.getByLabel('Compared with')
  const box = await select.boundingBox()
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width)
  await page.getByRole('group', { name: 'Version view' }).getByRole('button', { name: 'Source' }).click()
  await page.locator('.history-text .row').first().waitFor()
  await look(page, 'history')
  await page.getByRole('button', { name: 'Authors' }).click()
  await page.locator('.authored-run').first().waitFor()
  await look(page, 'history-authors')
  await context.close()
})

test('[HISTORY-14] [HISTORY-15] [HISTORY-20] [HISTORY-23] [HISTORY-40] the page strikes through the end of a heading and of a line, keeps the columns of a table, and counts its stops', async () => {
  const list = Array.from({ length: 9 }, (_each, index) => `- item ${index}`).join('\n')
  const table = '| Crop | Field |\n| --- | --- |\n| one | x |\n| a | b |\n| rye | 9 |'
  const document = await createDocument(
    world.url,
    `# Harvest plan 2026\n## Fields\nOne field.\n\nWe talk about food. And wine.\nThen sleep.\n\nWe ~~run~~ walk.\n\n${list}\n\n${table}\n`
  )
  const later = list.replace('item 1', 'pear').replace('item 7', 'plum')
  await put(
    document,
    `# Harvest plan\n## All fields\nOne large field.\n\nWe talk about food.\nThen sleep.\n\nWe ~~run~~ walk.\n\n${later}\n\n${table.replace('| one | x |', '|  | x |').replace('| a | b |', '| b | c |').replace('9', '**seven**')}\n\nMore.\n`,
    'Ana'
  )
  const { page, heard } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  const heading = page.locator('.history-page h1')
  await heading.locator('del').waitFor()
  expect(await heading.locator('del').textContent()).toBe(' 2026')
  expect(await heading.locator('del').evaluate((element) => element.closest('.anchor') === null)).toBe(true)
  const color = (words: string): Promise<string> =>
    page.locator('.history-page del', { hasText: words }).evaluate((element) => getComputedStyle(element).backgroundColor)
  expect(await color('run')).toBe('rgba(0, 0, 0, 0)')
  expect(await color('And wine')).not.toBe('rgba(0, 0, 0, 0)')
  const line = page.locator('.history-page p', { hasText: 'food' })
  expect(await line.evaluate((element) => element.innerHTML.replaceAll('\n', ''))).toBe(
    'We talk about food.<del class="word"> And wine.</del><br>Then sleep.'
  )
  const steps = page.locator('.history-steps [role=status]')
  await until(async () => /\d changes/.test((await steps.textContent()) ?? ''), 'the changes to the page')
  const cells = (await page.locator('.history-page tbody tr').all()).map((row) =>
    row.locator('td').evaluateAll((each) => each.map((cell) => cell.innerHTML.replaceAll(' class="word"', '')))
  )
  expect(await Promise.all(cells)).toEqual([
    ['<del>one</del>', 'x'],
    ['<del>a</del><ins>b</ins>', '<del>b</del><ins>c</ins>'],
    ['rye', '<del>9</del><ins><strong>seven</strong></ins>']
  ])
  const stopsOf = async (): Promise<string[]> => {
    const count = Number.parseInt((await steps.textContent()) ?? '', 10)
    const stops: string[] = []
    await page.locator('.history-text').focus()
    for (let step = 1; step <= count; step++) {
      await page.keyboard.press('n')
      await page.getByText(`${step} of ${count}`).waitFor()
      stops.push((await page.locator('.history-text [data-change]:focus').textContent()) ?? '')
    }
    return stops
  }
  const stops = await stopsOf()
  expect(stops.map((text) => text.trim().slice(0, 9))).toEqual([
    'Harvest p',
    'FAll fiel',
    'One large',
    'We talk a',
    'item 1',
    'item 7',
    'onex',
    'abbc',
    'rye9seven',
    'More.'
  ])
  expect(await page.locator('.history-page [data-change]').count()).toBe(stops.length)
  await page.getByRole('group', { name: 'Version view' }).getByRole('button', { name: 'Source' }).click()
  await page.locator('.history-text .row').first().waitFor()
  expect(await stopsOf()).toHaveLength(await page.locator('.history-text [data-change]').count())
  expect(heard).toEqual([])
  await page.context().close()
})

test('[HISTORY-17] a selected version shows its first change', async () => {
  const long = Array.from({ length: 60 }, (_each, index) => `Line ${index}.`).join('\n\n')
  const document = await createDocument(world.url, `# Long\n\n${long}\n`)
  const chart = '```chart\ntype: bar\n\nName, Count\none, 1\ntwo, 2\n```'
  await put(document, `# Long\n\n${long}\n\nThe end.\n\n${chart}\n`, 'Ana')
  const { page } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  const isShown = (selector: string): Promise<boolean> =>
    page.locator(selector, { hasText: 'The end.' }).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top > 0 && bottom < innerHeight
    })
  await until(() => isShown('.history-page p'), 'the change to the page is in view')
  await page.locator('.history-page .visually-hidden').first().waitFor({ state: 'attached' })
  // Only the text scrolls. The hidden table of a chart makes the dialog no longer.
  const { scrollHeight, clientHeight } = await page
    .getByRole('dialog')
    .evaluate((dialog) => ({ scrollHeight: dialog.scrollHeight, clientHeight: dialog.clientHeight }))
  expect(scrollHeight).toBe(clientHeight)
  await page.getByRole('group', { name: 'Version view' }).getByRole('button', { name: 'Source' }).click()
  await until(() => isShown('.history-text .row'), 'the change to the source is in view')
  await page.context().close()
})

test('[HISTORY-13] [WRITE-297] a rewrite of the whole text counts its passages, and an empty version says that it is empty', async () => {
  const document = await createDocument(world.url, '')
  await put(document, '# Old\n\nOne two three.\n\nFour five six.\n', 'Ana')
  await put(document, '# Young\n\nSeven eight.\n\nNine ten.\n\nAnd more of it.\n', 'Ana')
  const { page, heard } = await open(document)
  await saved(page)
  await page.keyboard.press('Control+Alt+h')
  await page.locator('.history-steps').getByText('4 changes').waitFor()
  await page.locator('.timeline-item').last().click()
  await page.getByText('This version is empty.').waitFor()
  expect(heard).toEqual([])
  await page.context().close()
})
