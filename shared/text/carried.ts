/**
 * Marks that lead from deleted characters to the same characters elsewhere, after a person has moved them, or has cut and pasted them. Anchors follow
 * these marks, so even short or repeated words keep their comments. A mark is deleted characters with successive clocks: one before an old item, three
 * or more before a new one, and one before the first of these. The number of those in the middle encodes where in the new item the old one begins.
 * Marks of moved lines (moved-lines.ts) have two characters there. Undo leaves a mark of its own: Yjs restores text directly before its deleted original.
 */
import * as Y from 'yjs'
import { isSameId, itemAt } from './items.ts'

/** A run of deleted characters, and the first of the same characters at their new place. */
export interface Carried {
  readonly from: Y.ID
  readonly to: Y.ID
  /** In UTF-16 units. */
  readonly length: number
}

/** The most items that are examined before one character, and for all anchors together. */
const neighborsMax = 50
const stepsMax = 50_000
/** The most places to which one character was moved in turn. */
const hopsMax = 200

const lengthMin = 3

/** Returns how many characters encode the distance from the beginning of the new item to that of the old one in it. */
export const lengthOf = (shift: number): number => lengthMin + (shift < 0 ? -2 * shift - 1 : 2 * shift)

const shiftOf = (length: number): number => {
  const code = length - lengthMin
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2
}

/** Returns the place to which a mark leads from the item before which it is, if another item is the first character of this mark. */
const carriedTo = (store: Y.Doc['store'], { id, deleted, length }: Y.Item): Y.ID | undefined => {
  const at = Y.createID(id.client, id.clock + 1)
  const there = deleted && length === 1 ? itemAt(store, at) : undefined
  if (there?.deleted !== true || there.length < lengthMin || !isSameId(there.id, at) || there.rightOrigin === null) return undefined
  const last = itemAt(store, Y.createID(id.client, at.clock + there.length))
  if (last === undefined || !isSameId(last.rightOrigin, id)) return undefined
  const { client, clock } = there.rightOrigin
  return Y.createID(client, clock + shiftOf(there.length))
}

/** Whether an item continues text that was inserted together with it. */
const isContinued = (store: Y.Doc['store'], { id, origin, rightOrigin }: Y.Item): boolean =>
  origin?.client === id.client && origin.clock === id.clock - 1 && isSameId(itemAt(store, origin)?.rightOrigin ?? null, rightOrigin)

export interface Follower {
  /** Returns the runs (client, clock, length) in which the deleted characters of these runs are now. `quote` is their text. */
  readonly spans: (spans: readonly number[], quote: string) => readonly number[]
  /** Returns the character to which a mark leads from a deleted one. */
  readonly character: (id: Y.ID) => Y.ID | undefined
}

/**
 * Creates a follower for the anchors in one version of the text. Its time is bounded, regardless of the number of marks. With `restored`, it also
 * follows characters to text directly before them, which undo may have restored there. Others can have typed the same letters there.
 */
export const createFollower = (store: Y.Doc['store'], restored: boolean): Follower => {
  /** Items from whose first character nothing leads elsewhere. */
  const ends = new Set<Y.Item>()
  /** Deleted characters whose places were examined. If they exist elsewhere, they were found then. */
  const seen = new Set<string>()
  let steps = 0

  /** Returns the places to which the first character of an item was moved, the last one first. */
  const placesOf = (first: Y.Item): Y.ID[] => {
    const found: Y.ID[] = []
    for (let [item, count] = [first.left, 0]; item !== null && count < neighborsMax; item = item.left, count++) {
      steps += 1
      if (!isSameId(item.rightOrigin, first.id)) {
        // Marks and restored text are directly before the character.
        if (!item.deleted) break
        continue
      }
      const to = carriedTo(store, item)
      if (to !== undefined) found.push(to)
      else if (restored && !isContinued(store, item)) found.push(item.id)
    }
    return found
  }

  /** Returns the places to which an item was moved. Yjs may have split the run since. */
  const targetsOf = (item: Y.Item): Y.ID[] => {
    for (let first = item; steps < stepsMax && !ends.has(first);) {
      const found = placesOf(first)
      const offset = item.id.clock - first.id.clock
      if (found.length > 0) return found.map(({ client, clock }) => Y.createID(client, clock + offset))
      ends.add(first)
      const { id, left } = first
      if (left?.deleted !== true || left.id.client !== id.client || left.id.clock + left.length !== id.clock) return []
      first = left
    }
    return []
  }

  /** Returns the place where the characters of a run exist, and how many of them. Undefined if they exist nowhere. */
  const follow = (
    id: Y.ID,
    length: number,
    isWanted: (item: Y.Item, offset: number, length: number) => boolean,
    hops: number
  ): Carried | undefined => {
    const item = itemAt(store, id)
    if (item === undefined) return undefined
    const offset = id.clock - item.id.clock
    const units = Math.min(length, item.length - offset)
    if (!item.deleted) return isWanted(item, offset, units) ? { from: id, to: id, length: units } : undefined
    const key = `${id.client} ${id.clock}`
    if (hops === 0 || seen.has(key)) return undefined
    seen.add(key)
    for (const { client, clock } of targetsOf(item)) {
      const found = follow(Y.createID(client, clock + offset), units, isWanted, hops - 1)
      if (found === undefined) continue
      seen.delete(key)
      return { ...found, from: id }
    }
    return undefined
  }

  return {
    spans(spans, quote) {
      const found: number[] = []
      let at = 0
      for (let index = 0; index < spans.length; index += 3) {
        const [client, begin, length] = [spans[index] ?? 0, spans[index + 1] ?? 0, spans[index + 2] ?? 0]
        for (let clock = begin; clock < begin + length;) {
          const id = Y.createID(client, clock)
          const item = itemAt(store, id)
          const rest = Math.min(begin + length - clock, item === undefined ? length : item.id.clock + item.length - clock)
          const words = quote.slice(at, at + rest)
          // The place must have the same characters, so a mark leads to no other words.
          const isSame = ({ content }: Y.Item, offset: number, units: number): boolean =>
            content instanceof Y.ContentString && content.str.slice(offset, offset + units) === words.slice(0, units)
          const now = follow(id, rest, isSame, hopsMax)
          const units = now?.length ?? rest
          found.push(now?.to.client ?? client, now?.to.clock ?? clock, units)
          clock += units
          at += units
        }
      }
      return found
    },
    character(id) {
      let now: Y.ID | undefined = id
      for (let hops = 0; now !== undefined && hops < hopsMax; hops++) {
        const item = itemAt(store, now)
        if (item?.deleted !== true) return item && now
        const offset: number = now.clock - item.id.clock
        const [to] = targetsOf(item)
        now = to && Y.createID(to.client, to.clock + offset)
      }
      return undefined
    }
  }
}
