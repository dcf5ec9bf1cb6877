/** How the way from one text to another is parted into changes that are proposed: by words, sentences, paragraphs or sections. */
import { applyEdits, type Edit } from './diff.ts'
import { outlineOf } from './outline.ts'

export const granularities = ['word', 'sentence', 'paragraph', 'section'] as const
export type Granularity = (typeof granularities)[number]

// A mark that ends a sentence, with what closes around it, and the space after it; scripts without spaces end theirs without any.
const sentenceEnd = /[.!?…]["'”’»)\]*_]*\s|[。！？]["'”’」』）]*|\n/g
const blankLine = /\n[ \t]*\n/g

/** Where the parts of a text begin, ascending, the first at 0. */
const startsOf = (text: string, granularity: Exclude<Granularity, 'word'>): number[] => {
  if (granularity === 'section') return [0, ...outlineOf(text).map(({ from }) => from)]
  const ends = text.matchAll(granularity === 'sentence' ? sentenceEnd : blankLine)
  return [0, ...Array.from(ends, ({ 0: end, index }) => index + end.length)]
}

/** Edits of `before`, those within one part together. Ascending and apart, as they were. */
export const parted = (before: string, edits: readonly Edit[], granularity: Granularity): readonly Edit[] => {
  if (granularity === 'word' || edits.length < 2) return edits
  const starts = startsOf(before, granularity)
  let part = 0
  const partOf = (offset: number): number => {
    while (part + 1 < starts.length && (starts[part + 1] ?? 0) <= offset) part++
    return part
  }
  const groups: Edit[][] = []
  let last = -1
  for (const edit of edits) {
    const first = partOf(edit.from)
    const group = first === last ? groups.at(-1) : undefined
    if (group === undefined) groups.push([edit])
    else group.push(edit)
    last = partOf(Math.max(edit.from, edit.to - 1))
  }
  return groups.map((group) => {
    const { from } = group[0] as Edit
    const { to } = group.at(-1) as Edit
    const own = group.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
    return { from, to, insert: applyEdits(before.slice(from, to), own) }
  })
}
