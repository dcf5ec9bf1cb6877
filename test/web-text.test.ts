/** Small rules of the editor that need no browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cleanText } from '../web/base/clean-text.ts'
import { frameKind } from '../web/connection/durable-socket.ts'
import { EditorState, Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { markdown } from '../web/editor/language.ts'
import { wordsOf } from '../web/document/count-popover.tsx'
import * as Y from 'yjs'
import { titleIn, titleOfText } from '../shared/names.ts'
import { titleWords } from '../web/editor/title-place.ts'
import { beginning } from '../web/session/beginning.ts'
import { countDocument, countRange, countWords } from '../web/editor/count.ts'
import { frontMatterEnd } from '../web/editor/front-matter.ts'
import { refusalOfStatus } from '../web/client/refusals.ts'
import { route } from '../web/base/route.ts'
import { actorWords, eventWords } from '../web/activity/event-words.ts'
import { agreeIn } from '../web/activity/verbs.ts'
import { timeOf } from '../web/history/timeline.tsx'
import { eventKinds } from '../shared/events.ts'
import { sourceWords } from '../web/diagram/source-words.ts'
import { de } from '../web/text/de.ts'
import { shortNumber, t } from '../web/text/t.ts'
import { dayWords } from '../web/text/when.ts'

test('[WEB-5] text that enters has LF line endings, no NUL, no byte-order mark and no lone surrogate', () => {
  expect(cleanText('a\r\nb\rc\nd')).toBe('a\nb\nc\nd')
  expect(cleanText('\uFEFFa\0b')).toBe('ab')
  expect(cleanText('x\uD83Dy 😀')).toBe('x\uFFFDy 😀')
})

test('[WEB-6] a document is named after its first heading outside code, without markup, but not after a section below other words', () => {
  const heading = (content: string): string | undefined => titleIn(content).heading
  expect(heading('\n\n## The **plan** for [2027](https://x)')).toBe('The plan for 2027')
  expect(heading('```\n# not this\n```\n# This')).toBe('This')
  expect(heading('![A picture](/a.png)\n\n## This')).toBe('This')
  expect(heading('no heading\n#hashtag')).toBeUndefined()
  expect(heading('intro\n\n# This')).toBe('This')
  expect(heading('Autumn fair\n\n## Stalls\n\n# Other')).toBeUndefined()
  expect(titleOfText(titleIn('Autumn fair\n\n## Stalls'), null)).toBe('Autumn fair')
})

test.each([
  ['The ==marked== words', 'The marked words'],
  ['==a== and ==**b c**==', 'a and b c'],
  ['a == b, b==c', 'a == b, b==c'],
  ['a == b == c', 'a == b == c'],
  ['\\==a==', '==a=='],
  ['==== a', '==== a']
])('[WRITE-193] the title of the heading %j is %j', (heading, expected) => {
  expect(titleIn(`# ${heading}\n`).heading).toBe(expected)
  expect(titleOfText(titleIn(heading), null)).toBe(expected)
})

test('[WEB-7] words are counted in every script', () => {
  expect(countWords('')).toBe(0)
  expect(countWords('It’s a well-known fact: 3 words')).toBe(6)
  expect(countWords('日本語')).toBe(3)
})

test('[WEB-7] words of changing text are counted like those of unchanged text', () => {
  const line = 'It’s a well-known fact: 3 words 日本語'
  let text = Text.of(Array.from({ length: 2000 }, () => line))
  expect(countDocument(text)).toBe(18_000)
  text = text.replace(40_000, 40_000, Text.of(['', 'two more', '']))
  expect(countDocument(text)).toBe(countWords(text.toString()))
  expect(countDocument(text.slice(100, 50_000))).toBe(countWords(text.sliceString(100, 50_000)))
})

test.each([
  ['- [ ] buy milk', 2],
  ['- [x] buy milk', 2],
  ['> 1. buy milk', 2],
  ['see [our site](https://a.example/one/two "A title") now', 4],
  ['![three words here|300](/f/abc.png "a caption") end', 1],
  ['[![cat](/a.png)](https://a.example) end', 1],
  ['a [b](<x y (z)>) c', 3],
  ['```typescript title="x"\nlet a\n```', 2],
  ['# 3 things\n\nx [y] (z)', 5],
  ['[x] at the beginning', 4],
  ['[airport](https://a.example/map?from=1&to=2) bus', 2],
  ['a [wall](https://a.example/Wall_(Berlin)_east "The (old) wall") here', 3],
  ['see https://a.example/one-two/three?x=1&y=2#four now', 3],
  ['**https://a.example/one/two** or <https://a.example/one/two>', 3],
  ['[https://a.example/one](https://a.example/one), www.example.com/two/three', 2],
  ['日本https://a.example/one/two日本', 5],
  ['**Fri**day, un*frigging*believable, H~2~O and `a`b', 5]
])('[WRITE-82] of %j readers see %i words', (text, expected) => {
  expect(countDocument(Text.of(text.split('\n')))).toBe(expected)
})

test.each([
  ['```board #launch title="Two words"\n## Todo\n- [>] Write importer @ana #backend\n  Some details\n```', 9],
  ['```chat\n[2026-11-20T10:02Z] @ana: Can we ship?\n  Soon\n```', 5],
  ['```sheet #budget\n| Item | Total |\n|---|--:|\n| Pens | =SUM(B2:B9) * 2 |\n```', 4],
  ['```chart #one\ntype: bar\ndata: #budget\ntitle: Sales this year\nx: Item\n\nName,Count\nA,1\n```\nend', 5],
  ['```widget title="Dice"\n<button onclick="o.value = 1">Roll</button>\n```\nend', 2],
  ['> ```mermaid\n> graph TD\n> A --> B\n\nend', 1],
  ['````chart\n```\ntype: bar\n````\nend', 1],
  ['~~~js\nlet a\n```board\n~~~\nend', 4]
])('[COUNT-10] of %j readers see %i words', (text, expected) => {
  expect(countDocument(Text.of(text.split('\n')))).toBe(expected)
})

test.each([
  ['---\ntitle: My plan\nbreaks: false\n---\nThe plan', 2],
  ['The plan\n\n---\nkey: value\n---\n', 4],
  ['<details open>\n<summary>More words</summary>\n\nText\n\n</details>', 3],
  ['<details><summary>More</summary>\nPress <kbd>Ctrl</kbd><br>H<sub>2</sub>O\n</details>', 4],
  ['One<!-- a hidden note --> two', 2],
  ['A fact[^1] and more\n\n[^1]: The source', 6],
  ['See [our site][home]\n\n[home]: https://a.example/one "A title"\n', 3]
])('[COUNT-11] of %j readers see %i words', (text, expected) => {
  expect(countDocument(Text.of(text.split('\n')))).toBe(expected)
})

test('[COUNT-13] a rectangle of cells has the words of these cells; in the source, the selection is text', () => {
  const doc = '| one | two | three four |\n| --- | --- | --- |\n| five | six | seven eight |'
  const selection = { anchor: doc.indexOf('two'), head: doc.indexOf('six') + 3 }
  const wordsIn = (view: string): string => {
    const extensions = [markdown(), EditorView.editorAttributes.of({ class: view })]
    return wordsOf(EditorState.create({ doc, selection, extensions }), 'live')
  }
  expect(wordsIn('cm-live')).toBe('2 of 8 words')
  expect(wordsIn('')).toBe('5 of 8 words')
})

test('[COUNT-12] a selection in hidden text has no words, and an edit above a fence changes how its text is counted', () => {
  const chart = ['```chart', ...Array.from({ length: 3000 }, () => 'some, data'), '```', 'The end']
  const text = Text.of(['---', 'title: Plan', '---', 'One', '', ...chart])
  expect(countDocument(text)).toBe(3)
  expect(countRange(text, 0, 10)).toBe(0)
  expect(countRange(text, 0, text.length)).toBe(3)
  expect(countRange(text, 200, 300)).toBe(0)
  const opening = text.toString().indexOf('```')
  expect(countDocument(text.replace(opening, opening + 8, Text.of(['Now'])))).toBe(6004)
})

test('[WEB-6] the title is looked for in the beginning of the text alone, no matter what was deleted there', () => {
  const text = new Y.Doc().getText('content')
  text.insert(0, '# Kept\n' + 'x'.repeat(100_000))
  text.insert(0, 'gone '.repeat(1000))
  text.delete(0, 5000)
  const head = beginning(text, 20_000)
  expect(text.toString().startsWith(head)).toBe(true)
  expect(head.length).toBeGreaterThanOrEqual(20_000)
  expect(titleIn(head).heading).toBe('Kept')
})

test('[WEB-8] [REFUSED-6] an address leads to the home page, a new document, or one document', () => {
  expect(route('/')).toEqual({ page: 'home' })
  expect(route('/new')).toEqual({ page: 'new' })
  expect(route('/d/X7YVV5Ks2r34CATB')).toEqual({ page: 'document', id: 'X7YVV5Ks2r34CATB' })
  expect(route('/d/X7YVV5Ks2r34CATB.md')).toEqual({ page: 'unknown', kind: 'no_page' })
  // An id that was cut off.
  expect(route('/d/X7YVV5Ks2r3')).toEqual({ page: 'unknown', kind: 'not_found' })
})

test('[WEB-9] each refusal by the server has its own message', () => {
  expect(refusalOfStatus(401, 'credential_required')).toBe('private')
  expect(refusalOfStatus(401, 'credential_invalid')).toBe('ended')
  expect([403, 404, 410, 429, 500, 503, 0].map((status) => refusalOfStatus(status, ''))).toEqual([
    'forbidden',
    'not_found',
    'deleted',
    'rate_limited',
    'server_error',
    'restarting',
    'never_opened'
  ])
})

test('[WEB-10] frames of the live protocol are distinguished by type and subtype', () => {
  expect(frameKind(new Uint8Array([3, 97, 98, 99, 0, 2, 9]))).toEqual({ type: 0, detail: 2 })
  expect(frameKind(new Uint8Array([3, 97, 98, 99, 8, 1]))).toEqual({ type: 8, detail: 1 })
})

test('[WEB-70] a value keeps the direction of its letters and marks to itself', () => {
  expect(t('The link for {name} is ready.', { name: 'Ana' })).toBe('The link for Ana is ready.')
  expect(t('The link for {name} is ready.', { name: '\u202Eevil' })).toBe('The link for \u2068\u202Eevil\u2069 is ready.')
  expect(t('The link for {name} is ready.', { name: '\u2068Ana\u2069' })).toBe('The link for \u2068Ana\u2069 is ready.')
  expect(t('The link for {name} is ready.', { name: 'אנה' })).toBe('The link for \u2068אנה\u2069 is ready.')
})

test('[WEB-83] times of day, large numbers and guests are worded as people say them', () => {
  expect(timeOf('2026-11-20T07:48:00')).toMatch(/^7:48\sAM$/)
  const tomorrow = new Date()
  tomorrow.setDate(tomorrow.getDate() + 1)
  expect(dayWords(tomorrow.setHours(4, 59))).toMatch(/, 4:59\sAM$/)
  expect(shortNumber(4_194_304)).toBe('4.2 million')
  const guest = { actor: 'guest', actorKind: 'guest', payload: {} } as const
  expect(actorWords(guest, (names) => names.join())).toBe('Guest')
  expect(eventWords({ kind: 'suggestion.accepted', payload: { author: 'guest' } })).toContain('Guest')
})

test('[WHO-4] the person’s own actions follow “You” in both languages', () => {
  const source = readFileSync(join(import.meta.dirname, '../web/activity/event-words.ts'), 'utf8')
  const table = source.slice(source.indexOf('const words:'), source.indexOf('export const eventWords'))
  const phrases = [...table.matchAll(/\b(?:term|t)\('([^']+)'/g)].map(([, sentence = '']) => de[sentence])
  expect(phrases.length).toBeGreaterThanOrEqual(eventKinds.length)
  for (const phrase of phrases) expect(agreeIn('de', 'you', String(phrase))).toMatch(/^(hast|konntest) /)
  expect(agreeIn('en', 'you', 'commented')).toBe('commented')
})

test('[WEB-96] the search for settings at the top of the text stops at their end', () => {
  const below = Array.from({ length: 900 }, (_, index) => `Line ${index}`)
  const read = (...top: readonly string[]): { end: number; lines: number } => {
    let lines = 0
    const doc = Text.of([...top, ...below])
    const counting = Object.assign(Object.create(doc) as Text, {
      *iterLines() {
        for (const line of doc.iterLines()) {
          lines += 1
          yield line
        }
      }
    })
    return { end: frontMatterEnd(counting), lines }
  }
  expect(read('---', 'title: One', '---')).toEqual({ end: 18, lines: 3 })
  expect(read('# One', '')).toEqual({ end: 0, lines: 2 })
  // This is a horizontal rule and not front matter.
  expect(read('---', 'Words')).toEqual({ end: 0, lines: 2 })
})

test('[QUICK-1] text is named by its front matter, its first heading, or its first line with words', () => {
  const named = (content: string, given: string | null = null): string | undefined => titleOfText(titleIn(content), given)
  expect(named('---\ntitle: "The plan" # of ours\n---\n# Heading\n')).toBe('The plan')
  expect(named('---\ntags: [a]\n---\nWords\n\n# Heading\n')).toBe('Heading')
  expect(named('\n- [ ] Buy **milk** and [bread](https://x)\nthen more')).toBe('Buy milk and bread')
  expect(named('Words', 'Given')).toBe('Given')
  // The marker of a callout is not a word, but its title is.
  expect(named('> [!NOTE]\n> Shops close at 8')).toBe('Shops close at 8')
  expect(named('> [!TIP] Shops\n> They close at 8')).toBe('Shops')
  expect(named('> [!NOTE]\n> > Shops close at 8')).toBe('Shops close at 8')
  expect(named('---\ntitle: Set\n---\n', 'Given')).toBe('Set')
  for (const nothing of ['', '\n\n---\n', '```js\ncode\n```\n', '| a |\n|---|\n', '<div>\n']) expect(named(nothing)).toBeUndefined()
  expect(named('x'.repeat(500))?.length).toBe(80)
  for (const nested of ['title: [a, b]', 'title: |', 'title:']) expect(named(`---\n${nested}\n---\nWords`)).toBe('Words')
})

test('[QUICK-2] clicking the title selects its words in the line that it comes from', () => {
  const chosen = (content: string): string => {
    const doc = Text.of(content.split('\n'))
    const { from, to } = titleWords(doc)
    return doc.sliceString(from, to)
  }
  expect(chosen('intro\n\n## Plan ##\nmore')).toBe('intro')
  expect(chosen('\n## Plan ##\nmore')).toBe('Plan')
  expect(chosen('intro\n\n# The **plan** ##\nmore')).toBe('The **plan**')
  expect(chosen('---\ntitle: "title" # of ours\n---\n# Heading')).toBe('title')
  expect(chosen('\n\n- [ ] first words\nmore')).toBe('first words')
  expect(chosen('- Buy **milk** and [bread](/x)\nmore')).toBe('Buy **milk** and [bread](/x)')
  expect(chosen(`A **bold** word and ${'more '.repeat(50)}`)).toBe('')
  // Only the part of a long line that the title shows.
  expect(chosen('x'.repeat(500)).length).toBe(80)
  expect(chosen('')).toBe('')
})

test('[WRITE-245] the source of a diagram has a name in the language of the page', () => {
  expect(['en', 'de', 'de-AT'].map(sourceWords)).toEqual(['Source of the diagram', 'Quelltext des Diagramms', 'Quelltext des Diagramms'])
})
