/**
 * Two versions as one page: blocks of the later version in place, removed blocks where they were, and inserted and deleted words within changed
 * blocks. Works on elements that the pipeline rendered.
 */
import type { Rendered } from '../../shared/markdown/render.ts'
import { diff, lineChanges } from '../../shared/text/diff.ts'
import type { Change } from './rows.ts'

/** Elements whose children are compared one by one. */
const holders = new Set(['UL', 'OL', 'TABLE', 'THEAD', 'TBODY', 'TR', 'BLOCKQUOTE', 'SECTION', 'DETAILS', 'DIV', 'DL'])
/** Elements without text: they are added or removed as a whole. */
const pictures = 'math, svg, img, picture, video, audio, input, figure'
/** A block with less than this part in common is a different block. */
const keptMin = 0.4
/** Longest texts together, in UTF-16 units, that are rendered: comparing longer ones on the page would block it. */
const textUnitsMax = 400_000

/** Whether two versions can be shown as one page. */
export const fitsPage = (before: string, after: string): boolean => before.length + after.length <= textUnitsMax

// Classes of formulas are numbered per text.
const keyOf = (node: Node): string =>
  node instanceof Element ? `${node.nodeName} ${node.outerHTML.replaceAll(/\bmath-\d+/g, 'math')}` : (node.textContent ?? '')

/** The line breaks between blocks do not count. */
const isLineEnd = (text: string): boolean => text.includes('\n') && text.trim() === ''
const partsOf = (nodes: Iterable<Node>): Node[] =>
  [...nodes].filter((node) => node instanceof Element || !isLineEnd(node.textContent ?? ''))

const mark = (node: Node, kind: 'came' | 'gone'): Node => {
  if (node instanceof Element) {
    node.classList.add(kind)
    // The same id must not occur twice on the page.
    if (kind === 'gone') for (const each of [node, ...node.querySelectorAll('[id]')]) each.removeAttribute('id')
    return node
  }
  const element = document.createElement(kind === 'came' ? 'ins' : 'del')
  element.textContent = node.textContent
  return element
}

interface Words {
  readonly node: Text
  readonly from: number
}

/** The link next to a heading is invisible and not part of its text. */
const isWord = (node: Node): boolean => node.parentElement?.closest('.anchor') == null

/** Returns its text nodes, each with its start offset. */
function wordsIn(element: Node): Words[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const list: Words[] = []
  let from = 0
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    if (!isWord(node)) continue
    list.push({ node, from })
    from += node.data.length
  }
  return list
}

function wrapped(kind: 'ins' | 'del', text: string): HTMLElement {
  const element = document.createElement(kind)
  element.textContent = text
  return element
}

/** Marks inserted words of an element, and adds deleted ones where they were. Returns false if it is a different block. */
function markWords(before: Element, after: Element): boolean {
  const words = wordsIn(after)
  const textOf = (list: readonly Words[]): string => list.map(({ node }) => node.data).join('')
  const [old, young] = [textOf(wordsIn(before)), textOf(words)]
  const edits = diff(old, young)
  const kept = old.length - edits.reduce((sum, { from, to }) => sum + to - from, 0)
  if (edits.length === 0 || kept < keptMin * Math.min(old.length, young.length)) return false
  if (words.length === 0) return false
  // The position of each in the later text.
  let moved = 0
  const placed = edits.map((edit) => {
    const at = edit.from + moved
    moved += edit.insert.length - (edit.to - edit.from)
    return { at, insert: edit.insert, removed: old.slice(edit.from, edit.to) }
  })
  // From the last one on, so that earlier offsets stay valid.
  for (const { at, insert, removed } of placed.toReversed()) {
    for (const { node, from } of words.toReversed()) {
      const start = Math.max(at, from) - from
      const end = Math.min(at + insert.length, from + node.data.length) - from
      if (start >= end) continue
      const range = node.splitText(start)
      range.splitText(end - start)
      range.replaceWith(wrapped('ins', range.data))
    }
    if (removed === '') continue
    const place = words.findLast(({ from }) => from <= at) ?? words[0]
    if (place === undefined) continue
    const offset = Math.min(at - place.from, place.node.data.length)
    place.node.splitText(offset).before(wrapped('del', removed))
  }
  return true
}

