/**
 * The data within a chart, as a table that people edit: a cell that changes is replaced alone, in a CSV as in JSON. Row 0 names the columns.
 */
import { trimBlanks } from '../text/scan.ts'
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { bodyRows, type Chart, isProblem, type Rows, valueOf } from './chart.ts'
import { insertLines, within } from './edits.ts'
import type { Range } from './fences.ts'
import { csvRows, type Sheet, writtenCell } from './sheet.ts'
import { deleteRow, insertRow, setCell } from './sheet-edits.ts'

type Edits = readonly Edit[]

export interface ChartTable {
  readonly rows: Rows
  /** Whether a cell holds a text or a number; what JSON nests is changed in the source. */
  mayChange(row: number, column: number): boolean
  setCell(row: number, column: number, text: string): Edits
  addRow(): Edits
  /** The one that names the columns stays. */
  deleteRow(row: number): Edits
}

const csvTable = (chart: Chart, rows: Rows): ChartTable => {
  const { fence, body } = chart
  const found = csvRows(fence.lines, body)
  const width = Math.max(0, ...found.rows.map(({ cells }) => cells.length))
  const sheet: Sheet = { fence, ...found, dashes: undefined, sides: [], notes: [], width }
  return {
    rows,
    mayChange: (row, column) => row < limits.sheetRowsMax && column < limits.sheetColumnsMax,
    setCell: (row, column, text) => setCell(sheet, row, column, text),
    addRow: () => insertRow(sheet, rows.length),
    deleteRow: (row) => (row > 0 ? deleteRow(sheet, row) : [])
  }
}

/** Of a chart that has no data yet: a name for the labels, and one for the numbers. */
const emptyTable = ({ fence }: Chart): ChartTable => {
  const { lines } = fence
  const begin = (rows: readonly string[]): Edits => {
    const gap = (lines.at(-1)?.text ?? '').trim() === '' ? [] : ['']
    return within(fence, insertLines(fence, lines.length, [...gap, ...rows]))
  }
  return {
    rows: [['', '']],
    mayChange: (row) => row === 0,
    setCell(_row, column, text) {
      const cell = writtenCell({ delimiter: ',' }, text, 0)
      return text.trim() === '' ? [] : begin([column === 0 ? `${cell},` : `,${cell}`])
    },
    addRow: () => begin([',', ',']),
    deleteRow: () => []
  }
}

/** A value of JSON, and where it stands in its text. */
interface Value extends Range {
  /** Of a list, or of an object with its keys. */
  readonly items: readonly (Value & { readonly key?: Range & { readonly name: string } })[] | undefined
}

const space = /[ \t\n\r]*/y
const atom = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}:"]+/y

/** The values of a text that is known to be JSON. */
const valuesOf = (text: string): Value => {
  let at = 0
  const skip = (): void => {
    space.lastIndex = at
    space.test(text)
    at = space.lastIndex
  }
  const take = (): Range => {
    atom.lastIndex = at
    const from = at
    at += atom.exec(text)?.[0].length ?? 1
    return { from, to: at }
  }
  const value = (): Value => {
    skip()
    const from = at
    const end = { '[': ']', '{': '}' }[text.charAt(at)]
    if (end === undefined) return { ...take(), items: undefined }
    const items: (Value & { key?: Range & { name: string } })[] = []
    at += 1
    for (skip(); at < text.length && text.charAt(at) !== end; skip()) {
      if (text.charAt(at) === ',') {
        at += 1
        continue
      }
      if (end === ']') {
        items.push(value())
        continue
      }
      const key = take()
      skip()
      at += 1
      items.push({ ...value(), key: { ...key, name: JSON.parse(text.slice(key.from, key.to)) as string } })
    }
    at += 1
    return { from, to: at, items }
  }
  return value()
}

/** A text as it stands in JSON: a number where reading it gives the same text again (`2.5`, not `0E0` or `-0`), else a string. */
const writtenJson = (text: string): string => {
  const value = Number(text)
  return Number.isFinite(value) && String(value) === text ? JSON.stringify(value) : JSON.stringify(text)
}

