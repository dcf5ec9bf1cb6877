/** The input of a component on the page: its place in the text, the rights of the person, and who else edits it. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { DocumentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Edit } from '../../shared/text/diff.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import type { Person } from '../presence/people.ts'
import type { SheetsAround } from './sheets-around.ts'

export interface ComponentInput {
  readonly page: ReviewedView
  /** The fence in the shown text; a new object whenever its content has changed. */
  readonly fence: ReadonlySignal<Fence>
  /** All sheets of the text, computed, and below the index of this one among them; -1 if it is not a sheet. */
  readonly sheets: ReadonlySignal<DocumentSheets>
  readonly sheetIndex: ReadonlySignal<number>
  /** State that is shared with the other sheets of the text. */
  readonly around: SheetsAround
  /** Brings a component of the text into view; returns false if it is not drawn, for example because its source shows. */
  show(fence: Fence): boolean
  /** Its name, which is unique among the components of the text. */
  readonly label: ReadonlySignal<string>
  /** The reason for which the person may not change the component; undefined if they may. */
  readonly refusal: ReadonlySignal<string | undefined>
  /** The parts of the fence that others edit at the moment, each with its person. */
  readonly held: ReadonlySignal<ReadonlyMap<string, Person>>
  /** Whether a change here becomes a suggestion. */
  readonly suggests: () => boolean
  /** Announced to screen readers. */
  readonly said: Signal<string>
  /**
   * Performs one interaction as one undo step: `edits` returns the edits for the current fence, which may differ from the drawn one. In suggesting
   * mode it becomes one suggestion. `all` are the fences of the text, for edits that must follow elsewhere. Returns false if nothing was changed.
   * Where there is no undo key, a notice describes the change (`said`, if set at once) and offers to undo it.
   */
  act(edits: (fence: Fence, all: readonly Fence[]) => readonly Edit[], by?: 'person' | 'program'): boolean
  /** Reports to others that a part is being edited; undefined reports that none is. */
  hold(item: string | undefined): void
  /** Set when the first part should open for editing. The component resets it. */
  readonly begins: Signal<boolean>
  /** Set when the title should open for editing. The body with the field for it resets it. */
  readonly wantsTitle: Signal<boolean>
  /** Shows the source, with the cursor at an offset from the beginning of the fence's content. */
  openSource(offset?: number): void
  /** Returns the focus to the text, before or after the component. */
  leave(side: 'before' | 'behind'): void
}

export type Body = ComponentType<{ readonly input: ComponentInput }>
