/**
 * Moves list items with everything in them to another level or another list. Their markers become those of the other items there, and lists that were
 * numbered in sequence stay so.
 */
import { ChangeSet, EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'
import { tiedText } from '../tied-text.ts'
import type { Chosen } from './commands.ts'
import { stretchOf, type Stretch } from './dragged.ts'
import { endAbove, itemsOf, type Item, type Level, type Place } from './items.ts'
import { textOf } from './move.ts'
import { countOf, numberEdits, type Edit } from './numbers.ts'
import type { Unit } from './units.ts'

/** A target of a drag: a place and one of its levels. */
export interface Drop {
  readonly place: Place
  readonly level: Level
}

/** Matches the indentation and the marker of an item, and the spaces after it. */
const head = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]*)/

interface Head {
  readonly lead: string
  readonly marker: string
  readonly gap: string
}

function headOf({ doc }: EditorState, { from }: Unit): Head {
  const [, lead = '', marker = '-', gap = ' '] = head.exec(doc.lineAt(from).text) ?? []
  return { lead, marker, gap }
}

/** Returns the width of an indentation in columns. A tab ends at a multiple of four columns. */
function columns(lead: string): number {
  let count = 0
  for (const letter of lead) count = letter === '\t' ? count + 4 - (count % 4) : count + 1
  return count
}

/** Returns the indentation of the items of a level. */
function leadAt(state: EditorState, { previous, next, parent }: Level): string {
  const sibling = previous ?? next
  if (sibling !== undefined) return headOf(state, sibling.unit).lead
  if (parent === undefined) return ''
  const { lead, marker, gap } = headOf(state, parent.unit)
  return lead + ' '.repeat(marker.length + (gap.length > 4 || gap === '' ? 1 : gap.length))
}

/** Returns the marker of the dragged item with an index. Numbers are in sequence with those of the items above. */
function markerAt(state: EditorState, { previous, next }: Level, own: string, index: number): string {
  const sibling = previous ?? next
  const kind = sibling === undefined ? own : headOf(state, sibling.unit).marker
  if (!/^\d/.test(kind)) return kind
  const first = sibling === undefined ? 1 : Number.parseInt(kind, 10) + (previous === undefined ? 0 : 1)
  return `${first + index}${kind.slice(-1)}`
}

/** Returns the edits that give the lines of a dragged item another indentation and marker. */
function itemEdits(state: EditorState, unit: Unit, lead: string, marker: string): Edit[] {
  const was = headOf(state, unit)
  const before = was.lead + was.marker
  const more = columns(lead) + marker.length - columns(was.lead) - was.marker.length
  const edits: Edit[] = before === lead + marker ? [] : [{ from: unit.from, to: unit.from + before.length, insert: lead + marker }]
  for (let at = state.doc.lineAt(unit.from).to + 1; at <= unit.to && more !== 0;) {
    const line = state.doc.lineAt(at)
    const blanks = /^[ \t]*/.exec(line.text)?.[0] ?? ''
    const insert = ' '.repeat(Math.max(0, columns(blanks) + more))
    // A line without indentation belongs to the paragraph above it.
    if (blanks !== '' && line.text !== blanks) edits.push({ from: line.from, to: line.from + blanks.length, insert })
    at = line.to + 1
  }
  return edits
}

/** Returns the range that a removal of the dragged items deletes: the items with the blank lines on one side. */
function removedAround(state: EditorState, own: Stretch, items: readonly Item[]): Stretch {
  const following = items.find(({ unit }) => unit.from > own.to)
  const isFollowed = following !== undefined && following.top.from === items.find(({ unit }) => unit.from === own.from)?.top.from
  if (isFollowed) return { from: own.from, to: following.unit.from }
  const above = endAbove(state.doc, own.from)
  return above === 0 ? { from: 0, to: Math.min(state.doc.length, own.to + 1) } : { from: above, to: own.to }
}

/** A change of the text, and the offset at which the dragged items begin after it. */
interface Change {
  readonly changes: ChangeSet
  readonly from: number
}

interface Target {
  readonly at: number
  readonly gap: string
  /** Whether the items come to the beginning of a list. */
  readonly isFirst: boolean
  /** The line break that the text below the items needs in addition. */
  readonly more: string
}

/** Deletes the dragged items and inserts them at their target. */
function taken(state: EditorState, own: Stretch, removed: Stretch, { at, gap, isFirst, more }: Target, edits: readonly Edit[]): Change {
  const text = textOf(state, own.from, own.to, edits)
  const changes = state.changes([removed, { from: at, insert: isFirst ? text + gap : gap + text + more }])
  return { changes, from: changes.mapPos(at, -1) + (isFirst ? 0 : gap.length) }
}

