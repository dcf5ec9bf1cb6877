/** Hostile text, names, titles and labels on every page that shows them, in a real browser. Nothing may run or load. */
import { createRequire } from 'node:module'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { hostileNames, hostileTexts } from '../support/hostile.ts'
import { isLong, repeats } from '../support/repeats.ts'
import type { World } from '../support/start.ts'
import { seeded } from '../support/typist.ts'
import { createDocument, createLink, type Document, saved, until } from './browser.ts'
import { onStage } from './stage.ts'

let world: World
let browser: Browser
// Only the full browser isolates hostile content as users' browsers do.
onStage((stage) => ({ world, browser } = stage), { whole: true })

const { tests: examples } = createRequire(import.meta.url)('commonmark-spec') as { tests: { markdown: string; section: string }[] }
const corpus = hostileTexts(
  examples
    .filter(({ section }) =>
      ['Raw HTML', 'HTML blocks', 'Autolinks', 'Links', 'Images', 'Entity and numeric character references'].includes(section)
    )
    .map(({ markdown }) => markdown.replaceAll('→', '\t'))
)

// Each run uses the same random sixteenth of the inputs. `npm run test:all` uses all of them.
const draw = seeded(1)
const tried = isLong ? corpus : corpus.filter(() => draw(16) === 0)

const textsPerPage = 1000

// Each text is a list item. Everything that the text opens ends with its item, so no text can hide another one.
const pages = Array.from({ length: Math.ceil(tried.length / textsPerPage) }, (_, page) => {
  const texts = tried.slice(page * textsPerPage, (page + 1) * textsPerPage)
  return `# Page ${page}\n\n${texts.map((text) => `- ${text.replaceAll('\n', '\n  ')}\n`).join('\n')}\n\nEnd of page ${page}.\n`
})

interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** The scripts that ran, the requests to other origins, and the policy violations. */
  readonly found: string[]
}

async function watched(): Promise<Watched> {
  const context = await browser.newContext()
  const found: string[] = []
  // The browser calls this after it has applied the policies and before a request leaves.
  await context.route(
    (url) => url.origin !== world.url && url.protocol.startsWith('http') && url.host !== 'picture.example',
    (route) => {
      found.push(`request: ${route.request().url()}`)
      return route.abort()
    }
  )
  await context.exposeFunction('tellFound', (what: string) => void found.push(what))
  await context.addInitScript(() => {
    const tell = (what: string): void => void (globalThis as unknown as { tellFound(what: string): Promise<void> }).tellFound(what)
    const trap = (name: string) => (): void => tell(`ran: ${name}`)
    for (const name of ['canary', 'alert', 'print', 'prompt', 'confirm']) Object.assign(globalThis, { [name]: trap(name) })
    globalThis.document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sourceFile, sample } = event as SecurityPolicyViolationEvent
      // The policy refuses pictures without https that the text names.
      if (effectiveDirective === 'img-src' && blockedURI.startsWith('http://picture.example/')) return
      tell(`policy: ${effectiveDirective} ${blockedURI} ${sourceFile} ${sample}`)
    })
  })
  await context.route('https://picture.example/**', (route) => route.abort())
  // Aborting these requests keeps hundreds of players from requesting missing files.
  await context.route(`${world.url}/f/**`, (route) => route.abort())
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => found.push(`dialog: ${dialog.message()}`)))
  page.on('pageerror', (error) => found.push(`error: ${error.stack ?? String(error)}`))
  page.on('popup', (popup) => found.push(`window: ${popup.url()}`))
  page.on(
    'framenavigated',
    (frame) => frame.url().startsWith(world.url) || frame.url() === 'about:blank' || found.push(`went to: ${frame.url()}`)
  )
  return { context, page, found }
}

/**
 * Returns elements and attributes below `selector` (in its shadow root, if it has one) that no text may create. Opens every part that can be opened,
 * and hovers over and focuses every element that could react.
 */
