/** The positions of cards next to the text: each at its words, moved apart where they would overlap. */

export interface Card {
  /** Its ideal position, in pixels from the top. */
  readonly at: number
  readonly height: number
}

/** Pixels above the uppermost card. */
const edge = 8
/** Pixels between two cards. */
const gap = 8

/** Returns the tops of cards in the order of the text. The one with the index `fixed` (-1: none) is at its ideal position. */
export function pushedApart(cards: readonly Card[], fixed: number): number[] {
  const tops: number[] = []
  let end = -Infinity
  for (const [index, { at, height }] of cards.entries()) {
    const top = index === fixed ? at : Math.max(at, end)
    tops.push(top)
    end = top + height + gap
  }
  // Cards above the fixed one move up.
  for (let index = fixed - 1; index >= 0; index--) {
    const room = (tops[index + 1] ?? 0) - gap - (cards[index]?.height ?? 0)
    if ((tops[index] ?? 0) <= room) break
    tops[index] = room
  }
  // Nobody could scroll to a card above the top of the page.
  let least = edge
  for (const [index, { height }] of cards.entries()) {
    const top = Math.max(tops[index] ?? 0, least)
    if (top === tops[index] && index > fixed) break
    tops[index] = top
    least = top + height + gap
  }
  return tops
}
