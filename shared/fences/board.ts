/**
 * The `board` fence: columns of cards.
 *
 *     board  = note* column*
 *     column = "##" title NL (card | note)*
 *     card   = ("-" | "*" | "+") ["[" marker "]"] text NL detail*        marker: " " open, ">" in progress, "x" done
 *     detail = at least two spaces or a tab, text NL
 *     text   may contain @assignee and #tag anywhere; the labels at its end are not part of the title
 *
 * If two people set the same marker at the same time, the result is `[>x]`: the last valid character counts. Any other line is a note of its column,
 * or of the board. Empty lines have no meaning.
 */
import { breaksLine, skipBlanks, trimBlanks } from '../text/scan.ts'
import { unindentedLine } from './edits.ts'
import type { Fence, Line, Range } from './fences.ts'

export type CardState = 'open' | 'doing' | 'done'

/** An assignee or a tag. The range includes the sign before the name. */
export interface Label extends Range {
  readonly name: string
}

export interface Card {
  /** The first line of the card. The lines of the details follow it. */
  readonly line: Line
  readonly details: readonly Line[]
  /** Index of the first line within the fence. */
  readonly index: number
  readonly state: CardState
  /** The range between the brackets; undefined if the card has no marker. */
  readonly marker: Range | undefined
  /** The range of everything after the marker. */
  readonly text: Range
  /** The text without the labels at its end. */
  readonly title: Range & { readonly text: string }
  readonly assignees: readonly Label[]
  readonly tags: readonly Label[]
}

export interface Note {
  readonly line: Line
  readonly index: number
}

export interface Column {
  readonly line: Line
  readonly index: number
  readonly title: Range & { readonly text: string }
  readonly cards: readonly Card[]
  readonly notes: readonly Note[]
  /** Index of the line after the last line of this column. */
  readonly end: number
}

export interface Board {
  readonly fence: Fence
  /** Notes before the first column. */
  readonly notes: readonly Note[]
  readonly columns: readonly Column[]
}

export const letters: Readonly<Record<CardState, string>> = { open: ' ', doing: '>', done: 'x' }
const states: Readonly<Record<string, CardState>> = { ' ': 'open', '>': 'doing', x: 'done', X: 'done' }

/** Matches the beginning of a card, up to its words. */
export const cardStart = /^([-*+][ \t]+)(?:\[([ xX>]*)\](?:[ \t]+|$))?/
const detailStart = /^(?: {2}|\t)/

/** Returns the range of a column's title on its line; undefined if the line does not begin a column. */
const titleOf = (text: string): Range | undefined => {
  const from = skipBlanks(text, 2)
  if (!text.startsWith('##') || (from === 2 && text.length > 2) || breaksLine(text)) return undefined
  return { from, to: trimBlanks(text, from) }
}

/** Whether a line begins a column. */
export const isColumnLine = (text: string): boolean => titleOf(text) !== undefined

/** Whether a line begins a column or a card. */
export const isBoardLine = ({ text }: Line): boolean => isColumnLine(text) || cardStart.test(text)

