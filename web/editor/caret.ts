/**
 * The caret, which a timer makes blink. CodeMirror's own caret uses a CSS animation, for which the browser prepares sixty frames per second while the
 * editor has the focus. Each key press then waits for the next frame (4 ms of 17 at the median, `npm run bench typing`), and a laptop never becomes
 * idle.
 */
import type { Extension } from '@codemirror/state'
import { drawSelection, RectangleMarker, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Time for which the caret is visible, and then hidden, in milliseconds. Operating systems also use slightly more than half a second. */
const blinkMs = 600

class Blinking {
  readonly #view: EditorView
  #timer: ReturnType<typeof setInterval> | undefined
  #layer: HTMLElement | null = null
  /** Whether the caret has moved since the last tick. If so, it stays visible until the next tick, so that a key press need not start a timer. */
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

/** Rounds a length to whole pixels of the screen. A caret between two pixels looks blurred. */
const snap = (length: number): number => Math.round(length * devicePixelRatio) / devicePixelRatio

// CodeMirror positions carets (rectangles without a width) by `left` and `top`, and the browser then computes the layout for each key press. A
// translated element is only painted in another place, without layout.
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
 * When the focus returns from another field, a browser puts the caret at the beginning. CodeMirror corrects that after 10 ms. A key press or a
 * `selectionchange` event before then would act at the beginning.
 */
const keepsPlace = EditorView.domEventHandlers({ focus: (_event, view) => view.focus() })

export const caret: Extension = [keepsPlace, drawSelection({ cursorBlinkRate: 0 }), ViewPlugin.fromClass(Blinking)]
