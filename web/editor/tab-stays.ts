/**
 * Prevents Tab from leaving the text by accident, because the text typed next would be lost. As in plain CodeMirror, Escape followed by Tab leaves
 * the text.
 */
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView, keymap, type Command } from '@codemirror/view'
import { caretRests } from './resting.ts'
import { t } from '../text/t.ts'

/** Whether Tab stays in the text. It leaves the text for readers, and until the person has begun to use the text. */
export const tabStays = (state: EditorState): boolean => !state.readOnly && !caretRests(state)

const leaveWords = (): string => t('Press Esc, then Tab to leave the text.')

/** Creates the extension, which handles Tab only if nothing else does. `tell` shows a notice the first time. */
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
