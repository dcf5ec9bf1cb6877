/** The parts of a line, and what is known about the people who wrote them. */
import * as Y from 'yjs'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import type { Span } from './update-check.ts'

/** The most items of a line, and the most neighbors of a part, that are examined. */
export const itemsMax = 1000
const neighborsMax = 50

/** A part of a line that was visible before a move. */
export interface Piece {
  readonly id: Y.ID
  readonly text: string
}

export const textOf = ({ content }: Y.Item): string => (content instanceof Y.ContentString ? content.str : '')

export const isInSpans = (spans: readonly Span[], { client, clock }: Y.ID): boolean =>
  spans.some((each) => each.client === client && each.from <= clock && clock < each.to)

export const isIn = (id: Y.ID | null, pieces: readonly Piece[]): boolean =>
  id !== null &&
  pieces.some((piece) => piece.id.client === id.client && piece.id.clock <= id.clock && id.clock < piece.id.clock + piece.text.length)

/** Passes the parts of a line from its first character on to `take`. Returns the id of the line break, or undefined. */
export const walkLine = (
  store: Y.Doc['store'],
  first: Y.ID,
  end: Y.ID | undefined,
  take: (item: Y.Item, from: number, to: number) => boolean
) => {
  let offset = first.clock - (itemAt(store, first)?.id.clock ?? 0)
  for (
    let [item, step]: [Y.Item | null, number] = [itemAt(store, first) ?? null, 0];
    item !== null && step < itemsMax;
    item = item.right, step++
  ) {
    const stop = end?.client === item.id.client && end.clock >= item.id.clock && end.clock < item.id.clock + item.length
    const shown = take(item, offset, stop ? end.clock - item.id.clock : item.length)
    const at = shown ? textOf(item).indexOf('\n', offset) : -1
    if (at !== -1) return Y.createID(item.id.client, item.id.clock + at)
    if (stop) return end
    offset = 0
  }
  return undefined
}

/** Returns the parts of an item between line breaks. */
export const piecesOf = (item: Y.Item, from: number, to: number): Piece[] => {
  let clock = item.id.clock + from
  return textOf(item)
    .slice(from, to)
    .split('\n')
    .map((text) => {
      const id = Y.createID(item.id.client, clock)
      clock += text.length + 1
      return { id, text }
    })
}

/** Returns the parts of a line that are visible, and the line break behind it. The line does not end before its character `last`, if that is given. */
export const lineFrom = (store: Y.Doc['store'], first: Y.ID, isShown: (item: Y.Item) => boolean, last?: Y.ID | null) => {
  const pieces: Piece[] = []
  let isWhole = !last
  const end = walkLine(store, first, undefined, (item, from, to) => {
    const shown = isShown(item)
    const [piece] = shown ? piecesOf(item, from, to) : []
    if (piece !== undefined && piece.text !== '') pieces.push(piece)
    isWhole ||= isInSpans([spanOf(item, from, to)], last as Y.ID)
    return shown && isWhole
  })
  return { pieces, end }
}

export const spanOf = ({ id: { client, clock } }: Y.Item, from: number, to: number): Span => ({
  client,
  from: clock + from,
  to: clock + to
})

/** Returns the text that the writers of some parts did not know when they wrote: it is between a part and the neighbors that it was written next to. */
export const rivalsOf = (store: Y.Doc['store'], parts: readonly Piece[]): Span[] => {
  const rivals: Span[] = []
  for (const { id } of parts.slice(0, neighborsMax))
    for (const [side, neighbor] of [
      ['left', 'origin'],
      ['right', 'rightOrigin']
    ] as const) {
      const part = itemAt(store, id)
      const end = part?.[neighbor]
      let item = part?.[side]
      for (let step = 0; end && item && step < neighborsMax && !isInSpans([spanOf(item, 0, item.length)], end); item = item[side], step++)
        rivals.push(spanOf(item, 0, item.length))
    }
  return rivals
}

/**
 * Returns the first character that somebody wrote directly before a line, without a line break. Nobody who knows that the line was deleted writes
 * there. `known` are parts of the line that may have been brought to the new place.
 */
export const leadOf = (store: Y.Doc['store'], first: Y.ID, known: readonly Piece[]): Y.ID => {
  let lead = first
  let item = itemAt(store, first)?.left
  for (let step = 0; item && step < neighborsMax; item = item.left, step++) {
    const parts = isLive(item) ? piecesOf(item, 0, item.length) : []
    const id = parts.at(-1)?.id ?? item.id
    if (isSameId(item.rightOrigin, first) && parts.at(-1)?.text !== '' && (isLive(item) || isIn(id, known))) lead = id
    if (parts.length > 1) break
  }
  return lead
}

/** Returns the offset of a character; undefined if it was deleted. */
export const indexOf = (ydoc: Y.Doc, id: Y.ID): number | undefined => {
  const item = itemAt(ydoc.store, id)
  if (item === undefined || item.deleted) return undefined
  return Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON({ item: id }), ydoc)?.index
}

export const keyOf = ({ client, clock }: Y.ID): string => `${client} ${clock}`
export const isLive = (item: Y.Item): boolean => !item.deleted && item.countable
export const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('')

/** Whether the line break before a character is deleted. */
export const isJoined = (store: Y.Doc['store'], first: Y.ID): boolean => {
  const begin = itemAt(store, first)
  let item = begin !== undefined && begin.id.clock === first.clock ? begin.left : (begin ?? null)
  for (let step = 0; item !== null && !isLive(item) && step < itemsMax; item = item.left, step++)
    if (textOf(item).includes('\n')) return true
  return item !== null && isLive(item) && !/\n[ \t>]*$/.test(textOf(item))
}

/** Returns the ids of the characters of some parts. */
export const unitsOf = (pieces: readonly Piece[]): Y.ID[] =>
  pieces.flatMap(({ id, text }) => Array.from({ length: text.length }, (_unit, at) => Y.createID(id.client, id.clock + at)))

/** Returns the ids of at most `countMax` characters of some spans. */
export const idsIn = (spans: readonly Span[], countMax: number): Y.ID[] => {
  const ids: Y.ID[] = []
  for (const { client, from, to } of spans)
    for (let clock = from; clock < to && ids.length < countMax; clock++) ids.push(Y.createID(client, clock))
  return ids
}
