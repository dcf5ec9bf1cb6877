/**
 * The blocks that a person can move: the lines of a paragraph, heading, quote, table, code block or component, a list item with everything in it, or
 * collapsible text with its tags. An item moves among the items of its list. An item of a top-level list may also leave the list. A block in
 * collapsible text may leave it.
 */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode, Tree } from '@lezer/common'
import { frontMatterEnd } from '../front-matter.ts'
import { collapsiblesOf } from '../collapsible-parts.ts'

/** The list that an item belongs to, and its position there. */
export interface ItemOf {
  /** Offset at which the list begins. It identifies the list. */
  readonly list: number
  /** The bullet character, or the character after a number. Adjacent lists with the same character are one list. */
  readonly sign: string
  /** The number of an item in an ordered list. Undefined for other items. */
  readonly number: { readonly from: number; readonly to: number; readonly value: number } | undefined
  /** Whether blank lines separate the items. */
  readonly loose: boolean
}

export interface Unit {
  /** Range from the beginning of the block's first line to the end of its last line, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** Name of the block's node in the syntax tree. */
  readonly name: string
  readonly item: ItemOf | undefined
}

/** Longest time to parse the text for a move, in milliseconds. */
export const parseMs = 200

export const isList = ({ name }: SyntaxNode): boolean => name === 'BulletList' || name === 'OrderedList'

function linesOf({ doc }: EditorState, { from, to }: SyntaxNode): { from: number; to: number } {
  const first = doc.lineAt(from)
  let last = doc.lineAt(Math.min(Math.max(from, to), doc.length))
  while (last.number > first.number && last.text.trim() === '') last = doc.line(last.number - 1)
  return { from: first.from, to: last.to }
}

function itemOf(state: EditorState, node: SyntaxNode, list: SyntaxNode): ItemOf {
  const mark = node.getChild('ListMark')
  const written = mark === null ? '-' : state.sliceDoc(mark.from, mark.to)
  const value = Number(written.slice(0, -1))
  const number = list.name === 'OrderedList' && mark !== null ? { from: mark.from, to: mark.to - 1, value } : undefined
  const other = node.nextSibling ?? node.prevSibling
  const between = other === null ? '' : state.sliceDoc(Math.min(node.to, other.to), Math.max(node.from, other.from))
  return { list: list.from, sign: written.slice(-1), number, loose: between.split('\n').length > 2 }
}

export function unitOf(state: EditorState, node: SyntaxNode): Unit {
  const list = node.name === 'ListItem' ? node.parent : null
  return { ...linesOf(state, node), name: node.name, item: list === null ? undefined : itemOf(state, node, list) }
}

function isQuoted(node: SyntaxNode): boolean {
  for (let each = node.parent; each !== null; each = each.parent) if (each.name === 'Blockquote') return true
  return false
}

/** Returns the node at a position that moves as a whole. An item that does not begin its line moves with the item around it. */
function nodeAt(state: EditorState, tree: Tree, position: number): SyntaxNode | undefined {
  const line = state.doc.lineAt(position)
  if (line.from < frontMatterEnd(state.doc)) return undefined
  const blanks = line.text.length - line.text.trimStart().length
  const begins = ({ from }: SyntaxNode): boolean => state.sliceDoc(state.doc.lineAt(from).from, from).trim() === ''
  const start = blanks === line.length ? line.from : line.from + blanks
  for (let node = tree.resolveInner(start, 1); node.parent !== null; node = node.parent) {
    if (node.name === 'ListItem' && begins(node) && !isQuoted(node)) return node
    if (node.parent.parent === null && !isList(node)) return node
  }
  return undefined
}

/** The blocks with the opening and the closing tag of collapsible text. */
interface Tags {
  readonly first: SyntaxNode
  readonly last: SyntaxNode
}

/** Returns the tags of all collapsible text that is in no other kind of block, the outer text before the text in it. */
function tagsIn(state: EditorState, tree: Tree): Tags[] {
  return collapsiblesOf(state).flatMap(({ opening, closing }) => {
    const [first, last] = [tree.topNode.childAfter(opening.from), tree.topNode.childAfter(closing.from)]
    return first?.name === 'HTMLBlock' && last?.name === 'HTMLBlock' && first.from < last.from ? [{ first, last }] : []
  })
}

const unitOfTags = (state: EditorState, { first, last }: Tags): Unit => ({ ...unitOf(state, first), to: linesOf(state, last).to })

/** Returns the block at a position. Undefined between blocks and in front matter. */
export function unitAt(state: EditorState, position: number): Unit | undefined {
  const tree = syntaxTree(state)
  const node = nodeAt(state, tree, position)
  if (node === undefined) return undefined
  const tags =
    node.name === 'HTMLBlock' && tagsIn(state, tree).find(({ first, last }) => first.from === node.from || last.from === node.from)
  return tags ? unitOfTags(state, tags) : unitOf(state, node)
}

export interface SiblingsOptions {
  /** Whether blocks in other collapsible text count, as targets of a drag. */
  readonly isDrag?: boolean
}

/** Returns the blocks that may swap places with the blocks of a range, in document order: the items of their list, or all top-level blocks. */
export function siblingsOf(state: EditorState, from: number, to = from, { isDrag = false }: SiblingsOptions = {}): readonly Unit[] {
  // The tree of the state itself includes this parse result only after the next transaction.
  const tree = ensureSyntaxTree(state, state.doc.length, parseMs)
  if (tree === null) return []
  const node = nodeAt(state, tree, from)
  const list = node?.name === 'ListItem' ? node.parent : null
  if (list !== null && list.parent?.parent !== null && to <= list.to) return list.getChildren('ListItem').map((item) => unitOf(state, item))
  const front = frontMatterEnd(state.doc)
  const found: Unit[] = []
  // Collapsible text is one block for everything that is not in it.
  const whole = tagsIn(state, tree).filter(({ first, last }) => {
    const isAround = first.to < from && to < last.from
    return !isAround && (!isDrag || (first.from <= to && last.to >= from))
  })
  let end = 0
  for (let each = tree.topNode.firstChild; each !== null; each = each.nextSibling) {
    if (each.from < Math.max(front, end)) continue
    const { from: start } = each
    const tags = whole.find(({ first }) => first.from === start)
    if (tags !== undefined) {
      found.push(unitOfTags(state, tags))
      end = tags.last.to
      continue
    }
    const nodes = isList(each) ? each.getChildren('ListItem') : [each]
    found.push(...nodes.map((one) => unitOf(state, one)))
  }
  return found
}

/** Returns the index of the block at a position, or of the next block. */
export function indexAt(units: readonly Unit[], position: number): number {
  let [low, high] = [0, units.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((units[middle]?.to ?? 0) < position) low = middle + 1
    else high = middle
  }
  return low
}
