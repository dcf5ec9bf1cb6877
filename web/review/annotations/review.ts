/** The interface of comments, suggestions and assignments for other parts of the page. It contains only types; `../review.ts` implements them. */
import type { ReadonlySignal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { Command } from '../../view/command.ts'
import type { View } from '../../view/view.ts'
import type { Address } from './address.ts'
import type { Decisions } from './decisions.ts'
import type { Item } from './items.ts'
import type { Navigation } from './navigation.ts'
import type { Positions } from './positions.ts'
import type { SuggestingMode } from './suggesting-mode.ts'
import type { State } from './state.ts'
import type { Writing } from './writing.ts'

export interface Review
  extends
    Omit<State, 'page' | 'editor' | 'positions' | 'decisions' | 'undoOrder' | 'onRejected'>,
    Navigation,
    Writing,
    Omit<SuggestingMode, 'close'>,
    Pick<Positions, 'moved' | 'ranges' | 'spanOf'>,
    Pick<Address, 'addressOf'> {
  /** Ids of suggestions that were decided here a moment ago. */
  readonly recent: Decisions['recent']
  readonly isDecidedHere: Decisions['isHere']
  /** The open panel of the page. */
  readonly panel: View['panel']
  /** Commands that depend on the assignments, for menus and the command palette. */
  readonly commands: ReadonlySignal<readonly Command[]>
  /** The document and its share key. */
  readonly doc: { readonly id: string; readonly key: string }
  /** Number of open items. */
  readonly open: ReadonlySignal<number>
  /** Whether the text should leave space for cards. Undefined until that is known. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  readonly editor: EditorView
  /**
   * Returns the key of an item's card. The key is the same before and after the item is sent, so that the card keeps the focus and the text
   * in its fields.
   */
  cardKeyOf(item: Item): string
  /** Called when the person clicks an annotation, or with undefined for a click elsewhere. */
  pick(id: string | undefined): void
}

/** A page that has comments and suggestions. */
export interface ReviewedView extends View {
  /** Undefined until the code for comments and suggestions has loaded. */
  readonly review: ReadonlySignal<Review | undefined>
}