const dangers = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate((wanted) => {
    const host = globalThis.document.querySelector(wanted)
    const root = host?.shadowRoot ?? host
    if (root == null) return [`no ${wanted}`]
    const html =
      /^(a|abbr|article|audio|b|blockquote|br|cite|code|del|details|div|em|figcaption|figure|h[1-6]|hr|img|input|ins|kbd|li|mark|ol|p|pre|q|s|samp|section|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|time|tr|u|ul|var|video)$/
    // Charts consist of these elements.
    const drawn = /^(svg|title|desc|g|rect|path|circle|text)$/
    const drawing = /^(aria-labelledby|class|cx|cy|d|height|id|r|role|text-anchor|viewBox|width|x|xmlns|y)$/
    const attributes =
      /^(alt|aria-[a-z]+|checked|class|controls|data-height|data-sheet|data-state|datetime|dir|disabled|href|id|loading|open|preload|referrerpolicy|rel|role|scope|src|start|tabindex|title|type)$/
    const copy = '<button type="button" class="copy-code" aria-label="Copy code" title="Copy code"></button>'
    const addresses = /^(https?|mailto|tel|sms|geo|xmpp|matrix|ircs?|s?ftp|git|ssh):$/
    const found: string[] = []
    for (const element of root.querySelectorAll('*')) {
      const math = element.namespaceURI === 'http://www.w3.org/1998/Math/MathML'
      const name = element.localName
      const svg = element.namespaceURI === 'http://www.w3.org/2000/svg'
      // The script of the page creates this button.
      if (name === 'button' && element.className === 'widget-run') continue
      const own = element.closest('button.copy-code')
      const isCopy = (own?.cloneNode(false) as Element | undefined)?.outerHTML === copy
      if (isCopy && (element === own || element.matches('button > svg.icon:only-child, button > svg.icon > path'))) continue
      if (
        math
          ? /annotation-xml|maction|mglyph|script/.test(name)
          : svg
            ? !drawn.test(name) || element.closest('.component-chart') === null
            : !html.test(name) || element.namespaceURI !== 'http://www.w3.org/1999/xhtml'
      )
        found.push(element.outerHTML.slice(0, 200))
      if (name === 'input' && element.getAttribute('type') !== 'checkbox') found.push(element.outerHTML.slice(0, 200))
      for (const { name: attribute, value } of element.attributes) {
        if (/^on|^style$/.test(attribute) || (!math && !(svg ? drawing : attributes).test(attribute)))
          found.push(`${attribute}: ${element.outerHTML.slice(0, 200)}`)
        if (!/^(href|src|xlink:href|action|formaction|data|poster|background|srcset)$/.test(attribute)) continue
        // A link without a valid address leads nowhere.
        if (!URL.canParse(value, location.href)) continue
        const { protocol } = new URL(value, location.href)
        const picture = attribute === 'src' && /^data:image\/(png|gif|jpeg|webp|avif);base64,/i.test(value)
        if (!addresses.test(protocol) && !picture) found.push(`${attribute}: ${element.outerHTML.slice(0, 200)}`)
      }
    }
    for (const element of root.querySelectorAll<HTMLElement>('details')) element.setAttribute('open', '')
    // Code can react to an event only through an attribute, and only a few of the thousands of elements have one.
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      if (!element.getAttributeNames().some((name) => name.startsWith('on'))) continue
      for (const type of ['mouseover', 'pointerenter', 'focus', 'error', 'load', 'toggle', 'animationstart'])
        element.dispatchEvent(new Event(type, { bubbles: false }))
    }
    return found.slice(0, 5)
  }, selector)

/**
 * Waits until the reading view ends with text. Only footnotes may follow that text. Searching the entire page or every frame would take longer than
 * the wait itself.
 */
const ends = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => {
      const last = globalThis.document.querySelector('.reading')?.shadowRoot?.querySelector('article')?.lastElementChild
      return [last, last?.previousElementSibling].some((block) => block?.localName === 'p' && block.textContent === wanted)
    },
    text,
    { polling: 100 }
  )

/** Waits until the text in the editor ends with these words, by looking at its end. */
const shows = async (page: Page, text: string): Promise<void> => {
  await until(async () => {
    await page.locator('.cm-scroller').evaluate((scroller) => (scroller.scrollTop = scroller.scrollHeight))
    return (await page.locator('.cm-line').allTextContents()).includes(text)
  }, `the editor shows “${text}”`)
}

