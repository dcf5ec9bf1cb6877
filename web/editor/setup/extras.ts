/** Aids for writing that are not needed at first: loaded once the text is shown. */
import { namesOnHover } from '../names-on-hover.ts'
import type { Extension } from '@codemirror/state'
import { selectionBubble, type BubbleButton } from '../bubble.ts'
import type { Extras } from './editor.ts'
import { exactUndo } from '../exact-undo.ts'
import { blockHandles } from '../blocks/handles.ts'
import { turns, type Turn } from '../blocks/menu.tsx'
import { gridHandles } from '../grid/handles.ts'
import { pressBelow } from '../grid/press-below.ts'
import { linkCard } from '../live/link-card.ts'
import { pictureCard } from '../live/picture-card.ts'
import { pictureChosen } from '../live/picture-chosen.ts'
import { pictureHandles } from '../live/picture-handles.ts'
import { drawings } from '../live/drawings.ts'
import { dressing } from '../live/dressing.ts'
import { markingBlocks } from '../mark-blocks.ts'
import { smartPaste, titles } from '../paste/paste.ts'
import { textFiles } from '../paste/text-files.ts'
import { copiedHtml } from '../copied-html.ts'
import { lineWords, linkOfWords } from '../line-words.ts'
import { keepTab } from '../tab-stays.ts'
import { completions, type BlockEntry, type Documents, type OnChange } from '../completions.ts'

export interface ExtrasInput {
  /** Blocks of the menu after `/`, in order. */
  readonly blocks: readonly BlockEntry[]
  /** Signals that the possible blocks have changed. */
  readonly onChange: OnChange
  /** Documents for what is typed after `[[`. */
  readonly documents: Documents
  /** Buttons above a selection. */
  readonly bubble: readonly BubbleButton[]
  /** Signals that the person's rights have changed. */
  readonly onRight: OnChange
  /** Commands that turn a block into something else, by their ids. */
  readonly turn: (id: string) => Turn
  /** The title of a document of this device, by its address. */
  readonly titleAt: (address: string) => string | undefined
  /** Drawn components, such as boards, in the live view. */
  readonly components: Extension
  /** Shows a short notice. */
  readonly tell: (words: string) => void
}

export const createExtras = ({ blocks, onChange, documents, bubble, onRight, turn, titleAt, components, tell }: ExtrasInput): Extras => ({
  always: [
    namesOnHover,
    completions(blocks, documents, onChange),
    markingBlocks,
    smartPaste,
    titles.of(titleAt),
    textFiles,
    dressing,
    turns.of(turn),
    linkOfWords,
    keepTab(tell),
    selectionBubble(bubble, onRight)
  ],
  live: [
    drawings,
    components,
    linkCard,
    pictureCard,
    pictureChosen,
    pictureHandles,
    gridHandles,
    pressBelow,
    blockHandles,
    lineWords,
    copiedHtml
  ],
  exactUndo
})
