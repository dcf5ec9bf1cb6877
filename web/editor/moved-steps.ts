/**
 * Moves of lines, such as cards of a board and rows of a sheet. Each move is marked in the text (shared/text/moved-lines.ts). Undo of a move whose line
 * is no longer where the move put it does nothing, because somebody else has moved or deleted the line.
 */
import * as Y from 'yjs'
import { itemAt, isSameId } from '../../shared/text/items.ts'
import {
  copiesOf,
  hasArrived,
  isRewrite,
  restoredBy,
  markMoves,
  type MovedLine,
  movedLines,
  moveOf,
  movesFrom,
  restoredLines
} from '../../shared/text/moved-lines.ts'
import { followColumns } from './column-steps.ts'
import { latestOf } from './restored-copies.ts'
import { isGone, type Step, textOf, without } from './undo-gaps.ts'

type Store = Y.Doc['store']

/** Maximum number of times that a line was deleted and restored. */
const stepsMax = 100
/** Maximum number of items that are examined in a row. */
const itemsMax = 1000

/** Returns the lines that a step moved. */
function movesOf(transaction: Y.Transaction, { deletions, insertions }: Step): MovedLine[] {
  const found: MovedLine[] = []
  Y.iterateDeletedStructs(transaction, deletions, (struct) => {
    if (!(struct instanceof Y.Item)) return
    for (const move of movesFrom(transaction.doc.store, struct.id)) if (Y.isDeleted(insertions, move.to)) found.push(move)
  })
  return found
}

/** Returns the beginnings of lines that a step deleted, and of which a copy is there, because somebody else has moved them without knowing of that. */
function linesThere(transaction: Y.Transaction, { deletions, insertions }: Step): Y.ID[] {
  const { store } = transaction.doc
  const found: Y.ID[] = []
  Y.iterateDeletedStructs(transaction, deletions, ({ id }) => {
    const moves = movesFrom(store, id)
    const isOther = moves.length > 0 && !moves.some(({ to }) => Y.isDeleted(insertions, to))
    if (isOther && copiesOf(store, id).some((copy) => itemAt(store, copy)?.deleted === false)) found.push(id)
  })
  return found
}

/** Removes from a step the deletion of the line that begins with this character. */
function leaveLine(store: Store, step: Step, first: Y.ID): void {
  let offset = first.clock - (itemAt(store, first)?.id.clock ?? 0)
  for (let item: Y.Item | null = itemAt(store, first) ?? null; item !== null; item = item.right, offset = 0) {
    const isOwn = Y.isDeleted(step.deletions, item.id)
    if (isGone(item) && !isOwn) continue
    const end = textOf(item).indexOf('\n', offset)
    const length = (end === -1 ? item.length : end) - offset
    if (isOwn && length > 0) step.deletions = without(step.deletions, Y.createID(item.id.client, item.id.clock + offset), length)
    if (end !== -1) return
  }
}

/**
 * Removes from a step the line breaks behind lines that it wrote and on which other text will remain. Such a line was moved away, or somebody else has
 * written into it.
 */
function leaveBreaks(transaction: Y.Transaction, step: Step): void {
  const own = new Map<Y.Item, Y.ID>()
  Y.iterateDeletedStructs(transaction, step.insertions, (struct) => {
    const item = struct instanceof Y.Item ? latestOf(transaction.doc.store, struct.id)?.item : undefined
    if (item?.deleted === false) own.set(item, struct.id)
  })
  for (const [item, id] of own) {
    const text = textOf(item)
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1))
      if (keepsBreak(item, end, step, own)) step.insertions = without(step.insertions, Y.createID(id.client, id.clock + end))
  }
}

/** Whether the text before an item was inserted in one piece with it. */
const continuesStep = ({ id, origin }: Y.Item, insertions: Step['insertions']): boolean =>
  origin?.client === id.client && origin.clock === id.clock - 1 && Y.isDeleted(insertions, origin)

/** Whether other text will remain before a line break, behind the first character that the step wrote on this line. */
function keepsBreak(last: Y.Item, end: number, { insertions }: Step, own: ReadonlyMap<Y.Item, Y.ID>): boolean {
  for (let [item, to]: [Y.Item | null, number?] = [last, end]; item !== null; item = item.left, to = undefined) {
    if (isGone(item)) continue
    const text = textOf(item).slice(0, to)
    const begin = text.lastIndexOf('\n') + 1
    if (!own.has(item) && text.slice(begin).trim() !== '') return true
    if (begin > 0 || (own.has(item) && !continuesStep(item, insertions))) return false
  }
  return false
}

