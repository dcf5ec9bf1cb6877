/** The page as its commands have it: all features together, and those that are fetched when they are first asked for. Types alone. */
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

/** Aids to writing, as far as commands give them. */
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
  /** Undefined until they are there. */
  readonly review: ReadonlySignal<OpenReview | undefined>
  readonly feed: ReadonlySignal<Feed | undefined>
  /** Whether this device was to propose what is typed when the page was opened. */
  readonly proposed: boolean
  /** Typed text may have to be proposed, and the code for that is not there yet: until then nothing may be typed. */
  readonly awaitsProposals: ReadonlySignal<boolean>
  /**
   * Does something with comments and suggestions: at once when they are there, else when they were fetched. `holdsTyping`: nothing may be
   * typed before. When they cannot be had, that is said.
   */
  withReview(run: (review: Review) => void, holdsTyping?: boolean): Promise<void>
  /** Does something with what makes writing easier, in the same way. */
  withExtras(run: (part: ExtrasPart) => void): Promise<void>
  /** Does something with what finds and replaces, in the same way. */
  withFind(run: (part: typeof Find) => void): Promise<void>
  /** Begins with a text that is on the page. Answers with its end. */
  start(page: Page, editor: Editor): () => void
}

/** The page of a document, with all its features. */
export interface Page extends FeedView {
  readonly review: Parts['review']
  readonly parts: Parts
}
