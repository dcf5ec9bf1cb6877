/** The colors of people. A name has the same color on every page, at any time. */

/** Number of hues (`--hue-0` to `--hue-9`). */
export const hues = 10

/** The accent hue of the page. It marks the reader's own caret and selection, and no other person gets it. */
export const ownHue = 5

/** Returns the hue for a name. */
export function hueOfName(name: string): number {
  // FNV-1a spreads names that differ in a single letter over different hues.
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  const hue = (hash >>> 8) % hues
  return hue === ownHue ? (hash >>> 20) % ownHue : hue
}
