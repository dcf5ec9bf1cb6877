/**
 * Marks where annotated words went that this person moved, or cut and pasted (shared/text/carried.ts). The anchors of the service, and of other pages,
 * follow these marks.
 */
import type { Text } from '@codemirror/state'
import type { ViewUpdate } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import * as Y from 'yjs'
import type { Carried } from '../../../shared/text/carried.ts'
import { markCarried } from '../../../shared/text/carry.ts'
import { placesOf } from '../../../shared/text/characters.ts'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { isSuggesting } from '../../editor/binding.ts'
import { countIn, storedRangesIn } from '../suggestions/annotation-ranges.ts'

/** The most annotations whose deleted characters are remembered, and the longest of their words, in UTF-16 units. */
const deletedMax = 200
const wordsMax = 20_000

interface Words {
  readonly text: string
  readonly ids: readonly Y.ID[]
}

/** Returns the range whose characters lead to an annotation. An annotation between two characters has the one on each side. */
const withNeighbors = ({ from, to }: Span, length: number): Span =>
  from < to ? { from, to } : { from: Math.max(0, from - 1), to: Math.min(length, to + 1) }

function wordsAt(text: Y.Text, doc: Text, spans: readonly Span[]): Words[] {
  const ranges = spans.map((span) => withNeighbors(span, doc.length))
  return placesOf(text, doc.toString(), ranges).map(({ spans: runs }, index) => {
    const ids: Y.ID[] = []
    for (let at = 0; at < runs.length; at += 3)
      for (let unit = 0; unit < (runs[at + 2] ?? 0); unit++) ids.push(Y.createID(runs[at] ?? 0, (runs[at + 1] ?? 0) + unit))
    const { from, to } = ranges[index] as Span
    return { text: doc.sliceString(from, to), ids }
  })
}

/** Returns the runs of characters that are at the beginning and at the end of both texts. A move may change a marker between them. */
function runsOf(old: Words, now: Words): Carried[] {
  const runs: Carried[] = []
  const add = (from: Y.ID | undefined, to: Y.ID | undefined): void => {
    const last = runs.at(-1)
    if (from === undefined || to === undefined) return
    const follows = (first: Y.ID, next: Y.ID): boolean => first.client === next.client && first.clock + (last?.length ?? 0) === next.clock
    if (last !== undefined && follows(last.from, from) && follows(last.to, to)) runs[runs.length - 1] = { ...last, length: last.length + 1 }
    else runs.push({ from, to, length: 1 })
  }
  const most = Math.min(old.text.length, now.text.length)
  let start = 0
  while (start < most && old.text[start] === now.text[start]) start++
  let end = 0
  while (end < most - start && old.text.at(-1 - end) === now.text.at(-1 - end)) end++
  for (let at = 0; at < start; at++) add(old.ids[at], now.ids[at])
  for (let at = -end; at < 0; at++) add(old.ids.at(at), now.ids.at(at))
  return runs
}

export interface Carrying {
  /** Notes the characters of the annotations that this person deletes. Call it before the binding deletes them in the document. */
  note(update: ViewUpdate): void
  /** Marks the new places of annotations, after this person has moved their words. `doc` is the text of the document. */
  carry(doc: Text, moved: readonly { readonly id: string; readonly span: Span }[]): void
}

export function openCarrying(text: Y.Text): Carrying {
  const deleted = new Map<string, Words>()
  const note = ({ docChanged, startState, state, transactions }: ViewUpdate): void => {
    const isOwn = docChanged && transactions.every((each) => each.annotation(ySyncAnnotation) === undefined) && !isSuggesting(startState)
    if (!isOwn || countIn(state) >= countIn(startState) || text.length !== startState.doc.length) return
    const there = storedRangesIn(state)
    const gone = [...storedRangesIn(startState)].filter(([id, { from, to }]) => !there.has(id) && to - from <= wordsMax)
    const words = wordsAt(
      text,
      startState.doc,
      gone.map(([, span]) => span)
    )
    for (const [index, [id]] of gone.entries()) {
      deleted.delete(id)
      deleted.set(id, words[index] as Words)
    }
    for (const id of [...deleted.keys()].slice(0, -deletedMax)) deleted.delete(id)
  }
  return {
    note,
    carry(doc, moved) {
      const known = moved.filter(({ id }) => deleted.has(id))
      if (known.length === 0 || text.length !== doc.length) return
      const words = wordsAt(
        text,
        doc,
        known.map(({ span }) => span)
      )
      const runs = known.flatMap(({ id }, index) => runsOf(deleted.get(id) as Words, words[index] as Words))
      // Undo may remove the words again.
      for (const [index, { id }] of known.entries()) deleted.set(id, words[index] as Words)
      markCarried(text, runs)
    }
  }
}
