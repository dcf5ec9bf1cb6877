/** Applies edits to the text of a document. */
import type * as Y from 'yjs'
import type { Edit } from './diff.ts'

/**
 * Applies edits in one transaction of the caller. The edits are in ascending order and must not overlap. If `before` is given, which is the text before
 * them, a deleted character stays behind each removed text with a line break. People who then write at the end of the line above write behind this
 * character. Without it, their text would look like text of somebody who still sees the removed line.
 */
export const applyToText = (text: Y.Text, edits: readonly Edit[], before?: string): void => {
  // The order from the last to the first keeps offsets valid.
  for (const { from, to, insert } of edits.toReversed()) {
    if (to > from) text.delete(from, to - from)
    if (insert !== '') text.insert(from, insert)
    else if (before?.slice(from, to).includes('\n') === true) {
      text.insert(from, '-')
      text.delete(from, 1)
    }
  }
}
