/** The reading view. It has the content of the published page, works for everyone, and follows changes by others. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { World } from '../support/start.ts'
import { createDocument, createLink, type Document, editorText, readMarkdown, saved, selectWords, until, ownPage } from './browser.ts'
import { png } from '../support/media.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
onStage((stage) => ({ world, browser } = stage))

const sample = readFileSync(join(import.meta.dirname, 'sample.md'), 'utf8')
const published = readFileSync(join(import.meta.dirname, 'published.md'), 'utf8')
const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)

async function open(url: string): Promise<{ context: BrowserContext; page: Page; heard: string[] }> {
  const { context, page, heard } = await ownPage(browser)
  await page.goto(url)
  return { context, page, heard }
}

const article = (page: Page) => page.locator('.reading article')

async function reader(document: Document, role = 'view'): Promise<{ context: BrowserContext; page: Page; heard: string[] }> {
  const opened = await open((await createLink(world.url, document, role)).url)
  await article(opened.page).locator('> *').first().waitFor({ state: 'attached' })
  return opened
}

async function publish({ id, key }: Document): Promise<string> {
  await fetch(`${world.url}/api/docs/${id}/publish`, { method: 'POST', headers: { 'x-share-key': key } })
  return `${world.url}/pub/${id}`
}

/** Returns the article of the published page, without the heading that the page adds to text without one. */
async function publishedArticle(document: Document): Promise<string> {
  const html = await (await fetch(await publish(document))).text()
  return /<article[^>]*>\n?([\s\S]*)<\/article>/.exec(html)?.[1] ?? ''
}

// Each browser serializes HTML in its own way, so one browser serializes both texts. Components are left out, because they are interactive in the
// reading view (COMP-6).
const asWritten = (page: Page, html: string): Promise<string> =>
  page.evaluate((text) => {
    const { body } = new DOMParser().parseFromString(text, 'text/html')
    for (const component of body.querySelectorAll(':scope > figure.component')) component.replaceChildren()
    // Only the reading view has copy buttons (WRITE-48). Only published pages have typographic dashes and a byline (MARKDOWN-13).
    for (const own of body.querySelectorAll('.copy-code, .byline')) own.remove()
    return body.innerHTML.trim().replaceAll(/\n+/g, '\n').replaceAll('—', '---').replaceAll('–', '--')
  }, html)

