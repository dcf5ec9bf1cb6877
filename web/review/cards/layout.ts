/** Computes the positions of cards next to the text. Each card is at its words, and cards that would overlap are moved apart. */

export interface Card {
  /** The ideal position, in pixels from the top. */
  readonly at: number
  readonly height: number
}

/** Space above the first card, in pixels. */
const edge = 8
/** Space between two cards, in pixels. */
const gap = 8

/** Returns the top positions of cards, which are in text order. The card with the index `fixed` keeps its ideal position; -1 means none. */
export function pushedApart(cards: readonly Card[], fixed: number): number[] {
  const tops: number[] = []
  let end = -Infinity
  for (const [index, { at, height }] of cards.entries()) {
    const top = index === fixed ? at : Math.max(at, end)
    tops.push(top)
    end = top + height + gap
  }
  // Cards above the fixed card move up.
  for (let index = fixed - 1; index >= 0; index--) {
    const room = (tops[index + 1] ?? 0) - gap - (cards[index]?.height ?? 0)
    if ((tops[index] ?? 0) <= room) break
    tops[index] = room
  }
  // No card is placed above the top of the page, because nobody could scroll to it.
  let least = edge
  for (const [index, { height }] of cards.entries()) {
    const top = Math.max(tops[index] ?? 0, least)
    if (top === tops[index] && index > fixed) break
    tops[index] = top
    least = top + height + gap
  }
  return tops
}
