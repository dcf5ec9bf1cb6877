/** The page as its features see it: its session, its display, and the functions that change the display. This module contains only types. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { Range } from '../../shared/text/targets.ts'
import type { CodeAround } from '../editor/in-code.ts'
import type { Editor, WritingMode } from '../editor/setup/editor.ts'
import type { Named } from '../presence/mention-names.ts'
import type { Session } from '../session/session.ts'

/** The scope of CodeMirror key bindings that also work on the page around the editor. */
export const pageScope = 'page'

export type Mode = WritingMode | 'read'

/** The panels to the right of the text. Only one is open at a time. */
export type PanelName = 'annotations' | 'tasks' | 'activity' | 'media'

export type DialogName = 'share' | 'agent' | 'publish' | 'name' | 'rename' | 'palette' | 'switcher' | 'shortcuts' | 'history'

/** The lines that the editor had drawn at some point, and their positions. */
export interface Seen {
  /** Offsets in the text in UTF-16 units, and distances from the beginning of the text in pixels. */
  readonly lines: readonly { readonly from: number; readonly to: number; readonly top: number; readonly bottom: number }[]
  /** Where the text began, in pixels of the window. */
  readonly top: number
}

/** The interface that every feature uses: the session and the state of the display. Features that load later extend it. */
export interface View extends Named {
  readonly session: Session
  readonly mode: ReadonlySignal<Mode>
  readonly editor: { value: Editor | undefined }
  readonly dialog: { value: DialogName | undefined }
  /** Client id of the page whose cursor this page follows. */
  readonly following: { value: number | undefined }
  readonly words: { value: string }
  /** Whether the caret is in a table. */
  readonly inTable: { value: boolean }
  /** The command ids of the inline formats that the selection has. */
  readonly formats: { value: ReadonlySet<string> }
  /** The kind of code around the selection. */
  readonly inCode: { value: CodeAround | undefined }
  /** Whether the focus is in a component. Its caret then replaces the caret of the text, which may be far away. */
  readonly inComponent: { value: boolean }
  /**
   * Returns the source of the part of a component that has the focus, or had it last if the focus is in the controls of the page. Offsets are in the
   * text of the editor. Undefined after the focus has returned to the text.
   */
  readonly focusedPart: { value: (() => Range | undefined) | undefined }
  /** Whether the outline is visible. */
  readonly outline: ReadonlySignal<boolean>
  readonly quiet: { value: boolean }
  /** The lines that were drawn when the person chose the reading view. Undefined if the page opened with it. */
  readonly seen: { value: Seen | undefined }
  readonly panel: Signal<PanelName | undefined>
  /** Functions that write the unfinished text of components. They run before the view changes, a component shows its source, or a comment on a component begins. */
  readonly unfinished: Set<() => void>
  /** Whether the person can type, in order to edit or to suggest. */
  readonly canType: ReadonlySignal<boolean>
  setMode(mode: Mode): void
  /** Switches to the next view: live, source or reading. */
  nextMode(): void
  setOutline(shown: boolean): void
}
