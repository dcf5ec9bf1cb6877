/** Front matter: settings in YAML at the top of a text, between lines of `---`. They are for programs; readers of a page do not see them. */

/**
 * The line after it, counted from 0; 0 when there is none. Its first line must set something: a text may also begin with a rule and hold
 * another.
 */
export const afterFrontMatter = (lines: readonly string[]): number => {
  if (lines[0]?.trimEnd() !== '---' || !/^(?:[\w"'-][^:]*:(?:\s|$)|#)/.test(lines[1] ?? '')) return 0
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line))
  return end === -1 ? 0 : end + 1
}
