import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { callerOfService } from '../../server/domain/rights/access.ts'
import { searchDocuments } from '../../server/domain/text/searching.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { findAll } from '../../shared/text/find-all.ts'
import { told } from '../support/mcp.ts'
import { type Answer, type Json, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const text = '# Plan\n\nThe Cafe\u0301 opens.\n\n## Risks\n\nNo café, no CAFÉ.\n\n# End\n\nDone 😀 İx.\n'
const find = (words: string, more: Partial<Parameters<typeof findAll>[1]> = {}) =>
  findAll(text, { words, exact: false, from: 0, countMax: 50, ...more })

test('[SEARCH-1] a match has line, column, sections and context, in any case and with any accents', () => {
  expect(find('Café')).toMatchObject([
    { line: 3, column: 5, section: ['Plan'], excerpt: 'The Cafe\u0301 opens.' },
    { line: 7, column: 4, section: ['Plan', 'Risks'], excerpt: 'No café, no CAFÉ.' },
    { line: 7, column: 13, section: ['Plan', 'Risks'] }
  ])
  expect(text.slice(find('café')[0]?.from, find('café')[0]?.to)).toBe('Cafe\u0301')
  expect(find('café', { exact: true })).toMatchObject([{ line: 7, column: 4 }])
  expect(find('X')).toMatchObject([{ line: 11, section: ['End'] }])
  expect(find('nowhere')).toEqual([])
})

test('[SEARCH-7] a match that reads differently has its own text', async () => {
  const content = 'A Cafe\u0301, a caf\u00e9 and a cafe.\n'
  const owner = await world.create(content)
  const { json } = await owner.ask('GET', `/search?q=${encodeURIComponent('caf\u00e9')}`)
  expect(json.matches).toMatchObject([{ exact: false, matched: 'Cafe\u0301' }, { exact: true }])
  expect(json.matches[1]).not.toHaveProperty('matched')
  // [ANCHOR-13] A letter without its accent is a different letter.
  const plain = (await owner.ask('GET', '/search?q=cafe&exact=true')).json.matches
  expect(plain.map(({ from, to }: Json) => content.slice(from, to + 1))).toEqual(['cafe.'])
})

test('[SEARCH-1] every match reads like the words, and none is missing', () => {
  const plain = (value: string): string => value.normalize('NFC').toLowerCase()
  const texts = fc.array(fc.constantFrom('a', 'B', 'é', 'e\u0301', 'É', ' ', '\n', '😀', 'ß'), { maxLength: 30 }).map((all) => all.join(''))
  fc.assert(
    fc.property(texts, fc.constantFrom('a', 'É', 'ab', 'é ', '😀'), (content, words) => {
      const found = findAll(content, { words, exact: false, from: 0, countMax: 100 })
      for (const { from, to } of found) expect(plain(content.slice(from, to))).toBe(plain(words))
      expect(found).toHaveLength(plain(content).split(plain(words)).length - 1)
    })
  )
})

test('[SEARCH-2] matches come in pages, each once, with the version', async () => {
  const owner = await world.create('fish '.repeat(7))
  const columns: number[] = []
  let after: number | null = 0
  while (after !== null) {
    const { json }: Answer = await owner.ask('GET', `/search?q=FISH&limit=3&after=${after}`)
    expect(json.version).toBe((await owner.read()).version)
    columns.push(...json.matches.map(({ column }: Json) => column))
    after = json.nextAfter
  }
  expect(columns).toEqual([1, 6, 11, 16, 21, 26, 31])
})

test('[SEARCH-5] words that are empty, too long or span several lines return 400', async () => {
  const owner = await world.create('text')
  for (const q of ['', ' ', 'x'.repeat(limits.searchWordsMax + 1), 'a\nb'])
    expect((await owner.ask('GET', `/search?q=${encodeURIComponent(q)}`)).status, q).toBe(400)
  expect((await owner.ask('GET', '/search')).status).toBe(400)
})

test('[SEARCH-6] one tool searches a document', async () => {
  const owner = await world.create(text)
  const found = await told(world.url, 'search', { doc: owner.doc, key: owner.key, q: 'opens' })
  expect(found.matches).toMatchObject([{ line: 3 }])
})

const join = async (name: string): Promise<string> => {
  const account = (await createAccount(world.service, { email: `${name}@example.org`, password: 'correct horse battery' })) as Account
  return (await openSession(world.service, account.id, 'app', 'a test')).token
}

const by = (token: string, method: string, path: string, json?: Json): Promise<Answer> =>
  world.ask(method, path, { headers: { Authorization: `Bearer ${token}` }, ...(json && { json }) })

test('[SEARCH-3] [SEARCH-6] a search over all finds current titles and text, only of the caller’s documents', async () => {
  const [ana, bob] = [await join('ana'), await join('bob')]
  const make = async (token: string, content: string): Promise<Json> => (await by(token, 'POST', '/api/docs', { content })).json
  const tea = await make(ana, '# Tea\n\n## Kinds\n\nDarjeeling, darjeeling, DARJEELING, darjeeling')
  await make(ana, '# Darjeeling\n\nA town.')
  await make(bob, '# Mine\n\nDarjeeling')
  const { json } = await by(ana, 'GET', '/api/search?q=darjeeling')
  expect(json).toMatchObject({
    docs: [
      { title: 'Darjeeling', inTitle: true, matches: [{ line: 1 }] },
      {
        id: tea['id'],
        inTitle: false,
        url: `${world.url}/d/${tea['id']}`,
        matches: [{ line: 5, column: 1, section: ['Tea', 'Kinds'] }, {}, {}]
      }
    ],
    capped: false,
    nextBefore: null
  })
  expect(json.docs[1].matches).toHaveLength(limits.searchMatchesOfDocumentMax)
  expect((await told(world.url, 'search', { q: 'town' }, { Authorization: `Bearer ${ana}` })).docs).toMatchObject([{ title: 'Darjeeling' }])
  await by(ana, 'DELETE', `/api/docs/${tea['id']}`)
  expect((await by(ana, 'GET', '/api/search?q=darjeeling')).json.docs).toHaveLength(1)
  expect((await world.ask('GET', '/api/search?q=darjeeling')).status).toBe(401)
})

test('[SEARCH-4] pages of a search over all list each document once', async () => {
  const dora = await join('dora')
  for (let number = 1; number <= 5; number++) await by(dora, 'POST', '/api/docs', { content: `# Number ${number}\n\nfish` })
  const titles: string[] = []
  let before = ''
  do {
    const { json } = await by(dora, 'GET', `/api/search?q=fish&limit=2${before}`)
    titles.push(...json.docs.map(({ title }: Json) => title))
    before = json.nextBefore === null ? '' : `&before=${json.nextBefore}`
  } while (before !== '')
  expect(titles).toEqual([5, 4, 3, 2, 1].map((number) => `Number ${number}`))
  expect((await by(dora, 'GET', '/api/search?q=fish&before=nonsense')).status).toBe(400)
})

test('[SEARCH-4] a search that finds nothing within its limit says that it ended early', async () => {
  const eve = await join('eve')
  for (let number = 0; number < 3; number++) await by(eve, 'POST', '/api/docs', { content: `# x ${number}` })
  const caller = await callerOfService(world.service, { bearer: eve })
  const answer = await searchDocuments(world.service, caller, { q: 'nowhere' }, { documents: 2, seconds: 10 })
  expect(answer).toMatchObject({ docs: [], capped: true })
  expect(answer.nextBefore).not.toBeNull()
  expect(await searchDocuments(world.service, caller, { q: 'nowhere', before: answer.nextBefore ?? '' })).toEqual({
    docs: [],
    capped: false,
    nextBefore: null
  })
})
