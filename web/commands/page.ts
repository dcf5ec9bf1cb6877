/** The page as its commands see it: all features, including those that load at their first use. Only types. */
import type { ReadonlySignal } from '@preact/signals'
import type { insertComponent } from '../components/kind-parts.ts'
import type { Feed, FeedView } from '../activity/feed.ts'
import type { deleteBlock, duplicateBlock, moveBlock } from '../editor/blocks/commands.ts'
import type { openBlockMenu } from '../editor/blocks/menu.tsx'
import type * as Find from '../editor/find/panel.tsx'
import type { openTableMenu } from '../editor/grid/menu.tsx'
import type { inserts } from '../editor/inserts.ts'
import type { Editor } from '../editor/setup/editor.ts'
import type { alignColumn, alignColumnTo, lineUpTable, moveColumn, moveRow, sortRows } from '../editor/table-moves.ts'
import type { Review } from '../review/annotations/review.ts'
import type { OpenReview } from '../review/review.ts'

/** The part of the extras that commands use. */
export interface ExtrasPart {
  readonly openBlockMenu: typeof openBlockMenu
  readonly openTableMenu: typeof openTableMenu
  readonly deleteBlock: typeof deleteBlock
  readonly duplicateBlock: typeof duplicateBlock
  readonly moveBlock: typeof moveBlock
  readonly insertComponent: typeof insertComponent
  readonly inserts: typeof inserts
  readonly alignColumn: typeof alignColumn
  readonly alignColumnTo: typeof alignColumnTo
  readonly lineUpTable: typeof lineUpTable
  readonly moveColumn: typeof moveColumn
  readonly moveRow: typeof moveRow
  readonly sortRows: typeof sortRows
}

export interface Parts {
  /** Undefined until that part has loaded. */
  readonly review: ReadonlySignal<OpenReview | undefined>
  readonly feed: ReadonlySignal<Feed | undefined>
  /** Whether suggesting mode was set on this device when the page opened. */
  readonly proposed: boolean
  /** Typed text may have to become a suggestion, and the code for that has not loaded: until then typing is blocked. */
  readonly awaitsProposals: ReadonlySignal<boolean>
  /** Acts on comments and suggestions, once their code has loaded. `holdsTyping`: typing is blocked until then. A failed load is reported. */
  withReview(run: (review: Review) => void, holdsTyping?: boolean): Promise<void>
  /** Acts on the extras of the editor, in the same way. */
  withExtras(run: (part: ExtrasPart) => void): Promise<void>
  /** Acts on find and replace, in the same way. */
  withFind(run: (part: typeof Find) => void): Promise<void>
  /** Begins with a text that is on the page. Returns a function that ends it. */
  start(page: Page, editor: Editor): () => void
}

/** The page of a document, with all its features. */
export interface Page extends FeedView {
  readonly review: Parts['review']
  readonly parts: Parts
}
