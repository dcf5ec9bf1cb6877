/** Line ends as a document keeps them. */

const carriageReturn = 13
const lineFeed = 10

/**
 * The text with CR LF and CR as LF. By units, because a replacement by pattern makes a piece of each match: eight million of them took the
 * processor half a second, this takes a tenth of it.
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

/** Length that `withLineFeeds` leaves. */
export const lengthWithLineFeeds = (text: string): number => {
  let pairs = 0
  // `indexOf` takes six times as long where every unit begins a pair that is none.
  for (let at = 1; at < text.length; at++) if (text.charCodeAt(at) === lineFeed && text.charCodeAt(at - 1) === carriageReturn) pairs++
  return text.length - pairs
}
