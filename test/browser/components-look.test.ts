/**
 * Components in every window size and theme. The tests run axe, check the content policy, and take screenshots for people (AGMD_TEST_SCREENS=1 writes
 * them).
 */
import type { Browser } from 'playwright-core'
import { test, expect } from 'vitest'
import type { World } from '../support/start.ts'
import { lookAtSizes, sizes } from './appearance.ts'
import { createDocument, createLink, editorText, saved, ownPage, until } from './browser.ts'
import { onStage } from './stage.ts'

const sample = `# Launch

\`\`\`board #plan
What has to be done before **Friday**.
## To do
- [ ] Write the importer @ana #backend
  It reads [HedgeDoc](https://hedgedoc.org) and plain folders.
- [ ] Test
- [ ] Tell the press @ben #news
## Doing
- [>] Review the specification @claude #docs
- [ ] Test
## Done
- [x] Pick a name
\`\`\`

\`\`\`board
## One
- [ ] Show $a^2$
\`\`\`

\`\`\`board
## One
- [ ] Two
\`\`\`

\`\`\`chat
[2026-11-20T10:02Z] @Ana: Can we **ship** on Friday?
[2026-11-20T10:03Z] @Guest: Yes, if the importer lands.
  It is nearly there.
--- 2026-11-21
\`\`\`

\`\`\`sheet #budget
| Item  | Qty | Price | Total |
|-------|----:|------:|------:|
| Pens  |  12 |   3.5 | =B2*C2 |
| Paper |   4 |   6   | =B3*C3 |
| Wrong |     |       | =1/0 |
| Sum   |     |       | =SUM(D2:D3) |
\`\`\`
`

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

