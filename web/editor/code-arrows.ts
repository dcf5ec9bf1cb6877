/**
 * The up and left arrow keys in the first line of a code block, in the live view. They lead to the line above the block and not to its opening fence,
 * because typed letters would change the language of the code.
 */
import { EditorSelection, Prec, type Extension, type Line } from '@codemirror/state'
import { Direction, keymap, type Command, type EditorView } from '@codemirror/view'
import { isFenceKind } from '../../shared/fences/fences.ts'
import { codeNode } from './in-code.ts'

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
const goTo = (view: EditorView, at: number): false => {
  view.dispatch({ selection: EditorSelection.cursor(at), userEvent: 'select' })
  return false
}

const up: Command = (view) => {
  const { state } = view
  const { main } = state.selection
  const fence = fenceAbove(view)
  if (fence === undefined) return false
  const { from } = state.doc.lineAt(main.head)
  // Within a wrapped line, the arrow first moves to the row above.
  if (main.head > from && view.moveVertically(main, false).head >= from) return false
  if (fence.line.number > 1) return goTo(view, Math.min(fence.line.from + main.head - from, fence.line.to))
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

export const codeArrows: Extension = Prec.highest(
  keymap.of([
    { key: 'ArrowUp', run: up },
    { key: 'ArrowLeft', run: left }
  ])
)
