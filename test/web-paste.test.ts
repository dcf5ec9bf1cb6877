/** Lists that other programs put on the clipboard, converted to Markdown. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { htmlToMarkdown } from '../web/editor/paste/html-to-markdown.ts'
import { wordList } from '../web/editor/paste/word-lists.ts'

/** The part of the browser's document that pasting reads. */
class FakeNode {
  static readonly TEXT_NODE = 3
  readonly nodeType: number = FakeNode.TEXT_NODE
  readonly childNodes: FakeNode[] = []
  parent: FakeElement | undefined
  readonly nodeName: string
  readonly nodeValue: string
  constructor(nodeName: string, nodeValue = '') {
    this.nodeName = nodeName
    this.nodeValue = nodeValue
  }
  get textContent(): string {
    return this.nodeValue + this.childNodes.map((node) => node.textContent).join('')
  }
}

class FakeElement extends FakeNode {
  override readonly nodeType = 1
  readonly #attributes: string
  constructor(name: string, attributes: string) {
    super(name.toUpperCase())
    this.#attributes = attributes
  }
  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement)
  }
  getAttribute(name: string): string | null {
    return new RegExp(`(?:^|\\s)${name}=(["'])(.*?)\\1`).exec(this.#attributes)?.[2] ?? null
  }
  hasAttribute(name: string): boolean {
    return new RegExp(`(?:^|\\s)${name}(?=[\\s=]|$)`).test(this.#attributes)
  }
  /** Matches the names of elements, and parts of the values of attributes. */
  matches(selector: string): boolean {
    return selector.split(', ').some((each) => {
      const [, name = '', attribute, value = ''] = /^([\w-]*)(?:\[([\w-]+)(?:\*="(.*)")?\])?$/.exec(each) ?? []
      return (
        (name === '' || name.toUpperCase() === this.nodeName) &&
        (attribute === undefined || this.getAttribute(attribute)?.includes(value) === true)
      )
    })
  }
  closest(selector: string): FakeElement | null {
    return this.matches(selector) ? this : (this.parent?.closest(selector) ?? null)
  }
  querySelectorAll(selector: string): FakeElement[] {
    return this.children.flatMap((child) => [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)])
  }
  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }
}

