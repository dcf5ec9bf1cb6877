/** Finds the last item that begins at or before a position, and returns its index, or 0 if there is no such item. The items must be in ascending order. */
export function lastAt<Item>(items: readonly Item[], beginOf: (item: Item) => number, position: number): number {
  let [low, high] = [0, items.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (beginOf(items[middle] as Item) <= position) low = middle
    else high = middle
  }
  return low
}