/** Whether all that a step would restore or remove is whitespace. */
function isBlank(transaction: Y.Transaction, { deletions, insertions }: Step): boolean {
  let text = ''
  Y.iterateDeletedStructs(transaction, deletions, (struct) => {
    if (struct instanceof Y.Item && !Y.isDeleted(insertions, struct.id)) text += textOf(struct)
  })
  Y.iterateDeletedStructs(transaction, insertions, (struct) => {
    const latest = struct instanceof Y.Item ? latestOf(transaction.doc.store, struct.id) : undefined
    if (latest !== undefined && !latest.item.deleted) text += textOf(latest.item)
  })
  return text.trim() === ''
}

/** Whether a line was moved from one of the places of these deleted items. */
export const hasMoved = (items: readonly Y.Item[]): boolean =>
  items.some((item) => item.parent instanceof Y.Text && item.parent.doc !== null && firstMovedBy(item.parent.doc.store, item) !== undefined)

/** Returns the first character of the line from which an item is the mark of a move. */
function firstMovedBy(store: Store, { id, length }: Y.Item): Y.ID | undefined {
  const mark = length === 1 ? itemAt(store, Y.createID(id.client, id.clock + 1)) : undefined
  return mark && moveOf(store, mark)?.from
}

/**
 * Whether an item is a part of the mark of a move. The parts have the clocks from the first half on. No mark ends a line that undo restored, so other
 * text may have the last clock.
 */
export const isMark = (item: Y.Item): boolean => {
  const { id, length, parent } = item
  const store = parent instanceof Y.Text ? parent.doc?.store : undefined
  if (store === undefined || length > 2 || !/^-*$/.test(textOf(item))) return false
  return [0, 1, 3, 4, 5].some((offset) => {
    const clock = id.clock - offset + 1
    const second = itemAt(store, Y.createID(id.client, clock))
    return second?.id.clock === clock && moveOf(store, second) !== undefined
  })
}

/** Whether an undo has restored the line that begins with this deleted character. */
const isRestored = (store: Store, first: Y.ID): boolean =>
  copiesOf(store, first).some((copy) => {
    if (itemAt(store, copy)?.deleted !== false) return false
    let old = restoredBy(store, copy)
    for (let step = 0; old !== undefined && step < stepsMax; step++) {
      if (isSameId(old, first)) return true
      old = restoredBy(store, old)
    }
    return false
  })

/** Whether somebody else moved the line of a deleted item away, nobody has restored it, and the step does not restore it either. */
function isOnMovedLine(store: Store, item: Y.Item, { deletions }: Step, own: number): boolean {
  const passed = new Set<Y.Item>()
  for (let each = item.left; each !== null && isGone(each); each = each.left) {
    passed.add(each)
    const first = firstMovedBy(store, each)
    // The last part of the mark ends the line.
    const end = first && itemAt(store, Y.createID(each.id.client, each.id.clock + 4))
    if (first === undefined || end === undefined || passed.has(end)) continue
    const copies = copiesOf(store, first)
    // The person may have moved the line first.
    const isOwn = each.id.client === own && !copies.some((copy) => copy.client !== own && itemAt(store, copy)?.deleted === false)
    if (isOwn || copies.some((copy) => Y.isDeleted(deletions, copy))) continue
    return itemAt(store, first)?.deleted === true && !isRestored(store, first)
  }
  return false
}

/** Returns a character, also a deleted one as long as its text is stored. */
const letterAt = (store: Store, id: Y.ID): string | undefined => {
  const item = itemAt(store, id)
  return item && textOf(item)[id.clock - item.id.clock]
}

/** Whether a character restores one of these deleted items, at first or at second hand, and somebody else has restored it. */
function restoresAny(store: Store, id: Y.ID, items: ReadonlySet<Y.Item>, own: number): boolean {
  const letter = letterAt(store, id)
  let isByOther = false
  for (let [now, step]: [Y.ID | undefined, number] = [id, 0]; now !== undefined && step < stepsMax; step++) {
    isByOther ||= now.client !== own
    now = restoredBy(store, now)
    // Text that was typed before a deleted character looks as if it restored it.
    if (now !== undefined && (letterAt(store, now) ?? letter) !== letter) return false
    const original = now && itemAt(store, now)
    if (original !== undefined && items.has(original)) return isByOther
  }
  return false
}

/** Whether somebody else's undo has restored the text behind a deleted item in front of it: in one piece, because it did not know of the item. */
function isBehindLine(store: Store, item: Y.Item, own: number): boolean {
  const behind = new Set<Y.Item>()
  for (let each = item.right; each !== null && isGone(each); each = each.right) behind.add(each)
  let client: number | undefined
  for (let [each, step] = [item.left, 0]; each !== null && step < stepsMax; each = each.left, step++) {
    if (isGone(each)) continue
    if (restoresAny(store, each.lastId, behind, own)) client = each.id.client
    // A restored line has a mark.
    if (client === each.id.client && hasArrived(store, each.id)) return true
    if (textOf(each).includes('\n')) return false
  }
  return false
}

