/**
 * Moves blocks by changing the text. If two blocks swap places, the one with fewer comments is moved, or else the shorter one. The cursor of a person
 * who types in the other block stays there, and so do the block's comments. Gaps change only where Markdown would be parsed differently.
 */
import type { ChangeSet, EditorState } from '@codemirror/state'
import { gapOf } from './gaps.ts'
import { tiedText } from '../tied-text.ts'
import { numbered, type Edit } from './numbers.ts'
import type { Unit } from './units.ts'

export interface Move {
  readonly changes: ChangeSet
  /** The range of the moved text, and the offset at which it begins after the move. */
  readonly taken: { readonly from: number; readonly to: number; readonly at: number }
}

/** A run of consecutive blocks, given by the indices of the first and the last one. */
export interface Run {
  readonly first: number
  readonly last: number
}

/** Returns a range of the text with edits applied. */
export function textOf(state: EditorState, from: number, to: number, edits: readonly Edit[]): string {
  let [text, at] = ['', from]
  for (const edit of edits) {
    if (edit.from < from || edit.to > to) continue
    text += state.sliceDoc(at, edit.from) + edit.insert
    at = edit.to
  }
  return text + state.sliceDoc(at, to)
}

/** Returns the edits that replace a gap, without the characters that do not change. */
function regap(state: EditorState, from: number, to: number, insert: string): Edit[] {
  const gap = state.sliceDoc(from, to)
  if (gap === insert) return []
  if (insert.startsWith(gap)) return [{ from: to, to, insert: insert.slice(gap.length) }]
  return [{ from, to, insert }]
}

function gapBetween(state: EditorState, above: Unit, below: Unit, place: readonly [Unit, Unit], isBrought: boolean): string {
  const gap = state.sliceDoc(place[0].to, place[1].from)
  return gapOf({ above, below, gap, isBrought, isIndented: /[ \t]/.test(state.sliceDoc(below.from, below.from + 1)) })
}

/** Whether the first of two blocks is the one to move. On a tie, the neighbor moves, so that the block being written stays. */
function isFirstTaken(state: EditorState, first: readonly [number, number], second: readonly [number, number], isUp: boolean): boolean {
  const count = state.facet(tiedText)
  const byTies = count(state, ...first) - count(state, ...second)
  const byLength = first[1] - first[0] - (second[1] - second[0])
  return (byTies || byLength || (isUp ? -1 : 1)) < 0
}

/**
 * Moves blocks before the block with index `to`, or to the end if `to` is the number of blocks. Returns undefined if the blocks are already there or
 * cannot go there.
 */
export function moveTo(state: EditorState, units: readonly Unit[], run: Run, to: number): Move | undefined {
  if (to < 0 || to > units.length || (to >= run.first && to <= run.last + 1)) return undefined
  const isUp = to < run.first
  const [start, middle, end] = isUp ? [to, run.first, run.last + 1] : [run.first, run.last + 1, to]
  const [one, two] = [units.slice(start, middle), units.slice(middle, end)]
  const [first, last, second, final] = [one[0], one.at(-1), two[0], two.at(-1)] as const
  if (first === undefined || last === undefined || second === undefined || final === undefined) return undefined
  const [above, below] = [units[start - 1], units[end]]
  const edits = numbered(
    state,
    [...units.slice(0, start), ...two, ...one, ...units.slice(end)],
    new Set(units.slice(run.first, run.last + 1))
  )
  const inner = gapBetween(state, final, first, [last, second], true)
  const over = above === undefined ? [] : regap(state, above.to, first.from, gapBetween(state, above, second, [above, first], isUp))
  const under = below === undefined ? [] : regap(state, final.to, below.from, gapBetween(state, last, below, [final, below], !isUp))
  const takesFirst = isFirstTaken(state, [first.from, last.to], [second.from, final.to], isUp)
  const [out, at, text] = takesFirst
    ? [{ from: first.from, to: second.from }, final.to, textOf(state, first.from, last.to, edits)]
    : [{ from: last.to, to: final.to }, first.from, textOf(state, second.from, final.to, edits)]
  const staying = edits.filter((edit) => edit.to <= out.from || edit.from >= out.to)
  // Insertions at the same position take effect in this order.
  const specs = [...over, { from: at, insert: takesFirst ? inner + text : text + inner }, out, ...under, ...staying]
  const changes = state.changes(specs)
  const taken = takesFirst ? { from: first.from, to: last.to } : { from: second.from, to: final.to }
  const put = takesFirst ? changes.mapPos(at, -1) + inner.length : changes.mapPos(at, 1) - inner.length - text.length
  return { changes, taken: { ...taken, at: put } }
}
