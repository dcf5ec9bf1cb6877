/**
 * Begins a new line when a person clicks below a table, code block or collapsible text at the end of the text, or goes to the end of the text and
 * presses Enter.
 */
import { type EditorState, type Extension, Prec, StateEffect, StateField, type TransactionSpec } from '@codemirror/state'
import { type Command, EditorView, keymap } from '@codemirror/view'
import { isSuggesting } from '../binding.ts'
import { codeNode } from '../in-code.ts'
import { isClosingTag } from '../below-collapsible.ts'
import { tableAt } from '../tables.ts'

/** Whether a position is after the closing fence of a code block. */
const isBehindFence = (state: EditorState, at: number): boolean => codeNode(state, at)?.getChildren('CodeMark')[1]?.to === at

/**
 * Adds a line below a table, code block or collapsible text at the end of the text, and puts the caret there. Except below code, it also adds a blank
 * line, because the next line would otherwise become a row or HTML.
 */
export function belowLast(state: EditorState): TransactionSpec | undefined {
  const { doc } = state
  const last = doc.line(doc.lines)
  const written = { scrollIntoView: true, userEvent: 'input' }
  if (!state.readOnly && isBehindFence(state, last.from + last.text.trimEnd().length))
    return { changes: { from: doc.length, insert: '\n' }, selection: { anchor: doc.length + 1 }, ...written }
  const isBlank = last.text === '' && doc.lines > 1
  const above = isBlank ? doc.line(doc.lines - 1) : last
  if (state.readOnly || (tableAt(state, above.from) === undefined && !isClosingTag(state, above))) return undefined
  const insert = isBlank ? '\n' : '\n\n'
  return { changes: { from: doc.length, insert }, selection: { anchor: doc.length + insert.length }, ...written }
}

const wentToEnd = StateEffect.define<null>()

/** Whether the person has just gone to the end of the text, which needs a new line. At a table, the caret is then drawn in the last cell. */
const isAtEnd = StateField.define<boolean>({
  create: () => false,
  update(value, { docChanged, selection, effects }) {
    if (effects.some((effect) => effect.is(wentToEnd))) return true
    return value && !docChanged && selection === undefined
  }
})

const goToEnd: Command = ({ state, dispatch }) => {
  const { length } = state.doc
  if (belowLast(state) === undefined) return false
  dispatch(state.update({ selection: { anchor: length }, effects: wentToEnd.of(null), scrollIntoView: true, userEvent: 'select' }))
  return true
}

const enterBelow: Command = ({ state, dispatch }) => {
  const below = state.field(isAtEnd) ? belowLast(state) : undefined
  if (below !== undefined) dispatch(state.update(below))
  return below !== undefined
}

const pressed = EditorView.domEventHandlers({
  mousedown(event, view) {
    if (event.button !== 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false
    // A component that has just grown has moved the lines, but not yet the positions that the editor knows.
    if (event.target instanceof Element && event.target.closest('.cm-line') !== null) return false
    if (event.clientY <= view.documentTop + view.lineBlockAt(view.state.doc.length).bottom) return false
    const below = belowLast(view.state)
    if (below === undefined) return false
    event.preventDefault()
    view.focus()
    // A click suggests nothing. The line is created once the person types.
    if (isSuggesting(view.state)) goToEnd(view)
    else view.dispatch(below)
    return true
  }
})

const typed = EditorView.inputHandler.of((view, _from, _to, text) => {
  const { state } = view
  // A bar at the end of a table begins a cell.
  const isCell = text.startsWith('|') && tableAt(state, state.doc.lineAt(state.doc.length).from) !== undefined
  const below = state.field(isAtEnd) && !view.composing && !isCell ? belowLast(state) : undefined
  if (below === undefined) return false
  view.dispatch(below)
  view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: 'input.type' })
  return true
})

export const pressBelow: Extension = [
  pressed,
  typed,
  isAtEnd,
  Prec.highest(
    keymap.of([
      { key: 'Mod-End', mac: 'Cmd-ArrowDown', run: goToEnd },
      { key: 'Enter', run: enterBelow }
    ])
  )
]
