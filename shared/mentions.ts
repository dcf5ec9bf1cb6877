/** Mentions in text that people write: `@Ana-Lena`, in messages of chats and in comments. */
import { withoutEnd } from './text/scan.ts'

/** A name in the form of a mention: `@Ana-Lena`. */
export const mentionOf = (name: string): string =>
  withoutEnd(name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/^[^\p{L}\p{N}_]+/u, ''), '-.')

/** Blanks the code spans of a line (CommonMark 0.31.2, §6.1), without changing its length, in linear time. */
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

/** Whether an @ at this place of a line may begin a mention: within words and addresses it cannot. */
export const mayMention = (line: string, at: number): boolean => !/[\p{L}\p{M}\p{N}_@/.]$/u.test(line.slice(Math.max(0, at - 2), at))

export interface Mention {
  readonly name: string
  /** Position of the @, in UTF-16 units. */
  readonly from: number
  readonly to: number
}

/** Returns every mention in a text, in order, except those in code. */
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

/** The names mentioned in a text, each once. */
export const mentionsOf = (text: string): string[] => [...new Set(mentionPlaces(text).map(({ name }) => name))]
