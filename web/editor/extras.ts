/** What writing becomes easier with, but can begin without: fetched once the text is there. */
import { EditorState, type Extension } from '@codemirror/state'
import { smartPaste } from './paste/paste.ts'
import { completionPhrases, completions, type BlockEntry } from './completions.ts'

export interface ExtrasInput {
  /** Blocks of the menu after `/`, in its order. */
  readonly blocks: readonly BlockEntry[]
}

export const createExtras = ({ blocks }: ExtrasInput): Extension => [
  completions(blocks),
  smartPaste,
  EditorState.phrases.of(completionPhrases())
]
