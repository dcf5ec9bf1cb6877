/**
 * Converts HTML from the clipboard to Markdown. The HTML is parsed in a separate document, in which no script runs and nothing loads. Elements
 * without a Markdown equivalent keep only their text.
 */
import { mayLink } from '../../../shared/markdown/links.ts'
import { markdownTable } from './table-text.ts'
import { inertDocument } from './inert.ts'
import { isMarker, levelOf, wordList, type WordItem } from './word-lists.ts'

/** Longest HTML that is converted, in UTF-16 units. For longer HTML, the plain text of the clipboard is used. */
export const htmlUnitsMax = 1_000_000

const blockNames = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE UL'.split(
    ' '
  )
)
const skipped = new Set(
  'HEAD STYLE SCRIPT TEMPLATE TITLE META LINK NOSCRIPT OBJECT EMBED IFRAME SVG MATH CANVAS SELECT TEXTAREA BUTTON'.split(' ')
)

/** Escapes characters that Markdown would interpret within a line. */
const escapeText = (text: string): string =>
  text.replaceAll(/[\\`*[\]<_&]|~~/g, (mark, at: number) => (isMark(text, mark, at) ? `\\${mark}` : mark))

const entity = /&[a-z#][a-z0-9]*;/iy

const isMark = (text: string, mark: string, at: number): boolean => {
  if (mark === '<') return /[a-z/!?]/i.test(text.charAt(at + 1))
  if (mark === '_') return !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at)) || !/^[\p{L}\p{N}]/u.test(text.slice(at + 1, at + 3))
  entity.lastIndex = at
  return mark !== '&' || entity.test(text)
}
/** Escapes characters that would make a line a heading, an item or a quote. */
const escapeLine = (line: string): string =>
  line.replace(
    /^(\s*)([#>+-]|\d{1,9}[.)])(\s|$)/,
    (_, space: string, mark: string, end: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}${end}`
  )

const wrap = (text: string, mark: string): string => {
  const inner = text.trim()
  const before = text.length - text.trimStart().length
  return inner === '' ? text : `${text.slice(0, before)}${mark}${inner}${mark}${text.slice(before + inner.length)}`
}

const fenceFor = (text: string, mark: string, least: number): string =>
  mark.repeat((text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length + 1), least))

