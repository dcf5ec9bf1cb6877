/** Tables of the live view as grids: moving by keys and pointer, deleting, handles, and several people in one table. */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { complaints, createDocument, editorText, saved, until } from './browser.ts'
import { bring } from './files.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const long = 'A rather long text that has to wrap in its cell, since it is far wider than what there is room for here'

const text = (page: Page, expected: string): Promise<void> =>
  until(async () => (await editorText(page)) === expected, JSON.stringify(expected)).catch(async () => {
    expect(await editorText(page)).toBe(expected)
  })

/** Returns the row at the caret, with `^` at the position of the caret. */
const caret = (page: Page): Promise<string> =>
  page.locator('.cm-content').evaluate((element) => {
    const { state } = (
      element as unknown as {
        cmTile: {
          view: {
            state: {
              selection: { main: { head: number } }
              doc: { lineAt(at: number): { from: number; text: string } }
            }
          }
        }
      }
    ).cmTile.view
    const { head } = state.selection.main
    const line = state.doc.lineAt(head)
    return `${line.text.slice(0, head - line.from)}^${line.text.slice(head - line.from)}`
  })

const at = (page: Page, expected: string): Promise<void> =>
  until(async () => (await caret(page)) === expected, expected).catch(async () => {
    expect(await caret(page)).toBe(expected)
  })

const cell = (page: Page, words: string): Locator => page.locator('.md-cell', { hasText: words })

async function open(url: string): Promise<{ page: Page; heard: readonly string[] }> {
  const page = await (await browser.newContext()).newPage()
  const heard = complaints(page)
  await page.goto(url)
  await saved(page)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  return { page, heard }
}

/**
 * Returns the largest difference in color, from 0 to 255, that the background of a table makes at its right edge. The table
 * begins at different parts of a pixel.
 */
async function shadowAtEdge(page: Page): Promise<number> {
  const table = page.locator('.md-table-scroll')
  const shots: string[] = []
  for (const offset of ['0', '0.25px', '0.5px', '0.75px']) {
    await page.locator('.cm-content').evaluate((element, value) => (element.style.marginTop = value), offset)
    const { x, y, width, height } = (await table.boundingBox())!
    const clip = { x: Math.floor(x + width - 40), y: Math.floor(y) - 6, width: 38, height: Math.ceil(height) + 12 }
    for (const background of ['', 'none']) {
      await table.evaluate((element, value) => (element.style.background = value), background)
      shots.push((await page.screenshot({ clip })).toString('base64'))
    }
  }
  return await page.evaluate(async (pictures) => {
    const pixels = await Promise.all(
      pictures.map(async (picture) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))]))
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
        context?.drawImage(bitmap, 0, 0)
        return context?.getImageData(0, 0, bitmap.width, bitmap.height).data
      })
    )
    const differences = pixels.map((one, index) => {
      const other = pixels[index ^ 1]
      return one?.reduce((most, value, at) => Math.max(most, Math.abs(value - (other?.[at] ?? 0))), 0) ?? Infinity
    })
    return Math.max(...differences)
  }, shots)
}

