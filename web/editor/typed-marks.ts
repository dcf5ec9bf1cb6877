/** Turns `[]` or `[ ]` and a space at the beginning of a line into a task while a person types. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isInCode } from './in-code.ts'

const box = /^([ \t>]*)(?:([-*+]|\d{1,9}[.)])[ \t]+)?\[([xX ]?)\]$/

/**
 * Returns the marker of a task that begins a new list on a line. After a blank line, the marker of the list above would continue that list and put
 * gaps between all of its items.
 */
function newMarker(state: EditorState, number: number): string {
  if (number < 3 || state.doc.line(number - 1).text.trim() !== '') return '-'
  let above = number - 2
  while (above > 1 && state.doc.line(above).text.trim() === '') above--
  let list: SyntaxNode | undefined
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(state.doc.line(above).to, -1); node !== null; node = node.parent)
    if (node.name === 'BulletList') list = node
  return list !== undefined && list.parent?.name === 'Document' && state.sliceDoc(list.from, list.from + 1) === '-' ? '*' : '-'
}

/** Returns the change for a space that is typed after a box at a position. Undefined if the space should be inserted as usual. */
export function taskTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const line = state.doc.lineAt(at)
  const [all, lead = '', marker, letter = ''] = box.exec(state.sliceDoc(line.from, at)) ?? []
  if (all === undefined || state.readOnly || isInCode(state, at)) return undefined
  // In a list, the space alone turns the item into a task.
  if (marker !== undefined && letter === ' ') return undefined
  const insert = `${lead}${marker ?? (lead === '' ? newMarker(state, line.number) : '-')} [${letter === '' ? ' ' : letter}] `
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
