/** The strings of the pages in every language. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { german } from '../server/http/german.ts'
import { de } from '../web/text/de.ts'

const web = join(import.meta.dirname, '../web')
const shared = join(import.meta.dirname, '../shared')
const filesOfWeb = globSync('**/*.{ts,tsx}', { cwd: web })
  .filter((name) => !/^text\/(de|t)\./.test(name))
  .map((name) => join(web, name))
/** The reasons why formulas failed, which programs receive in English. */
const filesOfFormulas = globSync('fences/formula/*.ts', { cwd: shared }).map((name) => join(shared, name))
/** The names of callouts, which the pages translate. */
const fileOfCallouts = join(shared, 'markdown/callouts.ts')
const source = [...filesOfWeb, ...filesOfFormulas, fileOfCallouts].map((path) => readFileSync(path, 'utf8')).join('\n')

const quoted = String.raw`'((?:[^'\\]|\\.)*)'`
const plain = [...source.matchAll(new RegExp(String.raw`\b(?:t|term)\(\s*${quoted}`, 'g'))].map(([, sentence]) => sentence ?? '')
const counted = [...source.matchAll(new RegExp(String.raw`\btn\([^']*?${quoted},\s*${quoted}`, 'g'))].map(([, , many]) => many ?? '')

const valuesIn = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map(([value]) => value).toSorted()

test('[WORDS-1] every sentence of the pages has a translation with the same values, and none is unused', () => {
  const used = new Set([...plain, ...counted])
  expect(used.size).toBeGreaterThan(0)
  expect([...used].filter((sentence) => !Object.hasOwn(de, sentence))).toEqual([])
  expect(Object.keys(de).filter((sentence) => !used.has(sentence))).toEqual([])
  for (const [sentence, found] of Object.entries(de)) {
    const forms = typeof found === 'string' ? [found] : Object.values(found)
    for (const form of forms) {
      const own = valuesIn(form)
      // A singular form such as "One word" need not contain the number.
      expect(own, sentence).toEqual(
        typeof found === 'string' || own.includes('{count}')
          ? valuesIn(sentence)
          : valuesIn(sentence).filter((value) => value !== '{count}')
      )
    }
  }
})

test('[WEB-113] German pages call a compute node “Rechner”', () => {
  const catalogs = JSON.stringify([de, german])
  expect(catalogs).toContain('Rechner')
  expect(catalogs).not.toContain('Rechenknoten')
})

