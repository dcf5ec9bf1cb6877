/** The documentation that the service shows at `/docs`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentEntries } from '../../server/http/docs/documents.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world.stop())

const asPerson = { headers: { Accept: 'text/html' } }

const read = async (path: string): Promise<string> => {
  const { status, text } = await world.ask('GET', path, asPerson)
  expect({ path, status }).toEqual({ path, status: 200 })
  return text
}

const linksIn = (page: string): string[] => [...page.matchAll(/<(?:a|img)[^>]* (?:href|src)="([^"]+)"/g)].map(([, href = '']) => href)

test('[DOCS-1] the index lists every page by audience', async () => {
  const index = await read('/docs')
  for (const audience of ['Writers', 'Agents and programs', 'Operators', 'Developers']) expect(index).toContain(`<h2>${audience}</h2>`)
  for (const { slug, title } of documentEntries) expect(index).toContain(`<a href="/docs/${slug}">${title}</a>`)
})

test('[DOCS-2] [DOCS-4] every page is shown with its title and the version, and every link within the service leads somewhere', async () => {
  const pages = new Map<string, string>()
  for (const path of ['/docs', ...documentEntries.map(({ slug }) => `/docs/${slug}`)]) pages.set(path, await read(path))
  for (const { slug, title } of documentEntries) {
    expect(pages.get(`/docs/${slug}`)).toContain(`<title>${title}</title>`)
    expect(pages.get(`/docs/${slug}`)).toContain('agmd test')
  }
  for (const [path, page] of pages)
    for (const href of linksIn(page).filter((each) => !/^[a-z]+:/.test(each))) {
      expect(href, path).toMatch(/^[/#]/)
      const [target = '', section] = href.split('#')
      if (target.startsWith('/docs') && !target.includes('.')) {
        expect(pages.has(target), `${path} → ${href}`).toBe(true)
        if (section !== undefined) expect(pages.get(target), `${path} → ${href}`).toContain(`id="${section}"`)
      } else if (target !== '') expect((await world.ask('GET', target)).status, `${path} → ${href}`).toBe(200)
    }
})

test('[DOCS-3] programs get the Markdown of a page', async () => {
  const byName = await world.ask('GET', '/docs/writers.md')
  expect(byName.headers.get('Content-Type')).toContain('text/markdown')
  expect(byName.text).toMatch(/^# Guide for writers\n/)
  expect((await world.ask('GET', '/docs/writers', { headers: { Accept: 'text/markdown' } })).text).toBe(byName.text)
})

test('[DOCS-5] a search lists the sections with all words, and links to their headings', async () => {
  const page = await read('/docs?q=AGMD_TRUST_PROXY+upgrades')
  const found = linksIn(page).filter((href) => href.startsWith('/docs/'))
  expect(found).toContain('/docs/operations#before-others-use-it')
  for (const href of found.filter((each) => each.includes('#'))) {
    const [target = '', section = ''] = href.split('#')
    expect(await read(target)).toContain(`id="${section}"`)
  }
  // A section with the words in its title comes first.
  expect(linksIn(await read('/docs?q=install')).find((href) => href.startsWith('/docs/'))).toBe('/docs/install')
  expect(await read('/docs?q=zebra+umbrella')).toContain('Nothing in the documentation contains “zebra umbrella”')
})

test('[DOCS-6] a query is shown as plain text, and can have any length', async () => {
  const page = await read(`/docs?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(page).not.toContain('<script>alert')
  expect(page).toContain('&lt;script&gt;')
  await read(`/docs?q=${'word+'.repeat(1000)}`)
  await read('/docs?q=a&q=b')
})

test('[DOCS-7] an unknown name returns 404', async () => {
  for (const path of ['/docs/nothing', '/docs/nothing.md', '/docs/pictures/nothing.png', '/docs/decisions'])
    expect((await world.ask('GET', path)).status, path).toBe(404)
})
