/**
 * Suggested moves of lines: a card, a column, rows or blocks. The record of such a suggestion has all lines between the old and the new place. Others
 * may have changed these lines since. The move is then found in the record, and made on the lines as they are now.
 */
import { diff, type Edit, lineChanges } from '../text/diff.ts'
import type { Range } from '../text/targets.ts'
import { type Board, cardStart, isColumnLine, parseBoard, type CardPosition } from './board.ts'
import { moveCard, moveColumn } from './board-edits.ts'
import { type Fence, fenceAt } from './fences.ts'

/** A suggestion to replace `original` with `text`. `range` is where the original was, in the current text. */
export interface Proposed {
  readonly range: Range
  readonly original: string
  readonly text: string
}

/** A line with the indented lines below it. */
interface Part {
  /** Indices of its first line, and of the line after its last one. */
  readonly from: number
  readonly to: number
  /** Its text without the marker of a card, because a move to another column changes the marker. */
  readonly words: string
  readonly text: string
}

/** Parts that a suggestion moves past others. */
interface Move {
  readonly parts: readonly Part[]
  /** Indices of the parts that move. */
  readonly moving: readonly number[]
  /** Indices of the parts that they pass. */
  readonly passed: readonly number[]
  readonly isDown: boolean
  /** Whether the moved parts stay the same. Otherwise, the marker of a card changes. */
  readonly isExact: boolean
  /** Whether an empty line separates the moved parts from their new neighbor. */
  readonly isSpaced: boolean
}

/** The longest text in which lines are moved, in UTF-16 units. Reading its fences must not hold up the server. */
const textUnitsMax = 256 * 1024
/** The most lines of a suggestion in which a move is looked for. The time grows with the square of this number in the worst case. */
const linesMax = 1000

const isEmpty = (line: string | undefined): boolean => line?.trim() === ''
const isIndented = (line: string): boolean => /^(?: {2}|\t)/.test(line) && !isEmpty(line)
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''
const isHeading = ({ text }: Part): boolean => isColumnLine(firstLine(text))

const partsOf = (lines: readonly string[]): Part[] => {
  const found: { from: number; to: number }[] = []
  for (const [index, line] of lines.entries()) {
    const last = found.at(-1)
    if (last !== undefined && isIndented(line)) last.to = index + 1
    else if (!isEmpty(line)) found.push({ from: index, to: index + 1 })
  }
  return found.map(({ from, to }) => {
    const text = lines.slice(from, to).join('\n').trimEnd()
    return { from, to, text, words: text.replace(cardStart, '') }
  })
}

/** Returns lines of a fence without the marks of the quote or list that contains it. */
const withoutPrefix = (lines: readonly string[], prefix: string): string[] =>
  lines.map((line) => line.slice(line.startsWith(prefix) ? prefix.length : 0))

const indices = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_each, index) => from + index)

/** Returns the moves that turn the parts `old` into `young`. Two neighbors that change places are two possible moves. */
const movesOf = (old: readonly Part[], young: readonly Part[], isSpaced: (gap: number) => boolean): Move[] => {
  if (old.length !== young.length) return []
  const isSame = (one: number, other: number): boolean => old[one]?.text === young[other]?.text
  let [start, end] = [0, old.length]
  while (start < end && isSame(start, start)) start++
  while (end > start && isSame(end - 1, end - 1)) end--
  const areWords = (from: number, to: number, by: number): boolean => {
    for (let at = from; at < to; at++) if (old[at]?.words !== young[at + by]?.words) return false
    return true
  }
  const found: Move[] = []
  for (let middle = start + 1; middle < end; middle++) {
    // The parts before `middle` change places with those after it.
    const [shift, back] = [start - middle, end - middle]
    if (!areWords(middle, end, shift) || !areWords(start, middle, back)) continue
    const [upper, lower] = [indices(start, middle), indices(middle, end)]
    const [isLowerSame, isUpperSame] = [lower.every((at) => isSame(at, at + shift)), upper.every((at) => isSame(at, at + back))]
    const parts = { parts: old, isExact: isLowerSame && isUpperSame, isSpaced: isSpaced(start + lower.length) }
    if (isLowerSame) found.push({ ...parts, moving: upper, passed: lower, isDown: true })
    if (isUpperSame) found.push({ ...parts, moving: lower, passed: upper, isDown: false })
  }
  return found
}

