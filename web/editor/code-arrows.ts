/**
 * The arrow keys at the edges of a code block, in the live view. They pass the fences: typed letters would change the language of the code there, or
 * end the block elsewhere.
 */
import {
  EditorSelection,
  Prec,
  type EditorState,
  type Extension,
  type Line,
  type SelectionRange,
  type StateCommand
} from '@codemirror/state'
import { Direction, keymap, type Command, type EditorView } from '@codemirror/view'
import { isFenceKind } from '../../shared/fences/fences.ts'
import { belowCode, isDrawn } from './commands-code.ts'
import { codeAround, codeNode } from './in-code.ts'

/** Whether the view shows the language of a code block outside the text. */
const hasControl = (info: string): boolean => !isFenceKind(info) && info !== 'mermaid'

/** The opening fence above the caret. */
interface Fence {
  readonly line: Line
  /** The column of the fence in its line, after the marks of quotes and lists. */
  readonly column: number
}

/** Returns the opening fence, if the caret is in the first line of code. */
function fenceAbove({ state }: EditorView): Fence | undefined {
  const { main, ranges } = state.selection
  const code = main.empty && ranges.length === 1 ? codeNode(state, main.head) : undefined
  if (code?.name !== 'FencedCode') return undefined
  const line = state.doc.lineAt(code.from)
  const info = code.getChild('CodeInfo')
  const word = info === null ? '' : (state.sliceDoc(info.from, info.to).split(/\s/, 1)[0] ?? '')
  return hasControl(word) && state.doc.lineAt(main.head).number === line.number + 1 ? { line, column: code.from - line.from } : undefined
}

// The commands move the caret to the fence. The usual commands for the keys then move it to the line above.
const goTo = (view: EditorView, at: number, goal?: number): false => {
  view.dispatch({ selection: EditorSelection.create([EditorSelection.cursor(at, 0, undefined, goal)]), userEvent: 'select' })
  return false
}

/** Moves the caret within its line to the column in which several presses of an arrow began. Shorter lines between do not change this column. */
function keepColumn(view: EditorView, side: 1 | -1, { goalColumn }: SelectionRange): true {
  const { doc, selection } = view.state
  const { from, to } = doc.lineAt(selection.main.head)
  if (goalColumn === undefined) return true
  const range = view.moveVertically(EditorSelection.cursor(side === 1 ? from - 1 : to + 1, side, undefined, goalColumn), side === 1)
  if (range.head >= from && range.head <= to) view.dispatch({ selection: EditorSelection.create([range]), userEvent: 'select' })
  return true
}

const up: Command = (view) => {
  const { state } = view
  const { main } = state.selection
  const fence = fenceAbove(view)
  if (fence === undefined) return false
  const { from } = state.doc.lineAt(main.head)
  // Within a wrapped line, the arrow first moves to the row above.
  if (main.head > from && view.moveVertically(main, false).head >= from) return false
  const column = main.goalColumn === undefined ? main.head - from : fence.line.length
  if (fence.line.number > 1) return goTo(view, Math.min(fence.line.from + column, fence.line.to), main.goalColumn)
  if (state.readOnly) return false
  view.dispatch({ changes: { from: 0, insert: '\n' }, selection: { anchor: 0 }, scrollIntoView: true, userEvent: 'input' })
  return true
}

const left: Command = (view) => {
  const { head } = view.state.selection.main
  const fence = fenceAbove(view)
  if (fence === undefined || view.textDirectionAt(head) !== Direction.LTR) return false
  const before = view.state.sliceDoc(view.state.doc.lineAt(head).from, head)
  if (before.length > fence.column || !/^[ \t>]*$/.test(before)) return false
  return fence.line.number === 1 || goTo(view, fence.line.from)
}

/** Handles the down arrow in the last line of code. Within a wrapped line, the arrow first moves to the next row. */
const leaveDown: Command = (view) => {
  const { main } = view.state.selection
  // Measuring the layout is slow, so this happens only in code.
  if (codeAround(view.state) !== 'block') return false
  const isLastRow = view.moveVertically(main, true).head > view.state.doc.lineAt(main.head).to || main.head === view.state.doc.length
  return isLastRow && belowCode(view) && keepColumn(view, 1, main)
}

/** Returns the position in the line of code above or below the caret, in the same column. Undefined unless only a fence of a code block is between them. */
function placeInCode(state: EditorState, side: 1 | -1): number | undefined {
  const { doc, selection } = state
  const { main } = selection
  const line = doc.lineAt(main.head)
  const at = line.number + 2 * side
  if (!main.empty || at < 1 || at > doc.lines) return undefined
  const [fence, inner] = [doc.line(line.number + side), doc.line(at)]
  const code = codeNode(state, fence.to)
  if (code?.name !== 'FencedCode') return undefined
  const isEntered =
    side === 1
      ? code.from >= fence.from && inner.to < code.to
      : code.to === fence.to && code.getChildren('CodeMark').length > 1 && inner.from > code.from
  return isEntered ? Math.min(inner.from + main.head - line.from, inner.to) : undefined
}

/** Moves the caret from the line above or below a code block to the nearest line of code, in the same column, and not to the fence. */
export const intoCode =
  (side: 1 | -1): StateCommand =>
  ({ state, dispatch }) => {
    const head = placeInCode(state, side)
    if (head === undefined) return false
    dispatch(state.update({ selection: EditorSelection.cursor(head), scrollIntoView: true, userEvent: 'select' }))
    return true
  }

/** Handles the up and down arrows outside code. Within a wrapped line, the arrow first moves to the next row. */
const enter =
  (side: 1 | -1): Command =>
  (view) => {
    const { main } = view.state.selection
    const place = placeInCode(view.state, side)
    // Measuring the layout is slow, so this happens only next to code. A block that is drawn instead of its source has no lines to enter.
    if (place === undefined || isDrawn(view, place)) return false
    const { head } = view.moveVertically(main, side === 1)
    const line = view.state.doc.lineAt(main.head)
    return (head < line.from || head > line.to) && intoCode(side)(view) && keepColumn(view, side, main)
  }

export const codeArrows: Extension = [
  Prec.highest(
    keymap.of([
      { key: 'ArrowUp', run: up },
      { key: 'ArrowLeft', run: left }
    ])
  ),
  // The keys of an open menu come first.
  Prec.high(
    keymap.of([
      { key: 'ArrowUp', run: enter(-1) },
      { key: 'ArrowDown', run: leaveDown },
      { key: 'ArrowDown', run: enter(1) }
    ])
  )
]
