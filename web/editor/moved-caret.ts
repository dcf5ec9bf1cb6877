/**
 * Keeps the caret in its words when somebody else moves their line, such as a paragraph, a list item or a row (shared/text/moved-lines.ts). The caret
 * stays behind letters of which the other person did not know yet. It follows them when the service brings them to the new place.
 */
import { EditorSelection, type EditorState, type Line } from '@codemirror/state'
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import * as Y from 'yjs'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import { itemMarker, moveOf, newItemsOf } from '../../shared/text/moved-lines.ts'
import { textMap, textSteps } from './binding.ts'

/** The most new items of a change that are examined. */
const itemsMax = 2000

/** The caret before a change by somebody else. */
interface Before {
  readonly state: EditorState
  readonly line: Line
  /** Length of the indentation of the line. */
  readonly blank: number
  /** The first character of the line after its indentation, and the character to the left of the caret. */
  readonly first: Y.ID | null
  readonly left: Y.ID | null
}

/** A caret whose line was moved, and which stays behind letters that the service will bring to the new place. */
interface Waiting {
  readonly to: Y.ID
  /** The text of the line before the caret when the line was moved. */
  readonly words: string
  /** The place of the caret at that time. */
  readonly at: number
}

const withoutMarker = (text: string): string => text.replace(itemMarker, '')

class MovedCaret {
  readonly #view: EditorView
  readonly #text: Y.Text
  #before: Before | undefined
  #waiting: Waiting | undefined

  constructor(view: EditorView, text: Y.Text) {
    this.#view = view
    this.#text = text
    text.doc?.on('beforeTransaction', this.#note)
    text.doc?.on('afterTransaction', this.#follow)
  }

  update({ docChanged, selectionSet, changes }: ViewUpdate): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    if (docChanged) this.#waiting = { ...waiting, at: changes.mapPos(waiting.at, -1) }
    else if (selectionSet) this.#waiting = undefined
  }

  destroy(): void {
    this.#text.doc?.off('beforeTransaction', this.#note)
    this.#text.doc?.off('afterTransaction', this.#follow)
  }

  readonly #note = ({ local }: Y.Transaction): void => {
    if (local) return
    const { state } = this.#view
    const { stored } = state.facet(textMap)
    const { head } = state.selection.main
    const line = state.doc.lineAt(head)
    const blank = /^[ \t>]*/.exec(line.text)?.[0].length ?? 0
    const left = head > line.from ? this.#idAt(stored(head) - 1) : null
    this.#before = { state, line, blank, first: this.#idAt(stored(line.from + blank)), left }
  }

  readonly #follow = (transaction: Y.Transaction): void => {
    const before = this.#before
    if (before === undefined || transaction.local) return
    this.#before = undefined
    const { state, line, blank, first, left } = before
    const { head } = state.selection.main
    const { store } = transaction.doc
    const isLeft = itemAt(store, left)?.deleted === false
    const waiting = this.#waiting
    if (waiting !== undefined) {
      if (isLeft) return
      this.#waiting = undefined
      return this.#put(before, waiting.to, waiting.words + state.sliceDoc(waiting.at, head))
    }
    const move = newItemsOf(transaction, itemsMax)
      .map((item) => moveOf(store, item))
      .find((each) => each !== undefined && isSameId(each.from, first))
    if (move === undefined) return
    const words = line.text.slice(blank, Math.max(blank, head - line.from))
    if (isLeft && head > line.from + blank) this.#waiting = { to: move.to, words, at: this.#view.state.selection.main.head }
    else this.#put(before, move.to, words)
  }

  /** Puts the caret into the line that begins with a character, behind the given words. A selection within the line stays. */
  #put({ state, line }: Before, first: Y.ID, words: string): void {
    const view = this.#view
    const { doc } = this.#text
    if (doc === null || itemAt(doc.store, first)?.deleted !== false) return
    const index = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON({ item: first }), doc)?.index ?? 0
    const from = view.state.facet(textMap).shown(index)
    const now = view.state.doc.lineAt(from)
    const marker = now.to - from - withoutMarker(now.text.slice(from - now.from)).length
    const head = Math.min(now.to, from + marker + withoutMarker(words).length)
    const { main } = state.selection
    const anchor = main.anchor >= line.from && main.anchor <= line.to ? head + main.anchor - main.head : head
    view.dispatch({ selection: EditorSelection.range(Math.max(from, Math.min(anchor, now.to)), head) })
  }

  #idAt(index: number): Y.ID | null {
    return Y.createRelativePositionFromTypeIndex(this.#text, index).item
  }
}

export const movedCaret = ViewPlugin.define((view) => {
  const text: unknown = view.state.facet(textSteps)?.scope[0]
  return text instanceof Y.Text ? new MovedCaret(view, text) : {}
})
