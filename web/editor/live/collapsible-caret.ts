/**
 * Moves the caret past the tags of collapsible text, so that they stay hidden. The tags are visible while they are selected, and where a document
 * begins or ends with them.
 */
import {
  EditorSelection,
  EditorState,
  Prec,
  type Extension,
  type SelectionRange,
  type Transaction,
  type TransactionSpec
} from '@codemirror/state'
import { keymap, type Command, type EditorView } from '@codemirror/view'
import { isHtml } from './collapsible.ts'
import { collapsiblesOf, tagsOf, type Collapsible } from '../collapsible-parts.ts'

const isIn = (position: number, from: number, to: number): boolean => position >= from && position <= to

/** Returns the collapsible text around a position, the outer text first. */
const partsAt = (state: EditorState, at: number): readonly Collapsible[] =>
  collapsiblesOf(state).filter((part) => isIn(at, part.opening.from, part.closingEnd) && isHtml(state, part))

/** Returns the place next to the tags at a position. Returns the position if it is in no tag. */
function besideTags({ doc }: EditorState, parts: readonly Collapsible[], from: number, to: number): number {
  for (const { opening, words, summaryEnd, closing, closingEnd } of parts) {
    const above = doc.lineAt(opening.from).from - 1
    if (isIn(to, opening.from, words.from - 1)) {
      const leaves = from === words.from || (isIn(from, words.from, closingEnd) && to < doc.lineAt(words.from).from)
      return leaves ? (above < 0 ? to : above) : words.from
    }
    if (isIn(to, words.to + 1, summaryEnd)) return from === words.to ? summaryEnd + 1 : words.to
    if (isIn(to, closing.from, closingEnd)) {
      if (from > closingEnd) return doc.lineAt(closing.from).from - 1
      return closingEnd < doc.length ? closingEnd + 1 : to
    }
  }
  return to
}

/** Maximum number of adjacent tags that the caret passes at once. */
const tagsMax = 20

/** Returns a selection that the pointer made on the line of a summary, without the tags. Undefined if the selection contains other text. */
function wordsOf(state: EditorState, { anchor, head, from, to, empty }: SelectionRange): SelectionRange | undefined {
  const part = empty ? undefined : partsAt(state, from).find(({ opening, summaryEnd }) => from >= opening.from && to <= summaryEnd)
  if (part === undefined) return undefined
  const within = (position: number): number => Math.max(part.words.from, Math.min(position, part.words.to))
  return EditorSelection.range(within(anchor), within(head))
}

function pastTags(transaction: Transaction): Transaction | readonly TransactionSpec[] {
  const { startState: state, newSelection, docChanged } = transaction
  const { main, ranges } = newSelection
  const before = state.selection.main
  if (docChanged || !transaction.isUserEvent('select') || ranges.length > 1) return transaction
  const words = transaction.isUserEvent('select.pointer') ? wordsOf(state, main) : undefined
  if (words !== undefined) return words.eq(main) ? transaction : [transaction, { selection: words, sequential: true }]
  if (!main.empty || !before.empty) return transaction
  const parts = partsAt(state, main.head)
  let { head } = main
  for (let count = 0; count < tagsMax; count++) head = besideTags(state, parts, before.head, head)
  return head === main.head ? transaction : [transaction, { selection: { anchor: head }, sequential: true }]
}

/** Returns the collapsible text whose summary contains the caret, or the moving end of a selection if `extend` is true. */
function summaryAt({ state }: EditorView, extend = false): Collapsible | undefined {
  const { head, empty } = state.selection.main
  return empty || extend ? partsAt(state, head).find(({ words }) => isIn(head, words.from, words.to)) : undefined
}

const goTo =
  (edge: 'from' | 'to', extend = false): Command =>
  (view) => {
    const head = summaryAt(view, extend)?.words[edge]
    if (head === undefined) return false
    view.dispatch({
      selection: { anchor: extend ? view.state.selection.main.anchor : head, head },
      scrollIntoView: true,
      userEvent: 'select'
    })
    return true
  }

/** Removes the tags at the start of a summary, as Backspace removes the marker of a quote. */
const removeTags: Command = (view) => {
  const part = summaryAt(view)
  if (part?.words.from !== view.state.selection.main.head || view.state.readOnly) return false
  view.dispatch({ changes: tagsOf(part), userEvent: 'delete.backward' })
  return true
}

/** Keeps the closing tag of a summary, which a deletion at the end of the words would remove. */
const keepTag: Command = (view) => summaryAt(view)?.words.to === view.state.selection.main.head

export const collapsibleCaret: Extension = [
  EditorState.transactionFilter.of(pastTags),
  Prec.high(
    keymap.of([
      { key: 'Home', run: goTo('from'), shift: goTo('from', true) },
      { key: 'End', run: goTo('to'), shift: goTo('to', true) },
      { key: 'Backspace', run: removeTags },
      { key: 'Delete', run: keepTag }
    ])
  )
]