/** Returns the move that a suggestion makes. Undefined if it changes anything else. A card moves rather than the heading that it passes. */
const moveIn = (original: string, text: string, prefix: string): Move | undefined => {
  const [before, after] = [withoutPrefix(original.split('\n'), prefix), withoutPrefix(text.split('\n'), prefix)]
  if (before.length > linesMax) return undefined
  const [old, young] = [partsOf(before), partsOf(after)]
  const isSpaced = (at: number): boolean => {
    const [above, below] = [young[at - 1], young[at]]
    return above !== undefined && below !== undefined && above.to < below.from
  }
  const hasHeading = ({ moving }: Move): boolean => moving.some((at) => isHeading(old[at] as Part))
  const sizeOf = (move: Move): number => move.moving.length + (hasHeading(move) ? old.length : 0)
  return movesOf(old, young, isSpaced).toSorted((one, other) => sizeOf(one) - sizeOf(other))[0]
}

/** The most new parts among which one with other words is looked for, and the most units of such a part. */
const addedMax = 50
const comparedUnitsMax = 2000

/** Whether at least half of the words of a part are still there. */
const isSimilar = ({ words: one }: Part, { words: other }: Part): boolean => {
  if (one.length > comparedUnitsMax || other.length > comparedUnitsMax) return false
  const removed = diff(one, other).reduce((sum, { from, to }) => sum + to - from, 0)
  return (one.length - removed) * 2 >= one.length && one.length > removed
}

/** Returns a part of a suggestion as it is now, by index. Undefined if it is gone. If `isLoose`, a part with other words may be the same part. */
type Found = (index: number, isLoose?: boolean) => Part | undefined

const partsNow = (parts: readonly Part[], now: readonly Part[]): Found => {
  const wordsOf = (all: readonly Part[]): string[] => all.map(({ words }) => words)
  const changes = lineChanges(wordsOf(parts), wordsOf(now))
  return (index, isLoose = false) => {
    let shift = 0
    for (const { at, removed, added } of changes) {
      if (index < at) break
      if (index < at + removed.length) {
        const part = parts[index] as Part
        if (!isLoose || added.length > addedMax) return undefined
        const candidates = now.slice(at + shift, at + shift + added.length)
        const isOwnKind = (each: Part): boolean => isHeading(each) === isHeading(part)
        return candidates.find((each) => isOwnKind(each) && isSimilar(part, each))
      }
      shift += added.length - removed.length
    }
    return now[index + shift]
  }
}

// ——— boards ———

const columnAt = ({ columns }: Board, line: number): number => columns.findLastIndex(({ index }) => index <= line)

const cardAt = (board: Board, line: number): CardPosition | undefined => {
  const column = columnAt(board, line)
  const card = board.columns[column]?.cards.findIndex(({ index }) => index === line) ?? -1
  return card === -1 ? undefined : { column, card }
}

/** Returns the column of a heading. A heading with the same words counts, wherever it is. */
const columnOf = (board: Board, { parts }: Move, found: Found, at: number): number | undefined => {
  const heading = firstLine((parts[at] as Part).text).trimEnd()
  const same = board.columns.flatMap(({ line }, index) => (line.text.trimEnd() === heading ? [index] : []))
  const now = found(at, true)
  return same.length === 1 ? same[0] : now && columnAt(board, now.from)
}

const endOf = (board: Board, column: number): CardPosition | undefined => {
  const cards = board.columns[column]?.cards
  return cards && { column, card: cards.length }
}

/** Returns the position directly before or after a line of a column. */
const nextTo = (board: Board, line: number, isAfter: boolean): CardPosition => {
  const column = columnAt(board, line)
  const cards = board.columns[column]?.cards ?? []
  const card = cards.findIndex(({ index }) => (isAfter ? index > line : index >= line))
  return { column, card: card === -1 ? cards.length : card }
}

