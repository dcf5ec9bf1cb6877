/** Converts text within a block of HTML to Markdown: formats, links and pictures. */
import { mayLink } from '../../../shared/markdown/links.ts'
import { hasStyle, shiftOf, type Format } from './style-formats.ts'
import { isMarker } from './word-lists.ts'

/** Elements whose text is left out. */
export const skipped = new Set(
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
/** Puts marks around text. Whitespace at its ends stays outside. */
const wrap = (text: string, mark: string): string => {
  const inner = text.trim()
  const before = text.length - text.trimStart().length
  return inner === '' ? text : `${text.slice(0, before)}${mark}${inner}${mark}${text.slice(before + inner.length)}`
}

/** Returns a fence that is longer than all runs of backticks in the text. */
export const fenceFor = (text: string, mark: string, least: number): string =>
  mark.repeat((text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length + 1), least))

function inlineCode(text: string): string {
  if (text.trim() === '') return text
  const fence = fenceFor(text, '`', 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${text.replaceAll(/\s+/g, ' ')}${space}${fence}`
}

const address = (value: string | null): string | undefined => {
  const plain = (value ?? '').trim()
  if (plain === '' || /^data:/i.test(plain) || !mayLink(plain) || plain.startsWith('#')) return undefined
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

/** Returns an element's style, under the name that it has in an inert document. */
export const styleOf = (element: Element): string => element.getAttribute('data-style') ?? ''

/** Whether an element is the marker of a Word list item. In a Word heading, the number is part of the text. */
const isListMarker = (element: Element): boolean => isMarker(styleOf(element)) && element.closest('p') !== null

const plainWeight = /font-weight:\s*(normal|400)/i

type Rule = (element: Element, before: string) => string

const marked =
  (mark: string): Rule =>
  (element) =>
    wrap(inline(element), mark)

const tagged = (name: string, text: string): string => `<${name}>${text}</${name}>`

/** Writes a highlight. Text for which `==` would not work gets the HTML element. */
const highlighted = (text: string, before: string): string => {
  const inner = text.trim()
  const isPlain = inner.length <= 900 && !inner.includes('\n') && !inner.includes('=') && !inner.endsWith('\\') && before !== '='
  return isPlain ? wrap(text, '==') : tagged('mark', text)
}

const shiftedText = /^[^\s~^\\`*_[\]<>$]{1,40}$/

/** Writes a subscript or a superscript. `~` and `^` work only after a letter or a digit, and not around spaces or other marks. */
const shifted = (name: 'sub' | 'sup', text: string, before: string): string => {
  const mark = name === 'sub' ? '~' : '^'
  return shiftedText.test(text) && /[\p{L}\p{N})\]}]/u.test(before) ? mark + text + mark : tagged(name, text)
}

function span(element: Element, before: string): string {
  if (isListMarker(element)) return ''
  const shift = shiftOf(styleOf(element))
  return shift === undefined ? inline(element, before) : shifted(shift, inline(element), before)
}

const codeRule: Rule = (element) => inlineCode(element.textContent ?? '')

const inlineRules: Readonly<Record<string, Rule>> = {
  A: link,
  IMG: image,
  BR: () => '\\\n',
  CODE: codeRule,
  TT: codeRule,
  B: (element, before) => (plainWeight.test(styleOf(element)) ? inline(element, before) : wrap(inline(element), '**')),
  STRONG: marked('**'),
  I: marked('*'),
  EM: marked('*'),
  DEL: marked('~~'),
  S: marked('~~'),
  STRIKE: marked('~~'),
  SPAN: span,
  SUB: (element, before) => shifted('sub', inline(element), before),
  SUP: (element, before) => shifted('sup', inline(element), before),
  MARK: (element, before) => highlighted(inline(element), before),
  KBD: (element) => tagged('kbd', inline(element)),
  INS: (element) => tagged('ins', inline(element)),
  INPUT: (element) => (element.getAttribute('type') === 'checkbox' ? `[${element.hasAttribute('checked') ? 'x' : ' '}] ` : '')
}

/** The names of elements that have a format or a meaning within a line. */
export const inlineNames: ReadonlySet<string> = new Set(Object.keys(inlineRules))

function inlineNode(node: Node, before: string): string {
  if (node.nodeType === Node.TEXT_NODE) return escapeText((node.nodeValue ?? '').replaceAll(/[\s\u00a0]+/g, ' '))
  if (!(node instanceof Element) || skipped.has(node.nodeName.toUpperCase())) return ''
  return inlineRules[node.nodeName]?.(node, before) ?? inline(node, before)
}

const hasFormat = (node: Node, format: Format): boolean =>
  node instanceof Element && node.nodeName === 'SPAN' && hasStyle(styleOf(node), format) && (format !== 'code' || isPlain(node))

/** Whether an element contains only text. Code cannot contain links, pictures or line breaks. */
const isPlain = (element: Element): boolean => element.querySelector('a, img, br') === null

/** The formats of styles, from the outermost to the innermost, and the text that each makes of its nodes. */
const writers: readonly (readonly [Format, (nodes: readonly Node[], before: string, inside: () => string) => string])[] = [
  ['highlight', (_, before, inside) => highlighted(inside(), before)],
  ['struck', (_nodes, _before, inside) => wrap(inside(), '~~')],
  ['bold', (_nodes, _before, inside) => wrap(inside(), '**')],
  ['italic', (_nodes, _before, inside) => wrap(inside(), '*')],
  ['code', (nodes) => codeOf(nodes.map(({ textContent }) => textContent ?? '').join(''))]
]

function codeOf(text: string): string {
  const inner = text.trim()
  const before = text.length - text.trimStart().length
  return text.slice(0, before) + inlineCode(inner) + text.slice(before + inner.length)
}

/**
 * Returns the Markdown of neighboring nodes. Neighbors with the same format share its marks, because marks that touch each other are not read as
 * formats. `before` is the character before the text.
 */
export function inlineNodes(nodes: readonly Node[], before = '', level = 0): string {
  const [format, write] = writers[level] ?? []
  let text = ''
  for (let at = 0, end = 0; at < nodes.length; at = end) {
    const node = nodes[at]
    const isIn = (other: Node | undefined): boolean => format !== undefined && other !== undefined && hasFormat(other, format)
    const inFormat = isIn(node)
    end = at + 1
    while (format !== undefined && end < nodes.length && isIn(nodes[end]) === inFormat) end++
    const group = nodes.slice(at, end)
    const last = text.slice(-1) || before
    const inside = (): string =>
      format === undefined ? group.map((each) => inlineNode(each, last)).join('') : inlineNodes(group, last, level + 1)
    text += inFormat && write !== undefined ? write(group, last, inside) : inside()
  }
  return text
}

/** Returns the Markdown of an element's content. */
export const inline = (parent: Node, before = ''): string => inlineNodes([...parent.childNodes], before)
