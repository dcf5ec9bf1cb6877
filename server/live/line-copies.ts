/** The copies of a line that several people have moved without knowing of each other. */
import type * as Y from 'yjs'
import { copiesOf, hasArrived, isRewritten } from '../../shared/text/moved-lines.ts'
import { indexOf, isLive, lineFrom } from './line-parts.ts'
import type { Copy } from './moved-line-edits.ts'

/** Returns the copies of a line that exist, in the order of the text. */
export const copiesIn = (ydoc: Y.Doc, first: Y.ID): Copy[] =>
  copiesOf(ydoc.store, first)
    .flatMap((id): Copy[] => {
      const at = indexOf(ydoc, id)
      if (at === undefined) return []
      const items = lineFrom(ydoc.store, id, isLive).pieces
      const isChanged = items.some((piece) => piece.id.client !== id.client)
      const others = items.slice(1).flatMap((piece) => (hasArrived(ydoc.store, piece.id) ? (indexOf(ydoc, piece.id) ?? []) : []))
      const parts = items.map((piece) => ({ client: piece.id.client, length: piece.text.length }))
      return [{ at, id, client: id.client, isChanged, isRewritten: isRewritten(ydoc.store, id), parts, joined: others }]
    })
    .toSorted((one, other) => one.at - other.at)
