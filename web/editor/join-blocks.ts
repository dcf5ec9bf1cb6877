/** Backspace and Delete between two blocks of text join them. Otherwise they would only delete the blank line, and a line break would stay. */
import { syntaxTree } from '@codemirror/language'
import { Prec, type ChangeSpec, type EditorState, type Extension, type Line } from '@codemirror/state'
import { keymap, type Command } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { frontMatterEnd } from './front-matter.ts'
import { isInCode } from './in-code.ts'
import { isInItem, numbersWithout } from './list-levels.ts'
import { wordsAt } from './line-words.ts'

const isPicture = (text: string): boolean => /^[ \t>]*!\[[^\]]*\]\([^)]*\)[ \t]*$/.test(text)

/** Whether a line belongs to a block of text, which is a paragraph or a heading. The block may be in a list or a quote. */
function isText(state: EditorState, number: number): boolean {
  const line = state.doc.line(number)
  if (isPicture(line.text) || line.from < frontMatterEnd(state.doc)) return false
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(wordsAt(state, line.from).to, -1); node !== null; node = node.parent)
    if (/^(?:Paragraph|Task|ATXHeading\d)$/.test(node.name)) return true
  return false
}

/** Matches a list item without text. */
const emptyItem = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]*)?$/
const beginsItem = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/

/** Returns the nearest line with text above (-1) or below (1) a line, across at most one blank line. */
function nearest({ doc }: EditorState, number: number, side: -1 | 1): Line | undefined {
  for (const at of [number + side, number + 2 * side])
    if (at >= 1 && at <= doc.lines && /[^ \t>]/.test(doc.line(at).text)) return doc.line(at)
  return undefined
}

/** Removes an empty item between two items of a list. The caret moves to the end of the item above. */
export const removeEmptyItem: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  if (state.readOnly || !main.empty || main.head !== line.to || !emptyItem.test(line.text) || isInCode(state, main.head)) return false
  const [above, below] = [nearest(state, line.number, -1), nearest(state, line.number, 1)]
  if (above === undefined || below === undefined || !beginsItem.test(below.text)) return false
  if (!isInItem(state, above.to) || !(emptyItem.test(above.text) || isText(state, above.number))) return false
  const changes = [{ from: above.to, to: line.to }, ...numbersWithout(state, above.number, line.number)]
  dispatch(state.update({ changes, selection: { anchor: above.to }, scrollIntoView: true, userEvent: 'delete.backward' }))
  return true
}

/** Moves the caret from the marker of an item past the spaces after it, because all of them belong to the marker. */
const pastMarker: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const { from: start } = state.doc.lineAt(main.head)
  const { from } = wordsAt(state, start)
  const isInSpaces = main.empty && main.head < from && state.sliceDoc(main.head, from).trim() === ''
  if (isInSpaces && beginsItem.test(state.sliceDoc(start, main.head))) dispatch(state.update({ selection: { anchor: from } }))
  return false
}

/** Moves the caret in an item past the spaces after it, so that Enter leaves them at the end of the line. */
const pastSpaces: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const { from, text } = state.doc.lineAt(main.head)
  const rest = text.slice(main.head - from)
  const spaces = rest.length - rest.trimStart().length
  const isInText = beginsItem.test(text) && main.head > wordsAt(state, from).from && !isInCode(state, main.head)
  if (isInText && main.empty && !state.readOnly && spaces > 0) dispatch(state.update({ selection: { anchor: main.head + spaces } }))
  return false
}

/** In the live view, Enter and Backspace in an item treat the spaces around the caret as one. Must come after `formatEnds`. */
export const itemSpaces: Extension = Prec.high(
  keymap.of([
    { key: 'Enter', run: pastSpaces },
    { key: 'Backspace', run: pastMarker }
  ])
)

const isBlank = (state: EditorState, number: number): boolean => state.doc.line(number).text.trim() === ''

/** Returns the changes that append the text of a line to a line above it, without the markers between them. Undefined if they cannot be joined. */
function join(state: EditorState, above: number, below: number): ChangeSpec[] | undefined {
  if (state.readOnly || !isText(state, above) || !isText(state, below)) return undefined
  const { from, text } = state.doc.line(above)
  // Enter leaves a single space where it splits an item. More spaces would be a line break.
  const end = text.trimEnd().length + (/\S $/.test(text) ? 1 : 0)
  const joined = { from: from + end, to: wordsAt(state, state.doc.line(below).from).from }
  return [joined, ...numbersWithout(state, above, below)]
}

/** Joins a paragraph with the block above if the caret is at its first letter and one blank line is between them. */
export const joinAbove: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const { number, from, text } = state.doc.lineAt(main.head)
  if (!main.empty || text.trim() === '' || text.slice(0, main.head - from).trim() !== '') return false
  if (number < 3 || !isBlank(state, number - 1) || isBlank(state, number - 2)) return false
  const changes = wordsAt(state, from).from === main.head ? join(state, number - 2, number) : undefined
  if (changes !== undefined) dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'delete.backward' }))
  return changes !== undefined
}

/** Joins the block below with the line of the caret if the caret is after the last letter of the line. */
export const joinBelow: Command = ({ state, dispatch }) => {
  const { main } = state.selection
  const { number, from, text } = state.doc.lineAt(main.head)
  const { lines } = state.doc
  if (!main.empty || text.trim() === '' || main.head < from + text.trimEnd().length || number === lines) return false
  const below = isBlank(state, number + 1) ? number + 2 : number + 1
  const changes = below > lines || isBlank(state, below) ? undefined : join(state, number, below)
  if (changes !== undefined) dispatch(state.update({ changes, scrollIntoView: true, userEvent: 'delete.forward' }))
  return changes !== undefined
}
