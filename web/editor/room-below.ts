/**
 * Keeps a quarter of the window free below the caret while a person types or moves down. It also does so when a picture, diagram or formula above the
 * caret gets its height later. The text never moves under a pressed pointer, nor for a key that leaves the caret on its line.
 */
import type { Extension } from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Fraction of the window that stays free. */
const freePart = 1 / 4

/** Returns the height that an on-screen keyboard covers, in pixels. */
const coveredBelow = (): number => {
  const viewport = window.visualViewport
  return viewport === null ? 0 : Math.max(0, innerHeight - viewport.height - viewport.offsetTop)
}

class RoomBelow {
  readonly #view: EditorView
  /** Whether typing, or a key that moves down, brought the caret to its position. */
  #follows = false
  #isDown = false
  /** Lower edge of the caret when it last stopped, measured from the top of the text, in pixels. */
  #rest: number | undefined
  readonly #press = (): void => {
    this.#isDown = true
    this.#follows = false
  }
  // A click on a control in the text comes right after the release, and is still part of the press.
  readonly #release = (): unknown => setTimeout(() => (this.#isDown = false))
  readonly #scroll = (): void => void (this.#follows = false)

  constructor(view: EditorView) {
    this.#view = view
    view.scrollDOM.addEventListener('pointerdown', this.#press)
    view.scrollDOM.addEventListener('wheel', this.#scroll, { passive: true })
    view.scrollDOM.addEventListener('touchmove', this.#scroll, { passive: true })
    addEventListener('pointerup', this.#release)
    addEventListener('pointercancel', this.#release)
  }

  update(update: ViewUpdate): void {
    const { docChanged, selectionSet, heightChanged, transactions, startState, state, view } = update
    if (docChanged || selectionSet) {
      // A change that a person makes in a component says nothing about the caret.
      const isTyped = transactions.some(
        (each) => (each.isUserEvent('input') || each.isUserEvent('delete')) && !each.isUserEvent('input.fence')
      )
      const byPointer = transactions.some((each) => each.isUserEvent('select.pointer'))
      // Selecting everything must not scroll the text.
      const isSought = transactions.some((each) => each.scrollIntoView)
      if (isTyped) this.#follows = !this.#isDown
      else if (selectionSet) this.#follows = isSought && !byPointer && state.selection.main.head > startState.selection.main.head
      if (isTyped || selectionSet) this.#look()
    } else if (heightChanged && this.#follows && view.hasFocus) this.#look()
  }

  /** Restores the space below the caret after CodeMirror has scrolled the caret into view. */
  #look(): void {
    this.#view.requestMeasure({ key: this, read: () => this.#missing(), write: (missing) => this.#scrollBy(missing) })
  }

  destroy(): void {
    this.#view.scrollDOM.removeEventListener('pointerdown', this.#press)
    this.#view.scrollDOM.removeEventListener('wheel', this.#scroll)
    this.#view.scrollDOM.removeEventListener('touchmove', this.#scroll)
    removeEventListener('pointerup', this.#release)
    removeEventListener('pointercancel', this.#release)
  }

  get #free(): number {
    const covered = coveredBelow()
    return covered + (this.#view.scrollDOM.clientHeight - covered) * freePart
  }

  /** Returns the lower edge of the caret, measured from the top of the text, and the space below it. Undefined while the caret is not drawn. */
  #caret(): { readonly depth: number; readonly below: number } | undefined {
    const place = this.#view.coordsAtPos(this.#view.state.selection.main.head)
    if (place === null) return undefined
    const { top } = this.#view.contentDOM.getBoundingClientRect()
    return { depth: place.bottom - top, below: this.#view.scrollDOM.getBoundingClientRect().bottom - place.bottom }
  }

  /** Returns the distance by which the text must scroll up, in pixels. */
  #missing(): number {
    const caret = this.#caret()
    if (caret === undefined) return this.#follows && this.#isPushedOut() ? Infinity : 0
    const isLower = this.#rest !== undefined && caret.depth > this.#rest + 1
    this.#rest = caret.depth
    return this.#follows && isLower ? Math.max(0, this.#free - caret.below) : 0
  }

  /** Whether content that grew above the caret has pushed it out of the drawn part of the text. */
  #isPushedOut(): boolean {
    const { scrollDOM, state } = this.#view
    return this.#view.lineBlockAt(state.selection.main.head).top > scrollDOM.scrollTop + scrollDOM.clientHeight
  }

  #scrollBy(missing: number): void {
    if (missing === Infinity) {
      const { head } = this.#view.state.selection.main
      // The view must not be changed in its measure phase.
      queueMicrotask(() => this.#view.dispatch({ effects: EditorView.scrollIntoView(head, { yMargin: this.#free }) }))
    } else if (missing > 0) this.#view.scrollDOM.scrollTop += missing
  }
}

// Otherwise CodeMirror would treat the part that the keyboard covers as visible.
const aboveKeyboard = EditorView.scrollMargins.of(() => ({ bottom: coveredBelow() }))

export const roomBelow: Extension = [ViewPlugin.fromClass(RoomBelow), aboveKeyboard]
