/** Who is mentioned in what people write: `@Ana-Lena`, in messages of chats and in comments. */

/** A name as it is mentioned: `@Ana-Lena`. */
export const mentionOf = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replaceAll(/^[^\p{L}\p{N}_]+|[-.]+$/gu, '')

/** A line with its code spans blank (CommonMark 0.31.2, §6.1), as long as before, in time that grows with its length alone. */
const withoutCode = (line: string): string => {
  const runs = [...line.matchAll(/`+/g)]
  const lasts = new Map(runs.map(({ 0: run, index }) => [run.length, index]))
  let [left, at] = ['', 0]
  runs.forEach(({ 0: run, index }, number) => {
    if (index < at || (lasts.get(run.length) ?? 0) <= index) return
    let closing = number + 1
    while (runs[closing]?.[0].length !== run.length) closing += 1
    const end = (runs[closing]?.index ?? index) + run.length
    left += line.slice(at, index) + ' '.repeat(end - index)
    at = end
  })
  return left + line.slice(at)
}

const mention = /(?<![\p{L}\p{M}\p{N}_@/.])@([\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.-]*[\p{L}\p{M}\p{N}_])?)/gu

export interface Mention {
  readonly name: string
  /** Of the @, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** Every mention in a text, in its order; what stands in code mentions nobody. */
export function mentionPlaces(text: string): Mention[] {
  const found: Mention[] = []
  let start = 0
  for (const line of text.split('\n')) {
    for (const { 0: whole, 1: name = '', index } of withoutCode(line).matchAll(mention))
      found.push({ name, from: start + index, to: start + index + whole.length })
    start += line.length + 1
  }
  return found
}

/** Names behind @ in a text, each once. */
export const mentionsOf = (text: string): string[] => [...new Set(mentionPlaces(text).map(({ name }) => name))]
