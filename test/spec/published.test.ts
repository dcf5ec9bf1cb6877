import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import type { Job, Page } from '../../server/http/published/worker.ts'
import { Lane } from '../../server/threads/lane.ts'
import { limits } from '../../shared/limits.ts'
import { pageHtml, type Page as PageToWrite } from '../../shared/markdown/published-html.ts'
import { signUp } from '../support/visitor.ts'
import { startWorld, type World } from '../support/world.ts'

const blank: PageToWrite = {
  title: 'T',
  description: '',
  url: undefined,
  markdownUrl: undefined,
  indexed: true,
  updatedAt: 0,
  headings: [],
  html: '',
  css: '',
  style: undefined,
  font: undefined,
  scripts: []
}

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const page = (doc: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${world.url}/pub/${doc}`, { headers })

test('[PUBLISH-1] an owner publishes and unpublishes; everyone can read the page exactly that long', async () => {
  const owner = await world.create('# Hello\n\nA *page*.\n')
  expect((await page(owner.doc)).status).toBe(404)
  const answer = await owner.ask('POST', '/publish')
  expect(answer).toMatchObject({ status: 200, json: { ok: true, published: true, indexed: false } })
  expect(answer.json.url).toMatch(new RegExp(`/pub/${owner.doc}$`))
  const shown = await page(owner.doc)
  expect(shown.status).toBe(200)
  expect(await shown.text()).toContain('<p>A <em>page</em>.</p>')
  expect(await (await fetch(`${world.url}/pub/${owner.doc}.md`)).text()).toBe('# Hello\n\nA *page*.\n')
  expect((await owner.ask('GET', '')).json).toMatchObject({ published: true })
  expect((await owner.ask('POST', '/publish', { json: { published: false } })).json).toMatchObject({ published: false, publishedAt: null })
  expect((await page(owner.doc)).status).toBe(404)
  expect((await fetch(`${world.url}/pub/${owner.doc}.md`)).status).toBe(404)
  const kinds = (await owner.events()).events.map(({ kind }: { kind: string }) => kind)
  expect(kinds.filter((kind: string) => /published/.test(kind))).toEqual(['doc.published', 'doc.unpublished'])
})

test('[PUBLISH-25] the settings decide who can publish, and whether published pages can be read', async () => {
  const accounts = await startWorld({ env: { AGMD_PUBLISHING: 'accounts' } })
  const guest = await accounts.create('text')
  const refused = await guest.ask('POST', '/publish')
  expect([refused.status, refused.json.message]).toEqual([403, 'On this server, only people with an account can publish.'])
  expect((await guest.ask('POST', '/publish', { json: { published: false } })).status).toBe(200)
  const visitor = await signUp(accounts.url, 'ana@example.org')
  const send = (path: string): Promise<Response> =>
    visitor.request(`${accounts.url}${path}`, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json', Origin: accounts.url }
    })
  const { id } = (await (await send('/api/docs')).json()) as { id: string }
  expect((await send(`/api/docs/${id}/publish`)).status).toBe(200)
  expect((await fetch(`${accounts.url}/pub/${id}`)).status).toBe(200)
  const nobody = await accounts.restart({ env: { AGMD_PUBLISHING: 'nobody' } })
  expect((await fetch(`${nobody.url}/pub/${id}`)).status).toBe(404)
  expect((await nobody.person(guest.doc, guest.key).ask('POST', '/publish')).json.message).toBe('This server does not publish documents.')
  await nobody.stop()
})

test('[PUBLISH-26] without search engines, no page can be listed, and earlier ones ask not to be listed', async () => {
  const before = await startWorld()
  const owner = await before.create('text')
  expect((await owner.ask('POST', '/publish', { json: { indexed: true } })).json).toMatchObject({ indexed: true })
  const off = await before.restart({ env: { AGMD_SEARCH_ENGINES: 'off' } })
  const shown = await fetch(`${off.url}/pub/${owner.doc}`)
  expect([shown.status, shown.headers.get('X-Robots-Tag')]).toEqual([200, 'noindex'])
  const again = off.person(owner.doc, owner.key)
  expect((await again.ask('POST', '/publish', { json: {} })).json).toMatchObject({ published: true, indexed: false })
  expect((await again.ask('POST', '/publish', { json: { indexed: true } })).status).toBe(403)
  await off.stop()
})

test.each([
  [{}, true],
  [{ published: true }, true],
  [{ publish: false }, false],
  [{ action: 'publish' }, true],
  [{ action: 'unpublish' }, false]
])('[PUBLISH-2] the body %j is accepted', async (json, published) => {
  const owner = await world.create('text')
  if (!published) await owner.ask('POST', '/publish')
  expect((await owner.ask('POST', '/publish', { json })).json).toMatchObject({ published })
})

test('[PUBLISH-3] the page follows the saved text and returns 304 while nothing has changed', async () => {
  const owner = await world.create('# Page\n\none')
  await owner.ask('POST', '/publish')
  const first = await page(owner.doc)
  const etag = first.headers.get('etag') ?? ''
  expect(first.headers.get('cache-control')).toBe('public, no-cache')
  expect((await page(owner.doc, { 'If-None-Match': etag })).status).toBe(304)
  await owner.replace('# Page\n\ntwo')
  const second = await page(owner.doc, { 'If-None-Match': etag })
  expect(second.status).toBe(200)
  expect(await second.text()).toContain('<p>two</p>')
})

test('[PUBLISH-3] page and Markdown are sent compressed, with tags that distinguish different bytes', async () => {
  const content = `# Long\n\n${'Some words. '.repeat(500)}\n`
  const owner = await world.create(content)
  await owner.ask('POST', '/publish')
  for (const path of [owner.doc, `${owner.doc}.md`]) {
    const plain = await page(path, { 'Accept-Encoding': 'identity' })
    const tag = plain.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"/)
    const text = await plain.text()
    for (const coding of ['br', 'gzip']) {
      const coded = await page(path, { 'Accept-Encoding': coding })
      expect(Object.fromEntries(coded.headers)).toMatchObject({ 'content-encoding': coding, etag: `W/${tag}` })
      expect(coded.headers.get('vary')).toContain('Accept-Encoding')
      expect(await coded.text()).toBe(text)
      expect((await page(path, { 'Accept-Encoding': coding, 'If-None-Match': `W/${tag}` })).status).toBe(304)
    }
  }
  const markdown = await page(`${owner.doc}.md`)
  expect(markdown.headers.get('etag')).toContain(markdown.headers.get('x-doc-version'))
})

