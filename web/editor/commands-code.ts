/** Keys in code blocks. Enter keeps the indentation, Tab and Shift-Tab change it, and the arrow keys leave and enter the block. */
import { EditorSelection, type ChangeSpec, type EditorState, type Line, type StateCommand } from '@codemirror/state'
import { EditorView, type Command } from '@codemirror/view'
import { codeAround, codeNode } from './in-code.ts'

const unit = '  '
/** Maximum number of lines that are indented in one step. */
const linesMax = 10_000

const isFence = (text: string): boolean => /^[ \t>]*(?:`{3}|~{3})/.test(text)

function codeLines(state: EditorState): Line[] {
  const { from, to } = state.selection.main
  const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number]
  const lines = Array.from({ length: Math.min(last - first + 1, linesMax) }, (_line, index) => state.doc.line(first + index))
  return lines.filter(({ text }) => !isFence(text))
}

/** Begins a new line with the indentation of this one. */
export const continueCode: StateCommand = ({ state, dispatch }) => {
  const { from, to } = state.selection.main
  if (state.readOnly || codeAround(state) !== 'block') return false
  const line = state.doc.lineAt(from)
  const indent = /^[ \t]*/.exec(line.text.slice(0, from - line.from))?.[0] ?? ''
  if (indent === '' || isFence(line.text)) return false
  const insert = `\n${indent}`
  const selection = EditorSelection.cursor(from + insert.length)
  dispatch(state.update({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent: 'input' }))
  return true
}

/** Indents the selected lines. Without a selection, it inserts an indentation at the caret. */
export const indentCode: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection
  const lines = codeLines(state)
  if (state.readOnly || codeAround(state) !== 'block' || lines.length === 0) return false
  const step = lines.some(({ text }) => text.startsWith('\t')) ? '\t' : unit
  const changes: ChangeSpec[] = main.empty
    ? [{ from: main.head, insert: step }]
    : lines.filter(({ text }) => text !== '').map(({ from }) => ({ from, insert: step }))
  const made = state.changes(changes)
  dispatch(state.update({ changes: made, selection: state.selection.map(made, 1), scrollIntoView: true, userEvent: 'input.indent' }))
  return true
}

export const outdentCode: StateCommand = ({ state, dispatch }) => {
  const lines = codeLines(state)
  if (state.readOnly || codeAround(state) !== 'block' || lines.length === 0) return false
  const changes = lines.map(({ from, text }) => ({ from, to: from + (/^(?:\t| {1,2})/.exec(text)?.[0].length ?? 0) }))
  dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'delete.dedent' }))
  return true
}

/** Moves the caret from a code block, or from its closing fence, to the line below. If the text ends there, it adds a line. */
const below =
  (isFrom: (line: number, fence: number) => boolean): StateCommand =>
  ({ state, dispatch }) => {
    const { main } = state.selection
    const code = codeNode(state, main.head)
    if (!main.empty || code?.name !== 'FencedCode' || code.getChildren('CodeMark').length < 2) return false
    const fence = state.doc.lineAt(code.to)
    if (!isFrom(state.doc.lineAt(main.head).number, fence.number)) return false
    const isAtEnd = fence.number === state.doc.lines
    if (isAtEnd && state.readOnly) return false
    const selection = EditorSelection.cursor(fence.to + 1)
    const move = { selection, scrollIntoView: true }
    dispatch(
      state.update(isAtEnd ? { ...move, changes: { from: fence.to, insert: '\n' }, userEvent: 'input' } : { ...move, userEvent: 'select' })
    )
    return true
  }

/** Leaves a code block from its last line or its closing fence. */
export const belowCode = below((line, fence) => line >= fence - 1)

/** Leaves a code block from any of its lines. */
export const leaveCode = below(() => true)

/** Handles the down arrow. Within a wrapped line, the arrow first moves to the next row. */
export const leaveCodeDown: Command = (view) => {
  const { main } = view.state.selection
  // Measuring the layout is slow, so this happens only in code.
  if (codeAround(view.state) !== 'block') return false
  const isLastRow = view.moveVertically(main, true).head > view.state.doc.lineAt(main.head).to || main.head === view.state.doc.length
  return isLastRow && belowCode(view)
}

/** Returns the position above the caret in the last line of code. Undefined unless only the closing fence of a code block is between them. */
function lineOfCodeAbove(state: EditorState): number | undefined {
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  if (!main.empty || line.number < 3) return undefined
  const fence = state.doc.line(line.number - 1)
  const code = codeNode(state, fence.to)
  if (code?.name !== 'FencedCode' || code.to !== fence.to || code.getChildren('CodeMark').length < 2) return undefined
  const last = state.doc.line(fence.number - 1)
  return last.from > code.from ? Math.min(last.from + main.head - line.from, last.to) : undefined
}

/** Moves the caret from the line below a code block to the last line of code, in the same column, and not to the closing fence. */
export const intoCode: StateCommand = ({ state, dispatch }) => {
  const head = lineOfCodeAbove(state)
  if (head === undefined) return false
  dispatch(state.update({ selection: EditorSelection.cursor(head), scrollIntoView: true, userEvent: 'select' }))
  return true
}

/** Whether the live view draws something else instead of the text at a position. */
export function isDrawn(view: EditorView, place: number): boolean {
  let found = false
  for (const ranges of view.state.facet(EditorView.atomicRanges))
    ranges(view).between(place, place, (from, to) => void (found ||= from < place && place < to))
  return found
}

/** Handles the up arrow. Within a wrapped line, the arrow first moves to the row above. */
export const enterCodeUp: Command = (view) => {
  const { main } = view.state.selection
  const place = lineOfCodeAbove(view.state)
  // Measuring the layout is slow, so this happens only below code. A block that is drawn instead of its source has no lines to enter.
  if (place === undefined || isDrawn(view, place)) return false
  return view.moveVertically(main, false).head < view.state.doc.lineAt(main.head).from && intoCode(view)
}
