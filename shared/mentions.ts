/** Finds mentions such as `@Ana-Lena` in chat messages and comments. */
import { withoutEnd } from './text/scan.ts'

/** Returns a name in the form of a mention, such as `@Ana-Lena`. */
export const mentionOf = (name: string): string =>
  withoutEnd(name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/^[^\p{L}\p{N}_]+/u, ''), '-.')

/** Replaces the code spans in a line (CommonMark 0.31.2, §6.1) with spaces, so that the line keeps its length. Takes linear time. */
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

const mention = /@[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu

/** Whether an @ at this offset of a line may begin a mention. An @ inside a word or an address may not. */
export const mayMention = (line: string, at: number): boolean => !/[\p{L}\p{M}\p{N}_@/.]$/u.test(line.slice(Math.max(0, at - 2), at))

export interface Mention {
  readonly name: string
  /** Offset of the @, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** Returns all mentions in the text, in order, except those inside code. */
export function mentionPlaces(text: string): Mention[] {
  const found: Mention[] = []
  let start = 0
  for (const line of text.split('\n')) {
    const plain = withoutCode(line)
    for (const { 0: written, index } of plain.matchAll(mention)) {
      if (!mayMention(plain, index)) continue
      const name = withoutEnd(written.slice(1), '.-')
      found.push({ name, from: start + index, to: start + index + 1 + name.length })
    }
    start += line.length + 1
  }
  return found
}

/** Returns the names mentioned in the text, without duplicates. */
export const mentionsOf = (text: string): string[] => [...new Set(mentionPlaces(text).map(({ name }) => name))]
