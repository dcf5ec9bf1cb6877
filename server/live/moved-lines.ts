/**
 * Keeps one copy of a card, row or block that several people move without knowing of each other, and brings changes of a line to the place to which
 * somebody else has moved it. Marks in the text connect a moved line with its old place (shared/text/moved-lines.ts), so copies that people made on
 * purpose stay. The copy that comes last in the text stays, but a copy of a card or row that somebody has changed since its move comes first. All
 * nodes choose the same one.
 */
import * as Y from 'yjs'
import { applyEdits, type Edit } from '../../shared/text/diff.ts'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import { isRewrite, moveOf, movesFrom, newItemsOf } from '../../shared/text/moved-lines.ts'
import { createColumnOrders, inOrder, type MarkedText } from './column-orders.ts'
import { copiesIn } from './line-copies.ts'
import { indexOf, isLive, itemsMax, keyOf, textOf } from './line-parts.ts'
import {
  changedLine,
  copiesKept,
  fenceWith,
  isDispensable,
  joinedLine,
  keptOf,
  lineBreaks,
  oldNeighbors,
  onOwnLine,
  ownLineBehind,
  partedLines,
  withGone
} from './moved-line-edits.ts'
import { type Copied, createOldLines, type Late, type Parted, type Restored } from './old-lines.ts'
import { joinedInserts } from './parted-lines.ts'
import type { Span } from './update-check.ts'
import type { Writers } from './writers.ts'

/** The most lines that wait. */
const linesMax = 100

/** Matches a line that may be a card or row, with its line break. */
const wholeLine = /^(?:[-*+][ \t]|\|)[^\n]*\n/

/** A new line that begins behind a removed line break. */
interface Begun {
  readonly begun: Y.ID
}

type Work = Copied | Late | Restored | Begun | Parted

export interface MovedLines {
  /** Notes the deletions of an update. Call it before the update is applied, or in its transaction. */
  note(deletions: readonly Span[]): void
  /** Examines a transaction with updates of people. */
  collect(transaction: Y.Transaction): void
  isWaiting(): boolean
  /** Returns the next edits of the current text. Empty if a line needs none. */
  next(): readonly Edit[]
}