function inlineCode(text: string): string {
  if (text.trim() === '') return text
  const fence = fenceFor(text, '`', 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${text.replaceAll(/\s+/g, ' ')}${space}${fence}`
}

const address = (value: string | null): string | undefined => {
  const plain = (value ?? '').trim()
  if (plain === '' || /^(data|javascript|file|about|blob):/i.test(plain) || !mayLink(plain) || plain.startsWith('#')) return undefined
  return /[\s()<>]/.test(plain) ? `<${plain.replaceAll(/[<>\s]/g, encodeURIComponent)}>` : plain
}

function link(element: Element): string {
  const text = inline(element)
  const target = address(element.getAttribute('href'))
  if (target === undefined || text.trim() === '') return text
  return text.trim() === escapeText(target) || text.trim() === target ? target : wrapLink(text.trim(), target)
}

const wrapLink = (text: string, target: string): string => `[${text}](${target})`

function image(element: Element): string {
  const target = address(element.getAttribute('src'))
  return target === undefined ? '' : `![${escapeText(element.getAttribute('alt') ?? '')}](${target})`
}

/** Applies formats given by styles, because word processors write bold and italic as styles. */
function styled(element: Element, text: string): string {
  const style = element.getAttribute('data-style') ?? ''
  const bold = /font-weight:\s*(bold|[6-9]00)/i.test(style)
  const italic = /font-style:\s*italic/i.test(style)
  const struck = style
    .split(';')
    .some((each) => /line-through/i.test(each.slice(Math.max(0, each.search(/text-decoration/i)))) && /text-decoration/i.test(each))
  return [bold && '**', italic && '*', struck && '~~'].reduce<string>((sum, mark) => (mark === false ? sum : wrap(sum, mark)), text)
}

const styleOf = (element: Element): string => element.getAttribute('data-style') ?? ''

/** Whether an element is the marker of a Word list item. In a Word heading, the number is part of the text. */
const isListMarker = (element: Element): boolean => isMarker(styleOf(element)) && element.closest('p') !== null

const plainWeight = /font-weight:\s*(normal|400)/i

const inlineRules: Readonly<Record<string, (element: Element) => string>> = {
  A: link,
  IMG: image,
  BR: () => '\\\n',
  CODE: (element) => inlineCode(element.textContent ?? ''),
  TT: (element) => inlineCode(element.textContent ?? ''),
  B: (element) => (plainWeight.test(element.getAttribute('data-style') ?? '') ? inline(element) : wrap(inline(element), '**')),
  STRONG: (element) => wrap(inline(element), '**'),
  I: (element) => wrap(inline(element), '*'),
  EM: (element) => wrap(inline(element), '*'),
  DEL: (element) => wrap(inline(element), '~~'),
  S: (element) => wrap(inline(element), '~~'),
  STRIKE: (element) => wrap(inline(element), '~~'),
  SPAN: (element) => (isListMarker(element) ? '' : styled(element, inline(element))),
  INPUT: (element) => (element.getAttribute('type') === 'checkbox' ? `[${element.hasAttribute('checked') ? 'x' : ' '}] ` : '')
}
for (const name of ['kbd', 'sub', 'sup', 'mark', 'ins']) {
  Object.assign(inlineRules, { [name.toUpperCase()]: (element: Element) => `<${name}>${inline(element)}</${name}>` })
}

function inlineNode(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return escapeText((node.nodeValue ?? '').replaceAll(/[\s\u00a0]+/g, ' '))
  if (!(node instanceof Element) || skipped.has(node.nodeName.toUpperCase())) return ''
  return inlineRules[node.nodeName]?.(node) ?? inline(node)
}

const inline = (parent: Node): string => [...parent.childNodes].map(inlineNode).join('')

const indented = (text: string, by: string): string => text.replaceAll(/\n(?=[^\n])/g, `\n${by}`)

const isList = ({ nodeName }: Element): boolean => nodeName === 'UL' || nodeName === 'OL'

function list(element: Element): string {
  const ordered = element.nodeName === 'OL'
  let number = Number(element.getAttribute('start') ?? 1) || 1
  const items: string[] = []
  let mark = ''
  for (const child of element.children) {
    // Google Docs and other programs put an inner list next to its item and not inside it.
    if (child.nodeName !== 'LI') {
      const inner = isList(child) ? list(child) : blocks(child).join('\n\n')
      const pad = ' '.repeat(mark.length)
      if (inner !== '') items.push(pad + indented(inner, pad))
      continue
    }
    mark = ordered ? `${number++}. ` : '- '
    const parts = blocks(child)
    const tight = parts.every((part, at) => at === 0 || /^([-*+]|\d+\.) /.test(part))
    items.push(mark + indented(parts.join(tight ? '\n' : '\n\n'), ' '.repeat(mark.length)))
  }
  return items.join('\n')
}

function code(element: Element): string {
  const text = (element.textContent ?? '').replace(/\n$/, '')
  const language = /(?:language|lang)-([\w+#-]+)/.exec(`${element.className} ${element.querySelector('code')?.className ?? ''}`)?.[1] ?? ''
  const fence = fenceFor(text, '`', 3)
  return `${fence}${language}\n${text}\n${fence}`
}

function table(element: Element): string {
  const rows = [...element.querySelectorAll('tr')].filter((row) => row.closest('table') === element)
  const cells = rows.map((row) =>
    [...row.children].flatMap((cell) => {
      // If a cell spans several columns, the other columns stay empty.
      const span = Math.min(Number(cell.getAttribute('colspan')) || 1, 100)
      const text = blocks(cell).join('\n').replaceAll(/\\\n/g, '\n')
      return [text, ...Array.from({ length: span - 1 }, () => '')]
    })
  )
  const written = cells.filter((row) => row.some((cell) => cell.trim() !== ''))
  if (written.length === 0) return ''
  // A table with a single cell is a frame around text.
  return written.length === 1 && written[0]?.length === 1 ? (written[0][0] ?? '') : markdownTable(written)
}

const heading = (element: Element): string => {
  const text = inline(element).replaceAll(/\s+/g, ' ').trim()
  return text === '' ? '' : `${'#'.repeat(Number(element.nodeName[1]))} ${text}`
}

const blockRules: Readonly<Record<string, (element: Element) => string>> = {
  H1: heading,
  H2: heading,
  H3: heading,
  H4: heading,
  H5: heading,
  H6: heading,
  HR: () => '---',
  PRE: code,
  UL: list,
  OL: list,
  TABLE: table,
  BLOCKQUOTE: (element) => blocks(element).join('\n\n').replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>')
}

/** Removes whitespace and line breaks at both ends of the text. */
const withoutBreaks = (text: string): string => {
  const bare = text.replace(/^(?:\s|\\\n)+/, '')
  let end = bare.length
  while (end > 0 && /\s/.test(bare.charAt(end - 1))) end -= bare.startsWith('\\\n', end - 2) ? 2 : 1
  return bare.slice(0, end)
}

const paragraph = (text: string): string =>
  withoutBreaks(text)
    .split('\n')
    .map((line) => escapeLine(line.trim()))
    .join('\n')

function wordItem(element: Element): WordItem | undefined {
  const level = element.nodeName === 'P' ? levelOf(styleOf(element)) : undefined
  if (level === undefined) return undefined
  const marker = [...element.querySelectorAll('span')].find((each) => isMarker(styleOf(each)))?.textContent ?? ''
  return { level, marker, text: paragraph(inline(element)) }
}

/** Returns the Markdown of each block in an element, in order. */
function blocks(parent: Element): string[] {
  const found: string[] = []
  let items: WordItem[] = []
  const endList = (): void => {
    if (items.length > 0) found.push(wordList(items))
    items = []
  }
  let text = ''
  const flush = (): void => {
    const made = paragraph(text)
    if (made !== '') {
      endList()
      found.push(made)
    }
    text = ''
  }
  for (const child of parent.childNodes) {
    const isBlock = child instanceof Element && (blockNames.has(child.nodeName) || holdsBlocks(child))
    if (!isBlock) {
      text += inlineNode(child)
      continue
    }
    flush()
    const item = wordItem(child)
    if (item !== undefined) {
      items.push(item)
      continue
    }
    endList()
    const rule = blockRules[child.nodeName]
    const made = rule === undefined ? blocks(child) : [rule(child)]
    found.push(...made.filter((block) => block !== ''))
  }
  flush()
  endList()
  return found
}

// Google Docs wraps everything that it copies in one bold element.
const holdsBlocks = (element: Element): boolean =>
  !(element.nodeName in inlineRules && element.nodeName !== 'B' && element.nodeName !== 'SPAN') &&
  element.querySelector('p, div, h1, h2, h3, h4, h5, h6, ul, ol, table, pre, blockquote') !== null &&
  !skipped.has(element.nodeName.toUpperCase())

const meaningful =
  'a[href], b, strong, i, em, del, s, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr, [data-style*="font-weight:7"], [data-style*="font-style:italic"], [data-style*="mso-list"]'

/** Converts HTML to Markdown. Returns undefined if the HTML contains no more information than the plain text. */
export function htmlToMarkdown(html: string): string | undefined {
  if (html.length > htmlUnitsMax) return undefined
  const { body } = inertDocument(html)
  if (body.querySelector(meaningful) === null) return undefined
  const markdown = blocks(body).join('\n\n')
  return markdown === '' ? undefined : markdown
}
