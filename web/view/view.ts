/** The page as its features see it: its session, what it shows, and functions that change that. Types only. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { CodeAround } from '../editor/in-code.ts'
import type { Editor, WritingMode } from '../editor/setup/editor.ts'
import type { Named } from '../presence/mention-names.ts'
import type { Session } from '../session/session.ts'

/** The scope for CodeMirror key bindings that work on the page around the editor. */
export const pageScope = 'page'

export type Mode = WritingMode | 'read'

/** The panel to the right of the text; one at a time. */
export type PanelName = 'annotations' | 'tasks' | 'activity' | 'media'

export type DialogName = 'share' | 'agent' | 'publish' | 'name' | 'rename' | 'palette' | 'switcher' | 'shortcuts' | 'history'

/** The page's interface for every feature: the session and the state of the display. Features that load later extend it. */
export interface View extends Named {
  readonly session: Session
  readonly mode: ReadonlySignal<Mode>
  readonly editor: { value: Editor | undefined }
  readonly dialog: { value: DialogName | undefined }
  /** Client id of the page whose cursor is kept in view. */
  readonly following: { value: number | undefined }
  readonly words: { value: string }
  /** Whether the cursor is in a table. */
  readonly inTable: { value: boolean }
  /** The code around the selection. */
  readonly inCode: { value: CodeAround | undefined }
  /** Whether the outline is shown. */
  readonly outline: ReadonlySignal<boolean>
  readonly quiet: { value: boolean }
  readonly panel: Signal<PanelName | undefined>
  /** Whether typing has an effect: on the document, or as a suggestion. */
  readonly canType: ReadonlySignal<boolean>
  setMode(mode: Mode): void
  /** Switches between live, source and reading. */
  nextMode(): void
  setOutline(shown: boolean): void
}
