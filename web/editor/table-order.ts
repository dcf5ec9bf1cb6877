/** Computes the order of rows by the text in a column, and the rows that can stay in place. */

/** Returns the number that the text represents, or undefined. A comma is a decimal separator unless three digits follow it. */
function numberIn(text: string): number | undefined {
  const plain = text.replaceAll(/[\s'%€$£]/g, '')
  if (!/^[-+−]?[\d.,]+$/.test(plain) || !/\d/.test(plain)) return undefined
  const isDecimal = /^[-+−]?\d+,\d+$/.test(plain) && !/,\d{3}$/.test(plain)
  const value = Number((isDecimal ? plain.replace(',', '.') : plain.replaceAll(',', '')).replace('−', '-'))
  return Number.isNaN(value) ? undefined : value
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Returns the indices of strings in sorted order: numbers by value, then other strings. Empty strings come last, in both directions. */
export function sortedOrder(texts: readonly string[], descending: boolean): number[] {
  const rows = texts.map((text, index) => ({ index, text, value: numberIn(text) }))
  const sign = descending ? -1 : 1
  rows.sort((one, other) => {
    if (one.text === '' || other.text === '') return Number(one.text === '') - Number(other.text === '') || one.index - other.index
    const byValue =
      one.value !== undefined && other.value !== undefined
        ? one.value - other.value
        : Number(one.value === undefined) - Number(other.value === undefined) || collator.compare(one.text, other.text)
    return sign * byValue || one.index - other.index
  })
  return rows.map(({ index }) => index)
}

/** Returns the longest increasing subsequence of the indices. These rows stay in place while the others move. */
export function longestRun(order: readonly number[]): Set<number> {
  /** For each length, the index of the smallest last member of an increasing subsequence. */
  const ends: number[] = []
  const before: number[] = []
  order.forEach((index, at) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((order[ends[middle] ?? 0] ?? 0) < index) low = middle + 1
      else high = middle
    }
    before[at] = low === 0 ? -1 : (ends[low - 1] ?? -1)
    ends[low] = at
  })
  const run = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) run.add(order[at] ?? 0)
  return run
}