test.each([
  ['the sample', sample],
  ['code, formulas and components', published.replaceAll('```mermaid', '```board')],
  ['the CommonMark specification', specification]
])('[WEB-50] the reading view matches the published page: %s', async (_what, text) => {
  const document = await createDocument(world.url, text)
  const expected = await publishedArticle(document)
  const { context, page, heard } = await reader(document)
  const blank = await context.newPage()
  const wanted = (await asWritten(blank, expected)).replace(/^<h1>Untitled<\/h1>\n/, '')
  const shown = async (): Promise<string> => asWritten(blank, await article(page).innerHTML())
  await until(async () => (await shown()) === wanted, 'the same HTML').catch(async () => expect(await shown()).toBe(wanted))
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-80] for a long table the reading view lays out only rows near the window; all rows are present, and columns stay straight', async () => {
  const rows = Array.from({ length: 3000 }, (_, at) => `| row ${at} | some words about it | ${at} |`)
  const document = await createDocument(
    world.url,
    `# Rows\n\n| Name | About | Number |\n| --- | --- | --: |\n${rows.join('\n')}\n\nThe end`
  )
  const { context, page, heard } = await reader(document)
  expect(await article(page).locator('tbody tr').count()).toBe(3000)
  const isSet = (row: number): Promise<boolean> =>
    article(page)
      .locator('tbody tr')
      .nth(row)
      .locator('td')
      .first()
      .evaluate((cell) => cell.checkVisibility({ contentVisibilityAuto: true }))
  await until(() => isSet(0), 'the first row')
  expect(await isSet(2500)).toBe(false)
  const edges = (name: string): Promise<number[]> =>
    article(page)
      .getByRole('row', { name })
      .locator('th, td')
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)))
  expect(await edges('row 7 some words about it 7')).toEqual(await edges('Name About Number'))
  await article(page).getByText('The end').scrollIntoViewIfNeeded()
  await until(() => isSet(2999), 'the last row')
  expect(await edges('row 2999')).toEqual(await edges('Name About Number'))
  // The published page is also for printing and for every browser, so its tables are not divided.
  expect(await publishedArticle(document)).not.toContain('</tbody>\n<tbody>')
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-51] viewers get the reading view, others choose; the choice is remembered, and has a key', async () => {
  const document = await createDocument(world.url, '# One\n\ntwo')
  const guest = await reader(document)
  expect(await guest.page.getByRole('button', { name: 'Read' }).getAttribute('aria-pressed')).toBe('true')
  await guest.page.getByRole('button', { name: 'Source' }).click()
  await guest.page.locator('.cm-source').waitFor()
  await guest.context.close()
  for (const role of ['comment', 'suggest']) {
    const annotationing = await open((await createLink(world.url, document, role)).url)
    await annotationing.page.locator('.cm-live').waitFor()
    await annotationing.context.close()
  }
  const context = await browser.newContext()
  const page = await context.newPage()
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  await page.goto(document.url)
  await saved(page)
  expect(await page.locator('.reading').count()).toBe(0)
  // The page does not fetch code that only readers need.
  expect(fetched.filter((url) => /reading|highlight|formulas|diagram/.test(url))).toEqual([])
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+Alt+KeyP')
  await page.locator('.cm-source').waitFor()
  await page.keyboard.press('Control+Alt+KeyP')
  await article(page).getByRole('heading', { name: 'One' }).waitFor()
  expect(await page.getByRole('toolbar').count()).toBe(0)
  await page.reload()
  await article(page).getByRole('heading', { name: 'One' }).waitFor()
  // The text comes with the page, but its keys come with the editor.
  await saved(page)
  await page.keyboard.press('Control+Alt+KeyP')
  await page.locator('.cm-live').waitFor()
  // The source view that was chosen for one document does not apply to another document.
  await page.keyboard.press('Control+Alt+KeyP')
  await page.locator('.cm-source').waitFor()
  await page.goto((await createDocument(world.url, 'three')).url)
  await page.locator('.cm-live').waitFor()
  await page.goto(document.url)
  await page.locator('.cm-source').waitFor()
  await context.close()
})

test('[WRITE-177] [SUGG-38] after a switch to the source the caret is drawn in its place; Suggest leads from the reading view to the live view', async () => {
  const document = await createDocument(world.url, 'alpha beta gamma\n\nsecond paragraph\n\nthird one\n')
  const { context, page, heard } = await open(document.url)
  await saved(page)
  await page.locator('.cm-content[aria-autocomplete]').waitFor()
  await selectWords(page, 'second paragraph', { isCursor: true })
  const isInPlace = (): Promise<boolean> =>
    page.locator('.cm-content').evaluate((element) => {
      interface View {
        readonly state: { readonly selection: { readonly main: { readonly head: number } } }
        coordsAtPos(at: number): { readonly left: number; readonly top: number } | null
      }
      const { view } = (element as unknown as { cmTile: { view: View } }).cmTile
      const place = view.coordsAtPos(view.state.selection.main.head)
      const drawn = globalThis.document.querySelector('.cm-cursor-primary')?.getBoundingClientRect()
      return place !== null && drawn !== undefined && Math.abs(place.left - drawn.left) < 2 && Math.abs(place.top - drawn.top) < 2
    })
  await until(isInPlace, 'the caret in the live view')
  const source = page.getByRole('button', { name: 'Source', exact: true })
  for (const view of ['.cm-source', '.cm-live', '.cm-source']) {
    await source.click()
    await page.locator(view).waitFor()
    await until(isInPlace, `the caret in ${view}`)
  }

  const read = page.getByRole('button', { name: 'Read', exact: true })
  await read.click()
  await article(page).getByText('third one').waitFor()
  await page.getByRole('button', { name: 'Suggest', exact: true }).click()
  await page.locator('.cm-live .cm-content[aria-readonly=false]:focus').waitFor()
  await page.keyboard.type('New ')
  await page.locator('.rm-own', { hasText: 'New' }).waitFor()
  await read.click()
  await article(page).getByText('third one').waitFor()
  await page.keyboard.press('Control+Shift+KeyE')
  await page.locator('.cm-live .cm-content:focus').waitFor()
  await page.locator('.toast', { hasText: 'Editing: your edits change the text' }).waitFor()
  expect(heard).toEqual([])
  await context.close()
})