const isOneByOne = (before: Element, after: Element): boolean => holders.has(after.nodeName) && before.nodeName === after.nodeName

/** Wraps text that is next to a list inside its item and has no element of its own. */
function inElement(words: Text): HTMLElement {
  const element = document.createElement('span')
  element.textContent = words.data
  return element
}

/** Returns the later block with its changes; undefined if it is not a version of the earlier one. */
function joined(before: Node, after: Node): Node | undefined {
  if (before instanceof Text && after instanceof Text) return joined(inElement(before), inElement(after))
  if (!(before instanceof Element && after instanceof Element) || before.nodeName !== after.nodeName) return undefined
  if (isOneByOne(before, after)) {
    after.replaceChildren(...joinedAll(partsOf(before.childNodes), partsOf(after.childNodes)).nodes)
    return after
  }
  // The list within an item is compared item by item, and the item's own text word by word.
  const holder = [...after.children].find((child) => holders.has(child.nodeName))
  if (holder !== undefined && after.nodeName === 'LI') {
    after.replaceChildren(...joinedAll(partsOf(before.childNodes), partsOf(after.childNodes)).nodes)
    return after
  }
  if (before.querySelector(pictures) !== null || after.querySelector(pictures) !== null) return undefined
  return markWords(before, after) ? after : undefined
}

interface Passage {
  readonly first: HTMLElement
  /** Indexes of the next earlier and later block. */
  readonly old: number
  readonly young: number
}

interface Joined {
  readonly nodes: Node[]
  /** Changed passages, in order. */
  readonly passages: Passage[]
}

function joinedAll(before: readonly Node[], after: readonly Node[]): Joined {
  const nodes: Node[] = []
  const passages: Passage[] = []
  let young = 0
  let old = 0
  for (const { at, removed, added } of lineChanges(before.map(keyOf), after.map(keyOf))) {
    nodes.push(...after.slice(young, young + at - old))
    young += at - old
    old = at + removed.length
    const [gone, came] = [before.slice(at, old), after.slice(young, young + added.length)]
    let begin = nodes.length
    const endPassage = (goneTo: number, cameTo: number): void => {
      const first = nodes.slice(begin).find((node) => node instanceof Element)
      if (first !== undefined) passages.push({ first: first as HTMLElement, old: at + goneTo, young: young + cameTo })
      begin = nodes.length
    }
    came.forEach((node, index) => {
      const former = gone[index]
      // A block that replaces another is a separate passage; further added or removed ones belong to the one before.
      if (index > 0 && former !== undefined) endPassage(index, index)
      const both = former && joined(former, node)
      if (both !== undefined) return nodes.push(both)
      return nodes.push(...(former === undefined ? [] : [mark(former, 'gone')]), mark(node, 'came'))
    })
    nodes.push(...gone.slice(came.length).map((node) => mark(node, 'gone')))
    endPassage(gone.length, came.length)
    young += added.length
  }
  nodes.push(...after.slice(young))
  return { nodes, passages }
}

/** A rendered version, and the source lines of each of its blocks. */
export interface DrawnPage {
  readonly nodes: readonly Node[]
  readonly blocks: Rendered['blocks']
}

/** Returns the line at which a block begins; for the end, and for content gathered from several places, the end of the text. */
const lineOf = (blocks: Rendered['blocks'], index: number): number => blocks[index]?.[0] ?? Number.POSITIVE_INFINITY

/**
 * Returns the blocks of both versions as one list, in order. Each change of the source has a passage, whose first element has the number of its
 * changes in `data-change`.
 */
export function joinPages(before: DrawnPage, after: DrawnPage, changes: readonly Change[]): Node[] {
  const { nodes, passages } = joinedAll(partsOf(before.nodes), partsOf(after.nodes))
  let at = 0
  for (const { line, former } of changes) {
    const isPast = ({ old, young }: Passage): boolean => lineOf(before.blocks, old) <= former && lineOf(after.blocks, young) <= line
    let passage = passages[at]
    while (passage !== undefined && at < passages.length - 1 && isPast(passage)) passage = passages[++at]
    if (passage === undefined) continue
    passage.first.dataset['change'] = String(Number(passage.first.dataset['change'] ?? 0) + 1)
    passage.first.tabIndex = -1
  }
  return nodes
}
