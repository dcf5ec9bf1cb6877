/** What writing becomes easier with, but can begin without: fetched once the text is there. */
import { EditorState, type Extension } from '@codemirror/state'
import { smartPaste } from './paste/paste.ts'
import { completions, type BlockEntry } from './completions.ts'
import { finding } from './find/panel.tsx'
import { phrases } from './phrases.ts'

export interface ExtrasInput {
  /** Blocks of the menu after `/`, in its order. */
  readonly blocks: readonly BlockEntry[]
}

export const createExtras = ({ blocks }: ExtrasInput): Extension => [
  completions(blocks),
  smartPaste,
  finding,
  // In the languages of the page.
  EditorState.phrases.of(phrases())
]
