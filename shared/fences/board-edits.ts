/**
 * The actions that people can take on a board. Columns and cards are identified by their index in the parsed board. An index that does not exist
 * changes nothing. A moved card leaves its line break at the old position and is inserted as entire lines (edits.ts).
 */
import { withoutEnds } from '../text/scan.ts'
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import {
  isBoardLine,
  isSpacedBefore,
  type Board,
  type Card,
  type CardPosition,
  type CardState,
  type Column,
  letters,
  stateOfColumn
} from './board.ts'
import { indentedLine, insertLines, linesOfText, oneLine, replace, rewrite, rewriteLines, vacate, within } from './edits.ts'
import type { Line } from './fences.ts'

type Edits = readonly Edit[]

const cardAt = ({ columns }: Board, { column, card }: CardPosition): Card | undefined => columns[column]?.cards[card]
const isVacant = ({ text }: Line): boolean => text.trim() === ''

/** Returns the line of the fence before which text is added to the end of a column. It is the line after the last nonblank line of the column. */
const endOf = ({ fence }: Board, { index, end }: Column): number => {
  let at = end
  while (at > index + 1 && isVacant(fence.lines[at - 1] as Line)) at -= 1
  return at
}

/**
 * Inserts lines into a column. If most columns have an empty line before them, the lines are inserted before that line. Otherwise, such a line may be
 * the rest of a removed one. The lines are then inserted after it, and another empty line is added.
 */
const insertCard = (board: Board, index: number, contents: readonly string[]): Edit[] => {
  const { fence, columns } = board
  const { lines } = fence
  const below = lines.findIndex((line, at) => at >= index && isBoardLine(line))
  const space = lines[below - 1]
  const isSpaced = space !== undefined && isVacant(space) && columns.some((column) => column.index === below)
  // Below a heading without cards, the empty line may belong to the heading.
  const isBehindCard = !columns.some((column) => column.index === index - 1)
  if (isSpaced && isBehindCard && isSpacedBefore(board)) return insertLines(fence, below - 1, contents, (line) => line === space)
  return insertLines(fence, index, isSpaced ? [...contents, ''] : contents, isBoardLine)
}

/** Inserts an entire column before the line with this index. An empty line separates it from the next column if most columns have one. */
const insertColumn = (board: Board, index: number, contents: readonly string[]): Edit[] => {
  const { fence } = board
  if (!isSpacedBefore(board)) return insertLines(fence, index, contents, isBoardLine)
  return insertLines(fence, index, index < fence.lines.length ? [...contents, ''] : ['', ...contents], isBoardLine)
}

/** Returns the line before which a card is inserted to get this index in its column. */
const lineBefore = (board: Board, column: Column, index: number): number => column.cards[index]?.index ?? endOf(board, column)

const nextState: Readonly<Record<CardState, CardState>> = { open: 'doing', doing: 'done', done: 'open' }

const marked = ({ line, marker, text }: Card, state: CardState): string => {
  const bullet = /^[-*+][ \t]+/.exec(line.text)?.[0] ?? '- '
  return marker === undefined
    ? `${bullet}[${letters[state]}] ${line.text.slice(bullet.length)}`
    : `${bullet}[${letters[state]}] ${line.text.slice(text.from - line.from)}`
}

export const setState = (board: Board, position: CardPosition, state: CardState): Edits => {
  const card = cardAt(board, position)
  if (card === undefined) return []
  const { fence } = board
  if (card.marker !== undefined) return within(fence, replace(fence, card.marker, letters[state]))
  const at = card.text.from
  return within(fence, [{ from: at, to: at, insert: `[${letters[state]}] ` }])
}

/** Advances a card's state: open → in progress → done → open. */
export const cycleState = (board: Board, position: CardPosition): Edits => {
  const card = cardAt(board, position)
  return card === undefined ? [] : setState(board, position, nextState[card.state])
}

/**
 * Puts a card before the card that currently has this index in a column. If the card comes from another column, the name of the new column
 * determines its state.
 */
export const moveCard = (board: Board, position: CardPosition, to: CardPosition): Edits => {
  const card = cardAt(board, position)
  const target = board.columns[to.column]
  if (card === undefined || target === undefined) return []
  const before = lineBefore(board, target, to.card)
  const stays = position.column === to.column
  if (stays && (to.card === position.card || to.card === position.card + 1)) return []
  const first = stays ? card.line.text : marked(card, stateOfColumn(target.title.text))
  const { fence } = board
  return within(fence, [
    ...[card.line, ...card.details].flatMap(vacate),
    ...insertCard(board, before, [first, ...card.details.map(({ text }) => text)])
  ])
}

const indented = (text: string): string[] => {
  const lines = linesOfText(text)
  while (lines.at(-1) === '') lines.pop()
  return lines.map(indentedLine)
}

/**
 * Adds a card at the end of a column, in the state of that column. The first line of the text becomes the line of the card, and the other lines
 * become its details.
 */
