/** Exporting documents in the browser, to a file and to paper. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileTexts } from '../support/hostile.ts'
import { png } from '../support/media.ts'
import { start, type World } from '../support/start.ts'
import { look } from './appearance.ts'
import {
  complaints,
  createDocument,
  type Document,
  editorText,
  launch,
  ownPage,
  readMarkdown,
  replaceInScripts,
  saved,
  until
} from './browser.ts'

let world: World
let browser: Browser
let folder: string
beforeAll(async () => {
  world = await start()
  browser = await launch()
  folder = await mkdtemp(join(tmpdir(), 'agmd-export-'))
})
afterAll(async () => {
  await browser.close()
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

const text = `# Lakes *of* the North

A walk with \`code\`, a [link](https://example.org), a [^1] note, and $a^2 + b^2$.

\`\`\`js
const lake = 'first' // coloured
\`\`\`

\`\`\`mermaid
graph TD
  A[First] --> B[Second]
\`\`\`

- [x] done

[^1]: At the end.
`

/** Exports the page as a person does. Returns the path of the file. */
async function taken(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'More' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as web page' }).click()])
  expect(download.suggestedFilename()).toMatch(/\.html$/)
  const path = join(folder, `${name}.html`)
  await download.saveAs(path)
  return path
}

/** Downloads the Markdown as a person does. Returns the name of the file, and the files in it if it is an archive. */
async function markdownTaken(page: Page): Promise<{ readonly name: string; readonly files: Readonly<Record<string, Uint8Array>> }> {
  await page.getByRole('button', { name: 'More' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download as Markdown' }).click()])
  const name = download.suggestedFilename()
  const path = join(folder, name)
  await download.saveAs(path)
  const bytes = await readFile(path)
  return { name, files: name.endsWith('.zip') ? unzipSync(bytes) : { [name]: bytes } }
}

async function addPicture(document: Document, bytes: Uint8Array): Promise<string> {
  const answer = await fetch(`${world.url}/api/docs/${document.id}/assets?name=lake.png`, {
    method: 'POST',
    headers: { 'content-type': 'image/png', 'x-share-key': document.key },
    body: new Uint8Array(bytes)
  })
  return ((await answer.json()) as { markdown: string }).markdown
}

async function withPicture(): Promise<Document> {
  const document = await createDocument(world.url, text)
  const markdown = await addPicture(document, png())
  await fetch(`${world.url}/api/docs/${document.id}/edits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-share-key': document.key },
    body: JSON.stringify({ operations: [{ op: 'append', markdown }] })
  })
  return document
}

test('[EXPORT-1] [EXPORT-4] the document as one file looks like its published page, requests nothing, and nothing was uploaded for it', async () => {
  const document = await withPicture()
  const { context, page, heard } = await ownPage(browser)
  await page.goto(document.url)
  await saved(page)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
  })
  const path = await taken(page, 'lakes')
  const markdown = await readMarkdown(world.url, document)
  const picture = /\((\/f\/([^)]+))\)/.exec(markdown)
  expect(await markdownTaken(page)).toEqual({
    name: 'Lakes of the North.zip',
    files: {
      'Lakes of the North.md': new TextEncoder().encode(markdown.replace(picture?.[1] ?? '', `files/${picture?.[2]}`)),
      [`files/${picture?.[2]}`]: new Uint8Array(png())
    }
  })
  expect(sent).toEqual([])
  expect(await page.locator('.print-sheet').count()).toBe(0)

  const asked: string[] = []
  const reader = await browser.newContext({ offline: true })
  const file = await reader.newPage()
  file.on('request', (request) => {
    if (!/^(file|data|about):/.test(request.url())) asked.push(request.url())
  })
  const broken = complaints(file)
  await file.goto(`file://${path}`)
  await file.locator('article h1').waitFor()
  await file.evaluate(() => globalThis.document.fonts.ready)
  expect(asked).toEqual([])
  // The picture and the diagram are embedded, the formula is typeset, and the typeface is included.
  const widths = await file.locator('article img').evaluateAll((list) => list.map((image) => (image as HTMLImageElement).naturalWidth))
  expect(widths).toHaveLength(2)
  expect(widths.every((width) => width > 0)).toBe(true)
  expect(await file.locator('math').count()).toBe(1)
  expect(await file.locator('.hljs-keyword, [class*=hljs]').count()).toBeGreaterThan(0)
  expect(
    await file.evaluate(() =>
      [...globalThis.document.fonts].some((font) => font.family.includes('Source Serif') && font.status === 'loaded')
    )
  ).toBe(true)

  await fetch(`${world.url}/api/docs/${document.id}/publish`, { method: 'POST', headers: { 'x-share-key': document.key } })
  const published = await context.newPage()
  await published.goto(`${world.url}/pub/${document.id}`)
  await published.locator('figure.diagram').waitFor()
  const words = (where: Page): Promise<string> =>
    where.locator('article').evaluate((element) => {
      // The file contains no date of publication, so the dates below the titles differ.
      const copy = element.cloneNode(true) as Element
      copy.querySelector('.byline')?.remove()
      return (copy.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
    })
  expect(await words(file)).toBe(await words(published))
  const font = (where: Page): Promise<string> =>
    where.locator('article h1').evaluate((element) => {
      const { font: whole, color } = getComputedStyle(element)
      return `${whole} ${color}`
    })
  expect(await font(file)).toBe(await font(published))
  await look(file, 'export')
  expect([...heard, ...broken]).toEqual([])
  await context.close()
  await reader.close()
})

test('[EXPORT-4] [EXPORT-10] a download as Markdown leaves out files that are missing, too large or too many, says so, and links to them', async () => {
  const document = await createDocument(world.url, '# Words')
  const { page, heard, context } = await ownPage(browser)
  await replaceInScripts(page, { 104857600: '200', 'slice(0,500)': 'slice(0,3)' })
  await page.goto(document.url)
  await saved(page)
  expect((await markdownTaken(page)).name).toBe('Words.md')
  const small = await addPicture(document, png())
  const large = await addPicture(document, png(60, 60, [1, 90, 200]))
  const fourth = await addPicture(document, png(2, 2))
  const rest = '`![](/f/code.png)`\n\n![else](https://picture.example/f/a.png)'
  const content = `# Words\n\n${small} ${small}\n\n${large} ![gone](/f/gone.png "Gone")\n\n${fourth}\n\n${rest}`
  await fetch(`${world.url}/api/docs/${document.id}/content`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'x-share-key': document.key },
    body: content
  })
  await until(async () => (await editorText(page)) === content, 'the text with pictures')
  const { files } = await markdownTaken(page)
  await page.getByText('3 files are not in the download').waitFor()
  const [path, other, last] = [small, large, fourth].map((markdown) => /\((.+)\)/.exec(markdown)?.[1] ?? '')
  const name = `files/${path?.slice('/f/'.length)}`
  expect(Object.keys(files).toSorted()).toEqual(['Words.md', name].toSorted())
  const text = new TextDecoder().decode(Object.entries(files).find(([each]) => each.endsWith('.md'))?.[1])
  expect(text).toBe(
    `# Words\n\n![lake.png](${name}) ![lake.png](${name})\n\n![lake.png](${world.url}${other}) ![gone](${world.url}/f/gone.png "Gone")\n\n![lake.png](${world.url}${last})\n\n${rest}`
  )
  expect(heard).toEqual([])
  await context.close()
})

test('[EXPORT-6] [EXPORT-7] [IMPORT-23] [IMPORT-25] [IMPORT-26] [IMPORT-27] a downloaded archive opens as a new document with its pictures; others are refused in a sentence', async () => {
  const document = await createDocument(world.url, '# Words')
  const [red, green] = [png(1, 1, [200, 0, 0]), png(2, 2, [0, 200, 0])]
  const [first, second] = [await addPicture(document, red), await addPicture(document, green)]
  await fetch(`${world.url}/api/docs/${document.id}/content`, {
    method: 'PUT',
    headers: { 'content-type': 'text/markdown', 'x-share-key': document.key },
    body: `# Words\n\n${first} and ${second}\n\n${first}\n`
  })
  const { page, heard, context } = await ownPage(browser)
  await page.goto(document.url)
  await saved(page)
  const before = await markdownTaken(page)
  await page.goto(world.url)
  const input = page.locator('input[type=file]')
  const choose = (name: string, files: Readonly<Record<string, string>>): Promise<void> => {
    const bytes = Object.entries(files).map(([path, words]) => [path, new TextEncoder().encode(words)] as const)
    return input.setInputFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(zipSync(Object.fromEntries(bytes))) })
  }
  await choose('none.zip', { 'a.txt': 'text' })
  await page.getByText('“none.zip” contains no Markdown file. Choose an archive').waitFor()
  await choose('some.zip', { 'a.md': '# Some\n\n![a](a.png)', 'a.png': 'no picture' })
  await page
    .getByText('“some.zip”: The document was created without 1 file, and the link to it is unchanged. The file does not match')
    .waitFor()
  const encoder = new TextEncoder()
  const texts = {
    'a.md': '# Ants\n\n![p](p/a.png) [b](in/b.md#bees) [c](c.md) [[b|B]]',
    'in/b.md': '# Bees\n\n![p](../p/a.png)',
    'c.md': '\0'
  }
  const several = Object.entries(texts).map(([path, words]) => [path, encoder.encode(words)] as const)
  const zip = zipSync({ ...Object.fromEntries(several), 'p/a.png': new Uint8Array(red) })
  await input.setInputFiles({ name: 'several.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) })
  const notice = page.getByRole('alert')
  await notice.getByText('2 documents created').waitFor()
  await notice.getByText('“c.md” is not a text file.').waitFor()
  for (const name of ['Ants', 'Bees']) {
    const other = await context.newPage()
    await other.goto(`${world.url}${await page.getByRole('link', { name }).getAttribute('href')}`)
    await saved(other)
    expect(await editorText(other)).toMatch(new RegExp(String.raw`^# ${name}\n\n!\[p\]\(/f/`))
    const bees = (await page.getByRole('link', { name: 'Bees' }).getAttribute('href')) ?? ''
    if (name === 'Ants') expect(await editorText(other)).toContain(` [b](${bees}#bees) [c](c.md) [B](${bees})`)
    await other.close()
  }
  const chosen = { 'Cats.md': '# Cats\n\n[dogs](Dogs.md)', 'Dogs.md': '# Dogs\n\n[[Cats]]' }
  await input.setInputFiles(
    Object.entries(chosen).map(([name, words]) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(words) }))
  )
  // This notice is not an alert, because no file was refused.
  await notice.locator('.notice').waitFor({ state: 'detached' })
  await page.getByText('2 documents created').waitFor()
  const cats = await page.getByRole('link', { name: 'Cats' }).getAttribute('href')
  await page.getByRole('link', { name: 'Dogs' }).click()
  await saved(page)
  await until(async () => (await editorText(page)) === `# Dogs\n\n[Cats](${cats})`, 'the link to the other document')
  await page.goto(world.url)
  const names = Array.from({ length: 52 }, (_, index) => [`n/${String(index + 1).padStart(2, '0')}.md`, '\0'] as const)
  await choose('many.zip', Object.fromEntries(names))
  await notice.getByText('2 files were not imported, beginning with “n/51.md”. You can import up to 50 documents at once.').waitFor()
  expect(await notice.locator('li').count()).toBe(51)
  await input.setInputFiles(join(folder, before.name))
  await page.waitForURL(/\/d\//)
  await saved(page)
  expect(page.url()).not.toContain(document.id)
  await until(async () => (await editorText(page)).includes('/f/'), 'the text with pictures')
  const after = await markdownTaken(page)
  // The uploads have new addresses. In the order of the text, everything else is the same.
  const plain = ({ name, files }: typeof before): unknown => {
    const markdown = new TextDecoder().decode(files['Words.md'])
    const places = [...markdown.matchAll(/\((files\/[^)]+)\)/g)].map(([, place = '']) => place)
    return {
      name,
      words: markdown.replaceAll(/files\/[^)]+/g, ''),
      count: Object.keys(files).length,
      files: places.map((place) => files[place])
    }
  }
  expect(plain(after)).toEqual(plain(before))
  expect(plain(after)).toMatchObject({ name: 'Words.zip', count: 3, files: [red, green, red].map((each) => new Uint8Array(each)) })
  expect(heard).toEqual([])
  await context.close()
})

