/**
 * Keeps one copy of a card, row or block that several people move without knowing of each other, and brings changes of a line to the place to which
 * somebody else has moved it. Marks in the text connect a moved line with its old place (shared/text/moved-lines.ts), so copies that people made on
 * purpose stay. The copy that comes last in the text stays, but a copy of a card or row that somebody has changed since its move comes first. All
 * nodes choose the same one.
 */
import * as Y from 'yjs'
import { applyEdits, type Edit } from '../../shared/text/diff.ts'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import {
  copiesOf,
  hasArrived,
  isNew,
  isRewrite,
  isRewritten,
  type MovedLine,
  moveOf,
  movesFrom,
  newItemsOf,
  restoredBy,
  wasShown,
  deletedLines
} from '../../shared/text/moved-lines.ts'
import { createColumnOrders, inOrder, type MarkedText, reordered } from './column-orders.ts'
import {
  idsIn,
  indexOf,
  isIn,
  isInSpans,
  isJoined,
  isLive,
  itemsMax,
  joined,
  keyOf,
  leadOf,
  lineFrom,
  type Piece,
  piecesOf,
  rivalsOf,
  spanOf,
  textOf,
  unitsOf,
  walkLine
} from './line-parts.ts'
import { breakBefore, joinedInserts, marksOf } from './parted-lines.ts'
import type { Span } from './update-check.ts'
import {
  changedLine,
  copiesKept,
  type Copy,
  fenceWith,
  isDispensable,
  joinedLine,
  keptOf,
  lineBreaks,
  oldNeighbors,
  onOwnLine,
  ownLineBehind,
  partedLines,
  valuesBefore,
  type LineChange,
  withGone
} from './moved-line-edits.ts'

/** The most lines whose old text is kept or that wait. */
const linesMax = 100
/** The most deletions in an update that is compared with old lines. */
const spansMax = 2000

/** Matches a line that may be a card or row, and whose old text is kept if it was deleted. The second pattern matches such a line with its line break. */
const partLine = /^(?:[-*+][ \t]|\|)/
const wholeLine = /^(?:[-*+][ \t]|\|)[^\n]*\n/

/**
 * A line at the place from which it was moved, as people see it who do not know of the move. They may write there for a while, and their text is
 * brought to the new place.
 */
interface OldLine {
  /** The new place; undefined if the line was deleted. */
  readonly to: Y.ID | undefined
  readonly first: Y.ID
  /** The text of the line. It includes text that the move removed, and text that was brought to the new place. */
  readonly pieces: readonly Piece[]
  /** Text between these parts that was deleted before the move. Such people may still have seen it. */
  readonly gone: readonly Span[]
  /** The deletions of such people. */
  readonly deletions: readonly Span[]
  readonly shown: string
  /** The line break behind the line; undefined at the end of the text. */
  readonly end: Y.ID | undefined
  /** The clients whose undo has restored the line directly before its old place. */
  readonly restorers: readonly number[]
  /** The characters that the last undo restored, in their order on the line. */
  readonly restored: readonly Y.ID[]
  /** The restored characters that somebody else had deleted before the move arrived. The person who moved the line did not know that. */
  readonly stale: readonly Y.ID[]
  /** The originals of such characters, while the line is elsewhere. */
  readonly unseen: readonly Y.ID[]
}

/** Text that was written into a line that had been moved away or deleted. */
interface Late {
  readonly first: Y.ID
  readonly to: Y.ID | undefined
  readonly change: LineChange
  readonly left: readonly Y.ID[]
  /** Words that return from the new place, because their author has ended them with a line break. They belong before this character. */
  readonly back?: { readonly text: string; readonly end: Y.ID } | undefined
}

/** The characters of a line that undo restored. Others may have inserted lines between its parts. */
interface Restored {
  readonly first: Y.ID
  readonly restored: readonly Y.ID[]
  readonly stale: readonly Y.ID[]
}

/** A new line that begins behind a removed line break. */
interface Begun {
  readonly begun: Y.ID
}

