/** The presence colours. Each name has one, which is the same on every page and every day. */

/** The number of hues (`--hue-0` to `--hue-9`). */
export const hues = 10

/** The accent of the page itself, for a person's own caret and selection: nobody else gets it. */
export const ownHue = 5

/** The presence colour for a name. */
export function hueOfName(name: string): number {
  // FNV-1a: names that differ in a letter get colours that differ.
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  const hue = (hash >>> 8) % hues
  return hue === ownHue ? (hash >>> 20) % ownHue : hue
}
