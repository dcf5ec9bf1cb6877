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

export interface FocusedPart {
  /** The object that stands for its component. */
  readonly component: object
  /** Returns the source of the part, in the text of the editor. Undefined if the part is gone. */
  range(): Range | undefined
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
  /** The part of a component that has the focus, or had it last. Undefined after the focus has returned to the text. */
  readonly focusedPart: { value: FocusedPart | undefined }
  /** Whether the outline is visible. */
  readonly outline: ReadonlySignal<boolean>
  readonly quiet: { value: boolean }
  /** The lines that were drawn when the person chose the reading view. Undefined if the page opened with it. */
  readonly seen: { value: Seen | undefined }
  readonly panel: Signal<PanelName | undefined>
  /**
   * Functions that write the unfinished text of a component, by the object that stands for the component. All run before the view changes. The one of
   * a component runs before it shows its source, or a comment on it begins.
   */
  readonly unfinished: Map<object, () => void>
  /** Whether the person can type, in order to edit or to suggest. */
  readonly canType: ReadonlySignal<boolean>
  setMode(mode: Mode): void
  /** Switches to the next view: live, source or reading. */
  nextMode(): void
  setOutline(shown: boolean): void
}
