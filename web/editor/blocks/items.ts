/** The items of all lists that are in no other kind of block, and the levels at which items can be dropped between them. */
import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState, Text } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { onceFor } from '../../../shared/once-for.ts'
import { frontMatterEnd } from '../front-matter.ts'
import type { Stretch } from './dragged.ts'
import { isList, parseMs, unitOf, type Unit } from './units.ts'

export interface Item {
  readonly unit: Unit
  /** The number of items around the item. */
  readonly depth: number
  readonly parent: Item | undefined
  /** Offsets at which the outermost list begins and ends. */
  readonly top: { readonly from: number; readonly to: number }
}

/** A level at a place between two lines. The level has a previous item, a next one, both, or only an item around it. */
export interface Level {
  readonly depth: number
  readonly parent: Item | undefined
  readonly previous: Item | undefined
  readonly next: Item | undefined
}

/** A place between two lines of a list. Items go below `above`, or above `below` at the start of the list. */
export interface Place {
  readonly above: Item | undefined
  readonly below: Item | undefined
  /** The offset of the place: the end of the text above it, or the start of the list. */
  readonly at: number
}

/** Returns the end of the last text above a position. */
export function endAbove(doc: Text, at: number): number {
  let line = doc.lineAt(at)
  let text = line.text.slice(0, at - line.from).trimEnd()
  while (text === '' && line.number > 1) {
    line = doc.line(line.number - 1)
    text = line.text.trimEnd()
  }
  return line.from + text.length
}

/** Returns all items in document order. A drag asks for them at each movement of the pointer. */
export const itemsOf = onceFor((state: EditorState): readonly Item[] => {
  const tree = ensureSyntaxTree(state, state.doc.length, parseMs)
  const found: Item[] = []
  const add = (list: SyntaxNode, parent: Item | undefined, top: Item['top']): void => {
    for (const node of list.getChildren('ListItem')) {
      const unit = unitOf(state, node)
      const begins = state.sliceDoc(unit.from, node.from).trim() === ''
      const item = { unit, depth: parent === undefined ? 0 : parent.depth + 1, parent, top }
      if (begins) found.push(item)
      for (let child = node.firstChild; child !== null; child = child.nextSibling)
        if (isList(child)) add(child, begins ? item : parent, top)
    }
  }
  const front = frontMatterEnd(state.doc)
  for (let node = tree?.topNode.firstChild ?? null; node !== null; node = node.nextSibling)
    if (isList(node) && node.from >= front) add(node, undefined, { from: node.from, to: node.to })
  return found
})

/** Whether an item is in another item. */
export const isNested = (state: EditorState, { from }: Unit): boolean =>
  itemsOf(state).some(({ unit, depth }) => unit.from === from && depth > 0)

/** Returns the place at a line, without the dragged items. `isLower` is true in the lower half of an item's own lines. Undefined outside all lists. */
export function placeAt(
  { doc }: EditorState,
  all: readonly Item[],
  own: Stretch,
  position: number,
  isLower: (from: number, to: number) => boolean
): Place | undefined {
  const items = all.filter(({ unit }) => unit.from < own.from || unit.from > own.to)
  const index = items.findLastIndex(({ unit }) => unit.from <= position)
  const item = items[index]
  if (item === undefined || position > item.top.to) return undefined
  const isBeside = (other: Item | undefined): other is Item => other?.top.from === item.top.from
  const endOf = (above: Item): number => {
    const next = all[all.indexOf(above) + 1]
    return endAbove(doc, isBeside(next) ? next.unit.from : above.top.to)
  }
  const [before, next] = [items[index - 1], items[index + 1]]
  if (isLower(item.unit.from, endOf(item))) return { above: item, below: isBeside(next) ? next : undefined, at: endOf(item) }
  return isBeside(before) ? { above: before, below: item, at: endOf(before) } : { above: undefined, below: item, at: item.unit.from }
}

/**
 * Returns the possible levels at a place, the outermost first. Items below the place keep their level. An item takes no other items if text of an
 * item around it follows it.
 */
export function levelsAt({ above, below, at }: Place): readonly Level[] {
  if (above === undefined)
    return below === undefined ? [] : [{ depth: below.depth, parent: below.parent, previous: undefined, next: below }]
  const levels: Level[] = [{ depth: above.depth + 1, parent: above, previous: undefined, next: undefined }]
  for (let item: Item | undefined = above; item !== undefined; item = item.parent)
    levels.unshift({ depth: item.depth, parent: item.parent, previous: item, next: undefined })
  return levels
    .filter(({ depth, parent }) => depth >= (below?.depth ?? 0) && (parent === undefined || parent.unit.to >= at))
    .map((level) => (level.depth === below?.depth ? { ...level, next: below } : level))
}
