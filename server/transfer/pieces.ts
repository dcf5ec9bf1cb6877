/** Divides lists into pieces of limited size, so that no commit and no record becomes too large. */

/** The limits of a piece. An item that is larger than `bytesMax` gets a separate piece. */
export interface PieceLimits {
  readonly bytesMax: number
  readonly countMax: number
}

/** Divides items into pieces, in order. `bytesOf` returns the size of an item. */
export const piecesOf = <T>(items: readonly T[], bytesOf: (item: T) => number, { bytesMax, countMax }: PieceLimits): T[][] => {
  const pieces: T[][] = []
  let bytes = 0
  for (const item of items) {
    const piece = pieces.at(-1)
    if (piece === undefined || piece.length >= countMax || bytes + bytesOf(item) > bytesMax) {
      pieces.push([item])
      bytes = bytesOf(item)
    } else {
      piece.push(item)
      bytes += bytesOf(item)
    }
  }
  return pieces
}
