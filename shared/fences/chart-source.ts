/** The setting `data` of a chart: the cells of a sheet that it draws. */
import { referencesIn, type WrittenReference } from './formula/parse.ts'

type Rows = readonly (readonly string[])[]

/** A sheet of the document, or some of its cells. */
export interface ChartSource {
  readonly sheet: string
  readonly cells: Pick<WrittenReference, 'first' | 'last'> | undefined
}

/** Returns the sheet or cells that `data: #…` names; undefined if the name is not of this form. */
export const sourceOf = (name: string): ChartSource | undefined => {
  if (!name.includes('!')) return { sheet: name.slice(1), cells: undefined }
  const [cells] = referencesIn(`=${name}`)
  const isAll = cells?.sheet !== undefined && cells.start === 1 && cells.to === name.length + 1
  return isAll ? { sheet: cells.sheet ?? '', cells } : undefined
}

/**
 * Returns the rows of some cells, below the headings of their columns. If the cells are in a single column, the labels come from the sheet's first
 * column. If the cells are in the first column itself, the rows are numbered.
 */
export const rowsWithin = (rows: Rows, { first, last = first }: NonNullable<ChartSource['cells']>): Rows => {
  const [top, bottom] = [Math.max(1, Math.min(first.row, last.row)), Math.max(first.row, last.row)]
  const [left, right] = [Math.min(first.column, last.column), Math.max(first.column, last.column)]
  const columns = Array.from({ length: right - left + 1 }, (_column, index) => left + index)
  const labels = columns.length > 1 ? [] : [left === 0 ? undefined : 0]
  return [rows[0] ?? [], ...rows.slice(top, bottom + 1)].map((row, index) =>
    [...labels, ...columns].map((column) => (column === undefined ? (index === 0 ? '' : String(index)) : (row[column] ?? '')))
  )
}
