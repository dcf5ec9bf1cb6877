/**
 * Lines that were moved or deleted, as people see them who do not know of that. Their changes are brought to the new place. Changes that arrive later
 * are recognized by the characters next to which they were written.
 */
import * as Y from 'yjs'
import { reordered } from '../../shared/fences/column-order.ts'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import {
  copiesOf,
  deletedLines,
  hasArrived,
  isNew,
  isRewrite,
  type MovedLine,
  newItemsOf,
  restoredBy,
  wasShown
} from '../../shared/text/moved-lines.ts'
import type { ColumnOrders } from './column-orders.ts'
import { copiesIn } from './line-copies.ts'
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
  unitsOf,
  walkLine
} from './line-parts.ts'
import { keptOf, type LineChange, valuesBefore } from './moved-line-edits.ts'
import { breakBefore, marksOf } from './parted-lines.ts'
import type { Span } from './update-check.ts'

/** The most lines whose old text is kept. */
const linesMax = 100
/** The most deletions in an update that is compared with old lines. */
const spansMax = 2000

/** Matches a line that may be a card or row, and whose old text is kept if it was deleted. */
const partLine = /^(?:[-*+][ \t]|\|)/

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
  /** The number of the page that has moved, deleted or restored the line last, so that it knows where the line is. */
  readonly knower: number | undefined
}

/** Text that was written into a line that had been moved away or deleted. */
export interface Late {
  readonly first: Y.ID
  readonly to: Y.ID | undefined
  readonly change: LineChange
  readonly left: readonly Y.ID[]
  /** Words that return from the new place, because their author has ended them with a line break. They belong before this character. */
  readonly back?: { readonly text: string; readonly end: Y.ID } | undefined
}

/** The characters of a line that undo restored. Others may have inserted lines between its parts. */
export interface Restored {
  readonly first: Y.ID
  readonly restored: readonly Y.ID[]
  readonly stale: readonly Y.ID[]
}

/** The first character of a moved line next to which somebody inserted other lines. */
export interface Parted {
  readonly parted: Y.ID
}

/** A copy of a moved line. */
export interface Copied {
  readonly copy: Y.ID
  readonly from: Y.ID
}

/** Returns the deletions on a line in updates of people who still saw the line. */
const deletedOn = ({ first, pieces }: OldLine, updates: readonly (readonly Span[])[]): Span[] =>
  updates
    .filter((spans) => !isInSpans(spans, first))
    .flatMap((spans) =>
      spans.filter(({ client, from, to }) =>
        pieces.some((piece) => piece.id.client === client && from < piece.id.clock + piece.text.length && piece.id.clock < to)
      )
    )

export interface OldLines {
  /** Notes the deletions of an update. Call it before the update is applied, or in its transaction. */
  note(deletions: readonly Span[]): void
  /** Examines a transaction with updates of people. */
  collect(transaction: Y.Transaction, moves: readonly MovedLine[], written: readonly Y.Item[]): void
  lines(): readonly OldLine[]
}

interface OldLinesInput {
  /** Takes the work for each line. */
  readonly add: (work: Late | Restored | Parted | Copied) => void
  /** Returns whether a character will be brought to another place. */
  readonly isPending: (id: Y.ID) => boolean
  /** Returns the number of the page that made the last change. */
  readonly writer: () => number | undefined
}

export const createOldLines = (ydoc: Y.Doc, orders: ColumnOrders, { add, isPending, writer }: OldLinesInput): OldLines => {
  const { store } = ydoc
  /** The deletions of each update. */
  let noted: (readonly Span[])[] = []
  let old: OldLine[] = []

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
    const first = keptOf(copiesIn(ydoc, to))?.id
    return first && { first, text: joined(lineFrom(store, first, isLive).pieces.filter(({ id }) => !isIn(id, left))) }
  }

  /** Keeps a line that was just moved or deleted. */
  const keep = (line: Pick<OldLine, 'to' | 'first' | 'pieces' | 'gone' | 'end' | 'shown'>): void => {
    const known = noted.filter((spans) => isInSpans(spans, line.first)).flat()
    const unseen = idsIn(line.gone, itemsMax).filter((id) => isInSpans(known, id))
    old = [...old, { ...line, deletions: [], restorers: [], restored: [], stale: [], unseen, knower: writer() }].slice(-linesMax)
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
    if (to === undefined && end !== undefined && indexOf(ydoc, end) !== undefined && isJoined(store, from)) return
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
    const now = (to && textAt(to, left)?.text) ?? joined(known)
    // The person may have set other cells at the new place.
    const base = text.startsWith('|') ? valuesBefore(joined(known), shown, now) : now
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
    const now = {
      ...line,
      to: move.to,
      restorers: [...line.restorers, move.to.client],
      ...restoredUnits(transaction, line),
      knower: writer()
    }
    add(now)
    return now
  }

  /** Handles changes that people have just made on a line that was moved away before. Returns the line as they see it now. */
  const bring = (line: OldLine, moves: readonly MovedLine[], transaction: Y.Transaction): OldLine[] => {
    const isLine = (id: Y.ID): boolean => copiesOf(store, id).some((each) => isSameId(each, line.first))
    const restored = restoredLine(line, moves, transaction)
    if (restored !== undefined) return [restored]
    // The page of the person who moved or restored the line shows where it is.
    if (line.knower !== undefined && line.knower === writer()) return [line]
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

  return {
    note: (deletions) => void (noted.length < linesMax && deletions.length <= spansMax && noted.push(deletions)),
    collect(transaction, moves, written) {
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
      noted = []
    },
    lines: () => old
  }
}
