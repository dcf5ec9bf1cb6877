/**
 * Edits that two nodes accepted. A page that moves to another node sends again what its former node has not acknowledged, and both nodes may write it.
 * Yjs identifies each character by client id and clock, so the same character is stored once. Two nodes contradict each other only if they accepted
 * different characters with the same id.
 */
import * as Y from 'yjs'

type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number]

const isSameId = (one: Y.ID | null, other: Y.ID | null): boolean =>
  one === null || other === null ? one === other : Y.compareIDs(one, other)

/** Returns the id of the character to the left of which a character was inserted. `clock` is inside the item. */
const leftOf = ({ id, origin }: Y.Item, clock: number): Y.ID | null => (clock === id.clock ? origin : Y.createID(id.client, clock - 1))

/** Whether the characters from the clock `from` up to, but not including, `to` are the same in both structs. Deleted text matches any text. */
const isSame = (one: Struct, other: Struct, from: number, to: number): boolean => {
  if (!(one instanceof Y.Item) || !(other instanceof Y.Item)) return true
  if (!isSameId(leftOf(one, from), leftOf(other, from)) || !isSameId(one.rightOrigin, other.rightOrigin)) return false
  if (!(one.content instanceof Y.ContentString) || !(other.content instanceof Y.ContentString)) return true
  const textOf = ({ str }: Y.ContentString, { clock }: Y.ID): string => str.slice(from - clock, to - clock)
  return textOf(one.content, one.id) === textOf(other.content, other.id)
}

/** Returns the structs of some updates by client, in the order of their clocks. */
const structsOf = (updates: readonly Uint8Array[]): Map<number, Struct[]> => {
  const structs = Map.groupBy(
    updates.flatMap((update) => Y.decodeUpdate(update).structs),
    ({ id }) => id.client
  )
  for (const list of structs.values()) list.sort((one, other) => one.id.clock - other.id.clock)
  return structs
}

/** Whether the updates contain different characters with the same id. Takes time in proportion to the size of the updates. */
export const contradict = (updates: readonly Uint8Array[], others: readonly Uint8Array[]): boolean => {
  const structs = structsOf(updates)
  for (const [client, list] of structsOf(others)) {
    const own = structs.get(client) ?? []
    let at = 0
    for (const other of list) {
      const end = other.id.clock + other.length
      for (; at < own.length; at++) {
        const one = own[at] as Struct
        const [from, to] = [Math.max(one.id.clock, other.id.clock), Math.min(one.id.clock + one.length, end)]
        if (from < to && !isSame(one, other, from, to)) return true
        if (one.id.clock + one.length > end) break
      }
    }
  }
  return false
}

/** Returns the rest of an update after the given clocks by client; undefined if nothing is left. */
export const restOf = (update: Uint8Array, clocks: ReadonlyMap<number, number>): Uint8Array | undefined => {
  const isRepeated = [...Y.parseUpdateMeta(update).from].some(([client, clock]) => clock < (clocks.get(client) ?? 0))
  if (!isRepeated) return update
  const rest = Y.diffUpdate(update, Y.encodeStateVector(clocks as Map<number, number>))
  const { structs, ds } = Y.decodeUpdate(rest)
  return structs.length === 0 && ds.clients.size === 0 ? undefined : rest
}
