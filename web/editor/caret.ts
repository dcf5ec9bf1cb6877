/**
 * The caret, which blinks by a timer. CodeMirror's own blinks by an animation, for which a browser prepares sixty frames a second while the
 * editor has the focus: each key waits for the next of them (4 ms of 17 at the median, `npm run bench typing`), and a laptop never rests.
 */
import type { Extension } from '@codemirror/state'
import { drawSelection, RectangleMarker, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Milliseconds for which it is shown, and hidden: half a second and a bit, as systems have it. */
const blinkMs = 600

class Blinking {
  readonly #view: EditorView
  #timer: ReturnType<typeof setInterval> | undefined
  #layer: HTMLElement | null = null
  /** It moved since the last turn: it stays for one more. A key starts no timer. */
  #moved = false

  constructor(view: EditorView) {
    this.#view = view
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate): void {
    if (!docChanged && !selectionSet && !focusChanged) return
    this.#show(true)
    this.#moved = true
    if (this.#view.hasFocus) this.#timer ??= setInterval(() => this.#turn(), blinkMs)
    else this.#rest()
  }

  destroy(): void {
    this.#rest()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #turn(): void {
    if (!this.#moved) this.#show(this.#layer?.style.visibility === 'hidden')
    this.#moved = false
  }

  #show(shown: boolean): void {
    this.#layer ??= this.#view.scrollDOM.querySelector<HTMLElement>(':scope > .cm-cursorLayer')
    if (this.#layer !== null) this.#layer.style.visibility = shown ? '' : 'hidden'
  }
}

/** To a whole pixel of the screen: a caret between two is a blur. */
const snap = (length: number): number => Math.round(length * devicePixelRatio) / devicePixelRatio

// CodeMirror places carets, rectangles without a width, by their left and top sides, and the browser lays the page out once more for each
// key. An element that is only translated is painted elsewhere, and nothing is laid out.
Object.defineProperty(RectangleMarker.prototype, 'adjust', {
  value(this: RectangleMarker, { style }: HTMLElement): void {
    style.height = `${this.height}px`
    if (this.width === null) {
      style.translate = `${snap(this.left)}px ${snap(this.top)}px`
      return
    }
    style.left = `${this.left}px`
    style.top = `${this.top}px`
    style.width = `${this.width}px`
  }
})

/**
 * A browser gives the focus back with the caret at the beginning, when a field had the selection meanwhile. CodeMirror puts it right after
 * 10 ms; a key or `selectionchange` that is quicker would mean the beginning.
 */
const keepsPlace = EditorView.domEventHandlers({ focus: (_event, view) => view.focus() })

export const caret: Extension = [keepsPlace, drawSelection({ cursorBlinkRate: 0 }), ViewPlugin.fromClass(Blinking)]
