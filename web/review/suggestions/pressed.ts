/**
 * Protects the text next to a suggestion that the person pressed but cannot edit. The caret stands next to the suggestion, so a key would change the
 * text there, although the person aimed at the suggestion.
 */
import { Prec, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { charactersAfter, proposedAt } from './press-place.ts'

interface PressedInput {
  /** Called when the person tried to change a pressed suggestion, with its id. */
  readonly onBlocked: (id: string) => void
}

const isDeletion = (key: string): boolean => key === 'Backspace' || key === 'Delete'

export function protectPressed({ onBlocked }: PressedInput): Extension {
  /** The pressed suggestion. At the end of a suggestion within a line, typed text goes where the caret is drawn, so only deletions are blocked. */
  let pressed: { readonly id: string; readonly isAtEnd: boolean } | undefined
  const block = (isRemoved: boolean): boolean => {
    if (pressed === undefined || (pressed.isAtEnd && !isRemoved)) return false
    onBlocked(pressed.id)
    return true
  }
  return [
    EditorView.updateListener.of(({ transactions }) => {
      if (transactions.some(({ selection }) => selection !== undefined)) pressed = undefined
    }),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        const proposed = proposedAt(event)
        if (proposed === undefined || event.button !== 0 || event.shiftKey || view.state.readOnly) return false
        // The editor would select a word of the text next to the suggestion, and typing would replace that word.
        view.dispatch({ selection: { anchor: view.posAtDOM(proposed) }, userEvent: 'select.pointer' })
        view.focus()
        const inserted = proposed.querySelector('ins')
        const isAtEnd = inserted === null || (!inserted.textContent.startsWith('\n') && charactersAfter(event, proposed) === 0)
        pressed = { id: proposed.dataset['annotation'] ?? '', isAtEnd }
        return true
      }
    }),
    Prec.highest(
      EditorView.domEventHandlers({
        keydown: ({ key, ctrlKey, metaKey, altKey }) =>
          !ctrlKey && !metaKey && !altKey && (key.length === 1 || key === 'Enter' || isDeletion(key)) && block(isDeletion(key)),
        beforeinput: ({ inputType }) => /^(?:insert|delete)/.test(inputType) && block(inputType.startsWith('delete')),
        paste: () => block(false),
        cut: () => block(true)
      })
    )
  ]
}
