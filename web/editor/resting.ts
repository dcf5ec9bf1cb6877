/**
 * The caret of a page that was just opened. It stands at the first words without a person having put it there: no marks show for it, others
 * do not see it, and Tab goes on through the page. A key, a press or a command that moves it ends that for good.
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

// A check box that is ticked elsewhere leaves the caret where it is.
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

/** Lines that are looked at for the first words. */
const linesMax = 50
/** A line of a table, HTML, a formula or a picture: a letter before it would make something else of it. */
const noWords = /^(?:[|<]|\$\$|!\[|\[[^\]]*\]:)/
const mark = /^(?:#{1,6}|[-*+>]|\d{1,9}[.)]|\[[ xX]\])[ \t]+/
const marksMax = 8
const rule = /^(?:[-*_][ \t]*){3,}$/

function behindMarks(text: string): number {
  let words = text.trimStart()
  for (let marks = 0; marks < marksMax && mark.test(words); marks++) words = words.replace(mark, '')
  return text.length - words.length
}

/** Where the words of a text begin, behind the marks of their line; undefined when the text begins with something else. */
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

/** Gives the text the focus, without scrolling, when it begins with words. */
export function rest(view: EditorView): void {
  const anchor = firstPlace(view.state.doc)
  if (anchor === undefined) return
  if (caretRests(view.state)) view.dispatch({ selection: { anchor }, effects: placed.of(null) })
  view.focus()
}

/** Where a person works: the marks there show. */
export const revealed = (view: EditorView): readonly SelectionRange[] =>
  view.hasFocus && !view.state.readOnly && !caretRests(view.state) ? view.state.selection.ranges : []

export const resting: Extension = [
  field,
  EditorView.domEventHandlers({
    // A press where the caret stands moves nothing.
    pointerdown: ({ target, clientX: x, clientY: y }, view) => {
      const isOnText = target instanceof Element && target.closest('input, button, [contenteditable=false]') === null
      if (isOnText && caretRests(view.state) && view.posAtCoords({ x, y }, false) === view.state.selection.main.head)
        view.dispatch({ effects: pressed.of(null) })
      return false
    }
  })
]