test('[GRID-1] [GRID-2] [GRID-3] [GRID-14] [GRID-16] [GRID-20] [GRID-21] [GRID-25] [GRID-70] [GRID-71] [GRID-72] [GRID-73] [GRID-85] [GRID-86] [GRID-87] [GRID-100] [GRID-101] [GRID-102] [WRITE-159] a table is a grid: cells wrap, keys and pointer stay in them, and deleting keeps the bars', async () => {
  const head = '| Name of somebody | Words | Sum |\n| --- | --- | --: |'
  const document = await createDocument(world.url, `${head}\n| **Ana** | ${long} | 3 |\n| Bea | b |12|\n| Cid |\n\nafter`)
  const { page, heard } = await open(document.url)
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const shown = await page.locator('.md-grid-row').nth(1).locator('.md-cell').allInnerTexts()
  expect(shown.map((words) => words.trim())).toEqual(['Ana', long, '3'])
  const box = async (target: Locator) => (await target.boundingBox())!
  const wrapped = await box(cell(page, 'A rather'))
  expect(wrapped.height).toBeGreaterThan(40)
  expect(wrapped.x + wrapped.width).toBeLessThan((await box(page.locator('.md-grid-head .md-cell').nth(2))).x + 2)
  // The last row is short.
  expect((await box(page.locator('.md-grid-row').nth(3))).height).toBe((await box(page.locator('.md-grid-row').nth(2))).height)
  // Click inside the cell, but to the right of its words and below them.
  await cell(page, 'Ana').click({ position: { x: wrapped.x - (await box(cell(page, 'Ana'))).x - 4, y: wrapped.height - 3 } })
  await at(page, `| **Ana**^ | ${long} | 3 |`)
  await press('Home')
  await at(page, `| ^**Ana** | ${long} | 3 |`)
  await press('ArrowUp')
  await at(page, '| ^Name of somebody | Words | Sum |')
  await press('ArrowDown', 'ArrowDown', 'ArrowDown')
  await at(page, '| ^Cid |')
  await press('ArrowUp', 'End', 'ArrowRight')
  await at(page, '| Bea | ^b |12|')
  // After the last cell of a row comes the first cell of the next row.
  await press('ArrowRight', 'End', 'ArrowRight', 'End', 'ArrowRight')
  await at(page, '| ^Cid |')
  await press('ArrowLeft')
  await at(page, '| Bea | b |12^|')
  await press('Home', 'ArrowLeft', 'Home')
  await at(page, '| Bea | ^b |12|')
  // The arrow moves through the lines of a cell first, and then to the row above.
  await press('ArrowUp')
  expect(await caret(page)).toMatch(/^\| \*\*Ana\*\* \| A rather .+\^.+ here \| 3 \|$/)
  await press('ArrowDown')
  await at(page, '| Bea | ^b |12|')
  // A word can be dragged to another cell. The browser's own selection is hidden, and one undo takes the word back.
  const before = await editorText(page)
  const drag = async (start: Locator, end: Locator, x = 16): Promise<string> => {
    const [one, other] = [await box(start), await box(end)]
    await page.mouse.move(one.x + x, one.y + 12)
    await page.mouse.down()
    // The browser begins a drag after some pixels.
    await page.mouse.move(one.x + x + 6, one.y + 12, { steps: 6 })
    await page.mouse.move(other.x + 40, other.y + 12, { steps: 3 })
    const color = await start.evaluate((element) => getComputedStyle(element, '::selection').backgroundColor)
    await page.mouse.up()
    return color
  }
  await press('Shift+Tab')
  expect(await drag(cell(page, 'Bea'), cell(page, 'Cid'))).toBe('rgba(0, 0, 0, 0)')
  await text(page, `${head}\n| **Ana** | ${long} | 3 |\n|  | b |12|\n| CidBea |\n\nafter`)
  await press('Control+z')
  await text(page, before)
  // Nothing accepts the word outside the text.
  await drag(cell(page, 'Bea'), page.locator('body'))
  await page.locator('.cm-content:focus').waitFor()
  await page.locator('.md-grid-row').nth(2).locator('.md-cell').nth(1).click()
  await press('Home')
  await at(page, '| Bea | ^b |12|')
  await press('Backspace', 'Backspace')
  await at(page, '| Bea | ^b |12|')
  await press('Delete', 'Delete', 'Delete', 'Control+Delete')
  await text(page, `${head}\n| **Ana** | ${long} | 3 |\n| Bea |  |12|\n| Cid |\n\nafter`)
  await page.keyboard.type('b')
  // The pointer selects a rectangle of cells.
  const chosen = (count: number): Promise<void> =>
    until(async () => (await page.locator('.md-cell-chosen').count()) === count, `${count} cells`)
  await drag(cell(page, 'Bea'), cell(page, 'A rather'))
  await chosen(4)
  // A press on a selected cell begins a new selection.
  await drag(cell(page, 'A rather'), cell(page, 'Ana'), 80)
  await chosen(2)
  await drag(cell(page, 'Ana'), page.locator('.md-grid-row').nth(2).locator('.md-cell').nth(1))
  await chosen(4)
  const copied = await page.locator('.cm-content').evaluate((element) => {
    const data = new DataTransfer()
    element.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
    return [data.getData('text/plain'), data.getData('text/html')]
  })
  expect(copied).toEqual([
    `**Ana**\t${long}\nBea\tb`,
    `<table data-agmd-copy=""><tr><td>**Ana**</td><td>${long}</td></tr><tr><td>Bea</td><td>b</td></tr></table>`
  ])
  await page.keyboard.type('x')
  await text(page, `${head}\n| x |  | 3 |\n|  |  |12|\n| Cid |\n\nafter`)
  // This cell is missing from its row.
  await page.locator('.md-cell-lacking').nth(1).click()
  await page.keyboard.type('7')
  await text(page, `${head}\n| x |  | 3 |\n|  |  |12|\n| Cid |  | 7 |\n\nafter`)
  // Text below the table must not become a row.
  await page.locator('.cm-line', { hasText: 'after' }).click()
  await press('Home', 'Backspace')
  await text(page, `${head}\n| x |  | 3 |\n|  |  |12|\n| Cid |  | 7 |\n\nafter`)
  // The document begins with the table: the first character is inserted into its first cell, and ArrowUp makes room above it.
  await press('Control+Home')
  await page.keyboard.type('My ')
  await press('ArrowUp')
  await page.keyboard.type('Title')
  await text(page, `Title\n\n${head.replace('Name', 'My Name')}\n| x |  | 3 |\n|  |  |12|\n| Cid |  | 7 |\n\nafter`)
  await press('Control+a', 'Delete')
  await text(page, '')
  // A picture stays one while the caret is next to it.
  const pictured = '| a |\n| --- |\n| ![cat](/icon.svg) |'
  await page.keyboard.insertText(pictured)
  await text(page, pictured)
  const image = page.locator('img.md-media')
  await cell(page, 'a').first().click()
  await press('End', 'ArrowRight')
  await at(page, '| ^![cat](/icon.svg) |')
  await expect.poll(async () => (await image.boundingBox())?.height, { timeout: 30_000 }).toBe(160)
  await press('Delete')
  await text(page, pictured.replace(/!.*\)/, ''))
  await press('Control+a', 'Delete')
  await page.keyboard.insertText(pictured)
  await text(page, pictured)
  await cell(page, 'a').first().click()
  await press('End', 'ArrowRight', 'End')
  await at(page, '| ![cat](/icon.svg)^ |')
  expect((await image.boundingBox())?.height).toBe(160)
  await press('Backspace')
  const emptied = pictured.replace(/!.*\)/, '')
  await text(page, emptied)
  // A press in the last row adds nothing below, even if the row has just moved down and the editor does not know that yet.
  await page.locator('.md-grid-row').evaluateAll(([first, ...rows]) => {
    ;(first as HTMLElement).style.marginTop = '200px'
    const row = rows.at(-1)
    const { left: clientX = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {}
    for (const kind of ['mousedown', 'mouseup'])
      row?.firstElementChild?.dispatchEvent(
        new MouseEvent(kind, { clientX, clientY: bottom - 2, bubbles: true, cancelable: true, detail: 1 })
      )
  })
  expect(await editorText(page)).toBe(emptied)
  // The picture does not fit next to the words, so it is on the next line, and its card is below it.
  await press('Control+a', 'Delete')
  await page.keyboard.insertText('| some words | b |\n| --- | --- |\n| some words ![cat](/icon.svg) | b |')
  await expect.poll(async () => (await image.boundingBox())?.height, { timeout: 30_000 }).toBe(160)
  await image.click()
  const card = page.locator('.picture-card')
  await card.waitFor()
  await until(async () => (await box(card)).y >= (await box(image)).y + 160, 'the card is below the picture')
  // A selection from the text into a table can be cut, and dropped text stays in its cell.
  await press('Control+a', 'Delete')
  await page.keyboard.insertText('Words\n\n| a | b |\n| --- | --- |\n| cat | dog |')
  await page.locator('.cm-line', { hasText: 'Words' }).click()
  await press('End', 'ArrowLeft')
  await cell(page, 'cat').click({ modifiers: ['Shift'], position: { x: (await box(cell(page, 'cat'))).width - 3, y: 12 } })
  await press('Control+x')
  await text(page, 'Word\n\n|  |  |\n| --- | --- |\n|  | dog |')
  await cell(page, 'dog').evaluate((element) => {
    const { right, top } = element.getBoundingClientRect()
    const dataTransfer = new DataTransfer()
    dataTransfer.setData('text/plain', 'one | two\nthree\n')
    const place = { clientX: right - 3, clientY: top + 12, bubbles: true, cancelable: true }
    element.dispatchEvent(new DragEvent('drop', { ...place, dataTransfer }))
  })
  await text(page, 'Word\n\n|  |  |\n| --- | --- |\n|  | dogone \\| two<br>three |')
  // An address stays on one line until the caret is in it.
  await press('Control+a', 'Delete')
  await page.keyboard.insertText(`| a |\n| --- |\n| https://example.com/${'x'.repeat(80)} |\n\nend`)
  const address = page.locator('.md-cell .md-link')
  const heightOf = async (): Promise<number> => (await box(address)).height
  await until(async () => (await heightOf()) < 30, 'one line')
  await address.click()
  await until(async () => (await heightOf()) > 40, 'all of the address')
  // A word that is wider than its column begins on the first line, and all cells of a right-to-left row have their borders.
  await press('Control+a', 'Delete')
  await page.keyboard.insertText(
    `| א${' | b'.repeat(6)} |\n|${' --- |'.repeat(7)}\n| **${'w'.repeat(60)}**${' | some words to wrap'.repeat(6)} |`
  )
  const word = page.locator('.md-cell .tok-strong')
  await word.waitFor()
  const lines = await word.evaluate((element) => {
    const top = element.closest('.md-cell')?.getBoundingClientRect().top ?? 0
    return [...element.getClientRects()].map((line) => line.top - top)
  })
  expect(lines.length).toBeGreaterThan(1)
  expect(lines[0]).toBeLessThan(12)
  const borders = await page
    .locator('.md-grid-head .md-cell')
    .evaluateAll((cells) =>
      cells.slice(0, 2).map((each) => [getComputedStyle(each).borderLeftWidth, getComputedStyle(each).borderRightWidth])
    )
  expect(borders).toEqual([
    ['1px', '1px'],
    ['1px', '0px']
  ])
  // The row of words runs like the head, and its handle is on the right.
  await word.hover()
  await page.locator('.grid-handle-row').waitFor()
  const [first, own] = [await box(page.locator('.md-grid-head .md-cell').first()), await box(cell(page, 'www'))]
  expect([own.x, own.width]).toEqual([first.x, first.width])
  const side = await box(page.locator('.grid-handle-row'))
  expect(side.x + side.width / 2).toBeCloseTo(first.x + first.width, 0)
  expect(heard).toEqual([])
  await page.context().close()
})

