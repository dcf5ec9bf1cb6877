/** The input of a component on the page: where its text is, what may be done with it, and who else works on it. */
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
  /** As it stands in the text that is shown; a new object whenever what it says has changed. */
  readonly fence: ReadonlySignal<Fence>
  /** All sheets of the text, computed, and the place of this one among them; -1: it is none. */
  readonly sheets: ReadonlySignal<DocumentSheets>
  readonly sheetIndex: ReadonlySignal<number>
  /** The part that is shared with the sheets of the text. */
  readonly around: SheetsAround
  /** Brings a component of the text into view; false: it is not drawn, because its source shows, say. */
  show(fence: Fence): boolean
  /** Its name: no other component of the text is called so. */
  readonly label: ReadonlySignal<string>
  /** Why nothing may be changed here; undefined when it may. */
  readonly refusal: ReadonlySignal<string | undefined>
  /** The parts of the fence that others hold at the moment, and who holds them. */
  readonly held: ReadonlySignal<ReadonlyMap<string, Person>>
  /** Whether what is done here becomes a suggestion. */
  readonly suggests: () => boolean
  /** Told to who listens to the page. */
  readonly said: Signal<string>
  /**
   * One interaction, one step of undo: the edits that it needs in the fence as it is now, which may not be the one that was drawn. In
   * suggesting mode it becomes one suggestion. `all` are the fences of the text, for what has to follow elsewhere. False when nothing was changed.
   * Where no undoing is at hand a notice says what was done (`said`, when that is set at once) and offers to take it back.
   */
  act(edits: (fence: Fence, all: readonly Fence[]) => readonly Edit[], by?: 'person' | 'program'): boolean
  /** Tells others that a part is being changed; undefined: nothing any more. */
  hold(item: string | undefined): void
  /** Set: the first part wants to be edited. The action itself sets it back. */
  readonly begins: Signal<boolean>
  /** Set: its title wants to be written. The body that has a field for it sets it back. */
  readonly wantsTitle: Signal<boolean>
  /** Shows the source, with the cursor at an offset from the beginning of what the fence holds. */
  openSource(offset?: number): void
  /** Gives the focus back to the text, before or behind the component. */
  leave(side: 'before' | 'behind'): void
}

export type Body = ComponentType<{ readonly input: ComponentInput }>
