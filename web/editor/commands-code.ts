/** Keys in code blocks. Enter keeps the indentation, and Tab and Shift-Tab change it. Commands leave the block. */
import { EditorSelection, type ChangeSpec, type EditorState, type Line, type StateCommand } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
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

/** Whether the live view draws something else instead of the text at a position. */
export function isDrawn(view: EditorView, place: number): boolean {
  let found = false
  for (const ranges of view.state.facet(EditorView.atomicRanges))
    ranges(view).between(place, place, (from, to) => void (found ||= from < place && place < to))
  return found
}