test('[GRID-6] [GRID-10] [GRID-40] [GRID-80] [COMP-182] handles open the menu of a row or column, can be dragged and stay next to their cell; the edges add both', async () => {
  const document = await createDocument(world.url, '| n | w |\n| - | - |\n| 10 | a |\n| 9 | b |\n| 11 | c |')
  const { page, heard } = await open(document.url)
  await cell(page, '10').click()
  const handle = (of: 'row' | 'column'): Locator => page.locator(`.grid-handle-${of}`)
  const choose = async (of: 'row' | 'column', name: string): Promise<void> => {
    await handle(of).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  // The pointer rests on the first cell, and Tab goes to the next one.
  for (const [key, column] of [
    ['Tab', '2'],
    ['Shift+Tab', '1']
  ] as const) {
    await page.keyboard.press(key)
    await page.locator(`.grid-handle-column[aria-label="Column ${column}"]`).waitFor()
  }
  await cell(page, '10').click()
  const headers = { 'X-Share-Key': document.key, 'Content-Type': 'application/json' }
  const suggestions = `${world.url}/api/docs/${document.id}/suggestions`
  const suggest = async (find: string, words: string): Promise<string> => {
    const body = JSON.stringify({ operation: 'replace', find, text: words })
    return ((await (await fetch(suggestions, { method: 'POST', headers, body })).json()) as { id: string }).id
  }
  const heads = page.locator('.md-grid-head .md-cell')
  const sides = async (): Promise<string> => {
    const [start, end] = [(await heads.first().boundingBox())!, (await heads.last().boundingBox())!]
    return `${Math.round(start.x)} ${Math.round(end.x + end.width)}`
  }
  /** Waits until the table is elsewhere, with its handles and the caret next to the cells. */
  const movesWith = async (change: () => Promise<unknown>): Promise<void> => {
    const before = await sides()
    await change()
    await until(async () => {
      const [words, row] = [(await cell(page, '10').boundingBox())!, (await handle('row').boundingBox())!]
      const [add, caret] = [(await page.locator('.grid-add-row').boundingBox())!, (await page.locator('.cm-cursor-primary').boundingBox())!]
      const isPlaced = Math.abs(row.x + row.width / 2 - words.x) < 1 && caret.x > words.x && caret.x < words.x + words.width
      return isPlaced && before !== (await sides()) && `${Math.round(add.x)} ${Math.round(add.x + add.width)}` === (await sides())
    }, 'the handles and the caret are next to their cells')
  }
  // The first card moves the column of text, and another suggestion only widens the table.
  const ids: string[] = []
  await movesWith(async () => ids.push(await suggest('b', 'd')))
  await movesWith(async () => ids.push(await suggest('c', 'many more words')))
  await movesWith(() => page.locator('.paper').evaluate((paper) => paper.classList.remove('has-margin')))
  await movesWith(() => Promise.all(ids.map((id) => fetch(`${suggestions}/${id}`, { method: 'DELETE', headers }))))
  await choose('column', 'Sort A to Z')
  await text(page, '| n | w |\n| - | - |\n| 9 | b |\n| 10 | a |\n| 11 | c |')
  await at(page, '| 10^ | a |')
  await choose('column', 'Align column right')
  await choose('row', 'Move row up')
  await text(page, '| n | w |\n| -: | - |\n| 10 | a |\n| 9 | b |\n| 11 | c |'.replace('-: ', '--: '))
  const drag = async (of: 'row' | 'column', target: Locator): Promise<void> => {
    // A change to the table hides the handles until they have their new places.
    await handle(of).waitFor()
    const [start, end] = [(await handle(of).boundingBox())!, (await target.boundingBox())!]
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
    await page.mouse.down()
    await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2)
    const [mark, head] = [
      (await page.locator('.grid-mark').boundingBox())!,
      (await page.locator('.md-grid-head .md-cell').first().boundingBox())!
    ]
    // The mark is a line after the target, and not a box over it.
    expect(of === 'row' ? [mark.height, mark.x] : [mark.width, mark.y]).toEqual([3, of === 'row' ? head.x : expect.closeTo(head.y, 0)])
    expect(of === 'row' ? mark.y - end.y - end.height : mark.x - end.x - end.width).toBeCloseTo(-1.5, 0)
    await page.mouse.up()
  }
  await drag('row', cell(page, '11'))
  await text(page, '| n | w |\n| --: | - |\n| 9 | b |\n| 11 | c |\n| 10 | a |')
  await cell(page, '9').click()
  await drag('column', page.locator('.md-grid-head .md-cell').nth(1))
  await text(page, '| w | n |\n| - | --: |\n| b | 9 |\n| c | 11 |\n| a | 10 |')
  await page.getByRole('button', { name: 'Add row', exact: true }).click()
  await page.keyboard.type('d')
  await page.getByRole('button', { name: 'Add column', exact: true }).click()
  await page.keyboard.type('z')
  await text(page, '| w | n | z |\n| - | --: | --- |\n| b | 9 |  |\n| c | 11 |  |\n| a | 10 |  |\n| d |  |  |')
  // The actions are available with the keyboard, from the toolbar and from the handles.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Header row', exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Column 3', exact: true }).and(page.locator(':focus')).press('Enter')
  await page.getByRole('menu', { name: 'Column' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.cm-content:focus').waitFor()
  await page.getByRole('button', { name: 'Rows and columns' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete column' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await text(page, '| w | n |\n| - | --: |\n| b | 9 |\n| c | 11 |\n| a | 10 |\n| d |  |')
  // A handle selects its row. Delete then deletes the row, in the menu and after it.
  await cell(page, 'd').hover()
  await handle('row').click()
  await page.getByRole('menu', { name: 'Row' }).press('Delete')
  await text(page, '| w | n |\n| - | --: |\n| b | 9 |\n| c | 11 |\n| a | 10 |')
  await cell(page, 'b').hover()
  await handle('row').click()
  await page.keyboard.press('Escape')
  await page.locator('.cm-content:focus').waitFor()
  await cell(page, '11').hover()
  await handle('row').click({ modifiers: ['Shift'] })
  await until(async () => (await page.locator('.md-cell-chosen').count()) === 4, 'two rows')
  await page.keyboard.press('Backspace')
  await text(page, '| w | n |\n| - | --: |\n| a | 10 |')
  expect(heard).toEqual([])
  await page.context().close()
})

test('[WRITE-235] on a phone, a table that fits into the text has no shadow at its edge', async () => {
  const { url } = await createDocument(world.url, '# Plan\n\n| n | w |\n| - | - |\n| 9 | b |\n| 10 | c |\n')
  const page = await (await browser.newContext({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 3 })).newPage()
  await page.goto(url)
  await page.locator('.md-grid-row').nth(2).waitFor()
  await page.evaluate(() => globalThis.document.fonts.ready)
  expect(await shadowAtEdge(page)).toBeLessThan(4)
  await page.context().close()
})

test('[GRID-19] [GRID-112] [GRID-120] adding a row near the end of the text does not scroll the text, and an empty row is as high as another one', async () => {
  const document = await createDocument(world.url, `${'words\n\n'.repeat(60)}| n | wide head |\n| - | - |\n| 9 | \`b\\|c\` |\n`)
  const { page } = await open(document.url)
  await page.keyboard.press('Control+End')
  await cell(page, '9').click()
  await page.locator('.md-grid-row', { hasText: /^9b\|c$/ }).waitFor()
  const add = page.getByRole('button', { name: 'Add row', exact: true })
  const scrolled = (): Promise<number> => page.locator('.cm-scroller').evaluate(({ scrollTop }) => scrollTop)
  const before = await scrolled()
  await add.click()
  await page.locator('.md-grid-row').nth(2).waitFor()
  await add.click()
  await until(async () => (await editorText(page)).endsWith('` |\n|  |  |\n|  |  |\n'), 'two more rows')
  expect(await scrolled()).toBe(before)
  const heights = await page.locator('.md-grid-row').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(Math.max(...heights.slice(1)) - Math.min(...heights.slice(1))).toBeLessThan(1)
  expect((await page.locator('.cm-cursor-primary').boundingBox())?.height).toBeGreaterThan(12)
  // Typing there still keeps space below the caret.
  await page.keyboard.press('Enter')
  await page.keyboard.type('x')
  await until(async () => (await scrolled()) > before, 'the text scrolled')
  await page.getByRole('button', { name: 'Read', exact: true }).click()
  await page.locator('.reading tr', { hasText: '9' }).waitFor()
  const read = await page.locator('.reading tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(Math.max(...read) - Math.min(...read)).toBeLessThan(1)
  await page.context().close()
})

test('[GRID-7] two people write in two cells of a row: no letter is lost, no caret moves, and each sees the other in its cell', async () => {
  const document = await createDocument(world.url, '| one | two |\n| --- | --- |\n| left |  |\n')
  const people = [await open(document.url), await open(document.url)] as const
  const [first, second] = [people[0].page, people[1].page]
  await cell(first, 'left').click()
  await first.keyboard.press('End')
  await second.locator('.md-grid-row').nth(1).locator('.md-cell').nth(1).click()
  await Promise.all([first.keyboard.type(' abcdefghijklmnop', { delay: 15 }), second.keyboard.type('qrstuvwxyz and more', { delay: 15 })])
  const both = '| one | two |\n| --- | --- |\n| left abcdefghijklmnop | qrstuvwxyz and more |\n'
  await Promise.all([text(first, both), text(second, both)])
  await at(first, '| left abcdefghijklmnop^ | qrstuvwxyz and more |')
  await at(second, '| left abcdefghijklmnop | qrstuvwxyz and more^ |')
  const isInCell = async (page: Page, words: string): Promise<boolean> => {
    const [mark, box] = [await page.locator('.remote-caret').boundingBox(), await cell(page, words).boundingBox()]
    if (mark === null || box === null) return false
    return mark.x > box.x && mark.x < box.x + box.width && mark.y > box.y && mark.y < box.y + box.height
  }
  await until(() => isInCell(first, 'and more'), 'the caret of the second in its cell')
  await until(() => isInCell(second, 'abcdef'), 'the caret of the first in its cell')
  // Each person undoes only their own change.
  await first.keyboard.press('Control+z')
  await until(async () => /^\| left *[a-z]* \| qrstuvwxyz and more \|$/m.test(await editorText(first)), 'the words of the second stay')
  for (const { page, heard } of people) {
    expect(heard).toEqual([])
    await page.context().close()
  }
})

test('[GRID-26] [GRID-27] [GRID-28] [WRITE-73] letters that are typed in rows without outer bars stay in their cell, in order', async () => {
  const document = await createDocument(world.url, 'City | Pop\n--- | ---\nLisbon | 545\nPorto | 231')
  const { page, heard } = await open(document.url)
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await cell(page, '545').click()
  await press('End')
  await page.keyboard.type(' and some words')
  await cell(page, '231').click()
  await press('End')
  await page.keyboard.type(' more words her ')
  await press('Backspace', 'Backspace')
  await page.keyboard.type('re')
  await text(page, 'City | Pop\n--- | ---\nLisbon | 545 and some words\nPorto | 231 more words here')
  // Enter goes to the cell below, and the next letter replaces nothing.
  await cell(page, '545').click()
  await press('Home', 'Enter')
  await page.keyboard.type('!')
  await text(page, 'City | Pop\n--- | ---\nLisbon | 545 and some words\nPorto | 231 more words here!')
  // A cell that is empty for a moment stays a cell.
  await cell(page, 'Porto').click()
  await press('Home', 'Shift+End', 'Delete')
  await page.keyboard.type(' my town')
  await cell(page, 'Pop').click()
  await press('Home', 'Shift+End', 'Backspace')
  await page.keyboard.type(' my people')
  await text(page, 'City |  my people |\n--- | ---\nLisbon | 545 and some words\n|  my town | 231 more words here!')
  await press('Control+z', 'Control+z')
  expect(await page.locator('.md-grid-row').count()).toBe(3)
  // Text that begins with a space on the line below a table is a paragraph.
  await press('Control+a', 'Delete')
  await text(page, '')
  await bring(page, 'paste', [], 'City\tPop\nLisbon\t545\n')
  await text(page, '| City | Pop |\n| --- | --- |\n| Lisbon | 545 |\n')
  await page.keyboard.type(' two words more')
  await text(page, '| City | Pop |\n| --- | --- |\n| Lisbon | 545 |\n\n two words more')
  expect(heard).toEqual([])
  await page.context().close()
})

test('[GRID-29] words that a person types while another deletes their column go on in the next cell, in order', async () => {
  const document = await createDocument(world.url, '| one | two | three |\n| --- | --- | --- |\n| a | b | c |\n')
  const people = [await open(document.url), await open(document.url)] as const
  const [first, second] = [people[0].page, people[1].page]
  await cell(second, 'three').click()
  await second.locator('.grid-handle-column').click()
  const item = second.getByRole('menuitem', { name: 'Delete column', exact: true })
  await item.waitFor()
  await cell(first, 'c').last().click()
  await first.keyboard.press('End')
  let isGone = false
  const gone = item.click().then(async () => {
    await cell(first, 'three').waitFor({ state: 'detached' })
    isGone = true
  })
  let words = ''
  const type = async (more: string): Promise<void> => {
    words += more
    await first.keyboard.type(more)
  }
  for (let count = 1; !isGone; count++) await type(` word ${count}`)
  await gone
  await type(' and here')
  await until(async () => /here *\|\n$/.test(await editorText(first)), 'the words')
  const [head, dashes, row = ''] = (await editorText(first)).split('\n')
  expect([head, dashes]).toEqual(['| one | two |', '| --- | --- |'])
  // The letters that were there when the column was deleted are gone with it.
  const [, rest = ''] = /^\| a \| b (.*?) ?\|$/.exec(row) ?? []
  expect(words.endsWith(rest) && rest !== '', row).toBe(true)
  expect(await caret(first)).toBe(`| a | b ${rest}^${row.slice(`| a | b ${rest}`.length)}`)
  await text(second, `| one | two |\n| --- | --- |\n${row}\n`)
  for (const { page, heard } of people) {
    expect(heard).toEqual([])
    await page.context().close()
  }
})
