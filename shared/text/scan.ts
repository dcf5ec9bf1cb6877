/**
 * Small scanners for untrusted text. Each takes linear time on any text, whereas an equivalent regular expression would try again from every offset.
 */
const space = 32
const tab = 9

/** Returns the offset of the first unit at or after `at` that is neither a space nor a tab; `end` if there is none. */
export const skipBlanks = (text: string, at: number, end = text.length): number => {
  let offset = at
  while (offset < end && (text.charCodeAt(offset) === space || text.charCodeAt(offset) === tab)) offset += 1
  return offset
}

/** Returns the offset after the last unit before `end` that is neither a space nor a tab; `from` if there is none. */
export const trimBlanks = (text: string, from: number, end = text.length): number => {
  let offset = end
  while (offset > from && (text.charCodeAt(offset - 1) === space || text.charCodeAt(offset - 1) === tab)) offset -= 1
  return offset
}

/** Returns the offset after a run of some characters. The run begins at `at` and may be empty. */
export const runEnd = (text: string, characters: string, at: number): number => {
  let offset = at
  while (offset < text.length && characters.includes(text.charAt(offset))) offset += 1
  return offset
}

/** Returns the offset at which a run of some characters begins. The run ends at `end` and does not extend beyond `from`. */
export const runStart = (text: string, characters: string, end: number, from = 0): number => {
  let offset = end
  while (offset > from && characters.includes(text.charAt(offset - 1))) offset -= 1
  return offset
}

/** Returns the text without the given characters at its end. */
export const withoutEnd = (text: string, characters: string): string => text.slice(0, runStart(text, characters, text.length))

/** Returns the text without the given characters at its beginning and end. */
export const withoutEnds = (text: string, characters: string): string => withoutEnd(text.slice(runEnd(text, characters, 0)), characters)

/** Whether the text contains a JavaScript line terminator. In a regular expression, `.` does not match such a character. */
export const breaksLine = (text: string): boolean => /[\n\r\u2028\u2029]/.test(text)

export interface Atx {
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** The title with its Markdown marks, but without the closing `#`. */
  readonly title: string
}

const marksMax = 6

/** Returns the heading on a line that begins with `#` (CommonMark 4.2); undefined if the line is not such a heading. */
export const atxOf = (line: string): Atx | undefined => {
  const indent = runEnd(line, ' ', 0)
  const marks = runEnd(line, '#', indent)
  const level = marks - indent
  const from = skipBlanks(line, marks)
  if (indent > 3 || level === 0 || level > marksMax || (from === marks && marks < line.length)) return undefined
  if (breaksLine(line)) return undefined
  const end = trimBlanks(line, from)
  const closing = runStart(line, '#', end, from)
  const bare = trimBlanks(line, from, closing)
  return { level, title: line.slice(from, bare < closing ? bare : end) }
}

/** Returns the text without references to footnotes, such as `[^1]`. */
export const withoutFootnotes = (text: string): string => {
  const parts: string[] = []
  let kept = 0
  for (let at = text.indexOf('[^'); at !== -1;) {
    let end = at + 2
    while (end < text.length && text[end] !== ']' && !/\s/.test(text.charAt(end))) end += 1
    if (text[end] === ']' && end > at + 2) {
      parts.push(text.slice(kept, at))
      kept = end + 1
    }
    // A reference that begins inside this one would end at the same place.
    at = text.indexOf('[^', Math.max(end, at + 2))
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept)
}

/** Returns the text with its links and pictures replaced by the text in brackets. */
export const withoutTargets = (text: string): string => {
  const parts: string[] = []
  let kept = 0
  for (let open = text.indexOf('['); open !== -1;) {
    const close = text.indexOf(']', open)
    const end = close === -1 || text[close + 1] === '(' ? text.indexOf(')', close) : close
    if (close === -1 || end === -1) break
    if (end > close) {
      const from = open > kept && text[open - 1] === '!' ? open - 1 : open
      parts.push(text.slice(kept, from), text.slice(open + 1, close))
      kept = end + 1
    }
    // A link that begins before this bracket would have to end at it as well.
    open = text.indexOf('[', end + 1)
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept)
}
