/**
 * Moves the caret past the tags of collapsible text, so that they stay hidden. The tags are visible while they are selected, and where a document
 * begins or ends with them.
 */
import { EditorSelection, EditorState, Prec, type Extension, type Transaction, type TransactionSpec } from '@codemirror/state'
import { keymap, type Command, type EditorView } from '@codemirror/view'
import { isHtml } from './live/collapsible.ts'
import { collapsiblesOf, type Collapsible } from './live/collapsible-parts.ts'

const isIn = (position: number, from: number, to: number): boolean => position >= from && position <= to

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

function pastTags(transaction: Transaction): Transaction | readonly TransactionSpec[] {
  const { startState: state, newSelection, docChanged } = transaction
  const { main, ranges } = newSelection
  const before = state.selection.main
  if (docChanged || !transaction.isUserEvent('select') || !main.empty || !before.empty || ranges.length > 1) return transaction
  const parts = collapsiblesOf(state).filter((part) => isIn(main.head, part.opening.from, part.closingEnd) && isHtml(state, part))
  let { head } = main
  for (let count = 0; count < tagsMax; count++) {
    const next = besideTags(state, parts, before.head, head)
    if (next === head) break
    head = next
  }
  return head === main.head ? transaction : [transaction, { selection: EditorSelection.cursor(head), sequential: true }]
}

/** Returns the collapsible text whose summary contains the caret. */
function summaryAt({ state }: EditorView): Collapsible | undefined {
  const { main } = state.selection
  if (!main.empty) return undefined
  return collapsiblesOf(state).find((part) => isIn(main.head, part.words.from, part.words.to) && isHtml(state, part))
}

const goTo =
  (edge: 'from' | 'to'): Command =>
  (view) => {
    const part = summaryAt(view)
    if (part !== undefined) view.dispatch({ selection: { anchor: part.words[edge] }, scrollIntoView: true, userEvent: 'select' })
    return part !== undefined
  }

/** Removes the tags at the start of a summary, as Backspace removes the marker of a quote. */
const removeTags: Command = (view) => {
  const part = view.state.readOnly ? undefined : summaryAt(view)
  if (part === undefined || view.state.selection.main.head !== part.words.from) return false
  const { opening, words, summaryEnd, closing, closingEnd } = part
  view.dispatch({
    changes: [
      { from: opening.from, to: words.from },
      { from: words.to, to: summaryEnd },
      { from: closing.from, to: closingEnd }
    ],
    userEvent: 'delete.backward'
  })
  return true
}

/** Keeps the closing tag of a summary, which a deletion at the end of the words would remove. */
const keepTag: Command = (view) => summaryAt(view)?.words.to === view.state.selection.main.head

export const collapsibleCaret: Extension = [
  EditorState.transactionFilter.of(pastTags),
  Prec.high(
    keymap.of([
      { key: 'Home', run: goTo('from') },
      { key: 'End', run: goTo('to') },
      { key: 'Backspace', run: removeTags },
      { key: 'Delete', run: keepTag }
    ])
  )
]
