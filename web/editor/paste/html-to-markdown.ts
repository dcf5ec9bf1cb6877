/**
 * Converts HTML from the clipboard to Markdown. The HTML is parsed in a separate document, in which no script runs and nothing loads. Elements
 * without a Markdown equivalent keep only their text.
 */
import { markdownTable } from './table-text.ts'
import { inertDocument } from './inert.ts'
import { fenceFor, inline, inlineNames, inlineNodes, skipped, styleOf } from './inline-html.ts'
import { isMarker, levelOf, wordList, type WordItem } from './word-lists.ts'

/** Longest HTML that is converted, in UTF-16 units. For longer HTML, the plain text of the clipboard is used. */
export const htmlUnitsMax = 1_000_000

const blockNames = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE UL'.split(
    ' '
  )
)

/** Escapes characters that would make a line a heading, an item or a quote. */
const escapeLine = (line: string): string =>
  line.replace(
    /^(\s*)([#>+-]|\d{1,9}[.)])(\s|$)/,
    (_, space: string, mark: string, end: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}${end}`
  )

const indented = (text: string, by: string): string => text.replaceAll(/\n(?=[^\n])/g, `\n${by}`)

const isList = ({ nodeName }: Element): boolean => nodeName === 'UL' || nodeName === 'OL'

const box = /^\[[ x]\](?: +|$)/

/** Returns the blocks of a list item. Google Docs writes the check box of a task as a role, and strikes the text of a completed one through. */
function itemParts(item: Element): string[] {
  const isTask = item.getAttribute('role') === 'checkbox'
  const isDone = item.getAttribute('aria-checked') === 'true'
  const [first = '', ...more] = blocks(item)
  if (isTask) return [`[${isDone ? 'x' : ' '}] ${isDone ? first.replace(/^~~([^~]*)~~$/, '$1') : first}`, ...more]
  const mark = box.exec(first)?.[0]
  if (mark === undefined) return [first, ...more]
  const own = first.slice(mark.length)
  const [text, rest] = own === '' ? [more[0] ?? '', more.slice(1)] : [own, more]
  return [`${mark.slice(0, '[x]'.length)} ${text}`, ...rest]
}

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
    const parts = itemParts(child)
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
  let text: Node[] = []
  const flush = (): void => {
    const made = paragraph(inlineNodes(text))
    if (made !== '') {
      endList()
      found.push(made)
    }
    text = []
  }
  for (const child of parent.childNodes) {
    const isBlock = child instanceof Element && (blockNames.has(child.nodeName) || holdsBlocks(child))
    if (!isBlock) {
      text.push(child)
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
  !(inlineNames.has(element.nodeName) && element.nodeName !== 'B' && element.nodeName !== 'SPAN') &&
  element.querySelector('p, div, h1, h2, h3, h4, h5, h6, ul, ol, table, pre, blockquote') !== null &&
  !skipped.has(element.nodeName.toUpperCase())

const meaningful =
  'a[href], b, strong, i, em, del, s, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr, [data-style*="font-weight:7"], [data-style*="font-style:italic"], [data-style*="mso-list"], mark, sub, sup, [data-style*="vertical-align:su"], [data-style*="background-color:#"], [data-style*="mso-highlight"], [data-style*="Courier"], [data-style*="Consolas"], [data-style*=" Mono"]'

/** Converts the body of an HTML document to Markdown. */
export const markdownIn = (body: Element): string => blocks(body).join('\n\n')

/** Converts HTML to Markdown. Returns undefined if the HTML contains no more information than the plain text. */
export function htmlToMarkdown(html: string): string | undefined {
  if (html.length > htmlUnitsMax) return undefined
  const { body } = inertDocument(html)
  if (body.querySelector(meaningful) === null) return undefined
  const markdown = markdownIn(body)
  return markdown === '' ? undefined : markdown
}