test('[PUBLISH-4] people who open an unpublished page get a sentence, programs a problem document', async () => {
  const owner = await world.create('text')
  const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of [owner.doc, 'nothing']) {
    const shown = await page(path, browser)
    expect(shown.status).toBe(404)
    expect(shown.headers.get('content-type')).toContain('text/html')
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(await shown.text()).toContain('<h1>There is no page here</h1>')
    const answered = await page(path)
    expect(answered.headers.get('content-type')).toContain('application/problem+json')
  }
})

test('[PUBLISH-4] only an owner publishes; a deleted document is gone', async () => {
  const owner = await world.create('text')
  const editor = await owner.share('edit')
  expect((await editor.ask('POST', '/publish')).status).toBe(403)
  await owner.ask('POST', '/publish')
  await owner.ask('DELETE', '')
  expect((await page(owner.doc)).status).toBe(404)
  for (const path of ['x', '../etc', 'AAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAA.md.md']) expect((await page(path)).status).toBe(404)
})

test('[PUBLISH-5] the page has title, description and links; search engines are kept away unless the owner allows them', async () => {
  const owner = await world.create('# A <b>title</b> & "more"\n\nWhat it is about.\n\n## One\n\n## Two\n\n## Three\n')
  await owner.ask('POST', '/publish')
  const first = await page(owner.doc)
  expect(first.headers.get('x-robots-tag')).toBe('noindex')
  const html = await first.text()
  expect(html).toContain('<title>A &lt;b&gt;title&lt;/b&gt; &amp; &quot;more&quot;</title>')
  expect(html).toContain('<meta name="description" content="What it is about.">')
  expect(html).toContain('<meta name="robots" content="noindex">')
  expect(html).toContain('<li class="level-2"><a href="#three">Three</a></li>')
  expect(html).not.toContain('<script')
  await owner.ask('POST', '/publish', { json: { indexed: true } })
  const second = await page(owner.doc)
  expect(second.headers.get('x-robots-tag')).toBeNull()
  expect(await second.text()).not.toContain('noindex')
})

