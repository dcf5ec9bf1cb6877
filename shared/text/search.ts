/** Searches for any pattern in any text in linear time. On adversarial text, `indexOf` takes minutes. */

/** Longest pattern for which `indexOf` is fast on any text, in UTF-16 units. */
const shortUnits = 8

/** Returns, for each prefix of the pattern, the length of its longest proper suffix that is also a prefix (Knuth, Morris and Pratt). */
const failures = (pattern: string): Int32Array => {
  const table = new Int32Array(pattern.length + 1)
  let matched = 0
  for (let at = 1; at < pattern.length; at++) {
    const unit = pattern.charCodeAt(at)
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = table[matched] ?? 0
    if (pattern.charCodeAt(matched) === unit) matched++
    table[at + 1] = matched
  }
  return table
}

/** Returns the offset after the next occurrence; -1 if there is none. `matched` units of the occurrence may already precede `at`. */
const walk = (text: string, pattern: string, table: Int32Array, matched: number, at: number): number => {
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = table[matched] ?? 0
    if (pattern.charCodeAt(matched) === unit) matched++
    if (matched === pattern.length) return at + 1
  }
  return -1
}

function* shortOccurrences(text: string, pattern: string): Generator<number> {
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) yield at
}

/** Yields the offsets of a nonempty pattern in the text, ascending. Occurrences may overlap. */
export function* occurrences(text: string, pattern: string): Generator<number> {
  if (pattern.length <= shortUnits) return yield* shortOccurrences(text, pattern)
  const table = failures(pattern)
  let matched = 0
  let at = 0
  for (;;) {
    // The loop is in a separate function, because loops inside generators are slow.
    at = walk(text, pattern, table, matched, at)
    if (at === -1) return
    yield at - pattern.length
    matched = table[pattern.length] ?? 0
  }
}
