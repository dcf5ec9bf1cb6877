/** Finds characters and items of a Yjs document by their ids. */
import * as Y from 'yjs'

export const isSameId = (one: Y.ID | null, other: Y.ID | null): boolean =>
  one === other || (one !== null && other !== null && one.client === other.client && one.clock === other.clock)

/** Returns the item that contains a character; undefined if there is none, or if Yjs has forgotten the item. */
export const itemAt = (store: Y.Doc['store'], id: Y.ID | null): Y.Item | undefined => {
  if (id === null || id.clock < 0 || id.clock >= Y.getState(store, id.client)) return undefined
  const item = Y.getItem(store, id)
  return item instanceof Y.Item ? item : undefined
}