/** Moves the text between both places past the dragged items, which keep their comments. */
function passed(state: EditorState, own: Stretch, removed: Stretch, { at, gap, isFirst, more }: Target, edits: readonly Edit[]): Change {
  const isUp = at < own.from
  const text = isUp ? state.sliceDoc(at, removed.from) : state.sliceDoc(removed.to, at)
  const [before, after] = isUp
    ? [
        { from: at, to: own.from, insert: isFirst ? '' : gap },
        { from: own.to, to: removed.to, insert: isFirst ? gap + text : more + text }
      ]
    : [
        { from: removed.from, to: own.from, insert: isFirst ? text : text + gap },
        { from: own.to, to: at, insert: isFirst ? gap : more }
      ]
  return { changes: state.changes([before, ...edits, after]), from: (isUp ? at : removed.from) + before.insert.length }
}

/** Returns the change that moves the dragged items. The numbers of other items do not change. */
function moved(state: EditorState, own: Stretch, { place, level }: Drop, items: readonly Item[], edits: readonly Edit[]): Change {
  const { at } = place
  if (at >= endAbove(state.doc, own.from) && at <= own.to) return { changes: state.changes(edits), from: own.from }
  const sibling = level.previous ?? level.next ?? level.parent
  const gap = sibling === undefined || (level.parent !== sibling && sibling.unit.item?.loose === true) ? '\n\n' : '\n'
  const isFirst = sibling === undefined ? state.doc.lineAt(at).from === at : place.above === undefined
  // Items that become a list of their own are between blank lines.
  const more = sibling !== undefined || at === state.doc.length || /^\n[ \t]*\n/.test(state.sliceDoc(at, at + 100)) ? '' : '\n'
  const target = { at, gap, isFirst, more }
  const removed = removedAround(state, own, items)
  const [from, to] = at < own.from ? [at, removed.from] : [removed.to, at]
  const count = state.facet(tiedText)
  return (count(state, own.from, own.to) > count(state, from, to) ? passed : taken)(state, own, removed, target, edits)
}

const listOf = (items: readonly Item[], list: number | undefined): readonly Unit[] =>
  items.flatMap(({ unit }) => (list !== undefined && unit.item?.list === list ? [unit] : []))

/** Returns the edits that number the list of an item in sequence, as a list was before. */
function renumbered(state: EditorState, items: readonly Item[], at: number, before: readonly Unit[]): Edit[] {
  const count = before.length === 0 ? undefined : countOf(before)
  const list = items.find(({ unit }) => unit.from === at)?.unit.item
  if (count === undefined || list?.number === undefined || before[0]?.item?.number === undefined) return []
  return listOf(items, list.list).flatMap((unit, index) => numberEdits(state, unit, count.first + index * count.step))
}

/**
 * Gives the first item that stays in a list the number of the list. Markdown reads an inner list that begins with another number as text of the item
 * around it.
 */
function restarted(state: EditorState, changes: ChangeSet, source: readonly Unit[], stays: Unit): ChangeSet {
  const first = countOf(source)?.first
  const number = stays.item?.number
  if (stays === source[0] || first === undefined || number === undefined) return changes
  const next = changes.apply(state.doc)
  const at = changes.mapPos(number.from, 1)
  const isThere = next.lineAt(at).text === state.doc.lineAt(stays.from).text
  const edit = { from: at, to: at + number.to - number.from, insert: String(first) }
  return isThere ? changes.compose(ChangeSet.of(edit, next.length)) : changes
}

/** Returns the transaction that moves the dragged items to a target. Undefined if nothing changes. */
export function itemsMoved(state: EditorState, chosen: Chosen, drop: Drop): TransactionSpec | undefined {
  const { units, run } = chosen
  const own = stretchOf(chosen)
  const items = itemsOf(state)
  const lead = leadAt(state, drop.level)
  const edits = units
    .slice(run.first, run.last + 1)
    .flatMap((unit, index) => itemEdits(state, unit, lead, markerAt(state, drop.level, headOf(state, unit).marker, index)))
  const change = moved(state, own, drop, items, edits)
  if (change.changes.empty) return undefined
  const source = listOf(items, units[run.first]?.item?.list)
  const stays = source.find((unit) => unit.from > own.to || unit.from < own.from)
  const changes = stays === undefined ? change.changes : restarted(state, change.changes, source, stays)
  const { from } = change
  const next = state.update({ changes }).state
  const now = itemsOf(next)
  const sibling = drop.level.previous ?? drop.level.next
  const numbers = [
    ...renumbered(next, now, from, listOf(items, sibling?.unit.item?.list)),
    ...(stays === undefined || stays.item?.list === sibling?.unit.item?.list
      ? []
      : renumbered(next, now, changes.mapPos(stays.from, 1), source))
  ].toSorted((one, other) => one.from - other.from)
  const last = next.changes(numbers)
  const inside = ChangeSet.of(
    edits.map((edit) => ({ ...edit, from: edit.from - own.from, to: edit.to - own.from })),
    own.to - own.from
  )
  const place = (position: number): number =>
    last.mapPos(position >= own.from && position <= own.to ? from + inside.mapPos(position - own.from, 1) : changes.mapPos(position, 1), 1)
  const { main } = state.selection
  return { changes: changes.compose(last), selection: EditorSelection.range(place(main.anchor), place(main.head)) }
}
