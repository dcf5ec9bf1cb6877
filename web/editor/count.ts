/** Words of a text, for the status line. */
const word = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
/** Scripts written without spaces: each character counts, as word processors do. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

export function countWords(text: string): number {
  const alone = text.match(ideograph)?.length ?? 0
  return alone + (text.replace(ideograph, ' ').match(word)?.length ?? 0)
}

/** First heading of a Markdown text, without its markers; undefined when there is none. */
export function firstHeading(lines: Iterable<string>): string | undefined {
  let fence: string | undefined
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark[0] : mark[0] === fence ? undefined : fence
    if (fence !== undefined) continue
    const heading = /^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1]
    if (heading !== undefined) return plain(heading)
  }
  return undefined
}

const plain = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`|\*)/g, '')
    .trim() || heading
