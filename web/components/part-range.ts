/** Finds the source of a drawn part of a component, for a comment on it. */
import { parseBoard } from '../../shared/fences/board.ts'
import { parseChart } from '../../shared/fences/chart.ts'
import type { Fence, Range } from '../../shared/fences/fences.ts'
import { columnOfLetters } from '../../shared/fences/formula/parse.ts'
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