const jsonTable = (chart: Chart, rows: Rows): ChartTable => {
  const { fence, body } = chart
  const lines = fence.lines.slice(body)
  const text = lines.map((line) => line.text).join('\n')
  const list = valuesOf(text)
  const items = list.items ?? []
  const heads = rows[0] ?? []
  const isLists = items.every((item) => text.charAt(item.from) === '[')
  /** The item that a row shows; of objects the first row is their keys. */
  const itemOf = (row: number) => items[isLists ? row : row - 1]
  const valueAt = (row: number, column: number) => {
    const item = itemOf(row)
    return isLists ? item?.items?.[column] : item?.items?.findLast(({ key }) => key?.name === heads[column])
  }
  /** Offset in the document: values of JSON end on the line that they begin on, lists and objects may not. */
  const absolute = (offset: number): number => {
    let start = 0
    for (const line of lines) {
      if (offset <= start + line.text.length) return line.from + offset - start
      start += line.text.length + 1
    }
    return fence.bodyTo
  }
  const edit = (from: number, to: number, insert: string): Edit => ({ from: absolute(from), to: absolute(to), insert })
  const isPlain = (value: Value | undefined): boolean => value !== undefined && value.items === undefined

  const more = (item: Value, column: number, written: string): Edit[] => {
    const { items: there = [] } = item
    const last = there.at(-1)
    const missing = isLists ? Array.from({ length: Math.max(0, column - there.length) }, () => '""') : []
    const added = [...missing, isLists ? written : `${JSON.stringify(heads[column])}: ${written}`].join(', ')
    return [last === undefined ? edit(item.from + 1, item.from + 1, added) : edit(last.to, last.to, `, ${added}`)]
  }
  return {
    rows,
    mayChange(row, column) {
      if (!isLists && row === 0) return true
      const value = valueAt(row, column)
      return value === undefined ? itemOf(row)?.items !== undefined : isPlain(value)
    },
    setCell(row, column, said) {
      const now = said.trim()
      if (now === (rows[row]?.[column] ?? '')) return []
      if (!isLists && row === 0) {
        // Two columns of one name would be one.
        if (now === '' || heads.includes(now)) return []
        const keys = items
          .flatMap((item) => item.items ?? [])
          .flatMap(({ key }) => (key !== undefined && key.name === heads[column] ? [key] : []))
        return within(
          fence,
          keys.map(({ from, to }) => edit(from, to, JSON.stringify(now)))
        )
      }
      const [item, value] = [itemOf(row), valueAt(row, column)]
      if (value !== undefined) return isPlain(value) ? within(fence, [edit(value.from, value.to, writtenJson(now))]) : []
      return item?.items === undefined ? [] : within(fence, more(item, column, writtenJson(now)))
    },
    addRow() {
      const cells = heads.map((name) => (isLists ? '""' : `${JSON.stringify(name)}: ""`)).join(', ')
      const written = isLists ? `[${cells}]` : `{${cells}}`
      const last = items.at(-1)
      if (last === undefined) return within(fence, [edit(list.from + 1, list.from + 1, written)])
      const start = trimBlanks(text, 0, last.from)
      const isFirst = start === 0 || text[start - 1] === '\n'
      const gap = isFirst ? `\n${fence.prefix}${text.slice(start, last.from)}` : ' '
      return within(fence, [edit(last.to, last.to, `,${gap}${written}`)])
    },
    deleteRow(row) {
      const index = isLists ? row : row - 1
      const [item, before, behind] = [items[index], items[index - 1], items[index + 1]]
      if (item === undefined || row < 1) return []
      if (before !== undefined) return within(fence, [edit(before.to, item.to, '')])
      return within(fence, [edit(item.from, behind?.from ?? item.to, '')])
    }
  }
}

/** The table of the data that a chart holds itself; undefined when it is elsewhere, or cannot be read. */
export const chartTableOf = (chart: Chart): ChartTable | undefined => {
  const rows = bodyRows(chart)
  if (rows !== undefined && isProblem(rows)) return undefined
  if (rows === undefined) return valueOf(chart, 'data') === undefined ? emptyTable(chart) : undefined
  const isJson = chart.fence.lines
    .slice(chart.body)
    .find(({ text }) => text.trim() !== '')
    ?.text.trimStart()
    .startsWith('[')
  return isJson === true ? jsonTable(chart, rows) : csvTable(chart, rows)
}