test('[PUBLISH-6] the page runs no script and loads nothing from other sites except pictures, sound and video', async () => {
  const owner = await world.create('<script>alert(1)</script>\n\n[x](javascript:alert(1))\n')
  await owner.ask('POST', '/publish')
  const shown = await page(owner.doc)
  const policy = shown.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/script-src|unsafe/)
  expect(await shown.text()).not.toMatch(/<script|href="javascript/i)
})

test('[PUBLISH-6] a page with a diagram allows its own script and the drawing frame, and nothing more', async () => {
  const owner = await world.create('```mermaid\nflowchart LR\n  A --> B\n```\n')
  await owner.ask('POST', '/publish')
  const shown = await page(owner.doc)
  const policy = (shown.headers.get('content-security-policy') ?? '').split('; ')
  expect(policy.filter((one) => /^(script|frame|child|worker|connect)-src/.test(one))).toEqual(["script-src 'self'", "frame-src 'self'"])
  expect(policy.join()).not.toContain('unsafe')
  expect(await shown.text()).toContain('A --&gt; B')
})

const diagram = 'flowchart LR\n  A --> B'
const svgOf = (words: string): string => `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text>${words}</text></svg>`
const drawing = (source = diagram): Record<string, unknown> => ({
  source,
  title: 'A "flow"',
  width: 40,
  height: 20,
  light: svgOf('day'),
  dark: svgOf('night')
})

test('[PUBLISH-12] a stored picture of a diagram is shown without a script, light and dark, with the source below it', async () => {
  const owner = await world.create(`# T\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n`)
  await owner.ask('POST', '/publish')
  expect((await page(owner.doc)).headers.get('content-security-policy')).toContain('script-src')
  expect((await owner.ask('PUT', '/drawings', { json: drawing() })).status).toBe(200)
  const shown = await page(owner.doc)
  expect(shown.headers.get('content-security-policy')).not.toContain('script-src')
  const html = await shown.text()
  expect(html).not.toContain('<script')
  expect(html).toContain('alt="A &quot;flow&quot;" loading="lazy"')
  expect(html).toContain('A --&gt; B')
  const [, dark = ''] = /srcset="([^"]+)"/.exec(html) ?? []
  const [, light = ''] = /<img src="([^"]+)"/.exec(html) ?? []
  expect(await (await fetch(world.url + light)).text()).toBe(svgOf('day'))
  const picture = await fetch(world.url + dark)
  expect(await picture.text()).toBe(svgOf('night'))
  expect(picture.headers.get('content-type')).toContain('image/svg+xml')
  expect(picture.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
  // A diagram whose source has changed has no picture.
  await owner.replace(`\`\`\`mermaid\n${diagram} --> C\n\`\`\`\n`)
  expect(await (await page(owner.doc)).text()).toContain('component-mermaid')
})

test('[PUBLISH-13] editors can store pictures, limited in number and size, which exist as long as the page', async () => {
  const owner = await world.create('text')
  await owner.ask('POST', '/publish')
  expect((await (await owner.share('suggest')).ask('PUT', '/drawings', { json: drawing() })).status).toBe(403)
  for (const light of [
    '<!DOCTYPE svg><svg></svg>',
    '<svg><!ENTITY a "b"></svg>',
    '<svg><use href="#a"/></svg>',
    'text',
    `<svg>${'x'.repeat(limits.drawingUnitsMax)}</svg>`
  ])
    expect((await owner.ask('PUT', '/drawings', { json: { ...drawing(), light } })).status).toBe(400)
  const editor = await owner.share('edit')
  for (let index = 0; index < limits.drawingsMax; index += 1) await editor.ask('PUT', '/drawings', { json: drawing(`A --> ${index}`) })
  const before = (await owner.ask('GET', '/drawings')).json.drawings.map(({ source }: { source: string }) => source)
  const added = (await editor.ask('PUT', '/drawings', { json: drawing() })).json.source
  expect((await owner.ask('GET', '/drawings')).json.drawings.map(({ source }: { source: string }) => source)).toEqual([
    ...before.slice(1),
    added
  ])
  await owner.replace(`\`\`\`mermaid\n${diagram}\n\`\`\`\n\n\`\`\`mermaid\nA --> 0\n\`\`\`\n`)
  const at = (source: string): string => `${world.url}/pub/${owner.doc}/drawings/${source}-dark.svg`
  expect((await fetch(at(before[0]))).status).toBe(404)
  expect((await fetch(at(added))).status).toBe(200)
  await owner.ask('POST', '/publish', { json: { published: false } })
  expect((await fetch(at(added))).status).toBe(404)
})

