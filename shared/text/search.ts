/** Search in linear time for any text and pattern (`indexOf` takes minutes on adversarial texts). */

/** Below this length of the pattern, `indexOf` is quick on any text. */
const shortUnits = 8

/** For each prefix of the pattern the length of its longest proper suffix that is a prefix too (Knuth, Morris and Pratt). */
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

/** The offset after the next occurrence, of which `matched` units are before `at`; -1: there is none. */
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

/** Offsets of a nonempty pattern in the text, ascending; occurrences may overlap. */
export function* occurrences(text: string, pattern: string): Generator<number> {
  if (pattern.length <= shortUnits) return yield* shortOccurrences(text, pattern)
  const table = failures(pattern)
  let matched = 0
  let at = 0
  for (;;) {
    // Out here, because loops of generators run slowly.
    at = walk(text, pattern, table, matched, at)
    if (at === -1) return
    yield at - pattern.length
    matched = table[pattern.length] ?? 0
  }
}
