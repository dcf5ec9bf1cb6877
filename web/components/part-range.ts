/** Finds the source of a drawn part of a component, for a comment on it, and the drawn parts that a comment is on. */
import { parseBoard } from '../../shared/fences/board.ts'
import { parseChart } from '../../shared/fences/chart.ts'
import type { Fence, Range } from '../../shared/fences/fences.ts'
import { columnOfLetters, lettersOfColumn } from '../../shared/fences/formula/parse.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'

/** The data attributes of the elements around a part, as the components write them. */
export interface DrawnPart {
  /** Column and index of a card, as in `0:2`. */
  readonly place?: string | undefined
  /** Index of a column of a board. */
  readonly column?: string | undefined
  /** Name of a cell, as in `B2`. */
  readonly cell?: string | undefined
  /** Index of the first line of a message. */
  readonly line?: string | undefined
}

export function drawnPart(element: Element): DrawnPart {
  const read = (name: string): string | undefined => element.closest<HTMLElement>(`[data-${name}]`)?.dataset[name]
  return { place: read('place'), column: read('column'), cell: read('cell'), line: read('line') }
}

function candidates(fence: Fence, { place, column, cell, line }: DrawnPart): (Range | undefined)[] {
  if (fence.kind === 'board') {
    const [at, index] = (place ?? column ?? '').split(':').map(Number)
    const found = parseBoard(fence).columns[at ?? -1]
    const card = found?.cards[index ?? -1]
    return [card?.title, card?.line, found?.title]
  }
  if (fence.kind === 'sheet' && cell !== undefined) {
    const [letters = '', row = ''] = cell.split(/(?=\d)(?<!\d)/)
    const found = parseSheet(fence).rows[Number(row) - 1]
    return [found?.cells[columnOfLetters(letters)], found?.line]
  }
  if (fence.kind === 'chart') return [parseChart(fence).settings.findLast(({ key }) => key === 'title')?.value]
  return line === undefined ? [] : [fence.lines[Number(line)]]
}

/** Returns the range of a part in the text of its fence. A part without words, or one that is gone, has the range of the first line of the fence. */
export function rangeOfPart(fence: Fence, part: DrawnPart): Range {
  const { source, from } = fence
  const end = source.indexOf('\n', from)
  const found = candidates(fence, part).find((range) => range !== undefined && source.slice(range.from, range.to).trim() !== '')
  return found ?? { from, to: end === -1 ? source.length : end }
}

/** Maximum number of parts that a comment marks. */
const partsMax = 200

type Part = readonly [selector: string, from: number, to: number]

function partsOf(fence: Fence): readonly Part[] {
  if (fence.kind === 'board')
    return parseBoard(fence).columns.flatMap(({ title, cards }, at): Part[] => [
      [`[data-column="${at}"]>.board-head`, title.from, title.to],
      ...cards.map(({ line, details }, index): Part => [`[data-place="${at}:${index}"]`, line.from, (details.at(-1) ?? line).to])
    ])
  if (fence.kind === 'sheet')
    return parseSheet(fence).rows.flatMap(({ cells }, row) =>
      cells.map(({ from, to }, column): Part => [`[data-cell="${lettersOfColumn(column)}${row + 1}"]`, from, to])
    )
  return fence.kind === 'chat' ? fence.lines.map(({ from, to }, index) => [`[data-line="${index}"]`, from, to]) : []
}

/** Returns the selectors of the drawn parts that a range meets. Without any, the range is on the bar of the component. */
export function partsIn(fence: Fence, { from, to }: Range): readonly string[] {
  const found = partsOf(fence).filter(([, start, end]) => start < to && end > from)
  return found.length === 0 || found.length > partsMax ? ['.frame-bar'] : found.map(([selector]) => selector)
}