const word = /\S+/g
const label = /^[@#]([\p{L}\p{N}_](?:[\p{L}\p{N}_./-]*[\p{L}\p{N}_])?)([,;:!?.)]*)$/u

const partOf = (line: Line, from: number, to: number): Range & { text: string } => ({
  from: line.from + from,
  to: line.from + to,
  text: line.text.slice(from, to)
})

/** Returns the labels in the text of a line, and the offset at which the labels at its end begin. The text begins at `from`. */
const labelsOf = (line: Line, from: number, text: string): { assignees: Label[]; tags: Label[]; titleEnd: number } => {
  const [assignees, tags]: [Label[], Label[]] = [[], []]
  if (!/[@#]/.test(text)) return { assignees, tags, titleEnd: text.length }
  let titleEnd = 0
  for (const { 0: written, index } of text.matchAll(word)) {
    const [all, name = '', punctuation = ''] = label.exec(written) ?? []
    if (all !== undefined) {
      const at = line.from + from + index
      ;(written.startsWith('@') ? assignees : tags).push({ name, from: at, to: at + 1 + name.length })
    }
    if (all === undefined || punctuation !== '') titleEnd = index + written.length
  }
  return { assignees, tags, titleEnd }
}

const cardOf = (line: Line, index: number, details: readonly Line[]): Card => {
  const [all = '', bullet = '', marks] = cardStart.exec(line.text) ?? []
  const begin = all.length
  const text = line.text.slice(begin).trimEnd()
  const { assignees, tags, titleEnd } = labelsOf(line, begin, text)
  const markerFrom = line.from + bullet.length + 1
  return {
    line,
    details,
    index,
    state: states[marks?.at(-1) ?? ' '] ?? 'open',
    marker: marks === undefined ? undefined : { from: markerFrom, to: markerFrom + marks.length },
    text: { from: line.from + begin, to: line.from + begin + text.length },
    title: partOf(line, begin, begin + titleEnd),
    assignees,
    tags
  }
}

/** Returns the lines of a card's details: from the line after its first line to the last indented line before other content. */
const detailsFrom = (lines: readonly Line[], first: number): Line[] => {
  let end = first
  for (let index = first; index < lines.length; index++) {
    const text = lines[index]?.text ?? ''
    if (detailStart.test(text) && text.trim() !== '') end = index + 1
    else if (text.trim() !== '') break
  }
  return lines.slice(first, end)
}

export const parseBoard = (fence: Fence): Board => {
  const notes: Note[] = []
  const columns: (Column & { cards: Card[]; notes: Note[]; end: number })[] = []
  const { lines } = fence
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line
    const title = titleOf(line.text)
    const column = columns.at(-1)
    if (title !== undefined) {
      if (column !== undefined) column.end = index
      columns.push({ line, index, title: partOf(line, title.from, title.to), cards: [], notes: [], end: lines.length })
    } else if (column !== undefined && cardStart.test(line.text)) {
      const details = detailsFrom(lines, index + 1)
      column.cards.push(cardOf(line, index, details))
      index += details.length
    } else if (line.text.trim() !== '') (column?.notes ?? notes).push({ line, index })
  }
  return { fence, notes, columns }
}

const isEmpty = (line: Line | undefined): boolean => line?.text.trim() === ''

/** Whether most headings below other lines have an empty line before them. One such heading is enough. */
export const isSpacedBefore = ({ fence: { lines }, columns }: Board): boolean => {
  const first = lines.findIndex((line) => !isEmpty(line))
  const below = columns.filter(({ index }) => index > first)
  const spaced = below.filter(({ index }) => isEmpty(lines[index - 1])).length
  return spaced > below.length / 2
}

/**
 * Returns the number of cards to show in each column if there are more than `most` in total. Long columns get the share that short columns
 * do not need.
 */
export const cardsShown = (
  { columns }: { readonly columns: readonly { readonly cards: readonly unknown[] }[] },
  most: number
): number[] => {
  const shown = columns.map(() => 0)
  let [left, open] = [most, columns.length]
  const byLength = columns.map(({ cards }, column) => ({ column, count: cards.length })).toSorted((one, other) => one.count - other.count)
  for (const { column, count } of byLength) {
    const share = Math.min(count, Math.floor(left / open))
    shown[column] = share
    left -= share
    open -= 1
  }
  return shown
}

/** Returns the text of a card below its title, without the indentation. */
export const detailsOf = ({ details }: Card): string => details.map(({ text }) => unindentedLine(text)).join('\n')

const stateNames: readonly (readonly [CardState, RegExp])[] = [
  ['done', /^(?:done|completed?|finished|shipped|closed|erledigt|fertig)\b/i],
  ['doing', /^(?:doing|in[ -]?progress|started|wip|in arbeit)\b/i]
]

/** Returns the state that cards get when they are moved into a column with this name. */
export const stateOfColumn = (title: string): CardState => stateNames.find(([, name]) => name.test(title.trim()))?.[0] ?? 'open'

export interface CardPosition {
  readonly column: number
  readonly card: number
}

/**
 * Returns groups of cards whose text is the same, apart from the marker. Such copies result when two people move a card at the same time. The board
 * marks these cards as moved twice, and a person chooses the one to keep.
 */
export const repeatedCards = ({ columns }: Board): CardPosition[][] => {
  const positions = new Map<string, CardPosition[]>()
  columns.forEach(({ cards }, column) =>
    cards.forEach((each, card) => {
      const key = `${each.line.text.slice(each.text.from - each.line.from).trimEnd()}\n${detailsOf(each)}`
      const found = positions.get(key)
      if (found === undefined) positions.set(key, [{ column, card }])
      else found.push({ column, card })
    })
  )
  return [...positions.values()].filter(({ length }) => length > 1)
}