/** Returns the new position of a card: next to its neighbor, or else at the end of the column. Undefined if the column is gone. */
const targetOf = (board: Board, move: Move, found: Found, source: CardPosition): CardPosition | undefined => {
  const { parts, passed, isDown } = move
  const neighbor = (isDown ? passed.at(-1) : passed[0]) ?? 0
  const headings = passed.filter((at) => isHeading(parts[at] as Part))
  const now = found(neighbor, true)
  const heading = isDown ? headings.at(-1) : headings[0]
  if (heading === undefined) return now === undefined ? endOf(board, source.column) : nextTo(board, now.from, isDown)
  const bound = columnOf(board, move, found, heading)
  const column = bound === undefined || isDown ? bound : bound - 1
  if (neighbor === heading) return column === undefined ? undefined : isDown ? { column, card: 0 } : endOf(board, column)
  const isThere = (line: number): boolean => {
    const own = columnAt(board, line)
    return own !== -1 && (bound === undefined || (isDown ? own === bound : own < bound))
  }
  if (now !== undefined && isThere(now.from)) return nextTo(board, now.from, isDown)
  if (isDown) return column === undefined ? undefined : endOf(board, column)
  const other = passed.flatMap((at) => (at < heading ? (found(at) ?? []) : [])).find(({ from }) => isThere(from))
  const last = other === undefined ? column : columnAt(board, other.from)
  return last === undefined ? undefined : endOf(board, last)
}

/** Returns the only card with these words. Somebody may have moved it elsewhere. */
const cardWith = (board: Board, { words }: Part): CardPosition | undefined => {
  const all = board.columns.flatMap(({ cards }, column) =>
    cards.flatMap(({ line, details }, card) => {
      const [part] = partsOf([line.text, ...details.map(({ text }) => text)])
      return part?.words === words ? [{ column, card }] : []
    })
  )
  return all.length === 1 ? all[0] : undefined
}

const editsOnBoard = (fence: Fence, { range }: Proposed, move: Move): readonly Edit[] | undefined => {
  const board = parseBoard(fence)
  const first = fence.lines.findIndex(({ to }) => to >= range.from)
  const lines = fence.lines.filter(({ start, to }) => to >= range.from && start <= range.to).map(({ text }) => text)
  const found = partsNow(
    move.parts,
    partsOf(lines).map((part) => ({ ...part, from: part.from + first, to: part.to + first }))
  )
  const [at = 0] = move.moving
  const moved = move.parts[at] as Part
  if (isHeading(moved)) {
    const passed = move.passed.filter((each) => isHeading(move.parts[each] as Part))
    const past = (move.isDown ? passed.at(-1) : passed[0]) ?? at
    const [column, to] = [columnOf(board, move, found, at), columnOf(board, move, found, past)]
    return past === at || column === undefined || to === undefined ? undefined : moveColumn(board, column, to + (move.isDown ? 1 : 0))
  }
  const now = found(at, true)
  const source = (now && cardAt(board, now.from)) ?? cardWith(board, moved)
  const target = source && targetOf(board, move, found, source)
  return move.moving.length > 1 || source === undefined || target === undefined ? undefined : moveCard(board, source, target)
}

// ——— rows and blocks ———

/** Returns the number of empty lines from a line on, in the direction of `step`. */
const emptyFrom = (lines: readonly string[], line: number, step: 1 | -1): number => {
  let count = 0
  while (isEmpty(lines[line + count * step])) count++
  return count
}

/** Returns the lines of parts, or the whole blocks between empty lines that contain them. */
const blockOf = (
  lines: readonly string[],
  from: number,
  to: number,
  { isSpaced }: Move
): { readonly from: number; readonly to: number } => {
  let [start, end] = [from, to]
  while (isSpaced && start > 0 && !isEmpty(lines[start - 1])) start--
  while (isSpaced && end < lines.length && !isEmpty(lines[end])) end++
  return { from: start, to: end }
}

