/** The text that comes with the page of a document, checked over HTTP: who receives it, and whether it is safe. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { cookiesOf } from '../../server/auth/cookies.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { hostileTexts } from '../support/hostile.ts'
import { startWorld, type World } from '../support/world.ts'
import { until } from './browser.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const words = 'Herons stand still in the shallows.'
const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const pageOf = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${world.url}${path}`, { headers: { accept: browserAccepts, ...headers } })

/** Requests a page until it includes its text. On a busy machine, the first response comes without it. */
async function withText(path: string, headers: Record<string, string> = {}): Promise<{ html: string; answer: Response }> {
  let [html, answer] = ['', new Response()]
  await until(async () => {
    answer = await pageOf(path, headers)
    html = await answer.text()
    return html.includes('id="first"')
  }, 'a page with its text')
  return { html, answer }
}

async function shared(doc: string, key: string, role: string): Promise<{ id: string; secret: string }> {
  const { json } = await world.ask('POST', `/api/docs/${doc}/shares`, { key, json: { role } })
  return { id: json.id as string, secret: json.secret as string }
}

test('[FIRST-1] the text comes with the page for people who may read it, by link or session, and for nobody else; the page is not cached', async () => {
  const { json: made } = await world.ask('POST', '/new', { json: { content: `# Herons\n\n${words}` } })
  const path = `/d/${made.id}`
  const reader = await shared(made.id, made.key, 'view')
  const commenter = await shared(made.id, made.key, 'comment')
  for (const [key, place, hasToolbar] of [
    [made.key, 'still-content', true],
    [commenter.secret, 'still-content', false],
    [reader.secret, '<template shadowrootmode="open">', false]
  ] as const) {
    const { html, answer } = await withText(`${path}?key=${key}`)
    expect(html.split(words).length - 1).toBe(1)
    expect(html).toContain(place)
    expect(html.includes('has-toolbar')).toBe(hasToolbar)
    expect(html).not.toContain(key)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('etag')).toBeNull()
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(/style-src [^;]*/.exec(policy)?.[0]).toMatch(/^style-src 'self'(?: 'sha256-[\w+/=]+')*$/)
    expect(policy).toContain("script-src 'self';")
  }

  const account = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const bearer = { authorization: `Bearer ${(await openSession(world.service, account.id, 'app', 'a test')).token}` }
  const { json: own } = await world.ask('POST', '/new', { json: { content: `# Own\n\n${words}` }, headers: bearer })
  const cookie = { cookie: `${cookiesOf(world.url).session}=${(await openSession(world.service, account.id, 'browser', 'a test')).token}` }
  expect((await withText(`/d/${own.id}`, cookie)).html).toContain(words)

  // All of this text has been drawn before, so missing text means that the page must not have it.
  await world.ask('DELETE', `/api/docs/${made.id}/shares/${reader.id}`, { key: made.key })
  const elsewhere = await world.ask('POST', '/new', { json: { content: '# Elsewhere' } })
  const without = async (address: string, headers: Record<string, string> = {}): Promise<void> => {
    const answer = await pageOf(address, headers)
    const html = await answer.text()
    // If the address has no key, the browser may have stored one. The page then requests the text with that key.
    const isAsking = !address.includes('key=') && headers['cookie'] === undefined
    expect(isAsking ? [200] : [404, 410]).toContain(answer.status)
    expect(html).not.toContain('Herons')
    expect(html).not.toContain('id="first"')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  }
  await without(path)
  await without(`${path}?key=${reader.secret}`)
  await without(`${path}?key=${elsewhere.json.key}`)
  await without(`${path}?key=${made.key}&key=${commenter.secret}`)
  await without(path, cookie)
  await without(`/d/${own.id}`)
  // Programs that accept any type receive Markdown and not the page.
  const program = await pageOf(`${path}?key=${made.key}`, { accept: '*/*' })
  expect(program.headers.get('content-type')).toContain('text/markdown')
  await world.ask('DELETE', `/api/docs/${made.id}`, { key: made.key })
  await without(`${path}?key=${made.key}`)
  await without(`${path}?key=${commenter.secret}`)
})

test('[FIRST-2] the page of a long document contains its beginning, and a new version its new text', async () => {
  const block = `${words} ${'And so on. '.repeat(20)}`
  const long = Array.from({ length: 400 }, (_, index) => `Block ${index}. ${block}`).join('\n\n')
  const { json: made } = await world.ask('POST', '/new', { json: { content: long } })
  const { html } = await withText(`/d/${made.id}?key=${made.key}`)
  expect(html).toContain('Block 0.')
  expect(html).not.toContain('Block 399.')
  expect(html.length).toBeLessThan(60_000)
  await world.ask('PUT', `/api/docs/${made.id}/content`, { key: made.key, json: { content: '# Egrets' } })
  const later = (await withText(`/d/${made.id}?key=${made.key}`)).html
  expect(later).toContain('Egrets')
  expect(later).not.toContain('Block 0.')
})

/** Matches all tags that the first text may contain. Characters of the text appear in tags only in escaped form. */
const ownTags =
  /<(?:\/?(?:div|span)|br|div class="[\w -]*"|span class="[\w -]*"|img class="still-widgetBuffer" alt="" aria-hidden="true"|input type="checkbox" disabled(?: checked)?)>/g

test('[FIRST-3] no text creates an element or attribute in the page that contains it', async () => {
  const built = pathToFileURL(join(import.meta.dirname, '../../dist/first/live-text.js')).href
  const { liveText } = (await import(built)) as { liveText(source: string): { html: string; css: string } }
  const texts = hostileTexts()
  for (let at = 0; at < texts.length; at += 200) {
    const { html, css } = liveText(texts.slice(at, at + 200).join('\n\n'))
    expect(html.replaceAll(ownTags, '').match(/[<>][^<>]{0,80}/), `texts from ${at}`).toBeNull()
    expect(css).toMatch(/^(?:\.still-line-\d+\{--columns:[\w(), ]*\})*$/)
  }
  expect(liveText('a <b onclick="x">&amp; | `<script>`').html).toContain('&lt;b onclick=&quot;x&quot;&gt;')
  // The page also contains the title.
  const { json: made } = await world.ask('POST', '/new', { json: { content: '# </title><script>alert(1)</script>\n\nHere.' } })
  const { html } = await withText(`/d/${made.id}?key=${made.key}`)
  expect(html).not.toContain('<script>')
})