test('[PUBLISH-13] concurrent pictures are limited and counted as well; those of removed diagrams are not served', async () => {
  const owner = await world.create(`\`\`\`mermaid\n${diagram}\n\`\`\`\n`)
  await owner.ask('POST', '/publish')
  const source = (await owner.ask('PUT', '/drawings', { json: drawing() })).json.source
  const at = `${world.url}/pub/${owner.doc}/drawings/${source}-light.svg`
  expect((await fetch(at)).status).toBe(200)
  await owner.replace('gone')
  expect((await fetch(at)).status).toBe(404)
  const large = (index: number) => ({ ...drawing(`A --> ${index}`), light: svgOf('x'.repeat(20_000)) })
  await Promise.all(
    Array.from({ length: limits.drawingsMax + 20 }, (_each, index) => owner.ask('PUT', '/drawings', { json: large(index) }))
  )
  await Promise.all(
    Array.from({ length: limits.drawingsMax }, (_each, index) => owner.ask('PUT', '/drawings', { json: drawing(`B --> ${index}`) }))
  )
  expect((await owner.ask('GET', '/drawings')).json.drawings).toHaveLength(limits.drawingsMax)
  const stored = await world.service.storage.list(['d', owner.doc, 'picture'], { limit: 1000 })
  expect(stored).toHaveLength(2 * limits.drawingsMax)
  const bytes = stored.reduce((sum, { value }) => sum + value.length, 0)
  const counted = (await owner.ask('GET', '')).json.usage.bytes
  expect(counted).toBeGreaterThan(bytes)
  expect(counted).toBeLessThan(bytes + 20_000)
  await owner.ask('POST', '/publish', { json: { published: false } })
  expect(await world.service.storage.list(['d', owner.doc, 'picture'], { limit: 1000 })).toHaveLength(0)
})

test('[PUBLISH-13] pictures count toward the quota of their document', async () => {
  const owner = await world.create('text')
  const bytes = async (): Promise<number> => (await owner.ask('GET', '')).json.usage.bytes
  const before = await bytes()
  await owner.ask('PUT', '/drawings', { json: { ...drawing(), light: svgOf('x'.repeat(10_000)) } })
  const with1 = await bytes()
  expect(with1 - before).toBeGreaterThan(10_000)
  await owner.ask('PUT', '/drawings', { json: drawing() })
  expect((await bytes()) - before).toBeLessThan(1000)
})

test('[PUBLISH-15] the page has the date under its title, and its author if there is one', async () => {
  const owner = await world.create('# T\n\nText.\n')
  await owner.ask('POST', '/publish')
  const html = await (await page(owner.doc)).text()
  expect(html).toMatch(
    /<h1[^>]*>T<a [^\n]*<\/h1>\n<p class="byline">Published <time datetime="[^"]+">[A-Z][a-z]{2} \d+, \d{4}<\/time><\/p>/
  )
  await owner.replace('---\nauthor: "Ana & Bo" # both\n---\n\n# T\n')
  expect(await (await page(owner.doc)).text()).toContain('<p class="byline"><span dir="auto">Ana &amp; Bo</span> · Published')
  expect(pageHtml({ ...blank, author: 'Ana <b>', publishedAt: 0, updatedAt: 86_400_000 })).toContain(
    '<p class="byline"><span dir="auto">Ana &lt;b&gt;</span> · Published <time datetime="1970-01-01T00:00:00.000Z">Jan 1, 1970</time> · Updated <time datetime="1970-01-02T00:00:00.000Z">Jan 2, 1970</time></p>'
  )
})

