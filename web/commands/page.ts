/** The page as commands see it, with all features, including those that load on first use. This module contains only types. */
import type { ReadonlySignal } from '@preact/signals'
import type { insertComponent } from '../components/kind-parts.ts'
import type { Feed, FeedView } from '../activity/feed.ts'
import type { deleteBlock, duplicateBlock, moveBlock } from '../editor/blocks/commands.ts'
import type { openBlockMenu } from '../editor/blocks/open-menu.ts'
import type * as Find from '../editor/find/panel.tsx'
import type { openTableMenu } from '../editor/grid/menu.tsx'
import type { inserts } from '../editor/inserts.ts'
import type { Editor } from '../editor/setup/editor.ts'
import type { indentItem, outdentItem } from '../editor/list-levels.ts'
import type { alignColumn, alignColumnTo, deleteRow, moveColumn, moveRow, sortRows } from '../editor/table-moves.ts'
import type { clearFormats } from '../editor/clear-formats.ts'
import type { toggleList } from '../editor/list-kinds.ts'
import type { selectTitle } from '../editor/title-place.ts'
import type { Review } from '../review/annotations/review.ts'
import type { OpenReview } from '../review/review.ts'

/** The editor extras that commands use. */
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
  readonly indentItem: typeof indentItem
  readonly outdentItem: typeof outdentItem
  readonly clearFormats: typeof clearFormats
  readonly toggleList: typeof toggleList
  readonly moveColumn: typeof moveColumn
  readonly deleteRow: typeof deleteRow
  readonly moveRow: typeof moveRow
  readonly sortRows: typeof sortRows
  readonly selectTitle: typeof selectTitle
}

export interface Parts {
  /** Undefined until the code for comments and suggestions has loaded. */
  readonly review: ReadonlySignal<OpenReview | undefined>
  readonly feed: ReadonlySignal<Feed | undefined>
  /** Whether this device was in suggesting mode when the page opened. */
  readonly proposed: boolean
  /** Whether typing is blocked until the code for suggestions has loaded, because typed text may have to become a suggestion. */
  readonly awaitsProposals: ReadonlySignal<boolean>
  /**
   * Calls `run` with comments and suggestions, once their code has loaded. `holdsTyping` blocks typing until then. The page reports a failed load.
   */
  withReview(run: (review: Review) => void, holdsTyping?: boolean): Promise<void>
  /** Calls `run` with the editor extras, once they have loaded. */
  withExtras(run: (part: ExtrasPart) => void): Promise<void>
  /** Calls `run` with the find panel's code, once it has loaded. */
  withFind(run: (part: typeof Find) => void): Promise<void>
  /** Starts the lazily loaded parts for text that has been shown. Returns a function that stops them. */
  start(page: Page, editor: Editor): () => void
}

/** The page of a document with all its features. */
export interface Page extends FeedView {
  readonly review: Parts['review']
  readonly parts: Parts
}
