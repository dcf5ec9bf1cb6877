/**
 * Lets a person select a picture as a whole by clicking it. Its Markdown stays hidden. Keys delete or leave the picture. Typed letters are inserted
 * after the picture, so that none of them becomes part of its link.
 */
import { EditorSelection, EditorState, Prec, Transaction, type Extension, type Text, type TransactionSpec } from '@codemirror/state'
import { EditorView, keymap, type Command, type DOMEventHandlers, type MouseSelectionStyle } from '@codemirror/view'
import { endStep } from '../binding.ts'
import { hasOwnActions } from '../bubble.ts'
import { tableAt } from '../tables.ts'
import { editPicture, pictureAt, type PictureAt } from './picture-at.ts'
import { belowOrAfter } from './picture-changes.ts'
import { pictureFrom } from './picture-size.ts'

/** Returns the picture whose Markdown is exactly the selected text. */
export function chosenPicture(state: EditorState): PictureAt | undefined {
  const { main, ranges } = state.selection
  const picture = main.empty || ranges.length > 1 ? undefined : pictureFrom(state, main.from)
  return picture?.to === main.to ? picture : undefined
}

/** Returns transactions that put typed text after the picture that it would replace, or on a line below it. */
export function typedAfter(transaction: Transaction): readonly TransactionSpec[] | undefined {
  const { startState, changes } = transaction
  const picture = transaction.isUserEvent('input.type') ? chosenPicture(startState) : undefined
  if (picture === undefined) return undefined
  let typed: Text | undefined
  changes.iterChanges((from, to, _from, _to, inserted) => {
    if (from === picture.from && to === picture.to) typed = inserted
  })
  if (typed === undefined) return undefined
  const { changes: opened, at } = belowOrAfter(startState, picture.to)
  return [
    { changes: opened },
    {
      changes: { from: at, insert: typed },
      selection: { anchor: at + typed.length },
      sequential: true,
      scrollIntoView: true,
      userEvent: transaction.annotation(Transaction.userEvent) ?? 'input.type'
    }
  ]
}

/** Puts the caret on the line below a picture that is alone on its line, or else after the picture. */
function goBelow(view: EditorView, { to }: PictureAt): boolean {
  const { changes, at, isLine } = belowOrAfter(view.state, to)
  // The letter that follows belongs to the same undo step.
  view.dispatch({ changes, selection: { anchor: at }, scrollIntoView: true, userEvent: 'input.line' })
  return isLine
}

// Within a line, Enter then acts as it does after the picture.
const enter: Command = (view) => {
  const picture = view.state.readOnly ? undefined : chosenPicture(view.state)
  return picture !== undefined && goBelow(view, picture)
}

/** Deletes a picture, as one undo step. */
export function removePicture(view: EditorView, { from, to }: PictureAt): void {
  const end = view.state.facet(endStep)
  end(view)
  view.dispatch({ changes: { from, to }, scrollIntoView: true, userEvent: 'delete.selection' })
  end(view)
}

const remove: Command = (view) => {
  const picture = view.state.readOnly ? undefined : chosenPicture(view.state)
  if (picture !== undefined) removePicture(view, picture)
  return picture !== undefined
}

const edit: Command = (view) => {
  const isChosen = !view.state.readOnly && chosenPicture(view.state) !== undefined
  if (isChosen) view.dispatch({ effects: editPicture.of(null) })
  return isChosen
}

/** Returns the picture that is alone on the line at a position. */
function pictureAlone(state: EditorState, position: number): PictureAt | undefined {
  const { from, text } = state.doc.lineAt(position)
  const picture = pictureFrom(state, from + text.length - text.trimStart().length)
  return picture !== undefined && state.sliceDoc(picture.from, picture.to) === text.trim() ? picture : undefined
}

/** Returns the position on the next line to which an arrow key moves from a picture that is alone on its line. */
export function beyond(state: EditorState, step: 1 | -1): number | undefined {
  const picture = chosenPicture(state)
  const line = picture && pictureAlone(state, picture.from) && state.doc.lineAt(picture.from)
  const next =
    line !== undefined && line.number + step >= 1 && line.number + step <= state.doc.lines ? state.doc.line(line.number + step) : undefined
  return step > 0 ? next?.from : next?.to
}

const leave =
  (step: 1 | -1): Command =>
  (view) => {
    const anchor = beyond(view.state, step)
    if (anchor === undefined) return false
    view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })
    return true
  }

/** Selects a picture that is alone on its line when an arrow key moves the caret there from another line. */
const reach =
  (step: 1 | -1, isVertical: boolean): Command =>
  (view) => {
    const { state } = view
    const { main, ranges } = state.selection
    if (!main.empty || ranges.length > 1) return false
    const { head } = isVertical ? view.moveVertically(main, step > 0) : view.moveByChar(main, step > 0)
    const picture = state.doc.lineAt(head).from === state.doc.lineAt(main.head).from ? undefined : pictureAlone(state, head)
    if (picture === undefined) return false
    view.dispatch({ selection: { anchor: picture.from, head: picture.to }, scrollIntoView: true, userEvent: 'select' })
    return true
  }

const arrow = (step: 1 | -1, isVertical: boolean): Command => {
  const [leaves, reaches] = [leave(step), reach(step, isVertical)]
  return (view) => leaves(view) || reaches(view)
}

