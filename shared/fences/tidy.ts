/**
 * Tidies a fence that nobody has changed for a while. It removes the traces of concurrent interactions: empty lines in place of cards, messages and
 * rows, markers with more than one character, and trailing spaces. It only changes whitespace and markers, never text. Running it again changes
 * nothing.
 */
import type { Edit } from '../text/diff.ts'
import { isSpacedBefore, letters, parseBoard } from './board.ts'
import { parseChat } from './chat.ts'
import { replace, within } from './edits.ts'
import type { Fence, FenceKind, Line } from './fences.ts'

const isEmpty = (line: Line | undefined): boolean => line !== undefined && line.text.trim() === ''

/**
 * Removes an empty line and the line break before it. If somebody wrote into that line while offline, the text is added to the line above, and the
 * line below stays intact. The first line of a fence is not removed.
 */
const without = ({ lines }: Fence, index: number): Edit[] => {
  const [before, line] = [lines[index - 1], lines[index]]
  return before === undefined || line === undefined ? [] : [{ from: before.to, to: line.to, insert: '' }]
}

/** Returns the edits that remove the empty lines for which `isKept` is false. */
const emptyLines = (fence: Fence, isKept: (index: number) => boolean): Edit[] =>
  fence.lines.flatMap((line, index) => (isEmpty(line) && !isKept(index) ? without(fence, index) : []))

const trailingSpace = (line: Line): Edit[] => {
  const end = line.from + line.text.trimEnd().length
  return end < line.to ? [{ from: end, to: line.to, insert: '' }] : []
}

const boardEdits = (fence: Fence): Edit[] => {
  const board = parseBoard(fence)
  const { columns } = board
  const isSpaced = isSpacedBefore(board)
  const headings = new Set(columns.map(({ index }) => index))
  const cards = columns.flatMap((column) => column.cards)
  const inDetails = new Set(cards.flatMap(({ index, details }) => details.map((_line, at) => index + 1 + at)))
  const { lines } = fence
  const lastSpoken = lines.findLastIndex((line) => !isEmpty(line))
  // One empty line is allowed after a heading, inside a card's details, and before a heading if most headings of the board have one.
  const isKept = (index: number): boolean =>
    !isEmpty(lines[index - 1]) &&
    index < lastSpoken &&
    (inDetails.has(index) || (headings.has(nextSpoken(lines, index)) ? isSpaced : headings.has(index - 1)))
  return [
    ...cards.flatMap(({ marker, state }) => (marker === undefined ? [] : replace(fence, marker, letters[state]))),
    ...[...columns, ...cards].flatMap(({ line }) => trailingSpace(line)),
    ...emptyLines(fence, isKept)
  ]
}

const nextSpoken = (lines: readonly Line[], index: number): number => {
  let at = index
  while (isEmpty(lines[at])) at += 1
  return at
}

const chatEdits = (fence: Fence): Edit[] => {
  const { entries } = parseChat(fence)
  const within = new Set(entries.flatMap((entry) => (entry.kind === 'message' ? entry.lines.map((_line, at) => entry.index + at) : [])))
  return emptyLines(fence, (index) => within.has(index))
}

const sheetEdits = (fence: Fence): Edit[] => emptyLines(fence, () => false)

/** Other kinds, such as charts and widgets, are not tidied, because usually only one person at a time writes their contents. */
const editsOf: Readonly<Partial<Record<FenceKind, (fence: Fence) => Edit[]>>> = { board: boardEdits, chat: chatEdits, sheet: sheetEdits }

export const tidyEdits = (fence: Fence): readonly Edit[] => {
  const edits = editsOf[fence.kind]
  return edits === undefined ? [] : within(fence, edits(fence))
}