test('[PUBLISH-40] [PUBLISH-41] [WRITE-265] the words around the text are in the language of the text or the browser, and times name their zone', async () => {
  const sections = '## A\n\n## B\n\n## C[^1]\n\n[^1]: Note\n'
  const chat = '```chat\n[2026-11-20T10:02Z] @Guest 74: Hello\n[2026-11-20T10:03Z] @ana: "<b>Guest 7</b>"\n```\n'
  const details = '<details>\n<summary>Done</summary>\n\nWords\n\n</details>\n'
  const callouts = '> [!TIP]\n> Words\n\n> [!TIP] Tip\n> Words\n'
  const owner = await world.create(`# T\n\n${sections}\n${chat}\n${details}\n${callouts}`)
  await owner.ask('POST', '/publish')
  const german = await page(owner.doc, { 'accept-language': 'de-DE, en;q=0.5' })
  const english = await page(owner.doc, { 'accept-language': 'fr, en;q=0.5' })
  expect(german.headers.get('vary')).toContain('Accept-Language')
  expect([german.headers.get('cache-control'), german.headers.get('etag')]).toEqual(['public, no-cache', expect.any(String)])
  expect(german.headers.get('etag')).not.toBe(english.headers.get('etag'))
  const [de, en] = [await german.text(), await english.text()]
  for (const words of ['<html lang="de">', '<summary>Inhalt</summary>', 'Veröffentlicht am <time', 'aria-label="Fußnote 1"'])
    expect(de).toContain(words)
  for (const words of ['<html lang="en">', '<summary>Contents</summary>', 'Published <time', 'aria-label="Footnote 1"'])
    expect(en).toContain(words)
  expect(de).toContain('<b>Gast 74</b> <time datetime="2026-11-20T10:02:00.000Z">20. Nov. 2026, 10:02 UTC</time>')
  expect(en).toContain('<b>Guest 74</b> <time datetime="2026-11-20T10:02:00.000Z">Nov 20, 2026, 10:02 UTC</time>')
  expect(de).toContain('&lt;b&gt;Guest 7&lt;/b&gt;')
  // The words of people stay as they are.
  expect(de).toContain('<summary>Done</summary>')
  const titles = (html: string): string[] => [...html.matchAll(/"callout-title[^"]*">([^<]*)/g)].map(([, title = '']) => title)
  expect([titles(de), titles(en)]).toEqual([
    ['Tipp', 'Tip'],
    ['Tip', 'Tip']
  ])
  await owner.replace('---\nlang: de-AT\n---\n# T\n')
  const own = await (await page(owner.doc, { 'accept-language': 'en' })).text()
  expect(own).toMatch(/<html lang="de">[^]*<article dir="auto" lang="de-AT">[^]*Veröffentlicht am/)
  await owner.replace('---\nlang: "x onload"\n---\n# T\n')
  expect(await (await page(owner.doc)).text()).toContain('<article dir="auto">')
})

test('[ACCT-30] a page that was published before the document had an owner does not name the owner, until it is published again', async () => {
  const ana = (await createAccount(world.service, {
    email: 'ana-byline@example.org',
    name: 'Ana Lee',
    password: 'correct horse battery'
  })) as Account
  const { token } = await openSession(world.service, ana.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  const [owner, later] = [await world.create('# T\n'), await world.create('# T\n')]
  await owner.ask('POST', '/publish')
  for (const each of [owner, later]) {
    const { status, json } = await world.ask('POST', `/api/docs/${each.doc}/claim`, { headers: { ...headers, 'x-share-key': each.key } })
    expect(status).toBe(200)
    expect(json.doc.unsigned).toBe(each === owner ? true : undefined)
  }
  const byline = async (doc: string): Promise<string> => /<p class="byline">(.*?)Published/.exec(await (await page(doc)).text())?.[1] ?? ''
  const isUnsigned = async (): Promise<unknown> => (await world.ask('GET', `/api/docs/${owner.doc}`, { headers })).json.unsigned
  expect(await byline(owner.doc)).toBe('')
  const publish = (doc: string, json: object) => world.ask('POST', `/api/docs/${doc}/publish`, { headers, json })
  await publish(owner.doc, { indexed: true })
  expect([await byline(owner.doc), await isUnsigned()]).toEqual(['', true])
  await publish(owner.doc, { published: false })
  await publish(owner.doc, { published: true })
  expect([await byline(owner.doc), await isUnsigned()]).toEqual(['<span dir="auto">Ana Lee</span> · ', undefined])
  // The owner of this document published it.
  await publish(later.doc, {})
  expect(await byline(later.doc)).toBe('<span dir="auto">Ana Lee</span> · ')
})

test.each([
  ["## It's *me*\n\nText.\n", '<h1 id="its-me">It\'s <em>me</em>', 'It&#39;s me'],
  ['Plan for “May”\n\nText.\n', '<h1>Plan for “May”</h1>', 'Plan for “May”'],
  ['Plan\nText.\n', '<h1>Plan</h1>', 'Plan'],
  ['---\ntitle: Other\n---\n\n## Plan\n\nText.\n', '<h1>Other</h1>', 'Other']
])('[PUBLISH-18] the page of %j shows its title once', async (text, heading, title) => {
  const owner = await world.create(text)
  await owner.ask('POST', '/publish')
  const html = await (await page(owner.doc)).text()
  expect(html).toContain(`<title>${title}</title>`)
  expect(html).toContain(`<article dir="auto">\n${heading}`)
  expect(html.match(/<h1/g)).toHaveLength(1)
  const shown = html
    .slice(html.indexOf('<article'))
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
  expect(shown.split(title.replaceAll('&#39;', "'"))).toHaveLength(2)
  expect(shown).toContain('Text.')
})

test('[PUBLISH-11] if the operator forbids it, no page of a document loads pictures, sound or film from other sites', async () => {
  const sources = async (of: World): Promise<string[]> => {
    const owner = await of.create('![](https://elsewhere.example/a.png)')
    await owner.ask('POST', '/publish')
    const pages = [await fetch(`${of.url}/pub/${owner.doc}`), await fetch(`${of.url}/d/${owner.doc}`, { headers: { Accept: 'text/html' } })]
    return pages.flatMap(({ headers }) => {
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      return (headers.get('content-security-policy') ?? '').split('; ').filter((one) => /^(img|media)-src/.test(one))
    })
  }
  const open = await sources(world)
  expect(open).toHaveLength(4)
  for (const one of open) expect(one).toMatch(/ https:( |$)/)
  const strict = await startWorld({ env: { AGMD_FOREIGN_MEDIA: 'off' } })
  try {
    const closed = await sources(strict)
    expect(closed).toHaveLength(4)
    for (const one of closed) expect(one).not.toMatch(/https?:/)
  } finally {
    await strict.stop()
  }
})

test('[PUBLISH-6] rules that formulas need are allowed by their hash', async () => {
  const owner = await world.create('$\\color{red}{x}$\n')
  await owner.ask('POST', '/publish')
  const shown = await page(owner.doc)
  const css = /<style>(.*?)<\/style>/.exec(await shown.text())?.[1] ?? ''
  expect(css).toContain('color:#ff0000')
  const hash = createHash('sha256').update(css).digest('base64')
  expect(shown.headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}'`)
})

test('[PUBLISH-7] a large document is rendered in a thread; a reader who asks for Markdown gets it', { timeout: 60_000 }, async () => {
  const owner = await world.create(`# Big\n\n${'Some words and `code` in a line.\n\n'.repeat(8000)}`)
  await owner.ask('POST', '/publish')
  const shown = await page(owner.doc)
  expect(shown.status).toBe(200)
  expect((await shown.text()).match(/<code>code<\/code>/g)?.length).toBe(8000)
  const markdown = await page(owner.doc, { Accept: 'text/markdown' })
  expect(markdown.headers.get('content-type')).toContain('text/markdown')
})

test('[PUBLISH-10] a thread that takes too long is ended, and the next text gets another', async () => {
  const entry = new URL('../../server/http/published/worker.ts', import.meta.url)
  const lane = new Lane<Job, Page>({ entry, secondsMax: 2, waitingMax: 10, waitingOfHolderMax: 10 })
  // Rendering this text would take hours.
  const hostile = lane.run('a', { source: '['.repeat(4_000_000), baseUrl: world.url, drawings: {} })
  const next = lane.run('b', { source: '*so*', baseUrl: world.url, drawings: {} })
  await expect(hostile).rejects.toMatchObject({ why: 'slow' })
  await expect(next).resolves.toMatchObject({ html: '<p><em>so</em></p>\n' })
})