class FakeParser {
  parseFromString(html: string): { readonly body: FakeElement } {
    const body = new FakeElement('body', '')
    let at = body
    for (const [part, close, name, attributes = ''] of html.matchAll(/<!\[[^>]*>|<(\/?)([\w:]+)([^>]*)>|[^<]+/g)) {
      if (part.startsWith('<!')) continue
      if (close === '/') {
        at = at.parent ?? body
        continue
      }
      const node = name === undefined ? new FakeNode('#text', part.replaceAll('&nbsp;', '\u00a0')) : new FakeElement(name, attributes)
      node.parent = at
      at.childNodes.push(node)
      if (node instanceof FakeElement) at = node
    }
    return { body }
  }
}

beforeAll(() => {
  vi.stubGlobal('Node', FakeNode)
  vi.stubGlobal('Element', FakeElement)
  vi.stubGlobal('DOMParser', FakeParser)
})
afterAll(() => vi.unstubAllGlobals())

test.each([
  [
    '<ul><li>one</li><ul><li>sub</li><ul><li>third</li></ul><li>next</li></ul><li>two</li></ul>',
    '- one\n  - sub\n    - third\n  - next\n- two'
  ],
  ['<ol><li>one</li><ul><li>sub</li></ul><ol><li>a</li></ol><li>two</li></ol>', '1. one\n   - sub\n   1. a\n2. two'],
  ['<ul><li>one<ul><li>sub</li></ul></li><li>two</li></ul>', '- one\n  - sub\n- two'],
  ['<b style="font-weight:normal"><ul><li><p>one</p></li><ul><li><p>sub</p></li></ul></ul></b>', '- one\n  - sub']
])('[WRITE-98] the list %s keeps its levels', (html, markdown) => {
  expect(htmlToMarkdown(html)).toBe(markdown)
})

const item = (level: number, marker: string, text: string): string =>
  `<p class="MsoListParagraph" style="margin-left:.5in;mso-list:l0 level${level} lfo1"><![if !supportLists]><span><span style="mso-list:Ignore">${marker}<span style="font:7pt">&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>`

test('[WRITE-99] list paragraphs of Word become lists with their levels and numbers', () => {
  const bullets = item(1, '·', 'first') + item(2, 'o', 'second <b>bold</b>') + item(1, '·', 'third')
  const numbers = item(1, '3.', 'three') + item(2, 'a)', 'letter') + item(2, 'b)', 'next') + item(1, '4.', 'four')
  expect(htmlToMarkdown(`<p>Before</p>${bullets}<p>Between</p>\n${numbers}`)).toBe(
    'Before\n\n- first\n  - second **bold**\n- third\n\nBetween\n\n3. three\n   1. letter\n   2. next\n4. four'
  )
})

test('[WRITE-99] a heading of Word keeps its number', () => {
  expect(htmlToMarkdown('<h1 style="mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">2. </span>Plan</h1>')).toBe('# 2. Plan')
})

test('[WRITE-99] a list may begin at an inner level, and skip one', () => {
  const rows = [2, 4, 3, 1].map((level) => ({ level, marker: '§', text: `${level}` }))
  expect(wordList(rows)).toBe('- 2\n  - 4\n  - 3\n- 1')
  expect(wordList([{ level: 1, marker: '1.1.', text: 'a\\\nb' }])).toBe('1. a\\\n   b')
})

const docs = (style: string, text: string): string =>
  `<span style="font-size:11pt;font-family:Arial,sans-serif;background-color:transparent;font-weight:400;vertical-align:baseline;${style}">${text}</span>`

test.each([
  [docs('background-color:#ffff00', 'seen') + docs('', ' and ') + docs('font-weight:700', 'bold'), '==seen== and **bold**'],
  [docs('background-color:#ff0;font-weight:700', 'a ') + docs('background-color:#00ff00', 'b'), '==**a** b=='],
  [docs('font-weight:700', 'a') + docs('font-weight:700;font-style:italic', 'b'), '**a*b***'],
  [docs('background-color:#ffffff', 'white') + docs('font-style:italic', 'i'), 'white*i*'],
  ['<span style="background-color:rgb(255, 255, 0)">page</span><b>b</b>', 'page**b**'],
  ['<span style="background:yellow;mso-highlight:yellow">Word</span>', '==Word=='],
  [docs('background-color:#ffff00', 'a=b'), '<mark>a=b</mark>'],
  [docs('', 'x') + docs('', '<span style="font-size:0.6em;vertical-align:super">2</span>') + docs('', ' H'), 'x^2^ H'],
  ['H<span style="vertical-align:sub">2</span>O', 'H~2~O'],
  ['<p>x<sup>a b</sup> <sub>c</sub></p>', 'x<sup>a b</sup> <sub>c</sub>'],
  [
    docs("font-family:'Courier New',monospace", 'let *a ') + docs('font-family:Roboto Mono,monospace', '= 1') + docs('', ' x'),
    '`let *a = 1` x'
  ],
  ['<a href="https://a.example/">' + docs('font-family:Consolas', 'run') + '</a>', '[`run`](https://a.example/)'],
  [docs("font-family:'Courier New'", '<a href="https://a.example/">run</a>'), '[run](https://a.example/)']
])('[PASTE-33] the styles in %s become formats', (html, markdown) => {
  expect(htmlToMarkdown(html)).toBe(markdown)
})

const docsTask = (isDone: boolean, text: string): string =>
  `<li role="checkbox" aria-checked="${isDone}"><p role="presentation">${text}</p></li>`

test.each([
  [`<ul>${docsTask(false, 'open')}${docsTask(true, docs('text-decoration:line-through', 'done'))}</ul>`, '- [ ] open\n- [x] done'],
  [`<ul>${docsTask(true, 'a <s>b</s>')}<ul>${docsTask(false, 'sub')}</ul></ul>`, '- [x] a ~~b~~\n  - [ ] sub'],
  ['<ul><li><input type="checkbox" checked></input> done</li></ul>', '- [x] done'],
  ['<ul><li><input type="checkbox"></input><p>open</p><p>more</p></li></ul>', '- [ ] open\n\n  more'],
  ['<ul><li>[x] text</li></ul>', '- \\[x\\] text']
])('[PASTE-34] the check boxes in %s become tasks', (html, markdown) => {
  expect(htmlToMarkdown(html)).toBe(markdown)
})
