/** The editor extras: writing aids that load once the text is visible. */
import { columnMoves } from '../column-moves.ts'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { selectionBubble, type BubbleButton } from '../bubble.ts'
import type { Extras } from './editor.ts'
import type { Typing } from './typing.ts'
import { exactUndo } from '../exact-undo.ts'
import { keptPlace } from './kept-place.ts'
import { followFormats } from '../formats.ts'
import { remoteGlow } from '../glow.ts'
import { keepCells } from '../grid/keep-cells.ts'
import { linkCard } from '../live/link-card.ts'
import { numberedNotes } from '../live/note-numbers.ts'
import { onConnection, type OnConnection } from '../live/on-connection.ts'
import { collapsible } from '../live/collapsible.ts'
import { drawings } from '../live/drawings.ts'
import { dressing } from '../live/dressing.ts'
import { knownDocuments } from '../paste/known-documents.ts'
import { keepTab } from '../tab-stays.ts'
import { completions, type BlockEntry, type Documents, type LinkTarget, type OnChange } from '../completions.ts'

export interface ExtrasInput {
  /** The blocks of the slash menu, in order. */
  readonly blocks: readonly BlockEntry[]
  /** Calls a listener when the possible blocks have changed. */
  readonly onChange: OnChange
  /** Finds and creates documents for text typed after `[[`. */
  readonly documents: Documents
  /** The buttons of the bubble above a selection. */
  readonly bubble: readonly BubbleButton[]
  /** Called with the command ids of the inline formats of the selection when they change. */
  readonly onFormats: (ids: ReadonlySet<string>) => void
  /** Calls a listener when the person's rights have changed. */
  readonly onRight: OnChange
  /** Calls a listener each time the page is connected to the service. */
  readonly onConnected: OnConnection
  /** Returns the title of this device's document at an address. */
  readonly documentAt: (address: string) => LinkTarget | undefined
  /** The extension that draws components, such as boards, in the live view. */
  readonly components: Extension
  /** Shows a short notice. */
  readonly tell: (words: string) => void
  /** The extras that change the effect of keys and typed letters. */
  readonly typing: readonly Typing[]
}

/**
 * CodeMirror measures the text again when its theme changes. The live view and the source have different fonts. In a short document, the caret and
 * the selection would otherwise stay where they were drawn.
 */
const liveTheme = EditorView.theme({})

export const createExtras = ({
  blocks,
  onChange,
  documents,
  bubble,
  onFormats,
  onRight,
  onConnected,
  documentAt,
  components,
  tell,
  typing
}: ExtrasInput): Extras => ({
  always: [
    columnMoves,
    remoteGlow,
    completions(blocks, documents, onChange),
    knownDocuments.of(documentAt),
    dressing,
    typing.map(({ always }) => always),
    keepTab(tell),
    followFormats(onFormats),
    selectionBubble(bubble, onRight)
  ],
  live: [
    liveTheme,
    onConnection.of(onConnected),
    drawings,
    collapsible,
    components,
    linkCard,
    numberedNotes,
    keepCells,
    typing.map(({ live }) => live)
  ],
  keptPlace,
  exactUndo
})
