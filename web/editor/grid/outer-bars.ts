/**
 * Keeps the cells of rows without outer bars. Without its words, the first cell of `a | b` would leave `| b`, a row with one cell, and the words
 * that are typed next would change their column. The row then gets the outer bar that it lacks.
 */
import { EditorSelection, EditorState, type Extension, type Line, type Transaction, type TransactionSpec } from '@codemirror/state'
import { isDelimiter, rowOf, type Row } from '../table-rows.ts'
import { tableAt } from '../tables.ts'

/** Matches text with which a line begins a block that ends the table. */
const block = /^(?:>|(?:[-+*]|#{1,6}|\d{1,9}[.)])(?:\s|$)|```|~~~|<[a-z!?/])/i

const isBegun = ({ line, lead }: Row): boolean => line.text[lead.length] === '|'

/** Returns the lines that a transaction changes, as they were before, without those that get other lines or bars. */
function changedLines({ startState, changes }: Transaction): Line[] {
  const lines = new Map<number, Line>()
  const barred = new Set<number>()
  changes.iterChanges((from, to, _from, _to, inserted) => {
    const line = startState.doc.lineAt(from)
    if (to > line.to || inserted.lines > 1 || inserted.toString().includes('|')) barred.add(line.number)
    lines.set(line.number, line)
  })
  return [...lines.values()].filter(({ number }) => !barred.has(number))
}

/** Returns the outer bars that a row lacks since a change. */
function lacking(before: Row, after: Row, isTyped: boolean): { readonly first: boolean; readonly last: boolean } {
  const text = after.line.text.slice(before.lead.length)
  const isBlank = text.trim() === ''
  const isBlock = (isTyped && /^\s/.test(text)) || (block.test(text) && !block.test(before.line.text.slice(before.lead.length)))
  return {
    first: !isBegun(before) && (isBegun(after) || isBlank || isBlock),
    last: !before.closed && (after.closed || isBlank)
  }
}

/** Returns a transaction together with the outer bars that its rows lack. */
function withBars(transaction: Transaction): Transaction | TransactionSpec[] {
  const { startState, changes, newDoc, newSelection } = transaction
  const firsts: number[] = []
  const lasts: number[] = []
  for (const line of changedLines(transaction)) {
    const before = rowOf(line)
    if ((isBegun(before) && before.closed) || isDelimiter(line.text) || tableAt(startState, line.from) === undefined) continue
    const after = rowOf(newDoc.lineAt(changes.mapPos(line.from, -1)))
    const { first, last } = lacking(before, after, transaction.isUserEvent('input.type'))
    if (first) firsts.push(after.line.from + before.lead.length)
    if (last) lasts.push(after.line.to)
  }
  if (firsts.length + lasts.length === 0) return transaction
  // The caret stays in its cell: after the first bar, and before the last one.
  const moved = (at: number): number => at + 2 * (firsts.filter((bar) => bar <= at).length + lasts.filter((bar) => bar < at).length)
  const ranges = newSelection.ranges.map(({ anchor, head }) => EditorSelection.range(moved(anchor), moved(head)))
  return [
    transaction,
    {
      changes: [...firsts.map((from) => ({ from, insert: '| ' })), ...lasts.map((from) => ({ from, insert: ' |' }))],
      selection: EditorSelection.create(ranges, newSelection.mainIndex),
      sequential: true
    }
  ]
}

export const outerBars: Extension = EditorState.transactionFilter.of((transaction) =>
  transaction.docChanged && (transaction.isUserEvent('input') || transaction.isUserEvent('delete')) ? withBars(transaction) : transaction
)