test('[WEB-52] a task is ticked in the reading view: one character of the text changes, and the focus stays', async () => {
  const document = await createDocument(world.url, '- [ ] one\n- [ ] two\n\n> 1. [x] three\n')
  const { context, page } = await open(document.url)
  await saved(page)
  await page.getByRole('button', { name: 'Read' }).click()
  const boxes = article(page).getByRole('checkbox')
  await boxes.nth(1).click()
  await until(async () => (await editorText(page)) === '- [ ] one\n- [x] two\n\n> 1. [x] three\n', 'the second task done')
  expect(await boxes.nth(1).isChecked()).toBe(true)
  await boxes.nth(2).press('Space')
  await until(async () => (await editorText(page)) === '- [ ] one\n- [x] two\n\n> 1. [ ] three\n', 'the third task open')
  await page.keyboard.press('Space')
  await until(async () => (await editorText(page)).endsWith('[x] three\n'), 'the third task done again')
  await saved(page)
  expect(await readMarkdown(world.url, document)).toBe('- [ ] one\n- [x] two\n\n> 1. [x] three\n')
  const guest = await reader(document)
  expect(await article(guest.page).locator('input:not(:disabled)').count()).toBe(0)
  await context.close()
  await guest.context.close()
})

test('[WEB-53] the reading view follows the edits by others without jumping', async () => {
  const paragraphs = Array.from({ length: 200 }, (_, index) => `Paragraph ${index}, with enough words to be read.`)
  const document = await createDocument(
    world.url,
    `# Long\n\n<details>\n<summary>More</summary>\n\ninside\n\n</details>\n\n${paragraphs.join('\n\n')}\n`
  )
  const writer = await open(document.url)
  await saved(writer.page)
  const { context, page } = await reader(document)
  await article(page).locator('summary').click()
  const middle = article(page).getByText('Paragraph 100,')
  await middle.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const top = (): Promise<number> => middle.evaluate((element) => Math.round(element.getBoundingClientRect().top))
  const before = await top()
  await writer.page.locator('.cm-content').press('Control+Home')
  await writer.page.keyboard.type('A first line.\n\nA second line.\n\n')
  await article(page).getByText('A second line.').waitFor({ state: 'attached' })
  // The browser corrects the scroll position when it lays out the page.
  await until(async () => Math.abs((await top()) - before) <= 1, 'the paragraph at its place')
  await writer.page.locator('.cm-content').press('Control+End')
  await writer.page.keyboard.type('The end.')
  await article(page).getByText('The end.').waitFor({ state: 'attached' })
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1)
  await writer.context.close()
  await context.close()
})

test('[WEB-104] the reading view begins at the passage that was visible in the editor, and stays there while pictures load', async () => {
  const document = await createDocument(world.url, 'soon')
  const response = await fetch(`${world.url}/api/docs/${document.id}/assets?name=lake.png`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', 'x-share-key': document.key },
    body: png(300, 400)
  })
  const { url } = (await response.json()) as { url: string }
  const board = '```board\n## Todo\n- [ ] One\n- [ ] Two\n## Done\n- [x] Three\n```'
  const rows = Array.from({ length: 90 }, (_, index) =>
    index % 15 === 7 ? `![lake](${url})\n\n${board}` : `Row ${index}, with enough words.`
  )
  const items = Array.from({ length: 90 }, (_, index) => `- Row ${index + 100}, with enough words.`)
  await fetch(`${world.url}/api/docs/${document.id}/content`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'x-share-key': document.key },
    body: `# Long\n\n${rows.join('\n\n')}\n\n${items.join('\n')}\n\n${rows.slice(0, 5).join('\n\n')}\n`
  })
  const { context, page } = await open(document.url)
  await saved(page)
  const topOf = (scope: string, words: string): Promise<number> =>
    page
      .locator(scope)
      .getByText(`${words}, with`)
      .evaluate((element) => element.getBoundingClientRect().top)
  for (const wanted of ['Row 60', 'Row 150']) {
    const line = page.locator('.cm-line', { hasText: `${wanted}, with` })
    await until(async () => {
      await page.locator('.cm-scroller').hover()
      if (!(await line.isVisible())) await page.mouse.wheel(0, 300)
      return line.isVisible()
    }, `${wanted} in the editor`)
    await line.evaluate((element) => element.scrollIntoView({ block: 'start' }))
    await until(async () => {
      const before = await topOf('.cm-content', wanted)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      return Math.abs(before - (await topOf('.cm-content', wanted))) < 1
    }, 'a still editor')
    const place = await topOf('.cm-content', wanted)
    await page.getByRole('button', { name: 'Read' }).click()
    await article(page).locator('img').first().waitFor()
    await until(
      () => page.locator('.reading').evaluate((host) => [...host.shadowRoot!.querySelectorAll('img')].every(({ complete }) => complete)),
      'the pictures'
    )
    // The lines of both views have slightly different distances.
    await until(async () => Math.abs((await topOf('.reading article', wanted)) - place) < 20, `${wanted} at its height`).catch(async () =>
      expect(await topOf('.reading article', wanted)).toBe(place)
    )
    await page.keyboard.press('Control+Alt+KeyP')
    await page.locator('.cm-live').waitFor()
  }
  await context.close()
})

