/** Moving blocks with the handle in the margin, by keys and by menu. */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { complaints, createDocument, createLink, editorText, readMarkdown, until } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const text = (page: Page, expected: string): Promise<void> =>
  until(async () => (await editorText(page)) === expected, JSON.stringify(expected)).catch(async () => {
    expect(await editorText(page)).toBe(expected)
  })

async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(url)
  await page.locator('.cm-content:visible, .reading:visible').first().waitFor()
  return page
}

const line = (page: Page, words: string): Locator => page.locator('.cm-line', { hasText: words })

/** Drags the block with the given words to the position of other words, without releasing it. */
const drag = (page: Page, words: string, to: string): Promise<void> => dragBlock(page, line(page, words), to)

async function dragBlock(page: Page, block: Locator, to: string): Promise<void> {
  await block.hover()
  const handle = await page.locator('.block-handle').boundingBox()
  const target = await line(page, to).boundingBox()
  if (handle === null || target === null) throw new Error('no handle or no target')
  await page.mouse.move(handle.x + 10, handle.y + 13)
  await page.mouse.down()
  await page.mouse.move(target.x + 20, target.y + target.height - 4, { steps: 4 })
  await page.locator('.block-drop:visible').waitFor()
}

/** Drags a list item to the lower half of another one, and by a distance to the right. Returns the left edge of the line that marks the target. */
async function dragItem(page: Page, words: string, to: string, right: number): Promise<number> {
  const item = (own: string): Locator => page.locator('.md-item').filter({ hasText: new RegExp(`${own}$`) })
  await item(words).hover()
  const handle = await page.locator('.block-handle').boundingBox()
  const target = await item(to).boundingBox()
  if (handle === null || target === null) throw new Error('no handle or no target')
  await page.mouse.move(handle.x + 10, handle.y + 13)
  await page.mouse.down()
  await page.mouse.move(handle.x + 10 + right, target.y + target.height - 4, { steps: 4 })
  await page.locator('.block-drop:visible').waitFor()
  const line = await page.locator('.block-drop').boundingBox()
  await page.mouse.up()
  return line?.x ?? 0
}