test('[COMP-95] every reason for the failure of a formula is a sentence of the catalog', () => {
  const given = filesOfFormulas.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/new Failure\(('[^']+'), ([^)]{0,12})/g)])
  expect(given.length).toBeGreaterThan(20)
  const named = given.map(([, , reason = '']) => reason).filter((reason) => !/^(?:term\(|sentence,|hint,)/.test(reason))
  expect(named).toEqual([])
})

// ——— sentences missing from the catalog ———

/** A node of a syntax tree (ESTree, with JSX). */
interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Files whose text is not for readers of these pages: strings for programs, the worker, and the frame and the script that published pages share. */
const notOfPages = /^(text\/|offline\/worker|vite\.config|published\/|diagram\/|sharing\/agent-text|review\/cards\/task-text)/
/** Proper names, which are the same in every language. */
const names = /\b(agmd|Markdown)\b/g
const spoken = new Set(['aria-label', 'aria-description', 'aria-roledescription', 'title', 'alt', 'placeholder', 'label', 'about'])
const told = new Set(['textContent', 'innerText', 'title', 'alt', 'placeholder', 'ariaLabel'])
const translators = new Set(['t', 'tn', 'term'])
const saying = new Set(['toast', 'offer'])

const isWords = (text: string): boolean => /\p{L}{2}/u.test(text.replaceAll(names, ''))
const isSentence = (text: string): boolean => /^\p{Lu}[\p{Ll}'’]* \p{L}/u.test(text)

const children = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

const calleeOf = (node: Node): string => {
  const callee = node['callee'] as Node
  return callee.type === 'Identifier' ? String(callee['name']) : ''
}

/** Returns the text that a value may have, without text that it is compared with or that is passed to a function. */
function wordsOf(node: Node): string[] {
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' && isWords(node['value']) ? [node['value']] : []
    case 'TemplateLiteral':
      return [
        ...(node['quasis'] as Node[]).map((part) => (part['value'] as { cooked: string }).cooked).filter(isWords),
        ...(node['expressions'] as Node[]).flatMap(wordsOf)
      ]
    case 'ConditionalExpression':
      return [...wordsOf(node['consequent'] as Node), ...wordsOf(node['alternate'] as Node)]
    case 'LogicalExpression':
      return [...wordsOf(node['left'] as Node), ...wordsOf(node['right'] as Node)]
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
      return wordsOf(node['expression'] as Node)
    default:
      return []
  }
}

/** Returns the text of a file that people read and that no catalog contains. */
function untranslated(node: Node, found: string[] = []): string[] {
  if (node.type === 'CallExpression' && translators.has(calleeOf(node))) return found
  // Errors are for developers.
  if (node.type === 'NewExpression' && calleeOf(node).endsWith('Error')) return found
  if (node.type === 'Property') return untranslated(node['value'] as Node, found)
  if (node.type === 'JSXText' && isWords(String(node['value']))) found.push(String(node['value']).trim())
  if (node.type === 'JSXExpressionContainer') found.push(...wordsOf(node))
  if (node.type === 'JSXAttribute') {
    const name = String((node['name'] as Node)['name'])
    const value = node['value']
    if (isNode(value)) {
      if (spoken.has(name)) found.push(...wordsOf(value))
      for (const child of children(value)) untranslated(child, found)
    }
    return found
  }
  if (node.type === 'CallExpression' && saying.has(calleeOf(node))) found.push(...(node['arguments'] as Node[]).flatMap(wordsOf))
  if (node.type === 'CallExpression' && (node['callee'] as Node).type === 'MemberExpression') {
    const [attribute, value] = node['arguments'] as Node[]
    const method = ((node['callee'] as Node)['property'] as Node)['name']
    if (method === 'setAttribute' && value !== undefined && spoken.has(String(attribute?.['value']))) found.push(...wordsOf(value))
  }
  if (node.type === 'AssignmentExpression' && (node['left'] as Node).type === 'MemberExpression') {
    const { object, property } = node['left'] as Node & { readonly object: Node; readonly property: Node }
    const isSaid = object['name'] === 'said' && property['name'] === 'value'
    if (isSaid || told.has(String(property['name']))) found.push(...wordsOf(node['right'] as Node))
  }
  if (node.type === 'Literal' && typeof node['value'] === 'string' && isSentence(node['value'])) found.push(node['value'])
  if (node.type === 'TemplateElement' && isSentence((node['value'] as { cooked: string }).cooked))
    found.push((node['value'] as { cooked: string }).cooked)
  for (const child of children(node)) untranslated(child, found)
  return found
}

const parsed = (source: string, lang: 'ts' | 'tsx'): Node => parseAst(source, { lang }) as unknown as Node

test('[WORDS-2] every text that people read comes from the catalog', () => {
  // This sample checks that the scanner finds what it should.
  const sample =
    "const a = <p class='Some class' title={ok ? 'Yes' : t('No')}>Hello {x === 'edit' ? 'there' : t('you')} agmd</p>; toast('Gone'); const b = { text: 'A sentence here' }; throw new Error('Not this one'); e.setAttribute('aria-label', `Adding ${t('x')}`); e.textContent = ok ? 'Done' : t('Open')"
  expect(untranslated(parsed(sample, 'tsx'))).toEqual(['Yes', 'Hello', 'there', 'Gone', 'A sentence here', 'Adding ', 'Done'])
  const found = globSync('**/*.{ts,tsx}', { cwd: web })
    .filter((name) => !notOfPages.test(name))
    .flatMap((name) =>
      untranslated(parsed(readFileSync(join(web, name), 'utf8'), name.endsWith('x') ? 'tsx' : 'ts')).map((words) => `${name}: ${words}`)
    )
  expect(found).toEqual([])
})

test('[PUBLISH-19] a picture that cannot be loaded has the same words on published pages as in the editor, in both languages', () => {
  const key = 'This picture cannot be shown: {name}'
  const style = readFileSync(join(web, 'style/prose.css'), 'utf8')
  expect(plain).toContain(key)
  for (const words of [key, de[key]]) expect(style).toContain(`content: '${String(words).replace('{name}', '')}' attr(alt)`)
})