/** Returns the words that a step would restore at a place that their line has left. Empty if the step restores entire lines. */
function movedWords(transaction: Y.Transaction, step: Step): Y.Item[] {
  const { store, clientID } = transaction.doc
  const { deletions, insertions } = step
  const words: Y.Item[] = []
  Y.iterateDeletedStructs(transaction, deletions, (struct) => {
    if (struct instanceof Y.Item && !Y.isDeleted(insertions, struct.id)) words.push(struct)
  })
  return words.some((item) => /\n|^[-*+|]/.test(textOf(item)))
    ? []
    : words.filter((item) => isOnMovedLine(store, item, step, clientID) || isBehindLine(store, item, clientID))
}

/** Whether a row whose cells a step has put into another order is elsewhere now, or its cells are in a third order. Its old cells fit no other row. */
const isElsewhere = (store: Store, move: MovedLine): boolean =>
  isRewrite(store, move) && copiesOf(store, move.to).some((copy) => itemAt(store, copy)?.deleted === false)

/** Whether somebody else has written or deleted something in a row that the person's undo restored. */
function isChangedRow({ doc }: Y.Transaction, { to }: MovedLine, { insertions }: Step): boolean {
  const first = latestOf(doc.store, to)?.item ?? null
  for (let [item, step] = [first, 0]; item !== null && step < itemsMax; item = item.right, step++) {
    if (isGone(item)) {
      if (Y.isDeleted(insertions, item.id) && item.redone === null && !isMark(item)) return true
      continue
    }
    const [text, ...below] = textOf(item).split('\n')
    if (item.id.client !== doc.clientID && text !== '') return true
    if (below.length > 0) return false
  }
  return false
}

/**
 * Removes from a step the moves of lines that somebody else has moved or deleted since. `others` are the steps of its stack. With `isRedo`, a move of
 * a column is left out if somebody else has changed one of its rows.
 */
export function leaveMoved(transaction: Y.Transaction, step: Step, others: readonly Step[], isRedo: boolean): void {
  const { store } = transaction.doc
  const moves = movesOf(transaction, step)
  const gone = moves.filter(({ to }) => latestOf(store, to)?.item.deleted !== false)
  const isChanged = isRedo && moves.some((move) => isRewrite(store, move) && isChangedRow(transaction, move, step))
  // A column has one place in all rows.
  if (isChanged || gone.some((move) => isElsewhere(store, move))) {
    step.insertions = step.deletions = Y.createDeleteSet()
    // The other steps set values in the rows that do not return.
    for (const { from } of moves) for (const other of others) leaveLine(store, other, from)
  }
  const there = linesThere(transaction, step)
  for (const first of [...gone.map(({ from }) => from), ...there]) leaveLine(store, step, first)
  const words = movedWords(transaction, step)
  for (const { id, length } of words) step.deletions = without(step.deletions, id, length)
  if (gone.length + there.length + words.length > 0 && isBlank(transaction, step)) step.insertions = step.deletions = Y.createDeleteSet()
  leaveBreaks(transaction, step)
  const kept = moves.filter((move) => !gone.includes(move))
  const columns = step.deletions.clients.size === 0 ? [] : kept.filter((move) => isRewrite(store, move))
  const rows = columns.map(({ from, to }) => ({ from, to: latestOf(store, to)?.id ?? to }))
  transaction.meta.set(leaveMoved, kept).set(followColumns, followColumns(transaction, step, rows))
}

/** Returns the lines that an undo or redo moved or restored. */
function movesBack(transaction: Y.Transaction): MovedLine[] {
  const { store } = transaction.doc
  const moves = (transaction.meta.get(leaveMoved) ?? []) as MovedLine[]
  const back = restoredLines(transaction).map(({ from, to }) => {
    const move = moves.find((each) => isSameId(each.from, from))
    return { from: (move && latestOf(store, move.to)?.id) ?? from, to }
  })
  return [...back, ...((transaction.meta.get(followColumns) ?? []) as MovedLine[])]
}

/** Marks the lines that a step, or its undo or redo, moves. */
export function markSteps(transaction: Y.Transaction, text: Y.Text, undo: Y.UndoManager): void {
  const moves = transaction.origin === undo ? movesBack(transaction) : movedLines(transaction)
  if (moves.length > 0) markMoves(transaction, text, moves)
}