/** The first character of a moved line next to which somebody inserted other lines. */
interface Parted {
  readonly parted: Y.ID
}

type Work = { readonly copy: Y.ID; readonly from: Y.ID } | Late | Restored | Begun | Parted

/** Returns the deletions on a line in updates of people who still saw the line. */
const deletedOn = ({ first, pieces }: OldLine, updates: readonly (readonly Span[])[]): Span[] =>
  updates
    .filter((spans) => !isInSpans(spans, first))
    .flatMap((spans) =>
      spans.filter(({ client, from, to }) =>
        pieces.some((piece) => piece.id.client === client && from < piece.id.clock + piece.text.length && piece.id.clock < to)
      )
    )

export interface MovedLines {
  /** Notes the deletions of an update. Call it before the update is applied, or in its transaction. */
  note(deletions: readonly Span[]): void
  /** Examines a transaction with updates of people. */
  collect(transaction: Y.Transaction): void
  isWaiting(): boolean
  /** Returns the next edits of the current text. Empty if a line needs none. */
  next(): readonly Edit[]
}

export const createMovedLines = (openDoc: MarkedText): MovedLines => {
  const { store } = openDoc.ydoc
  const work: Work[] = []
  /** The deletions of each update. */
  let noted: (readonly Span[])[] = []
  let old: OldLine[] = []
  const orders = createColumnOrders(openDoc)

  /** The characters that will be brought to another place. */
  const pending = new Set<string>()

  const add = (each: Work): void => {
    if (work.length >= linesMax) return
    work.push(each)
    if ('left' in each) for (const id of each.left) pending.add(keyOf(id))
  }

  /** Whether a character will be brought to another place. */
  const isPending = (id: Y.ID): boolean => pending.has(keyOf(id))

  /** Returns the beginning of a line whose first character was deleted. Words before the marker of an item or the mark of a heading are no part of it. */
  const beginOf = (first: Y.ID, text: string, known: readonly Piece[] = []): Y.ID =>
    /^[-*+#>|\d]/.test(text) ? first : leadOf(store, first, known)

  /** Returns the text of a line that was deleted before a transaction, up to the last part of the line. People who know of the move write behind it. */
  const goneOn = (transaction: Y.Transaction, from: Y.ID, end: Y.ID | undefined, final: Piece | undefined): Span[] => {
    const hidden: Span[] = []
    const gone: Span[] = []
    walkLine(store, from, end, (item, begin, stop) => {
      if (item.deleted && !isNew(transaction, item) && !wasShown(transaction, item)) hidden.push(spanOf(item, begin, stop))
      if (final !== undefined && isInSpans([spanOf(item, begin, stop)], final.id)) gone.push(...hidden)
      return false
    })
    return gone
  }

  /** Returns the text of a line without some parts that will be removed from it. Somebody may have moved the line again. Undefined if it is gone. */
  const textAt = (to: Y.ID, left: readonly Piece[]): { readonly first: Y.ID; readonly text: string } | undefined => {
    const first = keptOf(copies(to))?.id
    return first && { first, text: joined(lineFrom(store, first, isLive).pieces.filter(({ id }) => !isIn(id, left))) }
  }

  /** Keeps a line that was just moved or deleted. */
  const keep = (line: Pick<OldLine, 'to' | 'first' | 'pieces' | 'gone' | 'end' | 'shown'>): void => {
    const known = noted.filter((spans) => isInSpans(spans, line.first)).flat()
    const unseen = idsIn(line.gone, itemsMax).filter((id) => isInSpans(known, id))
    old = [...old, { ...line, deletions: [], restorers: [], restored: [], stale: [], unseen }].slice(-linesMax)
  }

  /** Handles a row that a move of a column has rewritten at its place. The mark at its end separates it from the new row. */
  const followRow = (transaction: Y.Transaction, { from, to }: MovedLine, end: Y.ID): void => {
    const pieces: Piece[] = []
    walkLine(store, from, end, (item, begin, stop) => {
      const isOther = isLive(item) && item.id.client !== to.client
      const [piece] = (isOther || wasShown(transaction, item)) && !isPending(item.id) ? piecesOf(item, begin, stop) : []
      if (piece !== undefined && piece.text !== '') pieces.push(piece)
      return false
    })
    const shown = joined(pieces)
    const gone = goneOn(transaction, from, end, pieces.at(-1))
    keep({ to, first: from, pieces, gone, end, shown })
    const left = pieces.filter(({ id }) => itemAt(store, id)?.deleted === false)
    if (left.length === 0) return
    const known = pieces.filter((piece) => !left.includes(piece))
    const now = textAt(to, left)
    const base = now ? valuesBefore(joined(known), shown, reordered(now.text, orders.between(now.first, from))) : joined(known)
    add({ first: from, to, change: { base, changed: shown, blind: blindChange(left, pieces, known) }, left: unitsOf(left) })
  }

  /** Handles a line that was moved or deleted. It may contain text that the person did not know. */
  const follow = (transaction: Y.Transaction, from: Y.ID, to: Y.ID | undefined): void => {
    const isShown = (item: Y.Item): boolean => wasShown(transaction, item) && !isPending(item.id)
    const text = joined(lineFrom(store, from, isShown).pieces)
    const mark = to !== undefined && text.startsWith('|') && isRewrite(store, { from, to }) ? marksOf(store, from)?.right.id : undefined
    if (to !== undefined && mark !== undefined) return followRow(transaction, { from, to }, mark)
    // Somebody may have broken a line of text. A row of a table or sheet has no line breaks.
    const last = to !== undefined && !text.startsWith('|') ? marksOf(store, from)?.right.origin : undefined
    const line = lineFrom(store, beginOf(from, text), isShown, last)
    // The service may have removed the line break between this line and a line that somebody moved behind it.
    const other = line.pieces.findIndex(({ id }) => !isSameId(id, from) && hasArrived(store, id))
    const pieces = other === -1 ? line.pieces : line.pieces.slice(0, other)
    const end = other === -1 ? line.end : line.pieces[other]?.id
    // Others write at the end of the line above in the same way as people who still see this line. The mark of a move distinguishes them.
    if (to === undefined && end !== undefined && indexOf(openDoc.ydoc, end) !== undefined && isJoined(store, from)) return
    let isReplaced = false
    walkLine(store, from, end, (item) => {
      isReplaced ||= isLive(item) && isNew(transaction, item)
      return false
    })
    if (isReplaced) return
    const shown = joined(pieces)
    const gone = goneOn(transaction, from, end, pieces.at(-1))
    keep({ to, first: from, pieces, gone, end, shown })
    const left = pieces.filter(({ id }) => itemAt(store, id)?.deleted === false)
    if (left.length === 0) return
    const known = pieces.filter((piece) => !left.includes(piece))
    const base = (to && textAt(to, left)?.text) ?? joined(known)
    add({ first: from, to, change: { base, changed: shown, blind: blindChange(left, pieces, known) }, left: unitsOf(left) })
  }

  /** Returns a change as it is without text that the writers of these parts did not know; undefined if they knew all of it. */
  const blindChange = (left: readonly Piece[], now: readonly Piece[], before: readonly Piece[]): LineChange['blind'] => {
    const rivals = now.length > itemsMax ? [] : rivalsOf(store, left)
    if (rivals.length === 0) return undefined
    const without = (pieces: readonly Piece[]): string => joined(pieces.filter(({ id }) => !isInSpans(rivals, id)))
    return { base: without(before), changed: without(now) }
  }

  /** Returns the characters that a transaction restored on a line. */
  const restoredUnits = (transaction: Y.Transaction, { pieces, unseen }: OldLine): Pick<OldLine, 'restored' | 'stale'> => {
    const units = new Map<string, Y.ID>()
    for (const { id, length } of newItemsOf(transaction, itemsMax)) {
      const old = restoredBy(store, id)
      for (let at = 0; old !== undefined && at < length; at++)
        units.set(keyOf(Y.createID(old.client, old.clock + at)), Y.createID(id.client, id.clock + at))
    }
    const copiesFor = (ids: readonly Y.ID[]): Y.ID[] => ids.flatMap((id) => units.get(keyOf(id)) ?? [])
    return { restored: copiesFor(unitsOf(pieces)), stale: copiesFor(unseen) }
  }

  /** Returns a line as it is known after a transaction that restored it. */
  const restoredLine = (line: OldLine, moves: readonly MovedLine[], transaction: Y.Transaction): OldLine | undefined => {
    const move = moves.find(
      ({ to }) => isSameId(restoredBy(store, to) ?? null, line.first) && copiesOf(store, to).some((each) => isSameId(each, line.first))
    )
    if (move === undefined) return undefined
    const now = { ...line, to: move.to, restorers: [...line.restorers, move.to.client], ...restoredUnits(transaction, line) }
    add(now)
    return now
  }

  /** Handles changes that people have just made on a line that was moved away before. Returns the line as they see it now. */
  const bring = (line: OldLine, moves: readonly MovedLine[], transaction: Y.Transaction): OldLine[] => {
    const isLine = (id: Y.ID): boolean => copiesOf(store, id).some((each) => isSameId(each, line.first))
    const restored = restoredLine(line, moves, transaction)
    if (restored !== undefined) return [restored]
    if (line.restored.length > 0) add(line)
    const late = deletedOn(line, noted)
    const deletions = [...line.deletions, ...late]
    const left: Piece[] = []
    const [before, now]: [Piece[], Piece[]] = [[], []]
    const isLate = (item: Y.Item): boolean => {
      if (isPending(item.id) || line.restorers.includes(item.id.client)) return false
      const known = [...line.pieces, ...left]
      const isKnown = (id: Y.ID | null): boolean => isIn(id, known) || (id !== null && isInSpans(line.gone, id))
      const [begins, ends] = [isKnown(item.origin), isKnown(item.rightOrigin)]
      // People who know of the move write behind the mark that the move or the service left there.
      if (line.restorers.length === 0) return begins || ends
      // Others may also write on the restored line.
      return (begins && ends) || (late.length > 0 && isNew(transaction, item) && (begins || ends))
    }
    walkLine(store, beginOf(line.first, line.shown, line.pieces), line.end, (item, from, until) => {
      if (isLive(item)) {
        if (!isIn(item.id, line.pieces) && !isLate(item)) return false
        for (const [index, piece] of piecesOf(item, from, until).entries()) {
          const isKnown = isIn(piece.id, line.pieces)
          if (piece.text === '' || (index > 0 && !isKnown)) continue
          if (isKnown) before.push(piece)
          if (!isPending(piece.id)) left.push(piece)
          now.push(piece)
        }
        // Somebody may have broken the line here. Its words stay together.
        return false
      }
      for (const { id, text } of line.pieces) {
        const begin = Math.max(id.clock, item.id.clock + from)
        const stop = Math.min(id.clock + text.length, item.id.clock + until)
        if (id.client !== item.id.client) continue
        for (let clock = begin; clock < stop; clock++) {
          const unit = { id: Y.createID(id.client, clock), text: text.charAt(clock - id.clock) }
          if (!isInSpans(line.deletions, unit.id)) before.push(unit)
          if (!isInSpans(deletions, unit.id)) now.push(unit)
        }
      }
      return false
    })
    const shown = joined(now)
    if (left.some(({ id }) => hasArrived(store, id) && isLine(id))) return []
    if (shown === line.shown && left.length === 0) return [line]
    const change = { base: line.shown, changed: shown, blind: blindChange(left, now, before) }
    const lead = late.length === 0 && line.shown.endsWith(shown) ? line.shown.slice(0, line.shown.length - shown.length) : ''
    const end = lead === '' ? undefined : breakBefore(store, line.first)
    add({ first: line.first, to: line.to, change, left: unitsOf(left), back: end && { text: lead, end } })
    if (end !== undefined) add({ parted: line.first })
    return [{ ...line, deletions, shown, pieces: [...line.pieces, ...left] }]
  }

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

  /** Returns the copies of a line that exist, in the order of the text. */
  const copies = (first: Y.ID): Copy[] =>
    copiesOf(store, first)
      .flatMap((id): Copy[] => {
        const at = indexOf(openDoc.ydoc, id)
        if (at === undefined) return []
        const items = lineFrom(store, id, isLive).pieces
        const isChanged = items.some((piece) => piece.id.client !== id.client)
        const others = items.slice(1).flatMap((piece) => (hasArrived(store, piece.id) ? (indexOf(openDoc.ydoc, piece.id) ?? []) : []))
        const parts = items.map((piece) => ({ client: piece.id.client, length: piece.text.length }))
        return [{ at, id, client: id.client, isChanged, isRewritten: isRewritten(store, id), parts, joined: others }]
      })
      .toSorted((one, other) => one.at - other.at)

  /** Returns the edits that remove some characters. */
  const removals = (ids: readonly Y.ID[]): Edit[] =>
    ids
      .flatMap((id): Edit[] => {
        const at = indexOf(openDoc.ydoc, id)
        return at === undefined ? [] : [{ from: at, to: at + 1, insert: '' }]
      })
      .toSorted((one, other) => one.from - other.from)

  /** Returns the characters that will be brought to another place. */
  const waiting = (): Y.ID[] => work.flatMap((each) => ('left' in each ? each.left : []))

  const lateEdits = ({ first, to: place, change: written, left, back }: Late, content: string): readonly Edit[] => {
    // Undo may have restored a deleted line meanwhile.
    const to = place ?? old.find((line) => isSameId(line.first, first))?.to
    const gone = removals(left)
    const [begin, end] = [gone[0], gone.at(-1)]
    const copy = to && keptOf(copies(to))
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

  const copyEdits = ({ copy, from }: { readonly copy: Y.ID; readonly from: Y.ID }, content: string): readonly Edit[] => {
    const all = copies(copy)
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
    note: (deletions) => void (noted.length < linesMax && deletions.length <= spansMax && noted.push(deletions)),
    collect(transaction) {
      const items = newItemsOf(transaction, itemsMax)
      const written = items.filter(isLive)
      const moves = items.flatMap((item) => moveOf(store, item) ?? [])
      old = old.flatMap((line) =>
        deletedOn(line, noted).length > 0 ||
        written.some(({ origin, rightOrigin }) => isIn(origin, line.pieces) || isIn(rightOrigin, line.pieces))
          ? bring(line, moves, transaction)
          : [line]
      )
      const earlier = new Set(old)
      const deleted = deletedLines(transaction)
      orders.note(transaction, moves, deleted)
      for (const { first, text } of deleted) {
        const to = moves.find(({ from }) => isSameId(from, first))?.to
        if (to !== undefined || partLine.test(text)) follow(transaction, first, to)
      }
      for (const { from, to } of moves) {
        const item = itemAt(store, from)
        // Somebody has written at the beginning of the line.
        if (item !== undefined && wasShown(transaction, item) && !deleted.some(({ first }) => isSameId(first, from)))
          follow(transaction, from, to)
        add({ copy: to, from })
      }
      // A person may have moved a line and undone that while offline.
      old = old.map((line) => (earlier.has(line) ? line : (restoredLine(line, moves, transaction) ?? line)))
      for (const item of written) if (isBegun(transaction, item)) add({ begun: item.id })
      // Nobody writes before a deleted character unless it was there for them.
      const isBlind = written.some(({ rightOrigin }) => itemAt(store, rightOrigin)?.deleted)
      for (const { from } of moves) part(from)
      if (isBlind) for (const { first, to } of old) if (to !== undefined) part(first)
      noted = []
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