test('[EXPORT-2] a hostile document exported as a file runs and loads nothing', async () => {
  const texts = hostileTexts([])
  const some = texts.filter((_, index) => index % Math.ceil(texts.length / 400) === 0)
  const document = await createDocument(
    world.url,
    `# "><script>canary(1)</script>\n\n${some.map((each) => `- ${each.replaceAll('\n', '\n  ')}\n`).join('\n')}`
  )
  const context = await browser.newContext()
  await context.route(
    (url) => url.hostname.endsWith('.example'),
    (route) => route.abort()
  )
  const page = await context.newPage()
  await page.goto(document.url)
  await saved(page)
  const path = await taken(page, 'hostile')
  const html = await readFile(path, 'utf8')
  expect(html).toContain('Content-Security-Policy')
  const reader = await browser.newContext()
  const found: string[] = []
  await reader.exposeFunction('canary', () => void found.push('ran'))
  await reader.route(
    // Pictures and videos in the text may be requested from their own addresses, and from the document's service.
    (url) => url.protocol.startsWith('http') && url.host !== 'picture.example' && url.origin !== world.url,
    (route) => {
      found.push(route.request().url())
      return route.abort()
    }
  )
  const file = await reader.newPage()
  file.on('dialog', (asked) => {
    found.push(asked.type())
    void asked.dismiss()
  })
  await file.goto(`file://${path}`)
  await file.locator('article').waitFor()
  // Nothing would run even without the file's policy, because the file contains no scripts, event handlers or script addresses.
  expect(
    await file.evaluate(() => {
      const all = [...globalThis.document.querySelectorAll('*')]
      return all
        .filter(
          (element) =>
            element.matches('script, iframe, object, embed, form') ||
            [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value))
        )
        .map((element) => element.outerHTML.slice(0, 200))
    })
  ).toEqual([])
  expect(found).toEqual([])
  await context.close()
  await reader.close()
})

