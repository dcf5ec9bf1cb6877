/** Turns `[]` or `[ ]` and a space at the beginning of a line into a task while a person types. */
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { isInCode } from './in-code.ts'

const box = /^([ \t>]*)(?:([-*+]|\d{1,9}[.)])[ \t]+)?\[([xX ]?)\]$/

/** Returns the change for a space that is typed after a box at a position. Undefined if the space should be inserted as usual. */
export function taskTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const line = state.doc.lineAt(at)
  const [all, lead = '', marker, letter = ''] = box.exec(state.sliceDoc(line.from, at)) ?? []
  if (all === undefined || state.readOnly || isInCode(state, at)) return undefined
  // In a list, the space alone makes the task.
  if (marker !== undefined && letter === ' ') return undefined
  const insert = `${lead}${marker ?? '-'} [${letter === '' ? ' ' : letter}] `
  return {
    changes: { from: line.from, to: at, insert },
    selection: { anchor: line.from + insert.length },
    scrollIntoView: true,
    userEvent: 'input'
  }
}

export const typedMarks = EditorView.inputHandler.of((view, from, to, text) => {
  const spec = text === ' ' && from === to ? taskTyped(view.state, from) : undefined
  if (spec !== undefined) view.dispatch(spec)
  return spec !== undefined
})
