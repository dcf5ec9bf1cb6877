/**
 * Lets a person edit a sent suggestion where the text shows it. A press on its text brings it into the editor again (suggesting.ts), and so does a key
 * that edits text, or that moves the caret into the suggestion. Then the caret, the selection and the keys work as in all text.
 */
import { type EditorState, Prec, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { rangesIn } from './annotation-ranges.ts'
import { charactersAfter, proposedAt } from './press-place.ts'

interface ResumingInput {
  /** Brings a suggestion into the editor. Returns false if this person cannot edit it. */
  readonly resume: (id: string) => boolean
  /** Whether a suggestion is drawn in the line of the text before it. */
  readonly isInLine: (id: string) => boolean
  /** Called when the person pressed on a suggestion that is now in the editor. */
  readonly onPress: (id: string) => void
}

/** Keys that edit the text at the caret, or that move the caret to the text before it. */
const isEditing = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !ctrlKey && !metaKey && !altKey && (key.length === 1 || key === 'Backspace' || key === 'Enter' || key === 'ArrowLeft')

/** How long after a touch the mouse events that it causes arrive, at most, in milliseconds. */
const touchMs = 1000

/** Creates the extension. It has no effect while a composition goes on, because a change would end that. */
export function resuming({ resume, isInLine, onPress }: ResumingInput): Extension {
  /** Brings the suggestion whose text is drawn directly before an offset. */
  const resumeBefore = (state: EditorState, at: number): boolean =>
    [...rangesIn(state)].some(([id, { to }]) => to === at && isInLine(id) && resume(id))
  /** The same for the caret, which is then after the text of the suggestion. */
  const resumeAtCaret = (view: EditorView): void => {
    const { main } = view.state.selection
    if (!main.empty || view.composing) return
    const rest = view.state.doc.length - main.head
    if (resumeBefore(view.state, main.head)) view.dispatch({ selection: { anchor: view.state.doc.length - rest } })
  }
  const resumeAtPress = (view: EditorView, event: MouseEvent, pressed: HTMLElement): boolean => {
    const id = pressed.dataset['annotation'] ?? ''
    const rest = view.state.doc.length - view.posAtDOM(pressed) + charactersAfter(event, pressed)
    if (!resume(id)) return false
    // The element under the pointer disappears, so the browser reports no click and, after a touch, places no caret.
    onPress(id)
    view.dispatch({ selection: { anchor: Math.max(0, view.state.doc.length - rest) } })
    return true
  }
  let touchedAt = -touchMs
  return Prec.highest(
    EditorView.domEventHandlers({
      touchend({ timeStamp }) {
        touchedAt = timeStamp
      },
      mousedown(event, view) {
        if (view.composing || event.button !== 0) return false
        // A press next to a suggestion must not move the text under the pointer. The next key brings the suggestion.
        const pressed = proposedAt(event)
        if (pressed === undefined || !resumeAtPress(view, event, pressed)) return false
        const isTouch = event.timeStamp - touchedAt < touchMs
        if (isTouch) view.focus()
        return isTouch
      },
      keydown(event, view) {
        if (isEditing(event)) resumeAtCaret(view)
        const { main } = view.state.selection
        // A caret that moves to the right reaches the beginning of the suggestion, and not its end.
        if (event.key === 'ArrowRight' && !view.composing) resumeBefore(view.state, view.moveByChar(main, true).head)
        return false
      },
      paste(_event, view) {
        resumeAtCaret(view)
        return false
      }
    })
  )
}
