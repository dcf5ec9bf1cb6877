/** The page as its features know it: its session, what is shown, and how to change that. Types, and no code of the page. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { CodeAround } from '../editor/in-code.ts'
import type { Editor, WritingMode } from '../editor/setup/editor.ts'
import type { Named } from '../presence/mention-names.ts'
import type { Session } from '../session/session.ts'

/** The scope of CodeMirror's key bindings that stands for the page around the editor. */
export const pageScope = 'page'

export type Mode = WritingMode | 'read'

/** The panel at the right side of the text; one at a time. */
export type PanelName = 'annotations' | 'tasks' | 'activity' | 'media'

export type DialogName = 'share' | 'agent' | 'publish' | 'name' | 'rename' | 'palette' | 'switcher' | 'shortcuts' | 'history'

/** The interface of the page for every feature: the session, and what is shown around it. Features that come later add their own parts to it. */
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
  /** The code that the selection lies in. */
  readonly inCode: { value: CodeAround | undefined }
  /** Whether the headings are next to the text. */
  readonly outline: ReadonlySignal<boolean>
  readonly quiet: { value: boolean }
  readonly panel: Signal<PanelName | undefined>
  /** Whether typing does something: to the document, or to what is proposed for it. */
  readonly canType: ReadonlySignal<boolean>
  setMode(mode: Mode): void
  /** Live, source, reading, in turns. */
  nextMode(): void
  setOutline(shown: boolean): void
}
