/** Front matter: settings in YAML at the top of the text, between lines of `---`. They are for programs, and readers of a page do not see them. */

/**
 * Whether the first two lines begin front matter. The second line must set something, because text may also begin with a thematic break and contain
 * a second one.
 */
export const beginsFrontMatter = ([first, second]: readonly string[]): boolean =>
  first?.trimEnd() === '---' && /^(?:[\w"'-][^:]*:(?:\s|$)|#)/.test(second ?? '')

/** Whether a line after the first one ends the front matter. */
export const endsFrontMatter = (line: string): boolean => /^(?:---|\.\.\.)[ \t]*$/.test(line)

/** Returns the line after the front matter, counted from 0; 0 if there is no front matter. */
export const afterFrontMatter = (lines: readonly string[]): number => {
  if (!beginsFrontMatter(lines)) return 0
  const end = lines.findIndex((line, index) => index > 0 && endsFrontMatter(line))
  return end === -1 ? 0 : end + 1
}
