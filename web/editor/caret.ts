/**
 * The caret, which blinks by a timer. CodeMirror's own blinks by an animation, for which a browser prepares sixty frames a second while the
 * editor has the focus: each key waits for the next of them (4 ms of 17 at the median, `npm run bench typing`), and a laptop never rests.
 */
import type { Extension } from '@codemirror/state'
import { drawSelection, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Milliseconds for which it is shown, and hidden: half a second and a bit, as systems have it. */
const blinkMs = 600

class Blinking {
  readonly #view: EditorView
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(view: EditorView) {
    this.#view = view
  }

  update({ docChanged, selectionSet, focusChanged }: ViewUpdate): void {
    if (!docChanged && !selectionSet && !focusChanged) return
    clearInterval(this.#timer)
    this.#show(true)
    if (this.#view.hasFocus) this.#timer = setInterval(() => this.#show(this.#layer?.style.visibility === 'hidden'), blinkMs)
  }

  destroy(): void {
    clearInterval(this.#timer)
  }

  get #layer(): HTMLElement | null {
    return this.#view.scrollDOM.querySelector<HTMLElement>(':scope > .cm-cursorLayer')
  }

  #show(shown: boolean): void {
    const layer = this.#layer
    if (layer !== null) layer.style.visibility = shown ? '' : 'hidden'
  }
}

export const caret: Extension = [drawSelection({ cursorBlinkRate: 0 }), ViewPlugin.fromClass(Blinking)]
