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
async function drag(page: Page, words: string, to: string): Promise<void> {
  await line(page, words).hover()
  const handle = await page.locator('.block-handle').boundingBox()
  const target = await line(page, to).boundingBox()
  if (handle === null || target === null) throw new Error('no handle or no target')
  await page.mouse.move(handle.x + 10, handle.y + 13)
  await page.mouse.down()
  await page.mouse.move(target.x + 20, target.y + target.height - 4, { steps: 4 })
  await page.locator('.block-drop:visible').waitFor()
}

test('[BLOCK-5] [BLOCK-6] [BLOCK-15] [WRITE-195] a block is dragged by its handle, and moved by keys and menu; its comments follow, and undo is one step', async () => {
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
  await page.context().close()
})

test('[BLOCK-5] [BLOCK-6] viewers see no handle; for suggesters a move becomes a suggestion', async () => {
  const document = await createDocument(world.url, 'One\n\nTwo\n\nThree')
  const viewer = await open((await createLink(world.url, document, 'view')).url)
  await viewer.locator('.reading').waitFor()
  const page = await open((await createLink(world.url, document, 'suggest')).url)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  await line(page, 'Two').click()
  await page.keyboard.press('Alt+ArrowUp')
  await text(page, 'Two\n\nOne\n\nThree')
  await page.locator('.rm-ins').first().waitFor()
  expect(await readMarkdown(world.url, document)).toBe('One\n\nTwo\n\nThree')
  expect(await viewer.locator('.block-handle').count()).toBe(0)
  await page.context().close()
  await viewer.context().close()
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
