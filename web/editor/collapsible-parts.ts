/**
 * Finds collapsible text (`<details>` with a `<summary>`) in a document. It has the same form as in the reading view (shared/markdown/details.ts),
 * whose code would be too large for the editor.
 */
import { Facet, type ChangeDesc, type EditorState, type Text } from '@codemirror/state'

/** A range of the text. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Collapsible text. Positions are in UTF-16 units. */
export interface Collapsible {
  readonly opening: Stretch
  /** The words between the tags of the summary. */
  readonly words: Stretch
  /** The end of the line with the summary. */
  readonly summaryEnd: number
  readonly closing: Stretch
  /** The end of the line with the closing tag. */
  readonly closingEnd: number
}

/** An opening tag whose closing tag has not been found yet. Its words are unknown until its summary is found. */
type Begun = Pick<Collapsible, 'opening' | 'summaryEnd'> & { readonly words: Stretch | undefined }

const openingLine = /^<details(?: open)?>/i
const summaryLine = /^<summary>(.*?)<\/summary>\s*$/i
const closingLine = /^<\/details>\s*$/i
const tags = /<\/?(?:details|summary)/i
const [summaryTag, closingTag] = ['<summary>', '</details>']
/** Longest line that can contain tags, in UTF-16 units. */
const lineUnitsMax = 2000

/** Returns the words of a summary whose tag is at `from`. */
const wordsAt = (from: number, words: string): Stretch => ({ from: from + summaryTag.length, to: from + summaryTag.length + words.length })

export function collapsiblesIn(doc: Text): readonly Collapsible[] {
  const found: Collapsible[] = []
  const open: Begun[] = []
  let at = 0
  let isBelowOpening = false
  for (const whole of doc.iterLines()) {
    const line = whole.length <= lineUnitsMax && tags.test(whole) ? whole.replace(/^[>\s]*/, '') : ''
    const start = at + whole.length - line.length
    const end = at + whole.length
    const tag = openingLine.exec(line)?.[0] ?? ''
    const rest = line.slice(tag.length).trimStart()
    const summary = summaryLine.exec(rest)?.[1]
    const opens = tag !== '' && (rest === '' || summary !== undefined)
    const last = open.at(-1)
    if (opens)
      open.push({
        opening: { from: start, to: start + tag.length },
        words: summary === undefined ? undefined : wordsAt(end - rest.length, summary),
        summaryEnd: end
      })
    else if (isBelowOpening && last?.words === undefined && last !== undefined && summary !== undefined)
      open.splice(-1, 1, { ...last, words: wordsAt(start, summary), summaryEnd: end })
    else if (closingLine.test(line)) {
      const begun = open.pop()
      if (begun?.words !== undefined)
        found.push({ ...begun, words: begun.words, closing: { from: start, to: start + closingTag.length }, closingEnd: end })
    }
    isBelowOpening = opens
    at = end + 1
  }
  return found.toSorted((one, other) => one.opening.from - other.opening.from)
}

/** The collapsible text of the document, where the live view has already found it. */
export const knownCollapsibles = Facet.define<readonly Collapsible[], readonly Collapsible[] | undefined>({ combine: ([parts]) => parts })

export const collapsiblesOf = (state: EditorState): readonly Collapsible[] => state.facet(knownCollapsibles) ?? collapsiblesIn(state.doc)

const linesAround = (doc: Text, from: number, to: number): string => doc.sliceString(doc.lineAt(from).from, doc.lineAt(to).to)

/** Whether a change may add, remove or alter tags. */
export function mayChangeTags(changes: ChangeDesc, before: Text, after: Text): boolean {
  let may = false
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    may ||= tags.test(linesAround(before, fromA, toA)) || tags.test(linesAround(after, fromB, toB))
  })
  return may
}

/** Moves collapsible text past a change that touches no tag. */
export function moved({ opening, words, summaryEnd, closing, closingEnd }: Collapsible, changes: ChangeDesc): Collapsible {
  const stretch = ({ from, to }: Stretch): Stretch => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) })
  const end = (position: number): number => changes.mapPos(position, -1)
  return {
    opening: stretch(opening),
    words: stretch(words),
    summaryEnd: end(summaryEnd),
    closing: stretch(closing),
    closingEnd: end(closingEnd)
  }
}

/** Returns the tags of collapsible text as ranges within lines. */
export const tagsOf = ({ opening, words, summaryEnd, closing }: Collapsible): readonly Stretch[] => [
  opening,
  { from: words.from - summaryTag.length, to: words.from },
  { from: words.to, to: summaryEnd },
  closing
]
