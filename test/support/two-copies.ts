/** Two copies of one text, as a page and somebody else have them. */
import * as Y from 'yjs'

export interface TwoCopies {
  readonly own: Y.Text
  readonly other: Y.Text
  /** Brings the changes of each copy to the other one. */
  exchange(): void
}

export function twoCopies(start: string): TwoCopies {
  const [own, other] = [new Y.Doc().getText(), new Y.Doc().getText()] as const
  const exchange = (): void => {
    for (const [from, to] of [
      [own, other],
      [other, own]
    ] as const)
      Y.applyUpdate(to.doc as Y.Doc, Y.encodeStateAsUpdate(from.doc as Y.Doc), 'sync')
  }
  other.insert(0, start)
  exchange()
  return { own, other, exchange }
}
