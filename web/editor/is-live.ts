import type { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Whether the text is shown in the live view. */
export const isLive = (state: EditorState): boolean =>
  state.facet(EditorView.editorAttributes).some((attributes) => 'class' in attributes && attributes['class'] === 'cm-live')