test('[COMP-12] components in wide and narrow windows: no violations', async () => {
  const { context, page, heard } = await ownPage(browser, { reducedMotion: 'reduce' })
  const document = await createDocument(world.url, sample)
  await page.goto(document.url)
  await saved(page)
  await page.locator('.card').first().waitFor()
  await page.getByLabel('Message as Guest').waitFor()
  await page.getByRole('grid').waitFor()
  const check = async (where: string): Promise<void> =>
    expect(await page.locator('.cm-scroller').evaluate((element) => element.scrollWidth - element.clientWidth), where).toBe(0)
  await lookAtSizes(page, 'components-live', { check })
  await page.getByRole('button', { name: 'Actions for Pick a name' }).click()
  await lookAtSizes(page, 'components-menu', { shown: page.getByRole('menuitem').first() })
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByLabel('Assignee').waitFor()
  await page.locator('[data-cell=D2]').click()
  await lookAtSizes(page, 'components-edit')
  await page.goto((await createLink(world.url, document, 'comment')).url)
  await page.getByText('You can comment but not edit this.').first().waitFor()
  await page.getByRole('grid').waitFor()
  await lookAtSizes(page, 'components-comment')
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-106] the page never scrolls, in any view of a text with components, or next to a long list of events', async () => {
  const { context, page } = await ownPage(browser, { reducedMotion: 'reduce' })
  const chart = '```chart\ntype: bar\n---\nname,count\nOne,1\nTwo,2\n```\n'
  const document = await createDocument(world.url, `${'Text above.\n\n'.repeat(40)}${sample}\n${chart}\n${'Text below.\n\n'.repeat(40)}`)
  await page.goto(document.url)
  await saved(page)
  const beyond = async (view: string): Promise<void> => {
    for (const size of sizes) {
      await page.setViewportSize(size)
      const rest = await page.evaluate(() => (globalThis.document.scrollingElement?.scrollHeight ?? 0) - innerHeight)
      expect.soft(rest, `${view} at ${size.width} px`).toBe(0)
    }
  }
  const history = async (view: string): Promise<void> => {
    await page.keyboard.press('Control+Alt+h')
    await page.locator(view).first().waitFor()
    await beyond(`history, ${view}`)
    await page.keyboard.press('Escape')
  }
  await beyond('live view')
  await page.keyboard.press('Control+Alt+KeyP')
  await page.locator('.cm-source').waitFor()
  await beyond('source')
  await history('.history-text .row')
  await page.keyboard.press('Control+Alt+KeyP')
  // Each component has loaded: a board, a chat, a sheet and a chart.
  for (const part of ['.card', '.chat-writing', '.sheet-scroll', '.chart-plot'])
    await page.locator('.reading').locator(part).first().waitFor()
  await beyond('reading view')
  await history('.history-page article p')
  for (let number = 0; number < 40; number++)
    await fetch(`${world.url}/api/docs/${document.id}/comments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key, 'x-agent-author': number % 2 === 0 ? 'One' : 'Other' },
      body: JSON.stringify({ find: 'Write the importer', body: 'A comment.' })
    })
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.getByRole('button', { name: /activity/i }).click()
  await page.locator('.activity-event').nth(30).waitFor()
  await beyond('activity')
  await context.close()
})

test('[COMP-122] [COMP-123] [COMP-124] [COMP-130] [COMP-235] on a German phone, a tap on the formula line of a sheet opens the cell with its comma, copied numbers have it too, and a swipe selects nothing', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'de-DE' }
  const { context, page } = await ownPage(browser, phone)
  const document = await createDocument(world.url, '```sheet\n| A | B |\n|---|---|\n| 2.50 | 3 |\n```\n' + '\nWords'.repeat(99))
  await page.goto(document.url)
  const [line, name] = [page.locator('.sheet-formula'), page.locator('.sheet-name')]
  await page.locator('[data-cell=A2]').tap()
  await line.getByText('2,50', { exact: true }).waitFor()
  const { x = 0, y = 0 } = (await page.locator('[data-cell=B2]').boundingBox()) ?? {}
  const session = await context.newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', { x: x + 9, y: y + 9 })
  for (const moved of [20, 40, 60]) await touch('touchMove', { x: x + 9, y: y + 9 - moved })
  await touch('touchEnd')
  await until(() => page.locator('.cm-scroller').evaluate(({ scrollTop }) => scrollTop > 0), 'it scrolled')
  expect(await name.textContent()).toBe('A2')
  // The second tap on a cell opens it.
  await page.locator('[data-cell=B2]').tap()
  await page.locator('[data-cell=B2]:focus-within').waitFor()
  await page.locator('[data-cell=B2]').tap()
  await page.locator('.sheet-field:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-cell=A2]').tap()
  await line.tap()
  await page.locator('.sheet-field').waitFor()
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  await until(async () => (await editorText(page)).includes('| 2.505 | 3 |'), 'the text')
  // Other programs get the comma, and another sheet gets the same value.
  await page.locator('[data-cell=A2]').tap()
  await page.locator('[data-cell=A2]:focus-within').waitFor()
  const copied = await page.locator('[data-cell=A2]').evaluateHandle((cell) => {
    const clipboardData = new DataTransfer()
    cell.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, composed: true, cancelable: true }))
    return clipboardData
  })
  expect(await copied.evaluate((data) => data.getData('text/plain'))).toBe('2,505')
  await page.locator('[data-cell=B2]').tap()
  await page.locator('[data-cell=B2]:focus-within').waitFor()
  await page.locator('[data-cell=B2]').evaluate((cell, clipboardData) => {
    cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }))
  }, copied)
  await until(async () => (await editorText(page)).includes('| 2.505 | 2.505 |'), 'the same value')
  await context.close()
})

test('[COMP-98] on a touch screen, the message field of a chat is as tall as its button, which shows its entire label', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const { context, page } = await ownPage(browser, phone)
  await page.goto((await createDocument(world.url, '```chat\n```\n')).url)
  const field = page.getByLabel('Message as Guest')
  await field.waitFor()
  const button = page.getByRole('button', { name: 'Send' })
  const [text, send] = [await field.boundingBox(), await button.boundingBox()]
  expect([text?.height, text?.y]).toEqual([send?.height, send?.y])
  const padding = await button.evaluate((element) => {
    const words = document.createRange()
    words.selectNodeContents(element)
    const [inner, outer] = [words.getBoundingClientRect(), element.getBoundingClientRect()]
    return Math.min(inner.left - outer.left, outer.right - inner.right)
  })
  expect(padding).toBeGreaterThanOrEqual(8)
  await context.close()
})
