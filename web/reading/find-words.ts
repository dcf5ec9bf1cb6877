/** Finds words of a Markdown source in the text rendered from it. This module has no user interface code. */
import type { Range } from '../../shared/text/targets.ts'
import { occurrences } from '../../shared/text/search.ts'

/** Matches characters that do not identify text. All Markdown marks are among them. */
const passed = /[\s!-/:-@[-`{-~]/

/** Text without marks and whitespace. */
export interface Bare {
  readonly text: string
  readonly whole: string
  /** For each unit, its offset in the original text. */
  readonly at: readonly number[]
}

export function bareOf(text: string): Bare {
  const at: number[] = []
  let bare = ''
  for (let index = 0; index < text.length; index++) {
    const unit = text.charAt(index)
    if (passed.test(unit)) continue
    bare += unit
    at.push(index)
  }
  return { text: bare, whole: text, at }
}

/**
 * Returns the range in the rendered text for a range of its source. Undefined unless the words occur equally often in both. The n-th occurrence in
 * one text is then the n-th in the other.
 */
export function findShown(source: Bare, { from, to }: Range, shown: Bare): Range | undefined {
  const start = source.at.findIndex((at) => at >= from)
  const after = source.at.findIndex((at) => at >= to)
  const end = after === -1 ? source.at.length : after
  if (start === -1 || start >= end) return undefined
  const words = source.text.slice(start, end)
  const inSource = [...occurrences(source.text, words)]
  const inShown = [...occurrences(shown.text, words)]
  const place = inShown[inSource.indexOf(start)]
  const [first, last] = [shown.at[place ?? -1], shown.at[(place ?? -1) + words.length - 1]]
  if (inSource.length !== inShown.length || first === undefined || last === undefined) return undefined
  const range = { from: first, to: last + 1 }
  // Punctuation at either end of the range is included if the rendered text shows it too. The rendered text does not show Markdown marks.
  const isShown = (at: number, shownAt: number): boolean =>
    shown.whole[shownAt] === source.whole[at] && (source.whole[at] ?? ' ').trim() !== ''
  for (let at = (source.at[end - 1] ?? to) + 1; at < to; at++) if (isShown(at, range.to)) range.to += 1
  for (let at = (source.at[start] ?? from) - 1; at >= from; at--) if (isShown(at, range.from - 1)) range.from -= 1
  return range
}
