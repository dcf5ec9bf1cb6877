/** Cells of a sheet that are picked for a chart, and stay the same cells whatever becomes of the sheet. */
import type { Edit } from '../text/diff.ts'
import { type Chart, type ChartKey, type Rows, setChart, type Setting, valueOf } from './chart.ts'
import { sourceOf } from './chart-source.ts'
import { insertBehind, insertLines, rewrite, within } from './edits.ts'
import { nameOfCell } from './formula/parse.ts'
import { type Change, formulaAfter } from './formula/rewrite.ts'

/** The new `data`, `x` and `y`; undefined: none. Data that the chart holds itself goes. */
export interface DataSettings {
  readonly data: string
  readonly x?: string
  readonly y?: string
}

const dataKeys = ['data', 'x', 'y'] as const

export const setData = (chart: Chart, wanted: DataSettings): readonly Edit[] => {
  const { fence, settings, body } = chart
  const { lines, bodyTo } = fence
  const textOf = (key: ChartKey): string | undefined => dataKeys.filter((each) => each === key).map((each) => wanted[each])[0]
  const isData = ({ key }: Setting): boolean => dataKeys.some((each) => each === key)
  const changed = settings.filter(
    (each) => isData(each) && textOf(each.key) !== undefined && settings.findLast(({ key }) => key === each.key) === each
  )
  const gone = settings.filter((each) => isData(each) && !changed.includes(each))
  const added = dataKeys.flatMap((key) => {
    const text = wanted[key]
    return text === undefined || changed.some((each) => each.key === key) ? [] : [`${key}: ${text}`]
  })
  const last = settings.findLast((each) => !gone.includes(each))
  const isHeld = lines.slice(body).some(({ text }) => text.trim() !== '')
  const bodyLine = lines[body - 1]?.text.trim() === '' ? lines[body - 1] : lines[body]
  return within(fence, [
    ...changed.flatMap(({ key, value }) => rewrite(fence, value, `${value.text === '' ? ' ' : ''}${textOf(key) ?? ''}`)),
    ...gone.map(({ line, index }) => ({ from: line.start, to: Math.max(line.to, lines[index + 1]?.start ?? bodyTo), insert: '' })),
    ...(last === undefined ? insertLines(fence, 0, added) : insertBehind(fence, last.line, added)),
    ...(isHeld && bodyLine !== undefined ? [{ from: bodyLine.start, to: bodyTo, insert: '' }] : [])
  ])
}

/** Cells that a chart draws go on being the same when rows or columns of their sheet, by its id, come, go or move. */
export const followData = (chart: Chart, id: string, change: Change): readonly Edit[] => {
  const name = valueOf(chart, 'data') ?? ''
  const source = name.startsWith('#') ? sourceOf(name) : undefined
  if (source?.sheet !== id || source.cells === undefined) return []
  // A row right behind the last one belongs to them, as one before a sum does.
  const behind = { row: change.kind === 'insert' ? change.at : -1, column: change.kind === 'insert' ? change.at : -1 }
  return setChart(chart, 'data', formulaAfter(`=${name}`, change, (sheet) => sheet === id, behind).slice(1))
}

/**
 * How a chart names cells that were picked. Whole rows of a sheet are named by the headings of their columns, so that rows that come later are
 * drawn, too; where these say too little, and for all else, by the cells. `area`: counted from 0, both ends included.
 */
export const namedCells = (
  id: string,
  rows: Rows,
  { top, bottom, first, last }: { readonly top: number; readonly bottom: number; readonly first: number; readonly last: number }
): DataSettings => {
  const heads = rows[0] ?? []
  const named = heads.slice(first, last + 1)
  const isPlain = named.every(
    (head) =>
      head.trim() !== '' &&
      !head.includes(',') &&
      !head.startsWith('=') &&
      heads.filter((each) => each.trim().toLowerCase() === head.trim().toLowerCase()).length === 1
  )
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0)
  if (top <= 1 && bottom >= rows.length - 1 && first < last) {
    if (first === 0 && last >= width - 1) return { data: `#${id}` }
    if (isPlain && named.length === last - first + 1) return { data: `#${id}`, x: named[0] ?? '', y: named.slice(1).join(', ') }
  }
  const at = (row: number, column: number): string => nameOfCell({ row, column, rowFixed: false, columnFixed: false })
  const [corner, opposite] = [at(top, first), at(bottom, last)]
  return { data: `#${id}!${corner === opposite ? corner : `${corner}:${opposite}`}` }
}
