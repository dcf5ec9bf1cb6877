/** Charts and widgets on a document's page. People read charts with the pointer and the keyboard and edit them as tables. Widgets run in isolated frames. */
import { createSocket } from 'node:dgram'
import { Readable } from 'node:stream'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeRecord, keys } from '../../server/domain/records/keys.ts'
import { start, type World } from '../support/start.ts'
import { look, sizes } from './appearance.ts'
import { createDocument, createLink, editorText, launch, saved, until } from './browser.ts'
import { discard } from './used-contexts.ts'
import { type Elsewhere, startElsewhere } from './elsewhere.ts'
import { createVisits } from './visits.ts'

let world: World
let browser: Browser
let elsewhere: Elsewhere
/** The server that browsers contact before a call to learn their public address (STUN). */
const calls = createSocket('udp4')

beforeAll(async () => {
  world = await start()
  // Only the full browser isolates widgets as users' browsers do.
  browser = await launch({ whole: true })
  elsewhere = await startElsewhere()
  calls.on('message', () => elsewhere.asked.push('call'))
  await new Promise<void>((resolve) => calls.bind(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  await browser.close()
  elsewhere.stop()
  calls.close()
  await world.stop()
})

const { visit, writer } = createVisits(() => ({ world, browser }))

const visits = ['type: line', 'title: Visitors', '', 'Month, Visits, Signups', 'Jan, 120, 8', 'Feb, 180, 15']
const chart = (...lines: readonly string[]): string => `# Report\n\n\`\`\`chart\n${lines.join('\n')}\n\`\`\`\n\nAfter\n`

test('[COMP-55] [COMP-68] the title of a chart is edited in its field, as one change to one line', async () => {
  const { page, text, leave } = await writer(chart(...visits))
  const title = page.getByRole('textbox', { name: 'Title' })
  await until(async () => (await title.inputValue()) === 'Visitors', 'the title that it has')
  // A click on the name of the chart focuses the title field before the next key press.
  const focused = await page.getByRole('button', { name: 'Chart: Visitors' }).evaluate((button: HTMLElement) => {
    button.click()
    let found = document.activeElement
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
    return found?.closest('label')?.textContent
  })
  expect(focused ?? 'nothing').toContain('Title')
  await page.keyboard.type('People who came')
  await title.press('Enter')
  await text(chart('type: line', 'title: People who came', ...visits.slice(2)))
  await until(async () => (await title.inputValue()) === 'People who came', 'the title that was written')
  await look(page, 'chart-title')
  await title.fill('')
  await title.press('Enter')
  await text(chart('type: line', ...visits.slice(2)))
  await leave()
})

test('[COMP-20] pointer and keyboard show the points of a chart, its series can be hidden, and its type is one word', async () => {
  const { page, text, leave } = await writer(chart(...visits))
  const plot = page.getByRole('group', { name: 'Chart points. Use the arrow keys to move between them.' })
  const tip = page.locator('.chart-tip')
  await page.locator('.component-chart circle').first().hover()
  await until(async () => (await tip.textContent()) === 'Jan, Visits: 120', 'what the point says')
  await page.mouse.move(0, 0)
  await tip.waitFor({ state: 'detached' })
  await plot.press('ArrowRight')
  await plot.press('ArrowRight')
  await until(async () => (await tip.textContent()) === 'Feb, Visits: 180', 'the second point')
  await page.getByRole('status').filter({ hasText: 'Feb, Visits: 180' }).waitFor()
  await plot.press('End')
  await until(async () => (await tip.textContent()) === 'Feb, Signups: 15', 'the last point')
  // People who cannot see the chart get a table.
  expect(await plot.getByRole('table').locator('tr').allTextContents()).toEqual(['MonthVisitsSignups', 'Jan1208', 'Feb18015'])
  await page.getByRole('button', { name: 'Visits' }).press('Enter')
  await until(async () => (await page.locator('.component-chart circle').count()) === 2, 'one series is left')
  // The last series cannot be hidden.
  await page.getByRole('button', { name: 'Signups' }).press('Enter')
  expect(await page.getByRole('button', { name: 'Signups' }).getAttribute('aria-pressed')).toBe('true')
  await page.getByLabel('Chart type').selectOption('pie')
  await text(chart('type: pie', ...visits.slice(1)))
  await until(async () => (await page.locator('.component-chart .slice').count()) === 2, 'slices')
  await leave()
})

test('[COMP-46] the legend and table of a pie mark values without a slice, which cannot be hidden', async () => {
  const { page, leave } = await writer(chart('type: pie', '', 'Item, Cost', 'a, 3', 'below, -4', 'b, 1'))
  const entries = page.locator('.legend li')
  await until(async () => (await entries.allTextContents()).join(', ') === 'a, below (no slice), b', 'the legend')
  expect(await entries.getByRole('button').allTextContents()).toEqual(['a', 'b'])
  await page.getByRole('table').getByText('-4 (no slice)').waitFor({ state: 'attached' })
  // One slice remains, because values without a slice do not count.
  await entries.getByRole('button', { name: 'a' }).click()
  await until(async () => (await page.locator('.slice').count()) === 1, 'one slice')
  await entries.getByRole('button', { name: 'b' }).click()
  expect(await entries.getByRole('button', { name: 'b' }).getAttribute('aria-pressed')).toBe('true')
  await leave()
})

test('[COMP-21] the data of a chart is edited in the grid of sheets, with its keys: each change is a small edit and one undo step', async () => {
  const { page, text, leave } = await writer(chart(...visits))
  await page.getByRole('button', { name: 'Edit data' }).press('Enter')
  const grid = page.getByRole('grid', { name: 'Chart data' })
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await grid.locator('[data-cell=A1]:focus-within').waitFor()
  await press('ArrowDown', 'ArrowRight')
  await page.keyboard.type('1,5')
  await press('Enter')
  await text(chart(...visits.with(4, 'Jan, "1,5", 8')))
  await page.keyboard.type('200')
  await press('Enter')
  const changed = visits.with(4, 'Jan, "1,5", 8').with(5, 'Feb, 200, 15')
  await text(chart(...changed))
  // Enter after the last row begins a new row, as in sheets.
  await page.keyboard.type('7')
  await press('Tab')
  await text(chart(...changed, ',7,'))
  await press('Home', 'ArrowUp', 'Shift+ArrowRight', 'Control+c', 'ArrowDown', 'ArrowLeft', 'Control+v')
  await text(chart(...changed, 'Feb,200,'))
  await press('Control+z')
  await text(chart(...changed, ',7,'))
  // In a chart, text that begins like a formula is plain text, so a click selects no cells for it.
  await grid.locator('[data-cell=A4]').press('=')
  await grid.locator('[data-cell=A2]').click()
  await text(chart(...changed, '=,7,'))
  await press('ArrowDown')
  await page.getByRole('button', { name: 'Rows and columns' }).click()
  await page.getByRole('menuitem', { name: 'Delete row' }).click()
  await text(chart(...changed.with(5, ''), '=,7,'))
  await leave()

  const json = chart('type: bar', '', '[', '  {"a": "x", "b": 1},', '  {"a": "y", "b": 2, "c": [3]}', ']')
  const other = await writer(json)
  await other.page.getByRole('button', { name: 'Edit data' }).click()
  const cell = (name: string) => other.page.locator(`[data-cell=${name}]`)
  await cell('B3').press('7')
  await other.page.keyboard.press('Enter')
  await other.text(json.replace('"b": 2', '"b": 7'))
  await other.page.locator('.component-chart rect[data-says="y, b: 7"]').waitFor()
  await cell('C3').press('Enter')
  await other.page.getByText('This cell contains a list or an object. Change it in the source.').waitFor()
  // The edit does not overwrite text that somebody else has since written.
  await cell('B2').press('9')
  const content = json.replace('"b": 2', '"b": 7').replace('"b": 1', '"b": 5')
  await fetch(`${world.url}/api/docs/${other.document.id}/content`, {
    method: 'PUT',
    headers: { 'x-share-key': other.document.key, 'content-type': 'application/json' },
    body: JSON.stringify({ content })
  })
  await other.page.locator('.component-chart rect[data-says="x, b: 5"]').waitFor()
  await other.page.keyboard.press('Enter')
  await other.page.getByText('B2 was changed to “5” while you wrote “9”.').waitFor()
  await other.page.getByRole('button', { name: 'Keep theirs' }).click()
  await other.text(content)
  await other.leave()
})

test('[COMP-52] [COMP-186] the data of a chart is picked in the sheets of its document, by keys, mouse and finger; Esc changes nothing', async () => {
  const sheet = (info: string) =>
    `\`\`\`sheet${info}\n| Item | Qty | Cost |\n| --- | --- | --- |\n| Pens | 1 | 10 |\n| Ink | 2 | 20 |\n\`\`\`\n\n`
  const source = (second: string, ...lines: readonly string[]): string => sheet(' #first') + sheet(second) + chart(...lines)
  const before = source('', ...visits)
  const { page, document, text, leave } = await writer(before)
  const pick = page.getByRole('button', { name: 'Select data range' })
  const grid = (number: number) => page.getByRole('grid').nth(number)
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  // With the keyboard, the person chooses some cells of the other sheet, which gets an id.
  await pick.press('Enter')
  // All cells of the first sheet are selected at once.
  await grid(0).locator('[data-cell=C3]:focus-within').waitFor()
  await page.getByRole('button', { name: 'Use A1:C3' }).waitFor()
  await page.getByText('Select the data for Chart: Visitors').waitFor()
  await look(page, 'charts-pick')
  await press('x', 'Delete', 'Alt+ArrowDown')
  await grid(1).locator('[data-cell=A1]:focus-within').waitFor()
  expect(await page.getByRole('button', { name: 'Use A1' }).isDisabled()).toBe(true)
  await press('Shift+ArrowDown', 'Shift+ArrowRight', 'Enter')
  const [type = '', title = ''] = visits
  const picked = source(' #sheet', type, title, 'data: #sheet!A1:B2')
  await text(picked)
  await page.locator('.component-chart circle[data-says="Pens, Qty: 1"]').waitFor()
  await page.getByText('The data is in Sheet (#sheet) A1:B2.').waitFor()
  await until(() => pick.evaluate((element) => element.matches(':focus')), 'the focus is back')
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await text(before)
  // The mouse also selects cells. Esc changes nothing, regardless of the focus.
  await pick.click()
  await grid(1).locator('[data-cell=B1]').hover()
  await page.mouse.down()
  await grid(1).locator('[data-cell=C3]').hover()
  await page.mouse.up()
  await page.getByRole('button', { name: 'Use B1:C3' }).waitFor()
  await page.locator('.cm-line', { hasText: 'After' }).click()
  await press('Escape')
  await until(async () => (await page.getByText('Select the data for').count()) === 0, 'it is over')
  expect(await editorText(page)).toBe(before)
  await pick.click()
  await grid(1).locator('[data-cell=A1]').click()
  await grid(1)
    .locator('[data-cell=B3]')
    .click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Use A1:B3' }).click()
  // Complete columns are named by their headings, so that added rows appear in the chart.
  const columns = source(' #sheet', type, title, 'data: #sheet', 'x: Item', 'y: Qty')
  await text(columns)
  await page.locator('.component-chart circle[data-says="Ink, Qty: 2"]').waitFor()
  // "Edit data" selects the columns that the chart names, in the sheet itself.
  await page.getByRole('button', { name: 'Edit data' }).press('Enter')
  await grid(1).locator('[data-cell=B3]:focus-within').waitFor()
  expect(await grid(1).locator('td[aria-selected=true]').count()).toBe(6)
  await leave()

  // On a touch screen, the person taps one corner after the other. The selected range keeps following its cells.
  const phone = await visit(document, document.url, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
  await phone.page.getByRole('button', { name: 'Select data range' }).tap()
  const tapped = phone.page.getByRole('grid').nth(1)
  await phone.page.getByText('Select the data for').waitFor()
  await tapped.locator('[data-cell=A2]').tap()
  await tapped.locator('[data-cell=B2]').tap()
  await look(phone.page, 'charts-pick')
  await phone.page.getByRole('button', { name: 'Use A2:B2' }).tap()
  const cells = source(' #sheet', type, title, 'data: #sheet!A2:B2')
  await phone.text(cells)
  await tapped.locator('[data-cell=A2]').tap()
  await phone.page.locator('.sheet-live').nth(1).getByRole('button', { name: 'Rows and columns' }).tap()
  await phone.page.getByRole('menuitem', { name: 'Add row above' }).tap()
  await until(async () => (await editorText(phone.page)).includes('data: #sheet!A3:B3'), 'the chart follows')
  await phone.leave()
})

test('[COMP-22] a chart draws a computed sheet of its document, and a file; faults appear in place, with their line', async () => {
  const sheet = '```sheet #budget\n| Item | Qty | Total |\n|---|---|---|\n| Pens | 12 | =B2*2 |\n| Ink | 3 | =B3*2 |\n```\n\n'
  const { page, document, leave } = await writer(sheet + chart('data: #budget', 'x: Item', 'y: Total'))
  await page.locator('.component-chart rect[data-says="Pens, Total: 24"]').waitFor()
  // A program changes the sheet.
  const change = (from: string, to: string) =>
    fetch(`${world.url}/api/docs/${document.id}/edits`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': document.key },
      body: JSON.stringify({ operations: [{ op: 'replace', find: from, with: to }] })
    })
  expect((await change('| Pens | 12 |', '| Pens | 20 |')).status).toBeLessThan(300)
  await page.locator('.component-chart rect[data-says="Pens, Total: 40"]').waitFor()
  await change('y: Total', 'y: Sum')
  await page.locator('.chart-fault', { hasText: 'There is no column “Sum”.' }).waitFor()
  await page.getByRole('button', { name: 'Line 3', exact: true }).click()
  await page.locator('.cm-line', { hasText: 'y: Sum' }).waitFor()
  await page.keyboard.press('Escape')
  await change('data: #budget', 'data: #other')
  await page.locator('.chart-fault', { hasText: 'There is no sheet #other.' }).waitFor()
  await change('y: Sum', 'y: Sum\ntype: cake')
  await page.locator('.chart-fault', { hasText: '“cake” is not a chart type' }).waitFor()
  // The test stores a CSV file directly, because files of this type cannot be uploaded.
  const id = 'A'.repeat(24)
  const bytes = Buffer.from('Day;Hits\r\nMon;5\r\nTue;9\r\n')
  await change('data: #other', `data: /f/${id}.csv`)
  await page.locator('.chart-fault', { hasText: `There is no file /f/${id}.csv.` }).waitFor()
  const upload = await world.service.blobs.receive(Readable.from([bytes]))
  await upload.keep(id)
  await world.service.ledger.write(document.id, 'system', (draft) => {
    const { hash } = upload
    const about = { id, extension: 'csv', contentType: 'text/csv', kind: 'image', name: 'hits', size: bytes.length, hash, createdAt: 0 }
    draft.put(keys.asset(document.id, id), encodeRecord(about))
    draft.put(keys.assetDocument(id), encodeRecord(document.id))
  })
  await change('x: Item\ny: Sum\n', '')
  await page.reload()
  await page.locator('.component-chart rect[data-says="Tue, Hits: 9"]').waitFor()
  await change(`/f/${id}.csv`, 'https://example.com/a.csv')
  await page.locator('.chart-fault', { hasText: 'The data is in https://example.com/a.csv, which is not a file on this server.' }).waitFor()
  await leave()
})

const counter = (title: string, more = ''): string =>
  `\`\`\`widget height=60 title="${title}"\n<button id="b">0</button>\n<script>\nlet n = agmd.state?.n ?? 0\nb.textContent = n\nb.onclick = () => { n++; b.textContent = n; agmd.setState({ n }) }\n${more}</script>\n\`\`\`\n`

test('[COMP-23] [SUGG-126] a change to a chart by a suggester makes one suggestion; people who may not change it see the reason and the chart', async () => {
  const document = await createDocument(world.url, chart(...visits))
  const suggester = await visit(document, (await createLink(world.url, document, 'suggest')).url)
  // Once the chip shows the role, the page draws nothing twice.
  await suggester.page.locator('.chip[data-state=readonly]').waitFor()
  await suggester.page.getByRole('button', { name: 'Edit data' }).click()
  await suggester.page.locator('[data-cell=B2]').press('Enter')
  await suggester.page.locator('.sheet-field').fill('130')
  await suggester.page.keyboard.press('Enter')
  const list = async (): Promise<readonly { original: string; text: string }[]> => {
    const answer = await fetch(`${world.url}/api/docs/${document.id}/suggestions`, { headers: { 'x-share-key': document.key } })
    return ((await answer.json()) as { suggestions: { original: string; text: string }[] }).suggestions
  }
  await until(async () => (await list()).length === 1, 'one suggestion')
  expect((await list())[0]).toMatchObject({ original: '120,', text: '130,' })
  await suggester.page.getByRole('button', { name: '1 suggestion' }).waitFor()
  expect(await editorText(suggester.page)).toBe(chart(...visits))

  const { page } = suggester
  const title = page.getByLabel('Title', { exact: true })
  await title.fill('Stock')
  await title.press('Tab')
  await page.getByLabel('Chart type').selectOption('pie')
  await until(async () => (await list()).length === 3, 'the settings are suggested')
  const isShown = async (): Promise<void> => {
    await page.locator('.chart-tools ins', { hasText: 'Pie' }).waitFor()
    expect(await page.locator('.chart-tools ins').allTextContents()).toEqual(['Stock', 'Pie'])
    expect([await title.inputValue(), await page.getByLabel('Chart type').inputValue()]).toEqual(['Visitors', 'line'])
  }
  await isShown()
  await page.reload()
  await isShown()
  await suggester.leave()

  const commenter = await visit(document, (await createLink(world.url, document, 'comment')).url)
  await commenter.page.locator('.chip[data-state=readonly]').waitFor()
  await commenter.page.getByText('You can comment but not edit this.').waitFor()
  expect(await commenter.page.getByRole('button', { name: 'Edit data' }).isDisabled()).toBe(true)
  expect(await commenter.page.getByLabel('Chart type').isDisabled()).toBe(true)
  await commenter.leave()

  const other = await createDocument(world.url, chart(...visits) + counter('Count'))
  const reader = await visit(other, (await createLink(world.url, other, 'view')).url)
  await reader.page.locator('.chip[data-state=readonly]').waitFor()
  await reader.page.getByRole('group', { name: 'Chart points. Use the arrow keys to move between them.' }).press('ArrowRight')
  await until(async () => (await reader.page.locator('.chart-tip').textContent()) === 'Jan, Visits: 120', 'the first point')
  await reader.page.getByRole('button', { name: 'Run: Count' }).click()
  await reader.page.getByText('Changes made here are not saved.').waitFor()
  await reader.page.frameLocator('iframe').getByRole('button', { name: '0' }).click()
  await reader.page.frameLocator('iframe').getByRole('button', { name: '1' }).waitFor()
  await reader.leave()
})

test('[COMP-24] [COMP-70] [COMP-75] widgets run on request, several at once, keep a state of one line in the text, read sheets, and stop on request', async () => {
  const sheet = '```sheet #s\n| a | b |\n| 1 | =A2*3 |\n```\n\n'
  const reads = 'agmd.getData("#s").then((rows) => { document.title = b.title = JSON.stringify(rows) })\n'
  const one = counter('One', reads)
  const { page, text, leave } = await writer(`# Page\n\n${sheet}${one}\n${counter('Two')}\nEnd\n`)
  await page.getByRole('button', { name: 'Run: One' }).press('Enter')
  await page.getByRole('button', { name: 'Run: Two' }).click()
  const [first, second] = [page.frameLocator('iframe[title=One]'), page.frameLocator('iframe[title=Two]')]
  await first.getByTitle('[["a","b"],["1","3"]]').waitFor()
  // The frame has no border or padding that would take height from the widget's page.
  const inside = await first.locator('html').evaluate(() => innerHeight)
  expect(String(inside)).toBe(await page.locator('iframe[title=One]').getAttribute('height'))
  await first.getByRole('button').click()
  await first.getByRole('button', { name: '1' }).waitFor()
  await text(`# Page\n\n${sheet}${one.replace('</script>\n', '</script>\n<!-- state {"n":1} -->\n')}\n${counter('Two')}\nEnd\n`)
  await second.getByRole('button').click()
  await second.getByRole('button', { name: '1' }).waitFor()
  // The widget keeps running while somebody writes its state into the text.
  await first.getByRole('button').click()
  await first.getByRole('button', { name: '2' }).waitFor()
  const kept = (source: string, n: number): string => source.replace('</script>\n', `</script>\n<!-- state {"n":${n}} -->\n`)
  await text(`# Page\n\n${sheet}${kept(one, 2)}\n${kept(counter('Two'), 1)}\nEnd\n`)
  await page.getByRole('button', { name: 'Stop: One' }).click()
  await until(async () => (await page.locator('iframe').count()) === 1, 'one widget stopped')
  await page.getByRole('button', { name: 'Run: One' }).click()
  await first.getByRole('button', { name: '2' }).waitFor()
  // While its source is edited, the widget keeps running below the source.
  await page.getByRole('region', { name: 'Widget: One' }).getByRole('button', { name: 'Source', exact: true }).click()
  await page.locator('.md-component.below-source iframe[title=One]').waitFor()
  await first.getByRole('button', { name: '2' }).waitFor()
  expect(await editorText(page)).toContain('title="One"')
  await leave()
})

test('[COMP-25] a widget that tries to escape, loops, uses up memory or sends endlessly leaves the page unchanged and working', async () => {
  const { url: address, asked } = elsewhere
  const widget = (title: string, script: string): string =>
    `\`\`\`widget title="${title}"\n<p>${title}</p>\n<script>\n${script}\n</script>\n\`\`\`\n\n`
  const out = `const told = []
for (const [name, work] of Object.entries({
  parent: () => parent.document.title, key: () => parent.location.href, storage: () => localStorage.length, base: () => indexedDB.open('x'),
  popup: () => { if (open('${address}/popup') === null) throw 0 }, top: () => { top.location = '${address}/top' },
  dialog: () => { if (confirm('x') !== false) return; throw 0 }
})) try { work(); told.push(name) } catch {}
const o = document.createElement('output'); o.value = 'could: ' + told; document.body.append(o)
fetch('${address}/fetch').catch(() => 0); new Image().src = '${address}/picture'
const link = document.createElement('a'); link.href = '${address}/link'; link.target = '_top'; document.body.append(link); link.click()
const form = document.createElement('form'); form.action = '${address}/form'; document.body.append(form); try { form.submit() } catch {}`
  // No content policy stops WebRTC. The test tries it directly and in nested frames, one of which the document's observer cannot see.
  const call = `try { const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${calls.address().port}' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)) } catch {}`
  const calling = `${call}
for (const root of [document.body, document.createElement('div').attachShadow({ mode: 'closed' })]) {
  if (root.host) document.body.append(root.host)
  const frame = document.createElement('iframe'); frame.srcdoc = '<script>' + ${JSON.stringify(call)} + '</' + 'script>'; root.append(frame)
}
document.body.append('called')`
  const source = [
    widget('Out', out),
    widget('Call', calling),
    widget('Away', `document.body.append('here'); setTimeout(() => { location = '${address}/away' })`),
    widget(
      'Memory',
      'const all = []; for (let i = 0; i < 16; i++) all.push(new Uint8Array(64 << 20).fill(1)); document.body.append("took " + all.length)'
    ),
    widget(
      'Flood',
      `const all = () => { for (let i = 0; i < 5000; i++) parent.postMessage({ jsonrpc: '2.0', id: i, method: 'ui/getData', params: { sheet: '#s' } }, '*'); setTimeout(all) }
all()`
    ),
    widget('Loop', 'for (;;);')
  ].join('')
  const { page, document } = await writer(source)
  const run = (name: string) => page.getByRole('button', { name: `Run: ${name}` }).click()
  await run('Out')
  await page.frameLocator('iframe[title=Out]').locator('output').waitFor()
  expect(await page.frameLocator('iframe[title=Out]').locator('output').textContent()).toBe('could: ')
  await run('Call')
  await page.frameLocator('iframe[title=Call]').getByText('called').waitFor()
  await run('Away')
  await run('Memory')
  await page.frameLocator('iframe[title=Memory]').getByText('took 16').waitFor()
  await run('Flood')
  await page.getByText('The widget was stopped because it sent too many messages.').waitFor()
  await run('Loop')
  await page.locator('iframe[title=Loop]').waitFor()
  // The page still works: a person types in it, and the text is stored.
  await page.locator('.cm-content').press('Control+End')
  await page.keyboard.type('Still here')
  await saved(page)
  await page.getByRole('button', { name: 'Stop: Loop' }).click()
  expect(page.frames().filter((frame) => frame.url() === 'about:srcdoc')).toEqual([])
  expect(asked).toEqual([])
  expect(page.url()).toContain(document.id)
  expect(page.context().pages()).toHaveLength(1)
  await page.getByRole('button', { name: 'Stop: Memory' }).click()
  // The page is closed without a check of its errors, because the browser reports refused requests of widget frames as errors of the page.
  await discard(page.context())
})

test('[COMP-26] charts and widgets look right and have no violations, in both themes, on wide and narrow screens, in German too', async () => {
  const wrong = '```chart\ntitle: Wrong\ny: Sum\n\nItem, Total\nPens, 4\n```\n\n'
  const pie = '```chart\ntype: donut\ntitle: Share\nheight: 220\n\nItem, Total\nPens, 42\nPaper, 24\nInk, 12\n```\n\n'
  const stacked =
    '```chart\ntitle: By quarter\nstack: true\nheight: 220\n\nQuarter, North, South\nQ1, 120, 80\nQ2, 150, 95\nQ3, 90, 130\n```\n\n'
  const content = `# Report\n\n${stacked}${wrong}${counter('Count')}\n${pie}`
  for (const [index, viewport] of sizes.entries()) {
    const locale = index === 1 ? 'de-DE' : 'en-GB'
    const document = await createDocument(world.url, content)
    const { page, leave } = await visit(document, document.url, { viewport, locale })
    await saved(page)
    await page
      .getByRole('button', { name: /Edit data|Daten bearbeiten/ })
      .first()
      .click()
    await page.getByRole('group').first().press('ArrowRight')
    await page.locator('.chart-fault').first().waitFor()
    const right = await page.locator('.frame').evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().right)))
    expect(right).toBeLessThanOrEqual(viewport.width)
    await look(page, 'charts')
    await page.getByRole('button', { name: /^(?:Run|Starten): Count/ }).click()
    await page.frameLocator('iframe').getByRole('button', { name: '0' }).waitFor()
    await page.locator('.slice').first().scrollIntoViewIfNeeded()
    await look(page, 'widgets')
    await leave()
  }
})
