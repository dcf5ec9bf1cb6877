/** The strings of the server-rendered pages in every language. */
import { globSync, readFileSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { german } from '../server/http/german.ts'
import type { Context } from '../server/http/context.ts'
import { browserName, browserWords } from '../server/http/user-agent.ts'
import { wordsOf as languageOf } from '../server/http/words.ts'
import { errorMeanings } from '../shared/errors.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('server/{http,auth,domain}/**/*.ts', { cwd: root }).filter((name) => !/\/german(-admin)?\.ts$/.test(name))
const source = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')

const quoted = String.raw`'((?:[^'\\]|\\.)*)'`
const plain = [...source.matchAll(new RegExp(String.raw`\b(?:t|term)\(\s*${quoted}`, 'g'))].map(([, sentence]) => sentence ?? '')
const counted = [...source.matchAll(new RegExp(String.raw`\btn\([^']*?${quoted},\s*${quoted}`, 'g'))].map(([, , many]) => many ?? '')

/** The pages that show a refusal by the domain. Faults of the server have no page. */
const refusals = [
  'invalid_request',
  'credential_required',
  'credential_invalid',
  'account_required',
  'form_expired',
  'forbidden',
  'not_found',
  'document_deleted',
  'taken_down',
  'account_disabled',
  'body_too_large',
  'unsupported_media_type',
  'too_many_nodes',
  'too_many_tokens',
  'rate_limited',
  'sign_in_failed',
  'issuer_unavailable'
] as const

const valuesIn = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map(([value]) => value).toSorted()

test('[WORDS-3] every sentence of the server-rendered pages has a German translation with the same values, and none is unused', () => {
  const used = new Set([...plain, ...counted, ...refusals.map((code) => errorMeanings[code].message)])
  expect(used.size).toBeGreaterThan(100)
  expect([...used].filter((sentence) => !Object.hasOwn(german, sentence))).toEqual([])
  expect(Object.keys(german).filter((sentence) => !used.has(sentence))).toEqual([])
  for (const [sentence, found] of Object.entries(german))
    for (const form of typeof found === 'string' ? [found] : Object.values(found)) {
      const own = valuesIn(form)
      const wanted = valuesIn(sentence)
      expect(
        typeof found === 'string' || own.includes('{count}') ? wanted : wanted.filter((value) => value !== '{count}'),
        sentence
      ).toEqual(own)
    }
})

// ——— sentences missing from the catalog ———

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const children = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

/** Returns the text between the tags of a template, and the text of attributes that screen readers announce. */
const wordsOf = (markup: string): string[] => {
  // This template contains only an attribute.
  if (/^ [a-z-]+(?==|$)/.test(markup)) return []
  const spoken = [...markup.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, words = '']) => words)
  const code = markup.replaceAll(/<(code|svg)\b[\s\S]*?<\/\1>/g, '')
  // A template may begin and end anywhere, even inside a tag.
  const shown = code.replaceAll(/<[^>]*>|^[^<]*?>(?=[^>]*$|[^>]*<)|<[^>]*$/g, '\n').split('\n')
  return [...spoken, ...shown].map((words) => words.trim()).filter((words) => /\p{L}{2}/u.test(words))
}

const gap = '\u0001'

const untranslated = (node: Node, found: string[] = []): string[] => {
  if (node.type === 'TaggedTemplateExpression' && (node['tag'] as Node)['name'] === 'html') {
    const parts = ((node['quasi'] as Node)['quasis'] as Node[]).map((part) => (part['value'] as { cooked: string }).cooked)
    found.push(...wordsOf(parts.join(gap)).map((words) => words.replaceAll(gap, '…')))
  }
  if (node.type === 'Property' && ['title', 'label', 'hint', 'text'].includes(String((node['key'] as Node)['name']))) {
    const value = node['value'] as Node
    if (value.type === 'Literal' && typeof value['value'] === 'string') found.push(value['value'])
    if (value.type === 'TemplateLiteral') found.push('a template')
  }
  for (const child of children(node)) untranslated(child, found)
  return found
}

test('[WORDS-4] every text on a server-rendered page comes from the catalog', () => {
  const sample =
    'html`<p class="a" aria-label="Read out">Hello ${t(\'x\')}</p><code>npm</code>`; const page = { title: \'Gone\' }; html` autofocus`'
  expect(untranslated(parseAst(sample, { lang: 'ts' }) as unknown as Node)).toEqual(['Read out', 'Hello …', 'Gone'])
  const pages = files.filter(
    (name) => readFileSync(join(root, name), 'utf8').includes("html.ts'") || name.endsWith('-page.ts') || name.endsWith('-pages.ts')
  )
  expect(pages.length).toBeGreaterThan(8)
  const found = pages
    // Published and embedded pages are in the language of their text, and the text around it is English.
    // The documentation is in English only.
    .filter((name) => name !== 'server/http/widget-page.ts' && !name.startsWith('server/http/docs/'))
    .flatMap((name) =>
      untranslated(parseAst(readFileSync(join(root, name), 'utf8'), { lang: 'ts' }) as unknown as Node).map((words) => `${name}: ${words}`)
    )
  expect(found).toEqual([])
})

test('[PASSKEY-7] browsers have their usual names, in the language of the reader', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const names = {
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`]: 'Chrome unter Linux',
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`]: 'Chrome unter Linux',
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`]: 'Edge unter Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15':
      'Safari unter macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1':
      'Safari unter iOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1':
      'Chrome unter iOS',
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Ladybird/1.0 Safari/537.36`]: 'Ein Browser unter Linux',
    curl: 'Ein Browser'
  }
  const words = languageOf({ req: new IncomingMessage(new Socket()), acceptsLanguages: (() => 'de') as Context['acceptsLanguages'] })
  for (const [agent, name] of Object.entries(names)) expect(browserWords(words, browserName(agent)), agent).toBe(name)
  // A name that a person chose is not translated.
  expect(browserWords(words, 'Laptop on my desk')).toBe('Laptop on my desk')
})