test('[EXPORT-3] [PRINT-30] [PRINT-31] [COMP-187] a printout has only the whole text: typeset by our own command, and from the browser’s menu once the page has been idle', async () => {
  const long = Array.from({ length: 400 }, (_, index) => `Line ${index} of the walk.`).join('\n\n')
  const document = await createDocument(world.url, `${text}\n${long}\n`)
  const { context, page, heard } = await ownPage(browser, { colorScheme: 'dark' })
  await page.addInitScript(() => {
    globalThis.print = () => {
      ;(globalThis as { printed?: boolean }).printed = true
    }
  })
  await page.goto(document.url)
  await saved(page)
  await page.keyboard.press('ControlOrMeta+p')
  await page.waitForFunction(() => (globalThis as { printed?: boolean }).printed === true)
  await page.emulateMedia({ media: 'print' })
  const visible = (): Promise<string[]> =>
    page.evaluate(() =>
      [...globalThis.document.body.children]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .map(({ className }) => className)
    )
  expect(await visible()).toEqual(['print-sheet'])
  const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(globalThis.document.documentElement).backgroundColor)
  const sheet = page.locator('.print-sheet article')
  expect(await sheet.locator('p', { hasText: 'Line 399 of the walk.' }).count()).toBe(1)
  expect(await sheet.locator('figure.diagram img').count()).toBe(1)
  const drawing = decodeURIComponent((await sheet.locator('figure.diagram img').getAttribute('src')) ?? '')
  expect(drawing.includes('drop-shadow(')).toBe(false)
  expect(await sheet.locator('figure.diagram pre').isVisible()).toBe(false)
  const tick = sheet.locator('li.task input').first()
  expect(await tick.evaluate((element) => getComputedStyle(element).printColorAdjust)).toBe('exact')
  // The printed text is dark, and the paper white, in any theme.
  expect(await sheet.evaluate((element) => getComputedStyle(element).getPropertyValue('--text').trim())).toBe('#26201c')
  expect(await paper()).toBe('rgb(255, 255, 255)')
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  expect(await page.locator('.print-sheet').count()).toBe(0)
  const fromMenu = (): Promise<{ text: string; pictures: number; hidden: number }> =>
    page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'))
      const article = globalThis.document.querySelector('.print-sheet')?.shadowRoot?.querySelector('article')
      const text = article?.textContent ?? ''
      const pictures = article?.querySelectorAll('figure.diagram img').length ?? 0
      // A printer cuts off everything beyond the edge of the text.
      const edge = article?.getBoundingClientRect().left ?? 0
      const boxes = [...(article?.querySelectorAll('li.task input') ?? [])]
      const hidden = boxes.filter((box) => box.getBoundingClientRect().left < edge).length
      dispatchEvent(new Event('afterprint'))
      return { text, pictures, hidden }
    })
  await until(async () => (await fromMenu()).text.includes('Line 399 of the walk.'), 'the rendered text')
  expect(await fromMenu()).toMatchObject({ pictures: 1, hidden: 0 })
  // A board and a diagram that came later are drawn once the pointer has left the page.
  await page.locator('.cm-content').press('Control+Home')
  await page.keyboard.insertText('```board\n## Todo\n- [ ] Pack\n```\n\n')
  const later = 'Line 0 of the walk.\n\n```mermaid\nflowchart LR\n  Late --> Later\n```'
  const answer = await fetch(`${world.url}/api/docs/${document.id}/content`, {
    method: 'PATCH',
    headers: { 'x-share-key': document.key, 'content-type': 'application/json' },
    body: JSON.stringify({ edits: [{ find: 'Line 0 of the walk.', replace: later }] })
  })
  expect(answer.status).toBe(200)
  await until(async () => (await fromMenu()).text.includes('Late --> Later'), 'the new diagram, as source')
  await page.evaluate(() => globalThis.document.documentElement.dispatchEvent(new Event('mouseleave')))
  await until(async () => !(await fromMenu()).text.includes('- [ ]') && (await fromMenu()).pictures === 2, 'the board and the diagram')
  // Without the code, the Markdown is printed in full.
  await page.route(/whole-text/, (route) => route.abort())
  await page.emulateMedia({ media: null })
  await page.reload()
  await saved(page)
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  expect(await visible()).toEqual(['print-sheet'])
  expect(await page.locator('pre.print-sheet').textContent()).toContain('Line 399 of the walk.')
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await page.emulateMedia({ media: null })
  expect(await page.locator('.print-sheet').count()).toBe(0)
  expect(heard).toEqual([])
  await context.close()
})