/** Returns parts of the live view that no text may create. Icons and complete formulas are allowed. */
const liveDangers = (page: Page): Promise<string[]> =>
  page.locator('.cm-content').evaluate((content) => {
    const found = [...content.querySelectorAll('script, iframe, object, embed, form, style, link, base')]
    for (const element of content.querySelectorAll('svg, svg *, math, math *')) {
      const isIcon = element.closest('svg') !== null && /^(svg|path|circle|rect|line|polyline|g)$/.test(element.localName)
      const isFormula = element.closest('math') !== null && !/annotation-xml|maction|mglyph|script|svg/.test(element.localName)
      if ((!isIcon && !isFormula) || element.getAttributeNames().some((name) => /^on|href|^src$/.test(name))) found.push(element)
    }
    return found.slice(0, 5).map((element) => element.outerHTML.slice(0, 200))
  })

const put = async ({ id, key }: Document, content: string): Promise<void> => {
  const answer = await fetch(`${world.url}/api/docs/${id}/content`, {
    method: 'PUT',
    headers: { 'x-share-key': key, 'content-type': 'text/markdown' },
    body: content
  })
  expect(answer.status).toBe(200)
}

test('[HOSTILE-1] the same text runs as HTML, and the test notices', async () => {
  const { context, page, found } = await watched()
  await page.goto('about:blank')
  const some = corpus.filter((text) => /^<(img|svg|video|details|body|a|script)/.test(text)).slice(0, 400)
  for (let at = 0; at < some.length; at += 20) await page.setContent(`<article>${some.slice(at, at + 20).join('\n')}</article>`)
  await until(() => found.some((what) => what.startsWith('ran: ')), 'text to run')
  expect((await dangers(page, 'article')).length).toBeGreaterThan(0)
  await context.close()
})

// Both tests take a minute on an idle machine, and exceed the usual limit on a busy one.
const timeout = 300_000

test('[HOSTILE-1] no text runs or loads anything on the published page, and none creates a node that could', { timeout }, async () => {
  console.log(`${tried.length} of ${corpus.length} texts on ${pages.length} pages`)
  expect(corpus.length).toBeGreaterThan(10_000)
  const document = await createDocument(world.url, 'start')
  const { context, page, found } = await watched()
  await fetch(`${world.url}/api/docs/${document.id}/publish`, { method: 'POST', headers: { 'x-share-key': document.key } })
  for (const [index, text] of pages.entries()) {
    await put(document, text)
    const answer = await page.goto(`${world.url}/pub/${document.id}`)
    expect(answer?.status()).toBe(200)
    expect(await dangers(page, 'article'), `page ${index}`).toEqual([])
    expect(await page.title()).toBe(`Page ${index}`)
    expect(await page.locator('script:not(head > script[src^="/assets/widgets-"]), iframe, base, object, embed, form').count()).toBe(0)
  }
  expect(found).toEqual([])
  await context.close()
})

