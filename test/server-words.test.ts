/** The words of the pages that the server writes, in every language. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { german } from '../server/http/german.ts'
import { errorMeanings } from '../shared/errors.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('server/{http,auth,domain}/**/*.ts', { cwd: root }).filter((name) => !name.endsWith('/german.ts'))
const source = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')

const quoted = String.raw`'((?:[^'\\]|\\.)*)'`
const plain = [...source.matchAll(new RegExp(String.raw`\b(?:t|term)\(\s*${quoted}`, 'g'))].map(([, sentence]) => sentence ?? '')
const counted = [...source.matchAll(new RegExp(String.raw`\btn\([^']*?${quoted},\s*${quoted}`, 'g'))].map(([, , many]) => many ?? '')

/** What a page may say of a refusal by the domain. Faults of the server are told without a page. */
const refusals = [
  'invalid_request',
  'credential_required',
  'credential_invalid',
  'account_required',
  'form_expired',
  'forbidden',
  'not_found',
  'document_deleted',
  'body_too_large',
  'unsupported_media_type',
  'too_many_nodes',
  'too_many_tokens',
  'rate_limited',
  'sign_in_failed',
  'issuer_unavailable'
] as const

const valuesIn = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map(([value]) => value).toSorted()

test('[WORDS-3] every sentence of the pages of the server has its German, with its values, and none is left over', () => {
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

// ——— sentences that went past the catalogue ———

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const children = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

/** Words between the tags of a template, and in the attributes that are read out. */
const wordsOf = (markup: string): string[] => {
  // No more than an attribute.
  if (/^ [a-z-]+(?==|$)/.test(markup)) return []
  const spoken = [...markup.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(([, words = '']) => words)
  const code = markup.replaceAll(/<(code|svg)\b[\s\S]*?<\/\1>/g, '')
  // A template begins and ends anywhere: within a tag, too.
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

test('[WORDS-4] nothing that people read on a page of the server goes past the catalogue', () => {
  const sample =
    'html`<p class="a" aria-label="Read out">Hello ${t(\'x\')}</p><code>npm</code>`; const page = { title: \'Gone\' }; html` autofocus`'
  expect(untranslated(parseAst(sample, { lang: 'ts' }) as unknown as Node)).toEqual(['Read out', 'Hello …', 'Gone'])
  const pages = files.filter(
    (name) => readFileSync(join(root, name), 'utf8').includes("html.ts'") || name.endsWith('-page.ts') || name.endsWith('-pages.ts')
  )
  expect(pages.length).toBeGreaterThan(8)
  const found = pages
    // Published and embedded pages are in the language of their text; their frame is English.
    .filter((name) => name !== 'server/http/widget-page.ts')
    .flatMap((name) =>
      untranslated(parseAst(readFileSync(join(root, name), 'utf8'), { lang: 'ts' }) as unknown as Node).map((words) => `${name}: ${words}`)
    )
  expect(found).toEqual([])
})
