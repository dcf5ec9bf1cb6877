/** The interface of comments, suggestions and assignments for other parts of the page. Only types; `../review.ts` implements it. */
import type { ReadonlySignal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { View } from '../../view/view.ts'
import type { Address } from './address.ts'
import type { Decisions } from './decisions.ts'
import type { Item } from './items.ts'
import type { Looking } from './looking.ts'
import type { Placing } from './placing.ts'
import type { Proposing } from './proposing.ts'
import type { State } from './state.ts'
import type { Writing } from './writing.ts'

export interface Review
  extends
    Omit<State, 'page' | 'editor' | 'placing' | 'decisions'>,
    Looking,
    Writing,
    Omit<Proposing, 'close'>,
    Pick<Placing, 'moved' | 'places'>,
    Pick<Address, 'addressOf'> {
  /** Suggestions that were decided here a moment ago. */
  readonly recent: Decisions['recent']
  readonly isDecidedHere: Decisions['isHere']
  /** Undoes the newest decision of this page; returns false if there is none, or something was typed since. */
  undoDecision(): boolean
  /** The open panel of the page. */
  readonly panel: View['panel']
  /** The document and its key. */
  readonly doc: { readonly id: string; readonly key: string }
  /** The number of open items. */
  readonly open: ReadonlySignal<number>
  /** Whether the text should make room for cards; undefined until that is known. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  readonly editor: EditorView
  /** Returns the same key for an item before and after it was sent: its card keeps the focus and the text in its fields. */
  cardKeyOf(item: Item): string
  /** An annotation was clicked; undefined for a click outside all of them. */
  pick(id: string | undefined): void
}

/** A page with its comments and suggestions. */
export interface ReviewedView extends View {
  /** Undefined until that part of the page has loaded. */
  readonly review: ReadonlySignal<Review | undefined>
}