test('[WEB-54] [WEB-108] [WEB-114] links to headings can be copied and followed, other links leave the document open', async () => {
  const document = await createDocument(
    world.url,
    `# One\n\n[down](#far-away) [out](${world.url}/api/health) [far](https://example.com/)\n\n${'word\n\n'.repeat(100)}## Far away\n\n\`\`\`\ncode\n\`\`\`\n`
  )
  const { context, page, heard } = await reader(document)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const far = article(page).getByRole('heading', { name: 'Far away' })
  const visible = (): Promise<boolean> => far.evaluate((element) => element.getBoundingClientRect().top < innerHeight)
  expect(await visible()).toBe(false)
  await article(page).getByRole('link', { name: 'down' }).click()
  await until(visible, 'the heading in view')
  // [WEB-114] The button covers no code until the pointer is on the code.
  const copy = article(page).getByRole('button', { name: 'Copy code' })
  const opacity = (): Promise<string> => copy.evaluate((button) => getComputedStyle(button).opacity)
  expect(await opacity()).toBe('0')
  await article(page).locator('pre').hover()
  expect(await opacity()).toBe('1')
  expect(page.url()).toBe(`${world.url}/d/${document.id}#far-away`)
  await article(page).getByRole('link', { name: 'Link to this section' }).first().click()
  await page.getByText('Link to this section copied').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${world.url}/d/${document.id}#one`)
  await far.selectText()
  await page.keyboard.press('Control+c')
  const copied = page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    return Promise.all(['text/plain', 'text/html'].map(async (type) => (await item?.getType(type))?.text()))
  })
  const [plain, html] = await copied
  expect(plain?.trim()).toBe('Far away')
  expect(html).toContain('Far away')
  expect(html).not.toContain('#')
  await page.goto('about:blank')
  await page.goto(`${world.url}/d/${document.id}#far-away`)
  await far.waitFor()
  await until(visible, 'the heading in view at once')
  await context.route('https://example.com/**', (route) => route.fulfill({ body: 'far' }))
  const [other] = await Promise.all([context.waitForEvent('page'), article(page).getByRole('link', { name: 'far', exact: true }).click()])
  await other.waitForURL('https://example.com/')
  expect(await other.evaluate(() => globalThis.opener)).toBeNull()
  expect(heard).toEqual([])
  await context.close()
})

const diagrams = `# Diagrams

\`\`\`mermaid
flowchart LR
  A[Write] --> B{Good?}
  B -->|yes| C[Publish]
\`\`\`

\`\`\`mermaid
sequenceDiagram
  Ana->>Bea: Hello
  Bea->>
\`\`\`

\`\`\`mermaid
flowchart LR
${'  A --> B\n'.repeat(6000)}\`\`\`
`

