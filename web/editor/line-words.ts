/** Finds the text of a line without its block markers, for the caret, Home, triple clicks and links. The live view hides most of these markers. */
import { syntaxTree } from '@codemirror/language'
import { EditorSelection, EditorState, Prec, type Extension, type Line, type SelectionRange, type Text } from '@codemirror/state'
import { Direction, EditorView, keymap, type Command, type MouseSelectionStyle } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isInCode } from './in-code.ts'
import { linkWords } from './link-words.ts'

interface Words {
  readonly from: number
  readonly to: number
}

const marksMax = 32

const isMarker = (name: string, parent: string | undefined): boolean =>
  /^(?:QuoteMark|ListMark|TaskMarker)$/.test(name) || (name === 'HeaderMark' && parent?.startsWith('ATX') === true)

/** Returns the beginning of a line's text. Without markers, it is the beginning of the line. */
function startOf(state: EditorState, line: Line): number {
  let start = line.from
  for (let marks = 0; marks < marksMax; marks++) {
    const at = start + (/^[ \t]*/.exec(line.text.slice(start - line.from))?.[0].length ?? 0)
    const node = syntaxTree(state).resolveInner(at, 1)
    if (at >= line.to || node.from !== at || !isMarker(node.name, node.parent?.name)) break
    start = node.to
  }
  if (start === line.from) return start
  // In code, one space belongs to the quote mark, and any other spaces belong to the code.
  const spaces = isInCode(state, line.to) ? /^[ \t]?/ : /^[ \t]*/
  return start + (spaces.exec(line.text.slice(start - line.from))?.[0].length ?? 0)
}

/** Returns the range of the text on the line at a position, without block markers. */
export function wordsAt(state: EditorState, position: number): Words {
  const line = state.doc.lineAt(position)
  const from = startOf(state, line)
  const end = line.from + line.text.trimEnd().length
  const closing = syntaxTree(state).resolveInner(end, -1)
  const isClosed = closing.name === 'HeaderMark' && closing.parent?.name.startsWith('ATX') === true && closing.from > from
  const to = isClosed ? line.from + line.text.slice(0, closing.from - line.from).trimEnd().length : line.to
  return { from, to: Math.max(from, to) }
}

/**
 * Returns the position to which Home moves the caret on a line with markers: the first word. Returns undefined if the editor should handle the key.
 * `rowStart` is the beginning of the row on the screen, because a long line has several rows.
 */
export function homeOf(state: EditorState, head: number, rowStart: number): number | undefined {
  const line = state.doc.lineAt(head)
  const { from } = wordsAt(state, head)
  return from === line.from || (rowStart > from && head > rowStart) ? undefined : from
}

const home =
  (extend: boolean, isArrow: boolean): Command =>
  (view) => {
    const { main, ranges } = view.state.selection
    // In right-to-left text, the left arrow moves the caret to the end of the line.
    if (ranges.length > 1 || (isArrow && view.textDirectionAt(main.head) !== Direction.LTR)) return false
    const to = homeOf(view.state, main.head, view.moveToLineBoundary(main, false).head)
    if (to === undefined) return false
    view.dispatch({ selection: { anchor: extend ? main.anchor : to, head: to }, scrollIntoView: true, userEvent: 'select' })
    return true
  }

/**
 * Moves the caret from the block markers of a line to its first word: a letter before them would end the block. If a key moves it back from there, it
 * goes to the line above.
 */
const afterMarkers = EditorState.transactionFilter.of((transaction) => {
  const { docChanged, newSelection, startState } = transaction
  const { main, ranges } = newSelection
  if (docChanged || ranges.length > 1 || !main.empty || !transaction.isUserEvent('select')) return transaction
  const { from } = wordsAt(startState, main.head)
  if (main.head >= from) return transaction
  const above = startState.doc.lineAt(main.head).from - 1
  const isBack = startState.selection.main.head === from && above >= 0 && !transaction.isUserEvent('select.pointer')
  return [transaction, { selection: { anchor: isBack ? above : from } }]
})

interface Span {
  readonly from: number
  readonly to: number
}

/** Returns a function that selects everything between two positions, including the entire spans around both. */
const between =
  (spanAt: (state: EditorState, position: number) => Span) =>
  (state: EditorState, start: number, end: number): SelectionRange => {
    const [first, last] = [spanAt(state, start), spanAt(state, end)]
    return start <= end ? EditorSelection.range(first.from, last.to) : EditorSelection.range(first.to, last.from)
  }

/** Returns a selection of entire lines between two positions. It excludes the markers of the first line and the line break of the last one. */
export const linesBetween = between(wordsAt)

/** Returns a selection of entire words between two positions. A position outside a word counts as it is. */
const wordsBetween = between((state, position) => state.wordAt(position) ?? { from: position, to: position })

/** The first press of a double or triple click. */
let firstPress: { readonly doc: Text; readonly at: number } | undefined

/**
 * Handles double clicks, which select a word, and triple clicks, which select the text of a line. Dragging then adds more words or lines. The
 * position of the first press counts. That press moves the caret, and the text under the pointer moves when markers are shown or hidden as a result.
 */
function pressed(view: EditorView, event: MouseEvent): MouseSelectionStyle | null {
  if (event.button !== 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return null
  const at = ({ clientX: x, clientY: y }: MouseEvent): number => view.posAtCoords({ x, y }, false)
  const { doc } = view.state
  if (event.detail === 1 || firstPress?.doc !== doc) firstPress = { doc, at: at(event) }
  let start = firstPress.at
  const select = event.detail === 2 && view.state.wordAt(start) !== null ? wordsBetween : event.detail === 3 ? linesBetween : undefined
  if (select === undefined) return null
  return {
    get: (current) => EditorSelection.create([select(view.state, start, current === event ? start : at(current))]),
    update({ docChanged, changes }) {
      if (docChanged) start = changes.mapPos(start)
    }
  }
}

/** Returns the end of the text block that contains a position. */
function blockEnd(state: EditorState, position: number): number {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(position, 1); node !== null; node = node.parent)
    if (node.name === 'Paragraph' || node.name === 'Task') return node.to
  return wordsAt(state, position).to
}

/** Returns the part of a selection that can become a link: its text in the first block that has any. A link cannot extend past its block. */
export function linkable(state: EditorState, { from, to, empty }: SelectionRange): SelectionRange | undefined {
  if (empty) return undefined
  const last = state.doc.lineAt(to).number
  for (let { number } = state.doc.lineAt(from); number <= last; number++) {
    const words = wordsAt(state, state.doc.line(number).from)
    const start = Math.max(from, words.from)
    const first = state.sliceDoc(start, Math.max(start, Math.min(to, words.to)))
    if (first.trim() === '') continue
    const begin = start + first.length - first.trimStart().length
    const text = state.sliceDoc(begin, Math.min(to, blockEnd(state, begin))).replace(/\n[ \t>]*$/, '')
    return EditorSelection.range(begin, begin + text.trimEnd().length)
  }
  return undefined
}

export const linkOfWords: Extension = linkWords.of(linkable)

export const lineWords: Extension = [
  afterMarkers,
  EditorView.mouseSelectionStyle.of(pressed),
  Prec.high(
    keymap.of([
      { key: 'Home', run: home(false, false), shift: home(true, false) },
      { mac: 'Cmd-ArrowLeft', run: home(false, true), shift: home(true, true) }
    ])
  )
]
