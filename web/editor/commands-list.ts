/** Enter and Backspace in lists and quotes. The code for list levels is in list-levels.ts, which loads later. */
import { syntaxTree } from '@codemirror/language'
import { EditorSelection, type EditorState, type Line, type TransactionSpec } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isInCode } from './in-code.ts'

/** Matches the quote marks, indentation, marker and check box at the beginning of a line. */
const prefix = /^((?:[ \t]*>)*[ \t]*)(?:([-*+])|(\d{1,9})([.)]))?([ \t]+)?(\[[ xX]\][ \t]+)?/

/** The beginning of a line in a list or a quote. */
export interface Item {
  /** The quote marks and the indentation. */
  readonly lead: string
  /** The marker of the next item; '' if no item begins on the line. */
  readonly marker: string
  /** The beginning of a new line below this one. */
  readonly next: string
  readonly length: number
  /** The number of the next item, if the list is numbered. */
  readonly nextNumber: number | undefined
}

/** Returns the beginning of a line. Undefined if the line is in no quote and begins no item. */
export function itemOf(text: string): Item | undefined {
  const match = prefix.exec(text)
  if (match === null) return undefined
  const [, lead = '', bullet, number, dot = '', space = ' ', task] = match
  const quoted = lead.includes('>')
  if (bullet === undefined && number === undefined) {
    return quoted ? { lead, marker: '', next: lead + (match[5] ?? ''), length: match[0].length, nextNumber: undefined } : undefined
  }
  if (match[5] === undefined) return undefined
  const marker = bullet ?? `${Number(number) + 1}${dot}`
  const next = `${lead}${marker}${space}${task === undefined ? '' : '[ ] '}`
  return { lead, marker, next, length: match[0].length, nextNumber: number === undefined ? undefined : Number(number) + 1 }
}

/**
 * Returns the beginning of a line. Text in the form of an item is no item where Markdown reads it as something else: only the number 1 can interrupt a
 * paragraph. A mark without text counts, because its item has not been written yet.
 */
export function itemAt(state: EditorState, { from, text }: Line): Item | undefined {
  const found = itemOf(text)
  if (found === undefined || found.marker === '' || found.length === text.length) return found
  const { lead } = found
  // Text that is not parsed yet belongs to the document.
  if (/^(?:ListMark|Document)$/.test(syntaxTree(state).resolveInner(from + lead.length, 1).name)) return found
  return lead.includes('>') ? { lead, marker: '', next: lead, length: lead.length, nextNumber: undefined } : undefined
}

interface Renumbered {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Maximum number of lines that one key press renumbers. */
const renumberLinesMax = 500

/**
 * Renumbers the items below a line at which items are added (`by` is their number) or removed, as long as they were numbered in sequence. Other numbers are
 * intentional.
 */
export function renumber(state: EditorState, from: number, { lead, nextNumber }: Item, by: number): Renumbered[] {
  const changes: Renumbered[] = []
  let expected = nextNumber
  const last = Math.min(state.doc.lines, from + renumberLinesMax)
  for (let number = from + 1; expected !== undefined && number <= last; number++) {
    const { text, from: start } = state.doc.line(number)
    const rest = text.startsWith(lead) ? text.slice(lead.length) : ''
    // Deeper lines belong to an item.
    if (/^[ \t]/.test(rest)) continue
    const digits = /^(\d{1,9})[.)][ \t]/.exec(rest)?.[1] ?? ''
    if (Number(digits) !== expected) break
    const at = start + lead.length
    changes.push({ from: at, to: at + digits.length, insert: String(expected + by) })
    expected++
  }
  return changes
}

const counted = /^[ \t>]*(\d{1,9})[.)](?:[ \t]|$)/

/**
 * Returns a line break if the line below begins with a number other than 1. Without a blank line, Markdown would read that number as part of the
 * paragraph above.
 */
function gapBelow({ doc }: EditorState, { number }: Line, [first]: readonly Renumbered[]): string {
  if (number === doc.lines) return ''
  const { text, to } = doc.line(number + 1)
  const below = first !== undefined && first.from < to ? first.insert : (counted.exec(text)?.[1] ?? '1')
  return Number(below) === 1 ? '' : '\n'
}