test.each(['the reading view', 'the published page'])(
  '[WEB-55] diagrams are drawn as safe pictures on %s; one that cannot be drawn shows the reason and the place',
  async (where) => {
    const document = await createDocument(world.url, diagrams)
    const isReading = where === 'the reading view'
    const { context, page, heard } = isReading ? await reader(document) : await open(await publish(document))
    const figures = page.locator('figure.component-mermaid')
    const shown = async (index: number, what: string): Promise<void> => {
      await figures.nth(index).scrollIntoViewIfNeeded()
      await figures.nth(index).locator(what).first().waitFor()
    }
    await shown(0, 'img')
    const picture = figures.first().locator('img')
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(100)
    expect(await picture.getAttribute('alt')).toMatch(/flowchart/)
    await figures.first().getByText('Source of the diagram').click()
    await figures.first().getByText('A[Write]').waitFor()
    await shown(1, '.diagram-error')
    expect(await figures.nth(1).locator('.diagram-error').textContent()).toMatch(/cannot be drawn\. Line \d: \S/)
    expect(await figures.nth(1).locator('pre').isVisible()).toBe(true)
    await shown(2, '.diagram-error')
    expect(await figures.nth(2).locator('.diagram-error').textContent()).toMatch(/longer than 50 KB/)
    expect(await page.locator('iframe').count()).toBe(1)
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
    expect(heard).toEqual([])
    await context.close()
  }
)

test('[WEB-55] the drawing frame has no origin and may load only its script', async () => {
  const { headers, status } = await fetch(`${world.url}/diagram/frame.html`)
  expect(status).toBe(200)
  expect((headers.get('content-security-policy') ?? '').split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts'
  ])
})

const hostileDiagrams = [
  'flowchart LR\n  A["<img src=x onerror=alert(1)><script>alert(2)</script>"] --> B\n  click A href "javascript:alert(3)"',
  'flowchart LR\n  A --> B\n  click A call alert(4)\n  style A fill:url(https://evil.example/a)',
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "theme": "base", "themeCSS": "*{background:url(https://evil.example/b)}"}}%%\nflowchart LR\n  A["<iframe src=javascript:alert(5)></iframe>"]',
  'sequenceDiagram\n  Ana->>Bea: <svg onload=alert(6)>\n  link Ana: x @ javascript:alert(7)',
  '---\ntitle: <img src=x onerror=alert(8)>\nconfig:\n  securityLevel: loose\n---\nclassDiagram\n  class A["<b onmouseover=alert(9)>x</b>"]\n  click A href "javascript:alert(10)"',
  'gantt\n  title <script>alert(11)</script>\n  section <img src=x onerror=alert(12)>\n  a :x1, 2026-01-01, 3d\n  click x1 href "javascript:alert(13)"'
]

test('[WEB-55] a hostile diagram runs nothing, and its picture contains nothing that could', async () => {
  const document = await createDocument(world.url, hostileDiagrams.map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`).join('\n'))
  const { context, page } = await open(await publish(document))
  const outside: string[] = []
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => outside.push(dialog.message())))
  // The browser calls this after it has applied the policies and before a request leaves.
  await context.route(/evil\.example/, (route) => {
    outside.push(route.request().url())
    return route.abort()
  })
  await page.evaluate(() => {
    // The policy of the library's frame stops code that the library itself lets through. Only violations on this page count.
    globalThis.document.addEventListener('securitypolicyviolation', (event) => (globalThis.document.title += ` ${event.violatedDirective}`))
  })
  const figures = page.locator('figure.component-mermaid')
  for (let index = 0; index < hostileDiagrams.length; index++) {
    await figures.nth(index).scrollIntoViewIfNeeded()
    await figures.nth(index).locator('img, .diagram-error').first().waitFor()
  }
  const pictures = await page
    .locator('figure img')
    .evaluateAll((all) => all.map((one) => decodeURIComponent((one as HTMLImageElement).src)))
  expect(pictures.length).toBeGreaterThanOrEqual(4)
  for (const picture of pictures) {
    expect(picture.startsWith('data:image/svg+xml;')).toBe(true)
    expect(picture).not.toMatch(/<(script|iframe|object|embed|img)[\s>]|\son\w+="|(href|src)="javascript:/i)
  }
  expect(outside).toEqual([])
  expect(await page.title()).not.toMatch(/src|default/)
  await context.close()
})
