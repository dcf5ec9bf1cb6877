/**
 * Numbers the footnotes in the order of their first references, as published pages do. A press on a number with Ctrl or Cmd goes to the note, and a
 * press on the mark of the note goes back.
 */
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, ViewPlugin } from '@codemirror/view'
import { isInCode } from '../in-code.ts'
import { noteNumbers } from '../notes.ts'

/** Delay before the footnotes are numbered again after a change, in milliseconds. Numbering reads the entire text. */
const delayMs = 200
/** Maximum number of references and notes that are read. The others are shown as text. */
const marksMax = 10_000

const written = /\[\^([^\s[\]]{1,100})\](: ?)?/g

/** A reference, or the mark at the beginning of a note. */
interface Mark {
  readonly name: string
  readonly isNote: boolean
  readonly from: number
  readonly to: number
}

function marksIn(state: EditorState): readonly Mark[] {
  const marks: Mark[] = []
  for (const { index: from, 1: name = '', 2: colon } of state.doc.toString().matchAll(written)) {
    if (marks.length >= marksMax) break
    const line = state.doc.lineAt(from)
    const isNote = colon !== undefined && /^[ \t>]*$/.test(line.text.slice(0, from - line.from))
    if (!isInCode(state, from + 1)) marks.push({ name, isNote, from, to: from + name.length + '[^]'.length + (isNote ? colon.length : 0) })
  }
  return marks
}

/** Returns the numbers of the footnotes that have a reference and a note. */
export function numbersIn(state: EditorState): ReadonlyMap<string, number> {
  const marks = marksIn(state)
  const named = (notes: boolean): Set<string> => new Set(marks.filter(({ isNote }) => isNote === notes).map(({ name }) => name))
  const notes = named(true)
  return new Map([...named(false)].filter((name) => notes.has(name)).map((name, index) => [name, index + 1]))
}

/** Returns the other end of the footnote whose mark is at a position: its note, or its first reference. */
export function otherEnd(state: EditorState, at: number): number | undefined {
  const marks = marksIn(state)
  const here = marks.find(({ from, to }) => from <= at && at < to)
  return marks.find(({ name, isNote }) => name === here?.name && isNote !== here.isNote)?.to
}

const renumbered = StateEffect.define<ReadonlyMap<string, number>>()

const field = StateField.define<ReadonlyMap<string, number>>({
  create: numbersIn,
  update(value, transaction) {
    // A new footnote has its number at once.
    if (transaction.isUserEvent('input.insert.note')) return numbersIn(transaction.state)
    return transaction.effects.find((effect) => effect.is(renumbered))?.value ?? value
  },
  provide: (self) => noteNumbers.from(self)
})

const follow = ViewPlugin.define((view) => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    const numbers = numbersIn(view.state)
    if (String([...numbers]) !== String([...view.state.field(field)])) view.dispatch({ effects: renumbered.of(numbers) })
  }
  return {
    update({ docChanged }) {
      if (!docChanged) return
      clearTimeout(waiting)
      waiting = setTimeout(look, delayMs)
    },
    destroy: () => clearTimeout(waiting)
  }
})

const pressed = EditorView.domEventHandlers({
  mousedown({ target, ctrlKey, metaKey }, view) {
    const mark = target instanceof Element && (ctrlKey || metaKey) ? target.closest('.md-footnote, .md-footnote-label') : null
    const anchor = mark === null ? undefined : otherEnd(view.state, view.posAtDOM(mark))
    if (anchor === undefined) return false
    view.focus()
    view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })
    return true
  }
})

export const numberedNotes: Extension = [field, follow, pressed]
