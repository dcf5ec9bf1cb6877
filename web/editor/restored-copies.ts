/** The copies of deleted text that undo and redo restored. */
import * as Y from 'yjs'
import { itemAt } from '../../shared/text/items.ts'

/** Returns the id and the item of a character, or of its latest copy that undo restored. */
export function latestOf(store: Y.Doc['store'], id: Y.ID): { readonly id: Y.ID; readonly item: Y.Item } | undefined {
  let item = itemAt(store, id)
  let now = id
  while (item !== undefined && item.redone !== null) {
    now = Y.createID(item.redone.client, item.redone.clock + now.clock - item.id.clock)
    item = itemAt(store, now)
  }
  return item && { id: now, item }
}