/** Returns the lines after a move. Undefined if the moved lines, or all lines that they pass, are gone. */
const linesMoved = (lines: readonly string[], move: Move, found: Found): readonly string[] | undefined => {
  const { moving, passed, isDown, isSpaced } = move
  const all = moving.flatMap((at, index) => found(at, index === 0 || index === moving.length - 1) ?? [])
  const others = passed.flatMap((at, index) => found(at, index === (isDown ? passed.length - 1 : 0)) ?? [])
  const [first, last, neighbor] = [all[0], all.at(-1), isDown ? others.at(-1) : others[0]]
  if (first === undefined || last === undefined || neighbor === undefined || all.length * 2 < moving.length) return undefined
  const own = blockOf(lines, first.from, last.to, move)
  const place = blockOf(lines, neighbor.from, neighbor.to, move)
  if (others.some(({ from }) => from >= own.from && from < own.to) || (place.from < own.to && own.from < place.to)) return undefined
  const at = isDown ? place.to : place.from
  const [above, below] = [emptyFrom(lines, own.from - 1, -1), emptyFrom(lines, own.to, 1)]
  // One of the gaps around the moved lines stays, but none at an end of the text.
  const isLast = own.to + below >= lines.length
  const start = isLast ? own.from - above : own.from
  const end = isLast ? lines.length : own.to + (own.from === above ? below : Math.min(above, below))
  const gap = (next: string | undefined): string[] => (isSpaced && next !== undefined && !isEmpty(next) ? [''] : [])
  const put = [...gap(lines[at - 1]), ...lines.slice(own.from, own.to), ...gap(lines[at])]
  return at <= start
    ? [...lines.slice(0, at), ...put, ...lines.slice(at, start), ...lines.slice(end)]
    : [...lines.slice(0, start), ...lines.slice(end, Math.max(end, at)), ...put, ...lines.slice(Math.max(end, at))]
}

const lineStart = (content: string, at: number): number => content.lastIndexOf('\n', at - 1) + 1

const lineEnd = (content: string, at: number): number => {
  const end = content.indexOf('\n', at)
  return end === -1 ? content.length : end
}

/** Returns all lines of a range, with the lines below them that `isPart` accepts. */
const linesAt = (content: string, { from, to }: Range, isPart: (line: string) => boolean): Range => {
  let end = lineEnd(content, to)
  while (end < content.length) {
    const next = lineEnd(content, end + 1)
    if (!isPart(content.slice(end + 1, next))) break
    end = next
  }
  return { from: lineStart(content, from), to: end }
}

/**
 * Returns the edits of the current text that make a suggested move of lines. Undefined if the suggestion is not a move, or if the lines or their new
 * place are gone. There are no edits if the lines are already there. `fences` returns all fences of the text.
 */
export const movedNow = (content: string, fences: () => readonly Fence[], proposed: Proposed): readonly Edit[] | undefined => {
  const { range, original, text } = proposed
  if (!original.includes('\n') || content.length > textUnitsMax) return undefined
  const fence = fenceAt(fences(), range.from)
  const prefix = fence?.prefix ?? ''
  const [head, tail] = [content.slice(lineStart(content, range.from), range.from), content.slice(range.to, lineEnd(content, range.to))]
  const move = moveIn(original, text, prefix) ?? moveIn(head + original + tail, head + text + tail, prefix)
  if (move === undefined) return undefined
  if (fence?.kind === 'board') return editsOnBoard(fence, proposed, move)
  // Others may have added lines to the last block.
  const area = linesAt(content, range, (line) => (move.isSpaced && fence === undefined ? !isEmpty(line) : isIndented(line)))
  const whole = content.slice(area.from, area.to)
  const lines = whole.split('\n')
  if (!move.isExact || lines.length > linesMax) return undefined
  const moved = linesMoved(lines, move, partsNow(move.parts, partsOf(withoutPrefix(lines, prefix))))
  return moved && diff(whole, moved.join('\n')).map(({ from, to, insert }) => ({ from: from + area.from, to: to + area.from, insert }))
}