test('[BLOCK-5] [BLOCK-6] [BLOCK-15] [BLOCK-20] [BLOCK-21] [COMP-185] [WRITE-195] a block is dragged by its handle, and moved by keys and menu; its comments follow, and undo is one step', async () => {
  const before =
    'One\n\nTwo words that are commented on\n\n- a\n  - b\n- c\n\nThe last and longest paragraph of them all, with more words than the others'
  const document = await createDocument(world.url, before)
  const headers = { 'X-Share-Key': document.key, 'Content-Type': 'application/json' }
  const comments = `${world.url}/api/docs/${document.id}/comments`
  const page = await open(document.url)
  const heard = complaints(page)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()

  // When the first comment arrives or the window gets narrower, the handle moves with the column.
  const distance = async (): Promise<number> => {
    const [at, words] = [await page.locator('.block-handle').boundingBox(), await line(page, 'Two words').boundingBox()]
    return Math.round((words?.x ?? 0) - (at?.x ?? 0))
  }
  await line(page, 'Two words').hover()
  await page.locator('.block-handle:visible').waitFor()
  const apart = await distance()
  const movesWith = async (change: () => Promise<unknown>): Promise<void> => {
    const column = (await line(page, 'Two words').boundingBox())?.x
    await change()
    await until(
      async () => (await line(page, 'Two words').boundingBox())?.x !== column && (await distance()) === apart,
      'the handle next to its block'
    )
  }
  await movesWith(() =>
    fetch(comments, { method: 'POST', headers, body: JSON.stringify({ find: 'words that are commented', body: 'Which?' }) })
  )
  const mark = page.locator('.rm-comment')
  await mark.waitFor()
  await movesWith(() => page.setViewportSize({ width: 1000, height: 800 }))
  await page.setViewportSize({ width: 1280, height: 800 })
  // The handle disappears when the person moves on to a comment.
  await page.locator('.block-handle:visible').waitFor()
  await page.locator('.card').focus()
  await page.locator('.block-handle:visible').waitFor({ state: 'detached' })

  // The handle marks everything that it moves: an item together with its nested item.
  await page.locator('.md-item').first().hover()
  await page.locator('.block-handle').hover()
  const [item, nested] = [await page.locator('.md-item').first().boundingBox(), await page.locator('.md-item').nth(1).boundingBox()]
  const marked = (): Promise<number> =>
    page.locator('.block-handle').evaluate((handle) => {
      const { display, height } = getComputedStyle(handle, '::after')
      return display === 'none' ? 0 : parseFloat(height)
    })
  await until(async () => Math.abs((await marked()) - (item?.height ?? 0) - (nested?.height ?? 0)) < 1, 'the item is marked')

  await drag(page, 'Two words', 'The last')
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await page.locator('.block-drop:visible').waitFor({ state: 'detached' })
  await text(page, before)
  await drag(page, 'Two words', 'The last')
  await page.mouse.up()
  const [one, two, list, last] = before.split('\n\n')
  await text(page, [one, list, last, two].join('\n\n'))
  expect(await mark.textContent()).toBe('words that are commented')
  await until(async () => {
    const answer = (await (await fetch(comments, { headers })).json()) as { comments: { anchor: { from: number } | null }[] }
    return answer.comments[0]?.anchor?.from === [one, list, last, 'Two '].join('\n\n').length
  }, 'the service knows where the comment is')
  await page.keyboard.press('Control+z')
  await text(page, before)

  // The handle of a selected block moves all selected blocks.
  await line(page, 'One').click()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.locator('.bubble').waitFor()
  await drag(page, 'One', 'The last')
  await page.locator('.bubble').waitFor({ state: 'hidden' })
  const both = await Promise.all([line(page, 'One'), line(page, 'Two words')].map((each) => each.boundingBox()))
  expect(await marked()).toBeGreaterThan((both[0]?.height ?? 0) + (both[1]?.height ?? 0))
  await page.mouse.up()
  await text(page, [list, last, one, two].join('\n\n'))
  await page.keyboard.press('Control+z')
  await text(page, before)

  // The horizontal position of a dragged item chooses its level.
  const deep = await dragItem(page, 'c', 'b', 26)
  await text(page, before.replace('\n- c', '\n  - c'))
  await page.keyboard.press('Control+z')
  await text(page, before)
  const flat = await dragItem(page, 'b', 'c', -26)
  await text(page, before.replace('  - b\n- c', '- c\n- b'))
  expect(deep).toBeGreaterThan(flat + 15)
  await page.keyboard.press('Control+z')
  await text(page, before)

  // Keys move blocks in the text and choose actions in the menu. A list item moves together with its nested items.
  await page.locator('.md-item').first().click()
  await page.keyboard.press('Alt+ArrowDown')
  await text(page, before.replace('- a\n  - b\n- c', '- c\n- a\n  - b'))
  await page.keyboard.press('Alt+Enter')
  await page.getByRole('menu', { name: 'Block' }).getByRole('menuitem', { name: 'Move up' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await text(page, before)
  await page.locator('.cm-content:focus').waitFor()
  await line(page, 'One').hover()
  await page.locator('.block-handle').click()
  await page.getByRole('menuitem', { name: 'Heading 2' }).click()
  await text(page, `## ${before}`)
  expect(heard).toEqual([])

  // Without a margin there is no handle, but the keys work.
  await page.setViewportSize({ width: 360, height: 740 })
  await line(page, 'The last').click()
  await line(page, 'Two words').hover()
  expect(await page.locator('.block-handle:visible').count()).toBe(0)
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  // Each move is a separate undo step, even if the moves follow each other quickly.
  await page.keyboard.press('Control+z')
  await text(page, [`## ${one}`, two, last, list].join('\n\n'))
  await page.keyboard.press('Shift+Alt+ArrowDown')
  await text(page, [`## ${one}`, two, last, last, list].join('\n\n'))
  await page.context().close()
})

test('[BLOCK-46] [BLOCK-50] [COMP-184] the handle is next to the title of collapsible text, and clear of the markers of a callout and a heading; its menu changes the kind of the callout', async () => {
  const source = '> [!NOTE]\n> Mind the gap\n\n<details>\n<summary>More</summary>\n\nHidden\n\n</details>\n\nLast\n\n### Plan'
  const page = await open((await createDocument(world.url, source)).url)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  const handle = page.locator('.block-handle:visible')
  await line(page, 'More').hover()
  await handle.waitFor()
  const [at, title] = [(await handle.boundingBox())!, (await line(page, 'More').boundingBox())!]
  expect(Math.abs(at.y + at.height / 2 - title.y - title.height / 2)).toBeLessThan(4)
  // The marker is visible while the caret is in the first line.
  await line(page, 'NOTE').click()
  await line(page, 'Last').hover()
  await line(page, '[!NOTE]').hover()
  const isClearOf = async (words: string, mark: string): Promise<boolean> => {
    const marker = await line(page, words).evaluate((element, sought) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) if (texts.currentNode.textContent?.startsWith(sought) === true) break
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      return range.getBoundingClientRect().left
    }, mark)
    const { x, width } = (await handle.boundingBox())!
    return x + width <= marker
  }
  expect(await isClearOf('[!NOTE]', '>')).toBe(true)
  // A click in a heading makes its marks visible below the handle.
  await line(page, 'Last').hover()
  await line(page, 'Plan').click()
  await line(page, '### Plan').waitFor()
  await until(() => isClearOf('### Plan', '#'), 'the handle next to the marks')
  // The menu of the callout offers the other kinds.
  await line(page, 'NOTE').hover()
  await handle.click()
  const kinds = page.getByRole('menu', { name: 'Block' }).getByRole('group', { name: 'Callout' }).getByRole('menuitem')
  await kinds.first().waitFor()
  expect(await kinds.allTextContents()).toEqual(['Tip', 'Important', 'Warning', 'Caution'])
  await kinds.getByText('Warning').click()
  await until(async () => (await editorText(page)) === source.replace('NOTE', 'WARNING'), 'the other kind')
  await page.keyboard.press('Control+z')
  await until(async () => (await editorText(page)) === source, 'the kind as before')
  await page.context().close()
})