test('[HOSTILE-2] no text runs or loads anything in the reading view and the live view, while others write it', { timeout }, async () => {
  const document = await createDocument(world.url, 'start')
  const { context, page, found } = await watched()
  await page.goto((await createLink(world.url, document, 'view')).url)
  await page.locator('.reading article').getByText('start').waitFor()
  for (const [index, text] of pages.entries()) {
    await put(document, text)
    await ends(page, `End of page ${index}.`)
    expect(await dangers(page, '.reading'), `page ${index}`).toEqual([])
  }
  expect(await page.locator('iframe').count()).toBe(0)
  // The editor draws only the visible part, so the test scrolls page by page.
  await page.getByRole('button', { name: 'Read' }).click()
  await page.locator('.cm-live').waitFor()
  for (const [index, text] of pages.entries()) {
    if (index % 3 !== 0) continue
    await put(document, text)
    await shows(page, `End of page ${index}.`)
    await page.locator('.cm-scroller').evaluate(async (scroller) => {
      for (let at = 0; at < scroller.scrollHeight; at += scroller.clientHeight * 4) {
        scroller.scrollTop = at
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    })
    expect(await liveDangers(page), `page ${index}`).toEqual([])
  }
  expect(found).toEqual([])
  await context.close()
})

test('[HOSTILE-3] titles, labels of links and names are plain text everywhere', async () => {
  const { context, page, found } = await watched()
  const owned = await createDocument(world.url, '# Owned\n')
  for (const label of hostileNames) {
    const answer = await fetch(`${world.url}/api/docs/${owned.id}/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-share-key': owned.key },
      body: JSON.stringify({ role: 'edit', label })
    })
    expect(answer.status).toBe(201)
  }
  await page.goto(owned.url)
  await saved(page)
  await page.getByRole('button', { name: 'Share' }).click()
  await page
    .locator('.share-row')
    .nth(hostileNames.length - 1)
    .waitFor()
  const labels = await page.locator('.share-row strong').allTextContents()
  expect(labels.toSorted()).toEqual(['Your own link', ...hostileNames.map((name) => name.trim())].toSorted())
  await page.keyboard.press('Escape')

  // People with hostile names connect and show their cursors.
  const sockets: HocuspocusProviderWebsocket[] = []
  for (const name of hostileNames.slice(0, 30)) {
    const doc = new Y.Doc()
    const socket = new HocuspocusProviderWebsocket({ url: `${world.url.replace('http', 'ws')}/collab`, WebSocketPolyfill: WebSocket })
    const provider = new HocuspocusProvider({ name: owned.id, document: doc, token: owned.key, websocketProvider: socket })
    provider.awareness?.setLocalState({})
    provider.attach()
    sockets.push(socket)
    await until(() => provider.isSynced, 'a person')
    const at = Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(doc.getText('content'), 2))
    provider.awareness?.setLocalState({ user: { name }, cursor: { anchor: at, head: at } })
  }
  await until(async () => (await page.locator('.remote-caret').count()) >= 30, 'their cursors')
  const shown = await page.locator('.remote-caret span').allTextContents()
  expect(shown.some((name) => name.includes('<script'))).toBe(true)
  expect(await page.locator('.avatar').count()).toBeGreaterThan(3)
  expect(
    await page.locator('#app :is(script, iframe, img:not(.cm-widgetBuffer), object, embed, form, base, style, link, video, audio)').count()
  ).toBe(0)
  for (const socket of sockets) socket.destroy()

  // Titles appear on the page, on published pages and in the list of documents.
  for (const [index, name] of hostileNames.entries()) {
    const document = await createDocument(world.url, `# \`\` ${name.replaceAll('`', "'")} \`\`\n`)
    await fetch(`${world.url}/api/docs/${document.id}/publish`, { method: 'POST', headers: { 'x-share-key': document.key } })
    const html = await (await fetch(`${world.url}/pub/${document.id}`)).text()
    expect(html.match(/<(script|iframe|img|svg|object|embed|base|form|style)/g), name).toBeNull()
    // All of these pages are made in the same way, so it is enough to open some of them.
    if (index % repeats(24, 8) !== 0) continue
    await page.goto(`${world.url}/pub/${document.id}`)
    expect(await dangers(page, 'body > main')).toEqual([])
    await page.goto(document.url)
    await saved(page)
    expect(await page.locator('#app :is(script, iframe, img:not(.cm-widgetBuffer), object, embed, base, style, link)').count()).toBe(0)
  }
  await page.evaluate((names) => {
    const list = names.map((title, index) => ({ id: `x${index}`, title, role: 'owner', key: 'k', openedAt: index + 1, received: true }))
    localStorage.setItem('agmd.documents', JSON.stringify(list))
  }, hostileNames)
  await page.goto(world.url)
  await page
    .locator('.recent')
    .nth(hostileNames.length - 1)
    .waitFor()
  expect((await page.locator('.recent-title').allTextContents()).toSorted()).toEqual(
    hostileNames.map((name) => name || 'Untitled').toSorted()
  )
  expect(await page.locator('#app :is(script, iframe, img, object, embed, base, style, link)').count()).toBe(0)
  expect(found).toEqual([])
  await context.close()
})
