/**
 * The caret of a page that was just opened. It is at the first word, but no person put it there. Its line shows no Markdown marks, others do not see
 * the caret, and Tab leaves the text. The first key press, click or command that moves the caret ends this state.
 */
import {
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type SelectionRange,
  type Text,
  type Transaction
} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { frontMatterEnd } from './front-matter.ts'

const pressed = StateEffect.define<null>()
const placed = StateEffect.define<null>()

// Ticking a check box elsewhere does not move the caret.
const uses = (transaction: Transaction): boolean =>
  !transaction.isUserEvent('input.task') && ['input', 'delete', 'undo', 'redo'].some((event) => transaction.isUserEvent(event))

const field = StateField.define<boolean>({
  create: () => true,
  update: (rests, transaction) =>
    rests &&
    (transaction.selection === undefined || transaction.effects.some((effect) => effect.is(placed))) &&
    !uses(transaction) &&
    !transaction.effects.some((effect) => effect.is(pressed))
})

/** Whether nobody has moved the caret or typed since the page was opened. */
export const caretRests = (state: EditorState): boolean => state.field(field, false) === true

/** Number of lines that are searched for the first word. */
const linesMax = 50
/** Matches a line of a table, HTML, a formula or a picture. A character typed before such a line would change its meaning. */
const noWords = /^(?:[|<]|\$\$|!\[|\[[^\]]*\]:)/
const mark = /^(?:#{1,6}|[-*+>]|\d{1,9}[.)]|\[[ xX]\])[ \t]+/
const marksMax = 8
const rule = /^(?:[-*_][ \t]*){3,}$/

/** Returns the offset of the first character after the marks of a line: indentation, heading, list, task and quote. */
export function behindMarks(text: string): number {
  let words = text.trimStart()
  for (let marks = 0; marks < marksMax && mark.test(words); marks++) words = words.replace(mark, '')
  return text.length - words.length
}

/** Returns the beginning of the first text, after the marks of its line. Undefined if the document begins with something else. */
export function firstPlace(doc: Text): number | undefined {
  if (doc.length === 0) return 0
  const front = frontMatterEnd(doc)
  const first = front === 0 ? 1 : doc.lineAt(front).number + 1
  let isBlock = false
  for (let number = first; number <= Math.min(doc.lines, first + linesMax); number++) {
    const { from, text } = doc.line(number)
    const words = text.trimStart()
    if (/^(?:```|~~~)/.test(words)) return undefined
    if (words === '') isBlock = false
    else if (noWords.test(words)) isBlock = true
    else if (!isBlock && !rule.test(words)) return from + behindMarks(text)
  }
  return undefined
}

/** Focuses the text without scrolling, if the document begins with text. */
export function rest(view: EditorView): void {
  const anchor = firstPlace(view.state.doc)
  if (anchor === undefined) return
  if (caretRests(view.state)) view.dispatch({ selection: { anchor }, effects: placed.of(null) })
  view.focus()
}

/** Returns the ranges in which a person works. Markdown marks are visible there. */
export const revealed = (view: EditorView): readonly SelectionRange[] =>
  view.hasFocus && !view.state.readOnly && !caretRests(view.state) ? view.state.selection.ranges : []

export const resting: Extension = [
  field,
  EditorView.domEventHandlers({
    // A press at the caret does not change the selection.
    pointerdown: ({ target, clientX: x, clientY: y }, view) => {
      const isOnText = target instanceof Element && target.closest('input, button, [contenteditable=false]') === null
      if (isOnText && caretRests(view.state) && view.posAtCoords({ x, y }, false) === view.state.selection.main.head)
        view.dispatch({ effects: pressed.of(null) })
      return false
    }
  })
]