/**
 * Leaves a list or quote on an empty line, which then begins with `outer`. A blank line separates it from text above, which would otherwise continue
 * there.
 */
function leave(state: EditorState, line: Line, outer: string, found: Item): TransactionSpec {
  const above = line.number > 1 ? state.doc.line(line.number - 1).text : ''
  const isParted = /^[ \t>]*$/.test(above)
  const insert = isParted ? outer : `${outer.trimEnd()}\n${outer}`
  const selection = EditorSelection.cursor(line.from + insert.length)
  const lower = renumber(state, line.number, found, -1)
  const gap = outer === '' ? gapBelow(state, line, lower) : ''
  const changes = [{ from: line.from, to: line.to, insert: insert + gap }, ...lower]
  return { changes, selection, scrollIntoView: true, userEvent: 'input' }
}

/** Leaves the list on an empty item, or one level of quotes on an empty line of a quote. */
function outward(state: EditorState, line: Line, found: Item): TransactionSpec {
  const { lead, marker } = found
  return leave(state, line, marker === '' ? lead.slice(0, lead.lastIndexOf('>')) : lead.trim() === '' ? '' : lead, found)
}

/** Begins a new item below the current one. On an empty item, it leaves the list. */
export const continueList: Command = (view) => {
  const { state } = view
  const { main } = state.selection
  if (state.readOnly || !main.empty || isInCode(state, main.head)) return false
  const line = state.doc.lineAt(main.head)
  const found = itemAt(state, line)
  if (found === undefined || main.head < line.from + found.length) return false
  const empty = line.text.slice(found.length).trim() === ''
  if (empty) {
    view.dispatch(outward(state, line, found))
    return true
  }
  view.dispatch({
    changes: [{ from: main.head, insert: `\n${found.next}` }, ...renumber(state, line.number, found, 1)],
    selection: EditorSelection.cursor(main.head + 1 + found.next.length),
    scrollIntoView: true,
    userEvent: 'input'
  })
  return true
}

/** Returns the number of items and quotes around a position. */
function depthAt(state: EditorState, position: number): number {
  let depth = 0
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, -1); node !== null; node = node.parent)
    if (node.name === 'ListItem' || node.name === 'Blockquote') depth++
  return depth
}

/** Removes the marker of an item or quote that has text. The text stays in its place, both as displayed and as Markdown parses it. */
function unmarked(state: EditorState, line: Line, found: Item, end: number): TransactionSpec {
  const { lead } = found
  const isQuoted = lead.includes('>')
  const kept = isQuoted || depthAt(state, end) > 1 ? lead : ''
  const above = line.number === 1 ? '' : state.doc.line(line.number - 1)
  const isParted = above === '' || (isQuoted ? /^[ \t>]*$/.test(above.text) : depthAt(state, above.to) === 0)
  const insert = isParted ? kept : `${isQuoted ? lead.trimEnd() : ''}\n${kept}`
  const lower = renumber(state, line.number, found, -1)
  return {
    changes: [{ from: line.from, to: end, insert }, { from: line.to, insert: gapBelow(state, line, lower) }, ...lower],
    selection: EditorSelection.cursor(line.from + insert.length),
    scrollIntoView: true,
    userEvent: 'delete.backward'
  }
}

/** Handles Backspace right after a marker: removes the marker. */
export const deleteMarker: Command = (view) => {
  const { state } = view
  const { main } = state.selection
  if (state.readOnly || !main.empty || isInCode(state, main.head)) return false
  const line = state.doc.lineAt(main.head)
  const mark = /^((?:[ \t]*>)*[ \t]*)(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d+[.)][ \t]+|#{1,6}[ \t]+)|^((?:[ \t]*>)*[ \t]*)> ?/.exec(
    line.text
  )
  if (mark === null || main.head !== line.from + mark[0].length) return false
  const [all, before, outer = ''] = mark
  const lead = before ?? outer
  const found = all.startsWith('#', lead.length) ? undefined : itemOf(line.text)
  if (found === undefined) view.dispatch({ changes: { from: line.from + lead.length, to: main.head }, userEvent: 'delete.backward' })
  else if (line.text.length === all.length) view.dispatch({ ...outward(state, line, found), userEvent: 'delete.backward' })
  else view.dispatch(unmarked(state, line, { ...found, lead }, main.head))
  return true
}