/** `writers` tells who made the last change. */
export const createMovedLines = (openDoc: MarkedText, writers?: Pick<Writers, 'isAlone' | 'last'>): MovedLines => {
  const { store } = openDoc.ydoc
  const work: Work[] = []
  const orders = createColumnOrders(openDoc)

  /** The characters that will be brought to another place. */
  const pending = new Set<string>()

  const add = (each: Work): void => {
    if (work.length >= linesMax || writers?.isAlone() === true) return
    work.push(each)
    if ('left' in each) for (const id of each.left) pending.add(keyOf(id))
  }

  /** Whether a character will be brought to another place. */
  const isPending = (id: Y.ID): boolean => pending.has(keyOf(id))

  const old = createOldLines(openDoc.ydoc, orders, { add, isPending, writer: () => writers?.last() })

  /** Whether a person inserted a line behind a line break that the service had removed without the person's knowledge. */
  const isBegun = ({ deleteSet }: Y.Transaction, item: Y.Item): boolean =>
    item.origin !== null &&
    itemAt(store, item.origin)?.deleted === true &&
    !Y.isDeleted(deleteSet, item.origin) &&
    wholeLine.test(textOf(item))

  /** Returns the offset of the place of a deleted character; undefined if the character exists. */
  const placeOf = (id: Y.ID): number | undefined =>
    itemAt(store, id)?.deleted === true
      ? Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON({ item: id }), openDoc.ydoc)?.index
      : undefined

  /** Returns the next visible item behind a character. */
  const nextLive = (id: Y.ID | undefined): Y.Item | undefined => {
    let item = id && itemAt(store, id)?.right
    for (let step = 0; item && !isLive(item) && step < itemsMax; step++) item = item.right
    return item ?? undefined
  }

  /** Returns the edits that remove some characters. */
  const removals = (ids: readonly Y.ID[]): Edit[] =>
    ids
      .flatMap((id): Edit[] => {
        const at = indexOf(openDoc.ydoc, id)
        return at === undefined ? [] : [{ from: at, to: at + 1, insert: '' }]
      })
      .toSorted((one, other) => one.from - other.from)

  /** Returns the first characters that will be brought to another place. Finding the offset of each of them takes time. */
  const waiting = (): Y.ID[] => work.flatMap((each) => ('left' in each ? each.left : [])).slice(0, itemsMax)

  const lateEdits = ({ first, to: place, change: written, left, back }: Late, content: string): readonly Edit[] => {
    // Undo may have restored a deleted line meanwhile.
    const to = place ?? old.lines().find((line) => isSameId(line.first, first))?.to
    const gone = removals(left)
    const [begin, end] = [gone[0], gone.at(-1)]
    const copy = to && keptOf(copiesIn(openDoc.ydoc, to))
    const change = copy === undefined ? written : inOrder(written, orders.between(first, copy.id))
    if (begin === undefined || end === undefined) {
      const edits = (copy && changedLine(content, copy.at, change)) ?? []
      const at = edits.length > 0 && back ? indexOf(openDoc.ydoc, back.end) : undefined
      const words = at === undefined ? [] : [{ from: at, to: at, insert: back?.text ?? '' }]
      return [...edits, ...words].toSorted((one, other) => one.from - other.from)
    }
    if (copy === undefined) return isDispensable(content, begin.from, change) ? gone : onOwnLine(content, begin.from, end.to)
    // Other text on this line may also wait for its place.
    const hidden = removals([...left, ...waiting()])
    const edits = changedLine(applyEdits(content, hidden), copy.at - hidden.filter(({ from }) => from < copy.at).length, change)
    // The person who restored the line saw this text on it.
    const next = nextLive(left.at(-1))
    if (next?.id.client === copy.client && left.some((id) => isSameId(id, next.origin))) return []
    if (edits !== undefined) return withGone(edits, gone, hidden)
    if (begin.from < copy.at || content.slice(copy.at, begin.from).includes('\n')) return onOwnLine(content, begin.from, end.to)
    return /^[ \t]*(?:\n|$)/.test(content.slice(end.to)) ? ownLineBehind(content, gone) : []
  }

  const part = (from: Y.ID): void => {
    if (joinedInserts(store, from).length > 0) add({ parted: from })
  }

  const partedEdits = (content: string, from: Y.ID): readonly Edit[] => {
    const [inserted] = joinedInserts(store, from)
    const [first, last] = inserted === undefined ? [] : [indexOf(openDoc.ydoc, inserted.first), indexOf(openDoc.ydoc, inserted.last)]
    return inserted === undefined || first === undefined || last === undefined ? [] : partedLines(content, first, last + 1, inserted.above)
  }

  const copyEdits = ({ copy, from }: Copied, content: string): readonly Edit[] => {
    const all = copiesIn(openDoc.ydoc, copy)
    const areMixed = new Set(all.map(({ at }) => content.lastIndexOf('\n', at))).size < all.length
    const place = isRewrite(store, { from, to: copy }) ? undefined : placeOf(from)
    const breaks = areMixed ? [] : lineBreaks(content, [place, ...all.flatMap(({ at, joined: others }) => [at, ...others])])
    if (breaks.length > 0) return breaks
    const last = all.at(-1)
    const movers = new Set(movesFrom(store, from).map(({ to }) => to.client))
    const parts = place === undefined || last === undefined || movers.size < 2 ? [] : oldNeighbors(content, place, last.at)
    return parts.length > 0 ? parts : copiesKept(content, all)
  }

  const restoredEdits = ({ first, restored, stale }: Restored, content: string): readonly Edit[] => {
    const gone = removals(stale)
    if (gone.length > 0) return gone
    const places = restored.flatMap((id) => indexOf(openDoc.ydoc, id) ?? [])
    // Somebody may have inserted another block before the original line.
    const next = nextLive(restored.at(-1))
    const at = next && textOf(next).includes('\n') && isSameId(next.rightOrigin, first) ? indexOf(openDoc.ydoc, next.id) : undefined
    const edits = at === undefined || at - 1 !== places.at(-1) ? [] : partedLines(content, at, at + (next?.length ?? 0), true)
    return edits.length > 0 ? edits : joinedLine(content, places, removals(waiting()))
  }

  return {
    note: (deletions) => old.note(deletions),
    collect(transaction) {
      const items = newItemsOf(transaction, itemsMax)
      const written = items.filter(isLive)
      const moves = items.flatMap((item) => moveOf(store, item) ?? [])
      old.collect(transaction, moves, written)
      for (const item of written) if (isBegun(transaction, item)) add({ begun: item.id })
      // Nobody writes before a deleted character unless it was there for them.
      const isBlind = written.some(({ rightOrigin }) => itemAt(store, rightOrigin)?.deleted)
      for (const { from } of moves) part(from)
      if (isBlind) for (const { first, to } of old.lines()) if (to !== undefined) part(first)
    },
    isWaiting: () => work.length > 0,
    next() {
      const first = work.shift()
      if (first !== undefined && 'left' in first) for (const id of first.left) pending.delete(keyOf(id))
      const { content } = openDoc.snapshot()
      if (first === undefined) return []
      if ('parted' in first) {
        const edits = partedEdits(content, first.parted)
        // There may also be other text on the other side.
        if (edits.length > 0) add(first)
        return edits
      }
      // A line of text may also have been moved.
      const isMoved = 'copy' in first || 'restored' in first || ('left' in first && first.to !== undefined)
      if (!isMoved && !fenceWith.test(content)) return []
      if ('restored' in first) {
        const edits = restoredEdits(first, content)
        if (edits.length > 0 && first.stale.length > 0) add({ ...first, stale: [] })
        return edits
      }
      if ('begun' in first) return lineBreaks(content, [indexOf(openDoc.ydoc, first.begun)])
      if (!('copy' in first)) return lateEdits(first, content)
      const edits = copyEdits(first, content)
      // There may be more copies.
      if (edits.length > 0) add(first)
      return edits
    }
  }
}
