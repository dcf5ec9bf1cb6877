/** The interface of comments, suggestions and assignments for other parts of the page. Types alone; `../review.ts` opens it. */
import type { ReadonlySignal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { View } from '../../view/view.ts'
import type { Address } from './address.ts'
import type { Decisions } from './decisions.ts'
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
  /** Takes the newest decision of this page back; false: there is none, or something was typed since. */
  undoDecision(): boolean
  /** The panel of the page that is open. */
  readonly panel: View['panel']
  /** Which document, and the key to it. */
  readonly doc: { readonly id: string; readonly key: string }
  /** How many are still to be dealt with. */
  readonly open: ReadonlySignal<number>
  /** Whether the text makes room for cards; undefined until it is known. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  readonly editor: EditorView
  /** A remark was clicked; undefined: next to all. */
  pick(id: string | undefined): void
}

/** A page with its comments and suggestions. */
export interface ReviewedView extends View {
  /** Undefined until their part of the page is there. */
  readonly review: ReadonlySignal<Review | undefined>
}
