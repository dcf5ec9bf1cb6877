/**
 * Enter at the end of a footnote's note ends the note. Markdown would read a line directly below as part of the note, although it looks like other
 * text.
 */
import { type EditorState, type Extension, Prec, StateField, type TransactionSpec } from '@codemirror/state'
import { syntaxTree } from '@codemirror/language'
import { type Command, keymap } from '@codemirror/view'
import { itemOf } from '../commands-list.ts'
import { otherEnd } from './note-numbers.ts'

/** Maximum number of lines of a note that are read. */
const linesMax = 100

const noteMark = /^\[\^[^\s[\]]{1,100}\]:/

/** The blocks of ordinary text. A note of one word is parsed as the target of links. Text that is not parsed yet belongs to the document. */
const textBlocks = new Set(['Paragraph', 'LinkReference', 'Document'])

/** Whether a line is ordinary text, and not a heading, code or another block. */
function isText(state: EditorState, at: number): boolean {
  let node = syntaxTree(state).resolveInner(at, -1)
  while (node.parent?.parent) node = node.parent
  return textBlocks.has(node.name)
}

/** Returns the beginning of the note that contains the line at a position. Undefined outside notes. */
function noteAt(state: EditorState, at: number): number | undefined {
  const last = state.doc.lineAt(at).number
  for (let number = last; number > Math.max(0, last - linesMax); number--) {
    const { from, to, text } = state.doc.line(number)
    if (text.trim() === '' || itemOf(text) !== undefined || !isText(state, to)) return undefined
    if (noteMark.test(text)) return from
  }
  return undefined
}

/** The beginning of the note that a person has inserted and has not left yet. */
const inserted = StateField.define<number | undefined>({
  create: () => undefined,
  update(value, transaction) {
    const { head } = transaction.newSelection.main
    if (transaction.isUserEvent('input.insert.note')) return transaction.newDoc.lineAt(head).from
    const now = value === undefined ? undefined : transaction.changes.mapPos(value, 1)
    return now !== undefined && noteAt(transaction.state, head) === now ? now : undefined
  }
})

/** Returns the position behind the first reference to the note at the caret. */
function reference(state: EditorState): number | undefined {
  const { empty, head } = state.selection.main
  const note = empty && !state.readOnly ? noteAt(state, head) : undefined
  return note === undefined ? undefined : otherEnd(state, note)
}

const select = (anchor: number): TransactionSpec => ({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })

/** Begins a paragraph below the note. Blank lines separate it from the note and from text below. */
function below({ doc }: EditorState, head: number): TransactionSpec {
  const { number } = doc.lineAt(head)
  const isFollowed = number < doc.lines && doc.line(number + 1).text.trim() !== ''
  return {
    changes: { from: head, insert: isFollowed ? '\n\n\n' : '\n\n' },
    selection: { anchor: head + 2 },
    scrollIntoView: true,
    userEvent: 'input'
  }
}

/** Whether the note goes on in the next line. */
function isContinued(state: EditorState, head: number): boolean {
  const { doc } = state
  const { number } = doc.lineAt(head)
  if (number === doc.lines) return false
  const { to } = doc.line(number + 1)
  return noteAt(state, to) === noteAt(state, head)
}

/** Returns what Enter does at the end of a note. Undefined elsewhere. */
function ended(state: EditorState): TransactionSpec | undefined {
  const { empty, head } = state.selection.main
  if (!empty || state.readOnly || head !== state.doc.lineAt(head).to || noteAt(state, head) === undefined) return undefined
  const back = state.field(inserted) === undefined ? undefined : reference(state)
  if (back !== undefined) return select(back)
  return isContinued(state, head) ? undefined : below(state, head)
}

const key =
  (step: (state: EditorState) => TransactionSpec | undefined): Command =>
  (view) => {
    const spec = step(view.state)
    if (spec !== undefined) view.dispatch(spec)
    return spec !== undefined
  }

const back = (state: EditorState): TransactionSpec | undefined => {
  const at = reference(state)
  return at === undefined ? undefined : select(at)
}

export const noteEnds: Extension = [
  inserted,
  Prec.high(
    keymap.of([
      { key: 'Enter', run: key(ended) },
      { key: 'Escape', run: key(back) }
    ])
  )
]
