/** Tab in the text never leaves it by accident, because what is typed next would be lost. Escape and then Tab leave it: CodeMirror's own way. */
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView, keymap, type Command } from '@codemirror/view'
import { caretRests } from './resting.ts'
import { t } from '../text/t.ts'

/** Whether Tab stays in the text: not before a person has begun to use it, and not for a reader. */
export const tabStays = (state: EditorState): boolean => !state.readOnly && !caretRests(state)

const leaveWords = (): string => t('Press Esc, then Tab to leave the text.')

/** Runs after all other uses of Tab. `tell` shows the notice, the first time only. */
export function keepTab(tell: (words: string) => void): Extension {
  let isTold = false
  const stay: Command = ({ state }) => {
    if (!tabStays(state)) return false
    if (!isTold) tell(leaveWords())
    isTold = true
    return true
  }
  return [
    keymap.of([{ key: 'Tab', run: stay, shift: stay }]),
    EditorView.contentAttributes.of(({ state }) => (state.readOnly ? null : { 'aria-description': leaveWords() }))
  ]
}
