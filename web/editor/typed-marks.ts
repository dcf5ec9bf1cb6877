/**
 * Reads marks that a person types at the beginning of a line, with the space after them. `[]` and `[ ]` become a task. `-` below a paragraph gets a
 * blank line above it, because Markdown would make the paragraph a heading until the item has text. A quote mark or the marker of an item is omitted
 * where Enter has just written one.
 */
import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateEffect, StateField, type TransactionSpec } from '@codemirror/state'
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

/** A line that Enter has just begun with marks. The person has typed nothing there, except perhaps the beginning of the same marks. */
interface Continued {
  /** The position after the marks of Enter, where the person types. */
  readonly from: number
  /** The marks that are omitted if the person types them, in order. */
  readonly marks: readonly string[]
  readonly typed: string
}

/** Returns the marks on the line that Enter begins with `text`, without their spaces. */
function marksIn(text: string): readonly string[] {
  if (/^\n[ \t>]*> ?$/.test(text)) return ['>']
  const [, lead = '', marker, dot, task] = /^\n([ \t>]*)((?:[-*+]|\d{1,9}([.)])))[ \t]+(\[ \] )?$/.exec(text) ?? []
  if (marker === undefined) return []
  // People who number each item with 1 leave the counting to Markdown.
  const numbers = dot === undefined ? [] : [`1${dot}`]
  return [...(lead.includes('>') ? ['>'] : []), ...numbers, marker, ...(task === undefined ? [] : ['[ ]'])]
}

/** Tells that a mark was omitted, with the state that follows. */
const omit = StateEffect.define<Continued>()

const continued = StateField.define<Continued | null>({
  create: () => null,
  update(value, transaction) {
    const { changes, docChanged, selection, effects } = transaction
    const omitted = effects.find((effect) => effect.is(omit))
    if (omitted !== undefined) return omitted.value
    if (!docChanged) return selection === undefined ? value : null
    let now: Continued | null = null
    let parts = 0
    changes.iterChanges((from, to, _from, end, inserted) => {
      const text = inserted.toString()
      // Enter also changes the numbers of the items below.
      if (parts++ > 0) now &&= now.typed === '' && /^\d+$/.test(text) ? now : null
      else if (from !== to) now = null
      else if (
        value !== null &&
        from === value.from + value.typed.length &&
        value.marks.some((mark) => mark.startsWith(value.typed + text))
      )
        now = { ...value, typed: value.typed + text }
      else if (transaction.isUserEvent('input')) now = { from: end, marks: marksIn(text), typed: '' }
    })
    return now
  }
})

/**
 * Returns the change for a space after a mark that Enter had already written. People who know Markdown type the marks on each line, and they would
 * begin a quote in the quote or a list in the list. Typed once more, they do so.
 */
export function markTyped(state: EditorState, at: number): TransactionSpec | undefined {
  const found = state.field(continued, false)
  const index = found?.marks.lastIndexOf(found.typed) ?? -1
  if (found == null || index < 0 || at !== found.from + found.typed.length || state.readOnly) return undefined
  const { from, marks } = found
  return {
    changes: { from, to: at },
    selection: { anchor: from },
    effects: omit.of({ from, marks: marks.slice(index + 1), typed: '' }),
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

const typed = EditorView.inputHandler.of((view, from, to, text) => {
  const spec =
    text === ' ' && from === to ? (taskTyped(view.state, from) ?? itemTyped(view.state, from) ?? markTyped(view.state, from)) : undefined
  if (spec !== undefined) view.dispatch(spec)
  return spec !== undefined
})

export const typedMarks: Extension = [continued, typed]
