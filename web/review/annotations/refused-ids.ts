/** Finds the edits that the service refused by the ids of their characters, and takes back those that another tab has suggested already. */
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import type { EditedIds, Ids } from '../../device/suggested-edits.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the parts of a range that none of the others contains. The others are ascending. */
const without = ({ from, to }: Range, others: readonly { readonly clock: number; readonly len: number }[]): Range[] => {
  const rest: Range[] = []
  let at = from
  for (const { clock, len } of others) {
    if (clock >= to) break
    if (clock + len <= at) continue
    if (clock > at) rest.push({ from: at, to: clock })
    at = clock + len
  }
  if (at < to) rest.push({ from: at, to })
  return rest
}

/** Returns the characters that a document has inserted and deleted, and its copy from the service has not. */
export function refusedIn(doc: Y.Doc, copy: Y.Doc): EditedIds {
  const inserted = [...doc.store.clients.keys()].flatMap((client): Ids[] => {
    const [from, to] = [Y.getState(copy.store, client), Y.getState(doc.store, client)]
    return from < to ? [[client, from, to - from]] : []
  })
  const gone = Y.createDeleteSetFromStructStore(copy.store).clients
  const deleted = [...Y.createDeleteSetFromStructStore(doc.store).clients].flatMap(([client, ranges]) =>
    ranges.flatMap(({ clock, len }) => {
      const known = { from: clock, to: Math.min(clock + len, Y.getState(copy.store, client)) }
      return without(known, gone.get(client) ?? []).map(({ from, to }): Ids => [client, from, to - from])
    })
  )
  return { inserted, deleted }
}

/** Returns the parts of an item that have some of the ids, as offsets in the item. */
const partsOf = ({ id, length }: Y.Item, ids: readonly Ids[]): Range[] =>
  ids.flatMap(([client, clock, count]) => {
    const [from, to] = [Math.max(clock - id.clock, 0), Math.min(clock + count - id.clock, length)]
    return client === id.client && from < to ? [{ from, to }] : []
  })

function* itemsOf(doc: Y.Doc): Generator<Y.Item> {
  for (let item = doc.getText(textRootName)._start; item !== null; item = item.right) yield item
}

/** Returns the text of an item that a document still has; '' if it has deleted the item. */
const textOf = ({ content }: Y.Item): string => (content instanceof Y.ContentString ? content.str : '')

/** Returns the edits of the document's text that take back edits by their ids. They are ascending. `copy` has all deleted characters. */
export function takingBack(doc: Y.Doc, copy: Y.Doc, { inserted, deleted }: EditedIds): Edit[] {
  const letters = new Map<string, string>()
  for (const item of deleted.length > 0 ? itemsOf(copy) : [])
    for (const { from, to } of item.deleted ? [] : partsOf(item, deleted))
      for (let at = from; at < to; at++) letters.set(`${item.id.client} ${item.id.clock + at}`, textOf(item).charAt(at))
  const edits: Edit[] = []
  let at = 0
  for (const item of itemsOf(doc)) {
    const { client, clock } = item.id
    if (item.deleted)
      for (const { from, to } of partsOf(item, deleted)) {
        const lost = Array.from({ length: to - from }, (_, index) => letters.get(`${client} ${clock + from + index}`) ?? '')
        edits.push({ from: at, to: at, insert: lost.join('') })
      }
    else {
      for (const { from, to } of partsOf(item, inserted)) edits.push({ from: at + from, to: at + to, insert: '' })
      at += item.length
    }
  }
  return edits
}