/**
 * Moves the caret away from a selected picture, because its Markdown is visible while the caret is next to it. In a cell, the Markdown stays hidden
 * there.
 */
const escape: Command = (view) => {
  const { state } = view
  const picture = chosenPicture(state)
  if (picture === undefined || tableAt(state) !== undefined) return false
  const { from, to } = picture
  const after = view.moveByChar(EditorSelection.cursor(to), true).head
  const anchor = beyond(state, 1) ?? beyond(state, -1) ?? (after > to ? after : view.moveByChar(EditorSelection.cursor(from), false).head)
  if (anchor !== from) view.dispatch({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' })
  return anchor !== from
}

/** Returns the picture that is alone on a line, unless its Markdown is visible there. */
function pictureBeside({ state }: EditorView, at: number): PictureAt | undefined {
  const picture = pictureAlone(state, at)
  const { from, to, empty } = state.selection.main
  return picture !== undefined && empty && from >= picture.from && to <= picture.to ? undefined : picture
}

/** Returns the picture that a pointer event without modifier keys points at, or beside which it points on an otherwise empty line. */
function pointedAt(view: EditorView, { target, button, shiftKey, ctrlKey, metaKey, altKey }: MouseEvent): PictureAt | undefined {
  if (!(target instanceof Element) || button !== 0 || shiftKey || ctrlKey || metaKey || altKey) return undefined
  if (target.matches('.cm-line')) return pictureBeside(view, view.posAtDOM(target))
  const shown = target.closest('.md-figure, img.md-media')
  if (shown === null) return undefined
  const at = view.posAtDOM(shown)
  return pictureFrom(view.state, at) ?? pictureAt(view.state, at)
}

/** Selects the pressed picture. When the pointer is dragged out of the picture, the selection grows. */
function pressed(view: EditorView, event: MouseEvent): MouseSelectionStyle | null {
  const picture = pointedAt(view, event)
  if (picture === undefined) return null
  let { from, to } = picture
  return {
    get({ clientX: x, clientY: y }) {
      const head = view.posAtCoords({ x, y }, false)
      const range = head < from ? EditorSelection.range(to, head) : EditorSelection.range(from, Math.max(to, head))
      return EditorSelection.create([range])
    },
    update({ docChanged, changes }) {
      if (docChanged) [from, to] = [changes.mapPos(from, 1), changes.mapPos(to, -1)]
    }
  }
}

/**
 * Phone keyboards compose text without sending keys, so the caret leaves the picture when a composition begins. Chromium then begins the composition
 * again, before the letters that have already been composed. This code removes those letters.
 */
function composing(): DOMEventHandlers<unknown> {
  let begun: { readonly at: number; letters: string } | undefined
  return {
    compositionstart(_event, view) {
      const { state } = view
      const picture = state.readOnly ? undefined : chosenPicture(state)
      const { at, letters = '' } = begun ?? {}
      begun = undefined
      if (picture !== undefined) {
        goBelow(view, picture)
        begun = { at: view.state.selection.main.head, letters: '' }
      } else if (
        at !== undefined &&
        letters !== '' &&
        state.selection.main.head === at &&
        state.sliceDoc(at, at + letters.length) === letters
      )
        view.dispatch({ changes: { from: at, to: at + letters.length }, userEvent: 'input.type.compose' })
    },
    compositionupdate({ data }) {
      if (begun !== undefined) begun.letters = data
    },
    compositionend() {
      begun = undefined
    }
  }
}

export const pictureChosen: Extension = [
  // A person who may write gets the card of the picture.
  hasOwnActions.of((state) => !state.readOnly && chosenPicture(state) !== undefined),
  EditorState.transactionFilter.of((transaction) => typedAfter(transaction) ?? transaction),
  Prec.highest([
    EditorView.mouseSelectionStyle.of(pressed),
    keymap.of([
      { key: 'Enter', run: enter },
      { key: 'Backspace', run: remove },
      { key: 'Delete', run: remove },
      { key: 'Mod-k', run: edit },
      { key: 'Escape', run: escape },
      { key: 'ArrowLeft', run: arrow(-1, false) },
      { key: 'ArrowUp', run: arrow(-1, true) },
      { key: 'ArrowRight', run: arrow(1, false) },
      { key: 'ArrowDown', run: arrow(1, true) }
    ])
  ]),
  EditorView.domEventHandlers({
    // CodeMirror leaves touch input to the browser, and browsers do not select pictures. If the picture is selected already, its card opens again.
    click(event, view) {
      const picture = pointedAt(view, event)
      if (picture === undefined) return
      view.focus()
      view.dispatch({ selection: { anchor: picture.from, head: picture.to }, userEvent: 'select.pointer' })
    },
    // Composed letters cannot be moved once they are in the text. The transaction filter moves text that is typed in other ways.
    keydown({ key, ctrlKey, metaKey }, view) {
      const isLetter = (key.length === 1 || key === 'Dead' || key === 'Process') && !ctrlKey && !metaKey
      const picture = isLetter && !view.state.readOnly ? chosenPicture(view.state) : undefined
      if (picture !== undefined) goBelow(view, picture)
    },
    ...composing()
  })
]
