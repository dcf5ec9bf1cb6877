/** Components on published pages, without scripts and with hostile content. */
import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { look, sizes } from './appearance.ts'
import { createDocument, type Document, saved, until } from './browser.ts'
import { createVisits } from './visits.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const { visit } = createVisits(() => ({ world, browser }))

async function published(content: string): Promise<{ document: Document; url: string }> {
  const document = await createDocument(world.url, content)
  const answer = await fetch(`${world.url}/api/docs/${document.id}/publish`, { method: 'POST', headers: { 'x-share-key': document.key } })
  expect(answer.status).toBe(200)
  return { document, url: `${world.url}/pub/${document.id}` }
}

const all = `# All of them

\`\`\`board #plan
Before **Friday**.
## To do
- [ ] Write $a^2$ @ana #backend
  Two lines of
  [details](https://example.org)
## Done
- [x] Pick a name
\`\`\`

\`\`\`chat
[2026-11-20T10:02Z] @Ana: Can we **ship**?
  On Friday.
--- 2026-11-21
\`\`\`

\`\`\`sheet #budget
| Item | Qty | Price | Total |
|------|----:|------:|------:|
| Pens |  12 |   3.5 | =B2*C2 |
| Ink  |   4 |   6   | =B3*C3 |
| Sum  |     |       | =SUM(D2:D3) |
| Bad  |     |       | =1/0 |
\`\`\`

\`\`\`chart
type: bar
title: Spend
data: #budget
x: Item
y: Total
\`\`\`

\`\`\`widget title="Dice"
<button onclick="roll()">Roll</button>
\`\`\`
`

test('[COMP-15] published pages show components without script: boards, chats, computed sheets, charts, and the source of widgets', async () => {
  const { document, url } = await published(all)
  for (const viewport of sizes) {
    const { page, leave } = await visit(document, url, { javaScriptEnabled: false, viewport })
    const board = page.locator('.component-board')
    expect(await board.locator('.board-title').allTextContents()).toEqual(['To do 1', 'Done 1'])
    expect(await board.locator('.card').allTextContents()).toEqual([
      expect.stringMatching(/^Write .* @ana #backendTwo lines ofdetails$/s),
      'Pick a name'
    ])
    expect(await board.locator('.card math msup').count()).toBe(1)
    expect(await board.getByRole('img', { name: 'Done' }).count()).toBe(1)
    expect(await page.locator('.component-chat .message').textContent()).toBe('Ana Nov 20, 2026, 10:02 UTCCan we ship?On Friday.')
    expect(await page.locator('.component-sheet td:last-child').allTextContents()).toEqual(['42', '24', '66', '#DIV/0!'])
    const chart = page.getByRole('img', { name: 'Spend' })
    expect(await chart.locator('rect').count()).toBe(3)
    expect(await page.locator('.component-chart tr').allTextContents()).toEqual(['ItemTotal', 'Pens42', 'Ink24', 'Sum66', 'Bad'])
    const code = page.locator('.component-widget pre')
    expect(await code.isVisible()).toBe(false)
    await page.getByText('Code of the widget').click()
    expect(await code.isVisible()).toBe(true)
    expect(await code.textContent()).toBe('<button onclick="roll()">Roll</button>')
    for (const each of await page.locator('.component').all()) expect(await each.isVisible()).toBe(true)
    // Wide components scroll separately from the page.
    expect((await page.locator('.component-sheet').boundingBox())?.width).toBeLessThanOrEqual(viewport.width)
    await leave()
    // axe needs scripts. The markup does not depend on them.
    const other = await visit(document, url, { viewport })
    const drawing = other.page.locator('.component-chart svg:visible')
    await drawing.waitFor()
    // The drawing is not cut off, and needs no scrolling.
    expect(await drawing.evaluate((svg) => svg.getBoundingClientRect().right - innerWidth)).toBeLessThanOrEqual(0)
    expect(await drawing.evaluate((svg) => (svg.parentElement?.scrollWidth ?? 0) - (svg.parentElement?.clientWidth ?? 0))).toBe(0)
    await look(other.page, 'components-published', true)
    await other.leave()
  }
})

/** Text that runs a script if a page treats it as markup, an attribute, an address or a name. */
const harm = `<img src=x onerror=harm()> <script>harm()</script> "onfocus="harm()" autofocus [x](javascript:harm()) \${harm()} </textarea></title></svg>`
const cell = harm.replaceAll('|', '')

const harmful = `# ${harm}

\`\`\`board #x" onmouseover="harm()" title="${harm.replaceAll('"', "'")}"
${harm}
## ${harm}
- [ ] ${harm} @"><script>harm()</script> #<img/src=x/onerror=harm()>
  ${harm}
- [<script>harm()</script>] x
\`\`\`

\`\`\`chat title="${harm.replaceAll('"', "'")}"
[<script>harm()</script>] @${harm.replaceAll(':', '')}: ${harm}
{{${harm}|${harm}|${harm}}}
--- ${harm}
${harm}
\`\`\`

\`\`\`sheet #s
| ${cell} | =CONCAT("<img src=x onerror=harm()>") |
|---|---|
| ${cell} | ="<script>harm()</script>" |
| =HARM(${cell}) | =#"><script>harm()</script>!A1 |
\`\`\`

\`\`\`chart
type: <script>harm()</script>
title: ${harm}
format: ${harm}
color: "><script>harm()</script>

${harm}, "${harm}"
${harm}, 3
\`\`\`

\`\`\`chart
title: ${harm}
data: javascript:harm()
\`\`\`

\`\`\`widget height="><script>harm()</script> title="${harm.replaceAll('"', "'")}"
<script>try { parent.harm(); top.harm() } catch {}</script>
<!-- state {"a":"</script><script>harm()</script>"} -->
\`\`\`
`

test('[COMP-14] scripts in every field of every component are text: in the live and reading view, and published', async () => {
  const { document, url } = await published(harmful)
  const { page, leave } = await visit(document)
  await page.addInitScript('globalThis.harm = () => { globalThis.harmed = true }')
  await page.reload()
  await saved(page)
  const isUnharmed = async (): Promise<void> => {
    // Everything that would load or run by itself has had time to do so.
    await page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve))))
    expect(await page.evaluate(() => (globalThis as { harmed?: boolean }).harmed)).toBeUndefined()
    const links = await page.locator('a').evaluateAll((found) => found.map((each) => (each as HTMLAnchorElement).protocol))
    expect(links.filter((protocol) => protocol === 'javascript:')).toEqual([])
    expect(await page.locator('[onerror], [onfocus], [onmouseover], .component script, .frame script').count()).toBe(0)
  }
  await page.locator('.card').first().waitFor()
  await page.locator('.message').first().waitFor()
  await page.getByRole('grid').waitFor()
  await until(async () => (await page.locator('.frame').count()) === 6, 'all are drawn')
  await isUnharmed()
  // The form shows the hostile text as plain text too.
  await page.locator('.card').first().press('Enter')
  await page.getByLabel('Details').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-cell=A1]').dblclick()
  await page.locator('.sheet-field').press('Escape')
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.locator('iframe').waitFor()
  await isUnharmed()
  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.reading .card').first().waitFor()
  await isUnharmed()
  await page.goto(url)
  await page.locator('.component-board .card').first().waitFor()
  await isUnharmed()
  await leave()
})
