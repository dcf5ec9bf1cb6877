/** The cells of a sheet that a chart draws. The chart follows these cells when the sheet changes. */
import type { Edit } from '../text/diff.ts'
import { type Chart, type ChartKey, type Rows, setChart, type Setting, valueOf } from './chart.ts'
import { sourceOf } from './chart-source.ts'
import { insertAfter, insertLines, rewrite, within } from './edits.ts'
import { nameOfCell } from './formula/parse.ts'
import { type Change, formulaAfter } from './formula/rewrite.ts'

/** New values of `data`, `x` and `y`. An undefined value removes the setting. Data inside the chart is removed. */
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
    ...(last === undefined ? insertLines(fence, 0, added) : insertAfter(fence, last.line, added)),
    ...(isHeld && bodyLine !== undefined ? [{ from: bodyLine.start, to: bodyTo, insert: '' }] : [])
  ])
}

/** Updates the cells that a chart names when rows or columns of the sheet `id` are inserted, deleted or moved. */
export const followData = (chart: Chart, id: string, change: Change): readonly Edit[] => {
  const name = valueOf(chart, 'data') ?? ''
  const source = name.startsWith('#') ? sourceOf(name) : undefined
  if (source?.sheet !== id || source.cells === undefined) return []
  // A row inserted directly after the last one belongs to the range, like a row inserted before a sum.
  const behind = { row: change.kind === 'insert' ? change.at : -1, column: change.kind === 'insert' ? change.at : -1 }
  return setChart(chart, 'data', formulaAfter(`=${name}`, change, (sheet) => sheet === id, behind).slice(1))
}

/**
 * Returns the settings that a chart uses to name the picked cells. If the selection contains all rows, the chart names columns by their headings, so
 * that it also draws rows added later. In all other cases, and if the headings do not suffice, it names the cells. The area counts from 0 and
 * includes both ends.
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

/**
 * Returns the first and last column that a chart of an entire sheet draws, counted from 0. They are the columns that `x` and `y` name, or otherwise
 * all columns.
 */
export const namedColumns = (chart: Chart, heads: readonly string[], width: number): { readonly first: number; readonly last: number } => {
  const names = [valueOf(chart, 'x') ?? '', ...(valueOf(chart, 'y') ?? '').split(',')].map((name) => name.trim().toLowerCase())
  const named = [...heads.keys()].filter((column) => {
    const head = heads[column]?.trim().toLowerCase() ?? ''
    return head !== '' && names.includes(head)
  })
  // Without `y`, a chart draws all columns.
  if (names.every((name, index) => index === 0 || name === '') || named.length === 0) return { first: 0, last: Math.max(0, width - 1) }
  return { first: valueOf(chart, 'x') === undefined ? 0 : (named[0] ?? 0), last: named.at(-1) ?? 0 }
}
