/**
 * Merges two rendered versions into one page. It shows the blocks of the later version, the removed blocks where they were, and inserted and deleted
 * words within changed blocks. It works on elements that the rendering pipeline produced.
 */
import { diff, type LineChange, lineChanges } from '../../shared/text/diff.ts'

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

/** Marks the whole content of a cell as replaced. Both contents stay in one cell, so that the other cells keep their columns. */
function replacedCell(before: Element, after: Element): Element {
  const parts = [mark(before, 'gone'), after].map((cell, index) => {
    const element = wrapped(index === 0 ? 'del' : 'ins', '')
    element.append(...cell.childNodes)
    return element
  })
  after.replaceChildren(...parts.filter((part) => part.childNodes.length > 0))
  return after
}

/** Returns the later block with its changes marked. Undefined if it is not a version of the earlier block. */
function joined(before: Node, after: Node): Node | undefined {
  if (before instanceof Text && after instanceof Text) return joined(inElement(before), inElement(after))
  if (!(before instanceof Element && after instanceof Element) || before.nodeName !== after.nodeName) return undefined
  if (isOneByOne(before, after)) {
    const changesOf = after.nodeName === 'TR' ? cellChanges : lineChanges
    after.replaceChildren(...joinedAll(partsOf(before.childNodes), partsOf(after.childNodes), changesOf))
    return after
  }
  // A list inside an item is compared item by item, and the item's own text word by word.
  const holder = [...after.children].find((child) => holders.has(child.nodeName))
  if (holder !== undefined && after.nodeName === 'LI') {
    after.replaceChildren(...joinedAll(partsOf(before.childNodes), partsOf(after.childNodes)))
    return after
  }
  const hasPicture = before.querySelector(pictures) !== null || after.querySelector(pictures) !== null
  if (!hasPicture && markWords(before, after)) return after
  return /^T[DH]$/.test(after.nodeName) ? replacedCell(before, after) : undefined
}

/** Pairs the cells of two rows. The result never has more cells than the longer row, so each cell stays in its column. */
function cellChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  const pairs = before.flatMap((old, at) => (old === after[at] ? [] : [{ at, removed: [old], added: after.slice(at, at + 1) }]))
  if (before.length === after.length) return pairs
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  const differs = shorter.findIndex((cell, at) => cell !== longer[at])
  const start = differs === -1 ? shorter.length : differs
  let end = 0
  while (end < shorter.length - start && shorter.at(-1 - end) === longer.at(-1 - end)) end++
  return [{ at: start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) }]
}

/** Makes a marked block a stop for the keys and buttons that go to the next change. */
function addStop(block: HTMLElement): void {
  const inner = [...block.querySelectorAll<HTMLElement>('[data-change]')]
  // A row is one stop. An item is one stop, and each item of a list inside it is another one.
  const isOwn = (each: HTMLElement): boolean =>
    block.nodeName === 'TR' || (block.nodeName === 'LI' && each.parentElement === block && !holders.has(each.nodeName))
  const own = inner.filter(isOwn)
  for (const each of own) {
    delete each.dataset['change']
    each.removeAttribute('tabindex')
  }
  if (inner.length > 0 && own.length === 0) return
  block.dataset['change'] = ''
  block.tabIndex = -1
}

function joinedAll(before: readonly Node[], after: readonly Node[], changesOf = lineChanges): Node[] {
  const nodes: Node[] = []
  let young = 0
  let old = 0
  /** Adds a changed block, or a deleted one with the block that replaces it. */
  const push = (...block: Node[]): void => {
    nodes.push(...block)
    const first = block.find((node) => node instanceof HTMLElement)
    if (first !== undefined) addStop(first)
  }
  for (const { at, removed, added } of changesOf(before.map(keyOf), after.map(keyOf))) {
    nodes.push(...after.slice(young, young + at - old))
    young += at - old
    old = at + removed.length
    const [gone, came] = [before.slice(at, old), after.slice(young, young + added.length)]
    came.forEach((node, index) => {
      const former = gone[index]
      const both = former && joined(former, node)
      if (both !== undefined) push(both)
      else push(...(former === undefined ? [] : [mark(former, 'gone')]), mark(node, 'came'))
    })
    for (const node of gone.slice(came.length)) push(mark(node, 'gone'))
    young += added.length
  }
  nodes.push(...after.slice(young))
  return nodes
}

/** Returns the blocks of both versions as one list, in order. Each changed block, item or row has the attribute `data-change`. */
export const joinPages = (before: Iterable<Node>, after: Iterable<Node>): Node[] => joinedAll(partsOf(before), partsOf(after))