test('[BLOCK-5] [BLOCK-6] [BLOCK-21] viewers see no handle; for suggesters a move becomes a suggestion', async () => {
  const document = await createDocument(world.url, 'One\n\nTwo\n\nThree\n\n- a\n- b')
  const viewer = await open((await createLink(world.url, document, 'view')).url)
  await viewer.locator('.reading').waitFor()
  const page = await open((await createLink(world.url, document, 'suggest')).url)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  await line(page, 'Two').click()
  await page.keyboard.press('Alt+ArrowUp')
  await text(page, 'Two\n\nOne\n\nThree\n\n- a\n- b')
  await page.locator('.rm-ins').first().waitFor()
  await dragItem(page, 'b', 'a', 26)
  await text(page, 'Two\n\nOne\n\nThree\n\n- a\n  - b')
  expect(await readMarkdown(world.url, document)).toBe('One\n\nTwo\n\nThree\n\n- a\n- b')
  expect(await viewer.locator('.block-handle').count()).toBe(0)
  await page.context().close()
  await viewer.context().close()
})

test('[BLOCK-30] [BLOCK-31] [BLOCK-32] a paragraph is dropped into a list, a nested item out of it, and the menu turns several blocks into a quote', async () => {
  const before = 'One\n\n1. aa\n2. bb\n   - cc\n\nTwo\n\nLast'
  const document = await createDocument(world.url, before)
  const page = await open((await createLink(world.url, document, 'suggest')).url)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  await drag(page, 'One', 'aa')
  await page.mouse.up()
  await text(page, '1. aa\n\nOne\n\n2. bb\n   - cc\n\nTwo\n\nLast')
  await page.keyboard.press('Control+z')
  await text(page, before)
  await drag(page, 'cc', 'Two')
  await page.mouse.up()
  await text(page, '1. aa\n2. bb\n\nTwo\n\n- cc\n\nLast'.replace('1.', 'One\n\n1.'))
  await page.keyboard.press('Control+z')
  await text(page, before)

  // The menu fits on a phone, and its keys reach every kind.
  await page.setViewportSize({ width: 360, height: 640 })
  await line(page, 'Two').click()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Alt+Enter')
  const menu = page.getByRole('menu', { name: 'Block' })
  await menu.getByRole('menuitem', { name: 'Move up' }).and(page.locator(':focus')).waitFor()
  for (const key of ['End', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key)
  await menu.getByRole('menuitem', { name: 'Quote' }).and(page.locator(':focus')).waitFor()
  const box = await menu.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640)
  await page.keyboard.press('Enter')
  await text(page, before.replace('Two\n\nLast', '> Two\n>\n> Last'))
  const suggestions = async (): Promise<unknown[]> => {
    const headers = { 'X-Share-Key': document.key }
    const answer = await (await fetch(`${world.url}/api/docs/${document.id}/suggestions?status=pending`, { headers })).json()
    return (answer as { suggestions: unknown[] }).suggestions
  }
  await until(async () => (await suggestions()).length === 1, 'one suggestion')
  await page.keyboard.press('Control+z')
  await text(page, before)
  await page.context().close()
})

const fenced: Readonly<Record<string, string>> = {
  board: '```board\n## Todo\n- [ ] one\n```',
  sheet: '```sheet\n| A |\n|---|\n| 1 |\n```',
  chart: '```chart\ntype: bar\n\nName,Count\none,1\n```',
  chat: '```chat\n[2026-11-20T10:02Z] @Ana: Yes\n```'
}