export const addCard = (board: Board, column: number, text: string, state?: CardState): Edits => {
  const target = board.columns[column]
  const [first = '', ...rest] = linesOfText(text.trim())
  if (target === undefined || first === '') return []
  const marker = letters[state ?? stateOfColumn(target.title.text)]
  const lines = [`- [${marker}] ${first.trim()}`, ...indented(rest.join('\n'))]
  return within(board.fence, insertCard(board, endOf(board, target), lines))
}

/** Changes only a card's title. The assignees and tags at the end of the title stay. */
export const renameCard = (board: Board, position: CardPosition, title: string): Edits => {
  const card = cardAt(board, position)
  const text = oneLine(title)
  if (card === undefined || text === '') return []
  return within(board.fence, rewrite(board.fence, card.title, text))
}

export const deleteCard = (board: Board, position: CardPosition): Edits => {
  const card = cardAt(board, position)
  return card === undefined ? [] : within(board.fence, [card.line, ...card.details].flatMap(vacate))
}

/** Sets a card's details. Empty text removes them. */
export const setDetails = (board: Board, position: CardPosition, text: string): Edits => {
  const card = cardAt(board, position)
  if (card === undefined) return []
  return within(board.fence, rewriteLines(board.fence, card.line, card.details, indented(text)))
}

/** Returns a name in the form that may follow @ or #; undefined if no characters are left. */
const labelName = (name: string): string | undefined => {
  const written = name.trim().replace(/^[@#]+/, '')
  const plain = withoutEnds(written.replaceAll(/\s+/g, '-').replaceAll(/[^\p{L}\p{N}_./-]/gu, ''), './-')
  return plain === '' ? undefined : plain.slice(0, limits.labelUnitsMax)
}

/** Removes a label and the space before it. */
const withoutLabel = ({ fence }: Board, { from, to }: { from: number; to: number }): Edit[] => [
  { from: /[ \t]/.test(fence.source.charAt(from - 1)) ? from - 1 : from, to, insert: '' }
]

/** Sets a card's assignee; undefined removes the assignee. Only the first assignee is replaced. */
export const setAssignee = (board: Board, position: CardPosition, name: string | undefined): Edits => {
  const card = cardAt(board, position)
  if (card === undefined) return []
  const [first] = card.assignees
  const wanted = name === undefined ? undefined : labelName(name)
  const { fence } = board
  if (wanted === undefined) return within(fence, first === undefined ? [] : withoutLabel(board, first))
  if (first !== undefined) return within(fence, replace(fence, first, `@${wanted}`))
  return within(fence, [{ from: card.title.to, to: card.title.to, insert: ` @${wanted}` }])
}

export const addTag = (board: Board, position: CardPosition, tag: string): Edits => {
  const card = cardAt(board, position)
  const name = labelName(tag)
  if (card === undefined || name === undefined || card.tags.some((each) => each.name === name)) return []
  return within(board.fence, [{ from: card.text.to, to: card.text.to, insert: ` #${name}` }])
}

export const removeTag = (board: Board, position: CardPosition, tag: string): Edits => {
  const found = cardAt(board, position)?.tags.filter(({ name }) => name === tag) ?? []
  return within(
    board.fence,
    found.flatMap((label) => withoutLabel(board, label))
  )
}

// ——— columns ———

const titled = (title: string): string | undefined => (oneLine(title) === '' ? undefined : oneLine(title))

export const addColumn = (board: Board, title: string): Edits => {
  const name = titled(title)
  const { fence } = board
  return name === undefined ? [] : within(fence, insertColumn(board, fence.lines.length, [`## ${name}`]))
}

export const renameColumn = (board: Board, column: number, title: string): Edits => {
  const found = board.columns[column]
  const name = titled(title)
  if (found === undefined || name === undefined) return []
  const { fence } = board
  // A heading without a title has no space after its marks.
  return within(
    fence,
    found.title.from === found.line.from + 2 ? replace(fence, found.title, ` ${name}`) : rewrite(fence, found.title, name)
  )
}

/** Puts a column with all its contents before the column that currently has this index. */
export const moveColumn = (board: Board, column: number, to: number): Edits => {
  const found = board.columns[column]
  if (found === undefined || to === column || to === column + 1) return []
  const { fence } = board
  const lines = fence.lines.slice(found.index, endOf(board, found))
  const before = board.columns[to]?.index ?? fence.lines.length
  return within(fence, [
    ...lines.flatMap(vacate),
    ...insertColumn(
      board,
      before,
      lines.map(({ text }) => text)
    )
  ])
}

/** Deletes a column with its cards and notes. If there are any, the caller must ask for confirmation first. */
export const deleteColumn = (board: Board, column: number): Edits => {
  const found = board.columns[column]
  return found === undefined ? [] : within(board.fence, board.fence.lines.slice(found.index, found.end).flatMap(vacate))
}
