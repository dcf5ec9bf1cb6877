/**
 * Reduces text to its visible words. Runs of whitespace become one space, and Markdown marks and link targets are removed. Curly quotes and dashes
 * become plain ones, and letters with separate accents become one unit (NFC). Each remaining unit has its source offset, so that a match in the
 * folded text has a range in the source.
 */

export interface Folded {
  readonly text: string
  /** Source offset of each unit in `text`. */
  readonly at: Int32Array
}

/** Longest link target that is removed, in UTF-16 units. Longer text in parentheses is not an address. */
const targetUnitsMax = 500

const code = (character: string): number => character.charCodeAt(0)
const space = 32
const newline = 10
const exclamation = code('!')
const [openBracket, closeBracket, openParenthesis, closeParenthesis] = ['[', ']', '(', ')'].map(code)

/**
 * How each unit is treated. 0: it is kept. 1: it is whitespace. 2: it is a mark. 3: it may be an accent of the previous letter. Any other value
 * replaces the unit.
 */
const [asSpace, asMark, asAccent] = [1, 2, 3] as const
const fates = new Uint16Array(0x10000)
// Combining marks, the voicing marks of kana, and the vowels and final consonants of Hangul syllables.
const joining = [
  [0x0300, 0x036f],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x3099, 0x309a],
  [0x1161, 0x1175],
  [0x11a8, 0x11c2],
  [0xfe20, 0xfe2f]
] as const
for (const [from, to] of joining) fates.fill(asAccent, from, to + 1)

/** Whether a unit may be part of the letter before it. */
export const isAccent = (unit: number): boolean => fates[unit] === asAccent
for (const unit of Array.from(' \t\n\v\f\r|\u00a0\u2028\u2029').map(code)) fates[unit] = asSpace
for (const mark of '*_`~[]\\') fates[code(mark)] = asMark
for (const quote of '‘’‚‛') fates[code(quote)] = code("'")
for (const quote of '“”„‟') fates[code(quote)] = code('"')
for (const dash of '‐‑–—−') fates[code(dash)] = code('-')

// Marks that may precede the words of a line, in any order: quote, list, heading and task marks.
const lineMark = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t\n]|$)|\[[ xX]\](?=[ \t]))/y

/** Returns the offset after the closing parenthesis of the link target that opens at `open`; undefined if it does not close on this line. */
const targetEnd = (text: string, open: number): number | undefined => {
  let depth = 0
  const end = Math.min(text.length, open + targetUnitsMax)
  for (let at = open; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit === newline) return undefined
    if (unit === openParenthesis) depth++
    if (unit === closeParenthesis && --depth === 0) return at + 1
  }
  return undefined
}

const stringOf = (units: Uint16Array): string => {
  const parts: string[] = []
  for (let at = 0; at < units.length; at += 8192) parts.push(String.fromCharCode(...units.subarray(at, at + 8192)))
  return parts.join('')
}

/** Folds text in linear time. */
export const fold = (text: string): Folded => {
  const units = new Uint16Array(text.length)
  const sources = new Int32Array(text.length)
  let length = 0
  // Link targets that open before this offset are not searched for their end: an earlier search has already reached this offset without finding an
  // end.
  let scanned = 0
  const put = (unit: number, source: number): void => {
    units[length] = unit
    sources[length++] = source
  }
  const skipLineMarks = (at: number): number => {
    let end = at
    for (lineMark.lastIndex = at; lineMark.test(text);) end = lineMark.lastIndex
    return end
  }
  const skipTarget = (open: number): number => {
    if (open < scanned) return open
    const end = targetEnd(text, open)
    if (end === undefined) scanned = open + targetUnitsMax
    return end ?? open
  }
  /** Joins an accent to the previous letter if Unicode has one unit for both. */
  const joinAccent = (accent: number, source: number): void => {
    const whole = length === 0 ? '' : String.fromCharCode(units[length - 1] ?? 0, accent).normalize('NFC')
    if (whole.length === 1) units[length - 1] = whole.charCodeAt(0)
    else put(accent, source)
  }
  let at = skipLineMarks(0)
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const fate = fates[unit] ?? 0
    if (fate === 0) {
      if (unit !== exclamation || text.charCodeAt(at + 1) !== openBracket) put(unit, at)
      at++
    } else if (fate === asSpace) {
      if (length > 0 && units[length - 1] !== space) put(space, at)
      at = unit === newline ? skipLineMarks(at + 1) : at + 1
    } else if (fate === asAccent) joinAccent(unit, at++)
    else if (fate !== asMark) put(fate, at++)
    else at = unit === closeBracket && text.charCodeAt(at + 1) === openParenthesis ? skipTarget(at + 1) : at + 1
  }
  if (length > 0 && units[length - 1] === space) length--
  return { text: stringOf(units.subarray(0, length)), at: sources.slice(0, length) }
}