test('[BLOCK-13] the handle of a component opens its menu, without conversions', async () => {
  const [first, last] = ['Above', 'Below']
  const all = [first, ...Object.values(fenced), last].join('\n\n')
  const page = await open((await createDocument(world.url, all)).url)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  for (const [kind, source] of Object.entries(fenced)) {
    await page.locator(`.${kind}-live`).first().hover()
    await page.locator('.block-handle').click()
    const menu = page.getByRole('menu', { name: 'Block' })
    await menu.waitFor()
    expect(await menu.getByRole('menuitem').allTextContents()).toEqual(['Move up', 'Move down', 'Duplicate', 'Delete'])
    await menu.getByRole('menuitem', { name: 'Delete' }).click()
    await text(page, all.replace(`${source}\n\n`, ''))
    await page.keyboard.press('Control+z')
    await text(page, all)
  }
  await page.context().close()
})

test('[BLOCK-40] [GRID-111] [COMP-230] a person goes on writing in a paragraph, an item, a row, a cell and a card that somebody else drags meanwhile', async () => {
  const before = [
    'alpha para\n\nbeta para\n\ngamma para here',
    '- item a\n- item b\n- item c',
    '| a | b |\n| --- | --- |\n| row x | 1 |\n| row y | 2 |\n| row z | 3 |',
    '```sheet\n| A | B |\n| --- | --- |\n| x | 1 |\n```',
    '```board\n## Todo\n- [ ] Card\n```',
    'last'
  ]
  const document = await createDocument(world.url, before.join('\n\n'))
  const [mover, writer] = [await open(document.url), await open(document.url)]
  const problems = complaints(writer)
  writer.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  for (const page of [mover, writer]) await page.locator('.cm-content[aria-autocomplete]').waitFor()
  await writer.locator('.board .card').waitFor()
  const both = async (...parts: readonly string[]): Promise<void> => {
    for (const page of [mover, writer]) await text(page, parts.join('\n\n'))
  }
  /** Types between two words of a line, while the other person drags it. */
  const writeIn = async (begin: string, move: () => Promise<unknown>, after: string): Promise<void> => {
    await line(writer, begin).click({ position: { x: 30, y: 12 } })
    await writer.keyboard.press('Home')
    for (const _letter of begin) await writer.keyboard.press('ArrowRight')
    await writer.keyboard.type(' ONE')
    await until(async () => (await editorText(mover)).includes(`${begin} ONE`), 'the other person sees the words')
    await move()
    await mover.mouse.up()
    await until(async () => (await editorText(writer)).includes(after), after)
    await writer.keyboard.type(' TWO')
  }
  await writeIn('gamma para', () => drag(mover, 'gamma', 'alpha'), 'alpha para\n\ngamma')
  const [, list = '', table = '', sheet = '', board = '', last = ''] = before
  const paragraphs = 'alpha para\n\ngamma para ONE TWO here\n\nbeta para'
  await both(paragraphs, list, table, sheet, board, last)
  await writeIn('item c', () => dragItem(mover, 'item c ONE', 'item a', 0), 'item a\n- item c')
  const items = '- item a\n- item c ONE TWO\n- item b'
  await both(paragraphs, items, table, sheet, board, last)
  const dragRow = async (): Promise<void> => {
    await mover.locator('.md-cell', { hasText: 'row z' }).hover()
    await mover.locator('.grid-handle-row:visible').waitFor()
    const [handle, target] = [await mover.locator('.grid-handle-row').boundingBox(), await line(mover, 'row x').boundingBox()]
    if (handle === null || target === null) throw new Error('no handle or no target')
    await mover.mouse.move(handle.x + 10, handle.y + 13)
    await mover.mouse.down()
    await mover.mouse.move(handle.x + 10, target.y + 4, { steps: 4 })
  }
  await writeIn('row z', dragRow, '| --- | --- |\n| row z')
  const rows = '| a | b |\n| --- | --- |\n| row z ONE TWO | 3 |\n| row x | 1 |\n| row y | 2 |'
  await both(paragraphs, items, rows, sheet, board, last)

  await writer.locator('[data-cell=A2]').click()
  await writer.keyboard.type('dra')
  await dragBlock(mover, mover.locator('.md-component').first(), 'last')
  await mover.mouse.up()
  await both(paragraphs, items, rows, board, last, sheet)
  await writer.keyboard.type('ft')
  await writer.keyboard.press('Enter')
  const draft = sheet.replace('| x |', '| draft |')
  await both(paragraphs, items, rows, board, last, draft)

  await writer.locator('.card', { hasText: 'Card' }).click()
  await writer.getByLabel('Details').fill('By')
  await dragBlock(mover, mover.locator('.md-component').first(), 'last')
  await mover.mouse.up()
  await both(paragraphs, items, rows, last, board, draft)
  await writer.keyboard.type(' hand')
  expect(await writer.getByLabel('Details').inputValue()).toBe('By hand')
  expect(problems).toEqual([])
  for (const page of [mover, writer]) await page.context().close()
})
