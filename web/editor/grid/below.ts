/** What is written below a table is no row of it, and what is written below a block of code no part of its fence. */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { content } from '../table-rows.ts'
import { rowAt, tableAt } from '../tables.ts'

/** Whether a position is on the closing fence of a block of code. */
function isClosingFence(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1); node !== null; node = node.parent)
    if (node.name === 'FencedCode') return (node.getChildren('CodeMark')[1]?.to ?? -1) === at
  return false
}

/**
 * Puts the caret behind a blank line below a table that ends the text: without it, the next line is a row. Below a block of code that ends the
 * text it gets a line.
 */
export function belowLast(state: EditorState): TransactionSpec | undefined {
  const { doc } = state
  const last = doc.line(doc.lines)
  const written = { scrollIntoView: true, userEvent: 'input' }
  if (!state.readOnly && isClosingFence(state, last.from + last.text.trimEnd().length))
    return { changes: { from: doc.length, insert: '\n' }, selection: { anchor: doc.length + 1 }, ...written }
  const isBlank = last.text === '' && doc.lines > 1
  const above = isBlank ? doc.line(doc.lines - 1) : last
  if (state.readOnly || tableAt(state, above.from) === undefined) return undefined
  const insert = isBlank ? '\n' : '\n\n'
  return { changes: { from: doc.length, insert }, selection: { anchor: doc.length + insert.length }, ...written }
}

export const pressBelow = EditorView.domEventHandlers({
  mousedown(event, view) {
    if (event.button !== 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false
    if (event.clientY <= view.documentTop + view.lineBlockAt(view.state.doc.length).bottom) return false
    const below = belowLast(view.state)
    if (below === undefined) return false
    event.preventDefault()
    view.focus()
    view.dispatch(below)
    return true
  }
})

/** Whether what is typed at the end of a line stands behind the last cell of a table, where no reader would see it. */
function isBehindCells(state: EditorState, at: number): 'last' | 'other' | undefined {
  const place = tableAt(state, at)
  if (place === undefined) return undefined
  const { row, first, last } = place
  // Who writes the bars of a row oneself has not come to its end.
  if (at !== row.line.to || !row.closed || row.cells.length < rowAt(state, first).cells.length) return undefined
  return row.line.number === last ? 'last' : 'other'
}

/**
 * What is typed on the empty line below a table, or behind its last row, stands below it between blank lines, unless it begins a row. Behind
 * another row it goes into the last cell.
 */
export function belowRows(state: EditorState, at: number, text: string): TransactionSpec | undefined {
  const { doc } = state
  const line = doc.lineAt(at)
  if (state.readOnly || /^[|\s]/.test(text)) return undefined
  const written = { scrollIntoView: true, userEvent: 'input.type' }
  const behind = isBehindCells(state, at)
  const cell = behind === 'other' ? rowAt(state, line.number).cells.at(-1) : undefined
  if (cell !== undefined) {
    const { to } = content(doc, cell)
    return { changes: { from: to, insert: text }, selection: { anchor: to + text.length }, ...written }
  }
  const isBelow = line.text === '' && line.number > 1 && tableAt(state, doc.line(line.number - 1).from) !== undefined
  if (!isBelow && behind === undefined) return undefined
  const isFollowed = line.number < doc.lines && doc.line(line.number + 1).text.trim() !== ''
  const lead = isBelow ? '\n' : '\n\n'
  return {
    changes: { from: at, insert: `${lead}${text}${isFollowed ? '\n' : ''}` },
    selection: { anchor: at + lead.length + text.length },
    ...written
  }
}

export const typeBelow = EditorView.inputHandler.of((view, from, to, text) => {
  const written = from === to && !view.composing ? belowRows(view.state, from, text) : undefined
  if (written !== undefined) view.dispatch(written)
  return written !== undefined
})
