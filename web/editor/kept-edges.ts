/**
 * Keeps text apart from the marks at the edges of blocks in the live view. Text behind or before a closing fence would turn everything below into code.
 * HTML goes on until a blank line. The source view changes nothing.
 */
import {
  EditorSelection,
  EditorState,
  Prec,
  StateEffect,
  StateField,
  type Extension,
  type Transaction,
  type TransactionSpec
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import { edgesOn, isBlank, type Edge } from './block-edges.ts'

const isEvent = (transaction: Transaction, ...events: readonly string[]): boolean => events.some((event) => transaction.isUserEvent(event))

/** Returns the edges that changes may touch: on the changed lines, and on the lines above and below. */
function edgesNear({ startState: state, changes }: Transaction): readonly Edge[] {
  const { doc } = state
  const numbers = new Set<number>()
  changes.iterChangedRanges((from, to) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number]
    for (const number of [first - 1, first, last, last + 1]) if (number > 0 && number <= doc.lines) numbers.add(number)
  })
  return [...numbers].flatMap((number) => edgesOn(state, doc.line(number)))
}

/** A mark that a transaction joins with other text. */
interface Joined {
  readonly edge: Edge
  /** The change after the transaction that separates the two again. */
  readonly apart: { readonly from: number; readonly to?: number; readonly insert: string }
  /** Whether the other text is above the mark. */
  readonly isAbove: boolean
}

