/** Everything that a component receives from the page: its fence, the person's rights, and the people who edit it. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import type { DocumentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Edit } from '../../shared/text/diff.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import type { Person } from '../presence/people.ts'
import type { SheetsAround } from './sheets-around.ts'

export interface ComponentInput {
  readonly page: ReviewedView
  /** The fence in the displayed text. The object is new whenever its content has changed. */
  readonly fence: ReadonlySignal<Fence>
  /** All sheets of the text with their computed values. `sheetIndex` is the index of this sheet, or -1 if the component is not a sheet. */
  readonly sheets: ReadonlySignal<DocumentSheets>
  readonly sheetIndex: ReadonlySignal<number>
  /** State that the sheets of the text share. */
  readonly around: SheetsAround
  /** Brings a component of the text into view. Returns false if it is not drawn, for example because its source is visible. */
  show(fence: Fence): boolean
  /** The name of the component, unique among the components of the text. */
  readonly label: ReadonlySignal<string>
  /** The reason why the person may not change the component, or undefined if they may. */
  readonly refusal: ReadonlySignal<string | undefined>
  /** The parts of the fence that others are editing, each with its person. */
  readonly held: ReadonlySignal<ReadonlyMap<string, Person>>
  /** The cells of the fence that others have selected, each with its person. */
  readonly selected: ReadonlySignal<ReadonlyMap<string, Person>>
  /** Whether a change to this component becomes a suggestion. */
  readonly suggests: () => boolean
  /** The next announcement for screen readers. */
  readonly said: Signal<string>
  /**
   * Performs an interaction as one undo step, or as one suggestion in suggesting mode. `edits` receives the current fence, which may differ from the
   * drawn one, and all fences of the text, in case edits are needed elsewhere. Returns false if nothing was changed. Where no undo key works, a
   * notice describes the change and offers to undo it. The notice uses `said`, which the component must set right after the change. A change by the
   * `page` itself is no undo step.
   */
  act(edits: (fence: Fence, all: readonly Fence[]) => readonly Edit[], by?: 'person' | 'program' | 'page'): boolean
  /** Notes that an element of the component has the focus. A comment that begins now is on its source. */
  focused(part: Element): void
  /** Tells others which part this person is editing. Undefined means none. */
  hold(item: string | undefined): void
  /** Tells others which cell this person has selected. Undefined means none. */
  select(cell: string | undefined): void
  /** Set when the first part of the component should open for editing. The component resets it. */
  readonly begins: Signal<boolean>
  /** Set when the title should open for editing. The code that draws the title field resets it. */
  readonly wantsTitle: Signal<boolean>
  /** A control that the component adds to the bar of its frame. */
  readonly control: Signal<JSX.Element | undefined>
  /** Makes the source visible and puts the caret at an offset from the beginning of the fence's content. */
  openSource(offset?: number): void
  /** Moves the focus to the text before or after the component. */
  leave(side: 'before' | 'behind'): void
}

export type Body = ComponentType<{ readonly input: ComponentInput }>
