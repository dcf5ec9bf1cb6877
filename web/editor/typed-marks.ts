/**
 * Reads marks that a person types at the beginning of a line, with the space after them. `[]` and `[ ]` become a task. `-` below a paragraph gets a
 * blank line above it, because Markdown would make the paragraph a heading until the item has text. `>` is omitted where Enter has just written it.
 */
import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateField, type TransactionSpec } from '@codemirror/state'
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

/** Returns the change for a space that is typed after a hyphen below a paragraph. Undefined if the space should be inserted as usual. */
export function itemTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const line = state.doc.lineAt(at)
  const [, lead] = /^([ \t>]*)-$/.exec(line.text) ?? []
  if (lead === undefined || at < line.to || state.readOnly) return undefined
  if (syntaxTree(state).resolveInner(at, -1).parent?.name !== 'SetextHeading2') return undefined
  const gap = `${lead.trimEnd()}\n`
  const changes = [
    { from: line.from, insert: gap },
    { from: at, insert: ' ' }
  ]
  return { changes, selection: { anchor: at + gap.length + 1 }, scrollIntoView: true, userEvent: 'input.type' }
}

/** The caret on a line that Enter has just begun with a quote mark. The person has typed nothing there, except perhaps the mark `>`. */
const continuedQuote = StateField.define<number | null>({
  create: () => null,
  update(value, transaction) {
    const { changes, docChanged, selection } = transaction
    if (!docChanged) return selection === undefined ? value : null
    let now: number | null = null
    let parts = 0
    changes.iterChanges((from, to, _from, end, inserted) => {
      const text = inserted.toString()
      if (transaction.isUserEvent('input') && from === to && /^\n[ \t>]*> ?$/.test(text)) now = end
      else if (from === to && from === value && text === '>') now = value
      parts++
    })
    return parts === 1 ? now : null
  }
})

/**
 * Returns the change for a space after a quote mark that Enter had already written. People who know Markdown type the mark on each line, and it
 * would begin a quote in the quote. Typed once more, it does so.
 */
export function quoteTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const from = state.field(continuedQuote, false)
  if (from == null || at !== from + 1 || state.readOnly) return undefined
  return { changes: { from, to: at }, selection: { anchor: from }, scrollIntoView: true, userEvent: 'input.type' }
}

const typed = EditorView.inputHandler.of((view, from, to, text) => {
  const spec =
    text === ' ' && from === to ? (taskTyped(view.state, from) ?? itemTyped(view.state, from) ?? quoteTyped(view.state, from)) : undefined
  if (spec !== undefined) view.dispatch(spec)
  return spec !== undefined
})

export const typedMarks: Extension = [continuedQuote, typed]
