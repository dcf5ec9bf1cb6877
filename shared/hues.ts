/** The presence colours: one for each name, on every page and every day. */

/** How many there are (`--hue-0` to `--hue-9`). */
export const hues = 10

/** The presence colour for a name. */
export function hueOfName(name: string): number {
  // FNV-1a: names that differ in a letter get colours that differ.
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 8) % hues
}
