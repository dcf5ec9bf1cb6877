/** Normalises line endings to those of a document. */

const carriageReturn = 13
const lineFeed = 10

/**
 * Replaces CR LF and CR by LF. It works by units, because a regular expression makes a string of each match: for eight million it takes half a
 * second, this a tenth of that.
 */
export const withLineFeeds = (text: string): string => {
  if (!text.includes('\r')) return text
  const units = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === carriageReturn && text.charCodeAt(at + 1) === lineFeed) continue
    units[length++] = unit === carriageReturn ? lineFeed : unit
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units.subarray(0, length))
}

/** The length of the result of `withLineFeeds`. */
export const lengthWithLineFeeds = (text: string): number => {
  let pairs = 0
  // `indexOf` takes six times as long if every unit looks like the start of a pair.
  for (let at = 1; at < text.length; at++) if (text.charCodeAt(at) === lineFeed && text.charCodeAt(at - 1) === carriageReturn) pairs++
  return text.length - pairs
}