const isFenceRun = (text: string): boolean => /^(?:`+|~+)\s*$/.test(text)

/** Returns the marks of quotes and the spaces before a mark. Other text on a line of its own gets them, too. */
const leadOf = ({ line }: Edge): string => /^[ \t>]*/.exec(line.text)?.[0] ?? ''

/** Whether a transaction removes the blank line that separates a block from the text below it. */
function closesGap(transaction: Transaction, { gap, line }: Edge, at: number): boolean {
  const { startState, newDoc } = transaction
  const below = newDoc.lineAt(at).number + 1
  if (below > newDoc.lines || isBlank(newDoc.line(below).text)) return false
  const isPasted = gap === 'html' && isEvent(transaction, 'input.paste', 'input.drop', 'move') && !newDoc.line(below).text.startsWith('<')
  if (!isPasted && !isEvent(transaction, 'delete')) return false
  return line.number === startState.doc.lines || isBlank(startState.doc.line(line.number + 1).text)
}

/** Whether a deletion removes the blank line above a formula. */
function closesGapAbove(transaction: Transaction, { gap, line }: Edge, at: number): boolean {
  const { startState, newDoc } = transaction
  const { number } = newDoc.lineAt(at)
  if (gap !== 'formula' || !isEvent(transaction, 'delete') || number === 1 || isBlank(newDoc.line(number - 1).text)) return false
  return line.number === 1 || isBlank(startState.doc.line(line.number - 1).text)
}

function joined(transaction: Transaction, edge: Edge): Joined | undefined {
  const { changes, newDoc } = transaction
  const from = changes.mapPos(edge.from, 1)
  const to = changes.mapPos(edge.to, -1)
  if (to - from !== edge.to - edge.from) return undefined
  const lead = leadOf(edge)
  const line = newDoc.lineAt(to)
  if (edge.closes && edge.alone) {
    const rest = newDoc.sliceString(to, line.to)
    const spaces = rest.length - rest.trimStart().length
    if (rest.length > edge.line.to - edge.to && !isFenceRun(rest)) {
      const blank = edge.gap === 'none' ? '' : `\n${lead.trimEnd()}`
      return { edge, apart: { from: to, to: to + spaces, insert: `${blank}\n${lead}` }, isAbove: false }
    }
  }
  if (edge.closes && edge.gap !== 'none' && closesGap(transaction, edge, to))
    return { edge, apart: { from: line.to, insert: `\n${lead.trimEnd()}` }, isAbove: false }
  if (closesGapAbove(transaction, edge, from)) return { edge, apart: { from: newDoc.lineAt(from).from, insert: '\n' }, isAbove: true }
  const before = newDoc.sliceString(newDoc.lineAt(from).from, from)
  const isGrown = edge.alone && before.length > edge.from - edge.line.from && lead.length === edge.from - edge.line.from
  // Commands and people put markers of lists and quotes before a block.
  const isMarked = edge.closes ? isBlank(before) : isEvent(transaction, ...movingText) ? /^[\s>*+\-\d.)]*$/.test(before) : true
  return isGrown && !isMarked ? { edge, apart: { from, insert: `\n${lead}` }, isAbove: true } : undefined
}

/** Events with which text comes to a place. */
const movingText = ['input.type', 'input.paste', 'input.drop', 'input.complete', 'move', 'delete']

const goTo = (anchor: number): TransactionSpec => ({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })

/** Composed text that is joined with a mark. It is separated when the composition ends, because a change would interrupt it. */
interface Composed {
  /** The place between the mark and the text. */
  readonly at: number
  readonly insert: string
  readonly isAbove: boolean
}

const compose = StateEffect.define<Composed | undefined>()

const composed = StateField.define<Composed | undefined>({
  create: () => undefined,
  update(value, { effects, changes }) {
    const begun = effects.find((effect) => effect.is(compose))
    if (begun !== undefined) return begun.value
    return value && { ...value, at: changes.mapPos(value.at, value.isAbove ? 1 : -1) }
  }
})

/** Returns the change that separates composed text from a mark. Undefined if there is no such text. */
export function separated(state: EditorState): TransactionSpec | undefined {
  const value = state.field(composed)
  if (value === undefined) return undefined
  const { at, insert, isAbove } = value
  const { from, to } = state.doc.lineAt(at)
  const isCanceled = isBlank(isAbove ? state.sliceDoc(from, at) : state.sliceDoc(at, to))
  const changes = isCanceled ? [] : { from: at, insert }
  return { changes, effects: compose.of(undefined), scrollIntoView: true, userEvent: 'input.type' }
}

/** Time after a composition, in milliseconds. CodeMirror reads the last composed letters within it. */
const composedMs = 50

const atEnd = EditorView.domEventHandlers({
  compositionend: (_event, view) =>
    void setTimeout(() => {
      const change = view.composing ? undefined : separated(view.state)
      if (change !== undefined) view.dispatch(change)
    }, composedMs)
})

/** Returns a transaction with the changes that keep text apart from the marks of blocks. */
function apart(transaction: Transaction): Transaction | readonly TransactionSpec[] {
  const isOwn = transaction.docChanged && transaction.annotation(ySyncAnnotation) === undefined && !transaction.isUserEvent('input.fence')
  if (!isOwn || !isEvent(transaction, 'input', 'delete', 'move')) return transaction
  const found = edgesNear(transaction).flatMap((edge) => joined(transaction, edge) ?? [])
  const [first] = found
  if (first === undefined) return transaction
  if (transaction.startState.selection.main.empty && isEvent(transaction, 'delete.forward', 'delete.backward')) {
    const { edge, isAbove } = first
    const at = isAbove ? transaction.startState.doc.sliceString(0, edge.line.from).trimEnd().length : edge.inside
    return transaction.isUserEvent('delete.forward') || at === undefined || at < 0 ? [] : [goTo(at)]
  }
  if (transaction.isUserEvent('input.type.compose')) {
    const { apart: change, isAbove } = first
    return [transaction, { effects: compose.of({ at: change.from, insert: change.insert, isAbove }), sequential: true }]
  }
  return [transaction, { changes: found.map((each) => each.apart), sequential: true }]
}

/** Returns the place next to a closing mark at which the caret rests instead. */
function besides(transaction: Transaction, { line, inside }: Edge): number | undefined {
  const { startState, newSelection } = transaction
  const { head } = startState.selection.main
  const isPress = transaction.isUserEvent('select.pointer')
  if (inside === undefined || (line.to === startState.doc.length && newSelection.main.head === line.to && !isPress)) return undefined
  return !isPress && head === inside ? Math.min(line.to + 1, startState.doc.length) : inside
}

/** Moves the caret off the line of a closing mark. */
function off(transaction: Transaction): Transaction | readonly TransactionSpec[] {
  const { startState: state, newSelection, selection } = transaction
  const { main, ranges } = newSelection
  if (selection === undefined || !main.empty || ranges.length > 1 || state.readOnly) return transaction
  const edge = edgesOn(state, state.doc.lineAt(main.head)).find((each) => each.off && each.closes)
  const anchor = edge && besides(transaction, edge)
  return anchor === undefined ? transaction : [transaction, { selection: EditorSelection.cursor(anchor), sequential: true }]
}

export const keptEdges: Extension = [
  composed,
  atEnd,
  // Comes last, because components and tables keep text apart in their own ways.
  Prec.highest(EditorState.transactionFilter.of((transaction) => (transaction.docChanged ? apart(transaction) : off(transaction))))
]
