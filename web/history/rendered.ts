/**
 * Merges two rendered versions into one page. It shows the blocks of the later version, the removed blocks where they were, and inserted and deleted
 * words within changed blocks. It works on elements that the rendering pipeline produced.
 */
import type { Rendered } from '../../shared/markdown/render.ts'
import { diff, lineChanges } from '../../shared/text/diff.ts'
import type { Change } from './rows.ts'

/** Elements whose children are compared individually. */
const holders = new Set(['UL', 'OL', 'TABLE', 'THEAD', 'TBODY', 'TR', 'BLOCKQUOTE', 'SECTION', 'DETAILS', 'DIV', 'DL'])
/** Elements without text, which are added or removed as a whole. */
const pictures = 'math, svg, img, picture, video, audio, input, figure'
/** Smallest fraction of the shorter text that two blocks must have in common to count as versions of each other. */
const keptMin = 0.4
/** Largest total length of two texts that can be merged, in UTF-16 units. Comparing longer text would block the page. */
const textUnitsMax = 400_000

/** Whether two versions are short enough to be shown as one page. */
export const fitsPage = (before: string, after: string): boolean => before.length + after.length <= textUnitsMax

// Formula classes are numbered per text and begin with `past` in the earlier one, so the comparison ignores both.
const keyOf = (node: Node): string =>
  node instanceof Element ? `${node.nodeName} ${node.outerHTML.replaceAll(/\b(?:math|past)-\d+/g, 'math')}` : (node.textContent ?? '')

/** Whether a text node is only a line break between blocks. */
const isLineEnd = (text: string): boolean => text.includes('\n') && text.trim() === ''
const partsOf = (nodes: Iterable<Node>): Node[] =>
  [...nodes].filter((node) => node instanceof Element || !isLineEnd(node.textContent ?? ''))

const mark = (node: Node, kind: 'came' | 'gone'): Node => {
  if (node instanceof Element) {
    node.classList.add(kind)
    // An id must not occur twice on a page.
    if (kind === 'gone') for (const each of [node, ...node.querySelectorAll('[id]')]) each.removeAttribute('id')
    return node
  }
  return wrapped(kind === 'came' ? 'ins' : 'del', node.textContent ?? '')
}

/** Marks words. The class distinguishes them from text that the author struck through or underlined. */
function wrapped(kind: 'ins' | 'del', text: string): HTMLElement {
  const element = document.createElement(kind)
  element.className = 'word'
  element.textContent = text
  return element
}

interface Words {
  readonly node: Text
  readonly from: number
}

/** Whether a node belongs to the text. The link next to a heading does not, because it is invisible. */
const isWord = (node: Node): boolean => node.parentElement?.closest('.anchor') == null

/** Returns the text nodes of an element, each with its start offset. */
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

/** Returns the text node for words that were deleted at an offset. At a line break, it is the node before the break. */
function wordsAt(words: readonly Words[], at: number): Words | undefined {
  const index = Math.max(
    0,
    words.findLastIndex(({ from }) => from <= at)
  )
  const found = words[index]
  const isAfterBreak = found?.from === at && found.node.previousSibling?.nodeName === 'BR'
  return (isAfterBreak ? words[index - 1] : undefined) ?? found
}

/** Marks inserted words in a block and adds the deleted words where they were. Returns false if the blocks are not versions of each other. */
function markWords(before: Element, after: Element): boolean {
  const words = wordsIn(after)
  const textOf = (list: readonly Words[]): string => list.map(({ node }) => node.data).join('')
  const [old, young] = [textOf(wordsIn(before)), textOf(words)]
  const edits = diff(old, young)
  const kept = old.length - edits.reduce((sum, { from, to }) => sum + to - from, 0)
  if (edits.length === 0 || kept < keptMin * Math.min(old.length, young.length)) return false
  if (words.length === 0) return false
  // The shift between an offset in the earlier text and in the later text.
  let moved = 0
  const placed = edits.map((edit) => {
    const at = edit.from + moved
    moved += edit.insert.length - (edit.to - edit.from)
    return { at, insert: edit.insert, removed: old.slice(edit.from, edit.to) }
  })
  // Works backwards, so that earlier offsets stay valid.
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
    const place = wordsAt(words, at)
    if (place === undefined) continue
    const offset = Math.min(at - place.from, place.node.data.length)
    place.node.splitText(offset).before(wrapped('del', removed))
  }
  return true
}

const isOneByOne = (before: Element, after: Element): boolean => holders.has(after.nodeName) && before.nodeName === after.nodeName

/** Wraps text that is directly in a list item in an element, so that changed words can be marked in it. */
function inElement(words: Text): HTMLElement {
  const element = document.createElement('span')
  element.textContent = words.data
  return element
}

/** Returns the later block with its changes marked. Undefined if it is not a version of the earlier block. */
function joined(before: Node, after: Node): Node | undefined {
  if (before instanceof Text && after instanceof Text) return joined(inElement(before), inElement(after))
  if (!(before instanceof Element && after instanceof Element) || before.nodeName !== after.nodeName) return undefined
  if (isOneByOne(before, after)) {
    after.replaceChildren(...joinedAll(partsOf(before.childNodes), partsOf(after.childNodes)).nodes)
    return after
  }
  // A list inside an item is compared item by item, and the item's own text word by word.
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
  /** Indices of the earlier block and of the later block that follow the passage. */
  readonly old: number
  readonly young: number
}

interface Joined {
  readonly nodes: Node[]
  /** The changed passages, in order. */
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
      // A block that replaces another one begins a passage. Other added or removed blocks belong to the passage before them.
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

/** A rendered version, and the range of source lines for each of its blocks. */
export interface DrawnPage {
  readonly nodes: readonly Node[]
  readonly blocks: Rendered['blocks']
}

/** Returns the line at which a block begins, or infinity at the end of the text and for content gathered from several places. */
const lineOf = (blocks: Rendered['blocks'], index: number): number => blocks[index]?.[0] ?? Number.POSITIVE_INFINITY

/**
 * Returns the blocks of both versions as one list, in order. Each change to the source is assigned to a passage. The first element of a passage has
 * the number of its changes in `data-change`.
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
