/**
 * The `chart` fence: a few lines of settings, then the data.
 *
 *     chart  = (key ":" value NL)* [NL] [csv | json]
 *     csv    = record (NL record)*        the first one names the columns: labels, then one column per series
 *     json   = "[" … "]"                  of objects with a column for each key, or of rows
 *     keys   = type title x y data stack horizontal min max format height color
 *
 * `data: #budget` draws a sheet of the document. `data: #budget!B2:C9` draws some of its cells, below the headings of their columns. `data: /f/….csv`
 * draws an asset. Any other line is a note.
 */
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { breaksLine, trimBlanks } from '../text/scan.ts'
import { rowsWithin, sourceOf } from './chart-source.ts'
import { insertAfter, insertLines, oneLine, rewrite, within } from './edits.ts'
import type { Fence, Line, Range } from './fences.ts'
import { numberOfText } from './formula/values.ts'
import { csvRows } from './csv.ts'

export const chartTypes = ['bar', 'line', 'area', 'scatter', 'pie', 'donut'] as const
export type ChartType = (typeof chartTypes)[number]

export const chartKeys = ['type', 'title', 'x', 'y', 'data', 'stack', 'horizontal', 'min', 'max', 'format', 'height', 'color'] as const
export type ChartKey = (typeof chartKeys)[number]

export interface Setting {
  readonly key: ChartKey
  readonly line: Line
  readonly index: number
  readonly value: Range & { readonly text: string }
}

export interface Chart {
  readonly fence: Fence
  readonly type: ChartType
  readonly settings: readonly Setting[]
  readonly notes: readonly Line[]
  /** Formats a number for the reader's language. By default, numbers are shown as in the source. */
  readonly written?: (number: string) => string
  /** Index of the line on which the body begins; the number of lines if there is no body. */
  readonly body: number
}

const settingStart = /^([A-Za-z]+)[ \t]*:[ \t]*/

const settingOf = (line: Line, index: number): Setting | undefined => {
  const [start = '', name = ''] = settingStart.exec(line.text) ?? []
  const key = chartKeys.find((each) => each === name.toLowerCase())
  if (key === undefined || breaksLine(line.text)) return undefined
  const text = line.text.slice(start.length, trimBlanks(line.text, start.length))
  const at = line.from + (text === '' ? start.indexOf(':') + 1 : start.length)
  return { key, line, index, value: { from: at, to: at + text.length, text } }
}

export const valueOf = ({ settings }: Pick<Chart, 'settings'>, key: ChartKey): string | undefined =>
  settings.findLast((each) => each.key === key)?.value.text

export const parseChart = (fence: Fence): Chart => {
  const settings: Setting[] = []
  const notes: Line[] = []
  const { lines } = fence
  let body = lines.length
  for (const [index, line] of lines.entries()) {
    const setting = settingOf(line, index)
    if (setting !== undefined) settings.push(setting)
    // Without an empty line before the body, a line that looks like data begins the body.
    else if (line.text.trim() === '' || /^\s*\[|[,;\t]/.test(line.text)) {
      body = line.text.trim() === '' ? index + 1 : index
      if (settings.length > 0 || line.text.trim() !== '') break
    } else notes.push(line)
  }
  const type = valueOf({ settings }, 'type')?.toLowerCase()
  return { fence, type: chartTypes.find((each) => each === type) ?? 'bar', settings, notes, body }
}

/** Returns the edits that set one setting. Empty text removes the setting. */
export const setChart = (chart: Chart, key: ChartKey, text: string): readonly Edit[] => {
  const { fence, settings } = chart
  const value = oneLine(text)
  const found = settings.findLast((each) => each.key === key)
  if (found !== undefined) {
    if (value === '') {
      const next = fence.lines[found.index + 1]?.start ?? fence.bodyTo
      return within(fence, [{ from: found.line.start, to: Math.max(found.line.to, next), insert: '' }])
    }
    const space = /[ \t]/.test(fence.source.charAt(found.value.from - 1)) ? '' : ' '
    return within(fence, rewrite(fence, found.value, space + value))
  }
  if (value === '') return []
  const last = settings.at(-1)
  const line = `${key}: ${value}`
  return within(fence, last === undefined ? insertLines(fence, 0, [line]) : insertAfter(fence, last.line, [line]))
}

// ——— data ———

/** Cell text, row by row. The first row names the columns. */
export type Rows = readonly (readonly string[])[]

/** The reason why nothing can be drawn. */
export interface ChartProblem {
  /** The kind of problem. `elsewhere` means that the data is in the file `name`. */
  readonly problem: 'none' | 'elsewhere' | 'sheet' | 'cells' | 'json' | 'column' | 'numbers'
  /** Name of the column, sheet or file that causes the problem; '' if there is none. */
  readonly name: string
  /** The ids of the existing sheets. */
  readonly others?: readonly string[]
  /** The line that must be corrected. */
  readonly line: Line | undefined
}

export const isProblem = (value: Rows | ChartData | ChartProblem): value is ChartProblem => 'problem' in value

/** Describes the problem in English, for published pages and files. */
export const problemText = ({ problem, name, others = [] }: ChartProblem): string => {
  if (problem === 'none') return 'There is no data yet.'
  if (problem === 'elsewhere') return `The data is in ${name}.`
  if (problem === 'sheet') return `There is no sheet ${name}.${others.length === 0 ? '' : ` The document has ${others.join(', ')}.`}`
  if (problem === 'cells') return `The cells ${name} do not exist.`
  if (problem === 'json') return 'The data is not a JSON list.'
  return problem === 'column' ? `There is no column “${name}”.` : 'There are no numbers to show.'
}

/** Returns the line of a setting. If there are several, the last one counts. */
const lineOf = ({ settings }: Chart, key: ChartKey): Line | undefined => settings.findLast((each) => each.key === key)?.line

const textOfJson = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const jsonRows = (text: string): Rows => {
  const list = JSON.parse(text) as unknown
  if (!Array.isArray(list)) throw new SyntaxError('no list')
  const items = list.slice(0, limits.chartPointsMax) as unknown[]
  if (items.every(Array.isArray)) return items.map((row) => row.slice(0, limits.chartSeriesMax + 1).map(textOfJson))
  const names = [...new Set(items.flatMap((item) => (typeof item === 'object' && item !== null ? Object.keys(item) : [])))].slice(
    0,
    limits.chartSeriesMax + 1
  )
  return [names, ...items.map((item) => names.map((name) => textOfJson((item as Record<string, unknown> | null)?.[name])))]
}

/** Returns the rows in the body; undefined if the data is elsewhere. */
export const bodyRows = ({ fence, body }: Chart): Rows | ChartProblem | undefined => {
  const lines = fence.lines.slice(body)
  const text = lines.map((line) => line.text).join('\n')
  if (text.trim() === '') return undefined
  if (!text.trimStart().startsWith('[')) return csvRows(lines).rows.map(({ cells }) => cells.map((cell) => cell.text))
  try {
    return jsonRows(text)
  } catch (error) {
    // Depending on the JavaScript engine, the error names a line, an offset or a missing end.
    const [, place] = /\bposition (\d+)/.exec(String(error)) ?? []
    const at =
      /\bline (\d+)/.exec(String(error))?.[1] ?? (place === undefined ? lines.length : text.slice(0, Number(place)).split('\n').length)
    return { problem: 'json', name: '', line: lines[Number(at) - 1] }
  }
}

/** The sheets of a document, as charts need them. */
export interface SheetsOfChart {
  /** Returns the displayed values of the sheet with an id; undefined if there is no such sheet. */
  rowsOf(id: string): Rows | undefined
  readonly ids: readonly string[]
}

/** Returns the rows of a chart whose data is in the document. */
export const chartRows = (chart: Chart, { rowsOf, ids }: SheetsOfChart): Rows | ChartProblem => {
  const own = bodyRows(chart)
  if (own !== undefined) return own
  const name = valueOf(chart, 'data') ?? ''
  const line = lineOf(chart, 'data')
  if (name === '') return { problem: 'none', name, line }
  if (!name.startsWith('#')) return { problem: 'elsewhere', name, line }
  const source = sourceOf(name)
  if (source === undefined) return { problem: 'cells', name, line }
  const rows = rowsOf(source.sheet)
  if (rows === undefined) return { problem: 'sheet', name: `#${source.sheet}`, line, others: ids.map((id) => `#${id}`) }
  return source.cells === undefined ? rows : rowsWithin(rows, source.cells)
}

/** Returns the rows of a CSV file. */
export const rowsOfCsv = (text: string): Rows => {
  let at = 0
  const lines = text.split(/\r?\n/).map((line) => {
    const found = { start: at, from: at, to: at + line.length, text: line }
    at += line.length + 1
    return found
  })
  return csvRows(lines).rows.map(({ cells }) => cells.map((cell) => cell.text))
}

export interface Series {
  readonly name: string
  /** One value per label; undefined if the cell is not a number. */
  readonly values: readonly (number | undefined)[]
}

export interface ChartData {
  /** Name of the column that contains the labels. */
  readonly axis: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** Number of points and series that are left out. */
  readonly left: number
  readonly warnings: readonly ChartWarning[]
}

/** A warning about data that is drawn differently than expected, or not drawn. */
export interface ChartWarning {
  /**
   * `words`: cells that are not numbers. `negative`: values below zero, which have no slice. `series`: columns that a pie does not show. `legend`:
   * slices that the legend does not name. `order`: labels of a scatter chart that are not numbers, so they follow the order of the rows. `type`: the
   * chart type is unknown. `range`: the axis would end before it begins.
   */
  readonly warning: 'words' | 'negative' | 'series' | 'legend' | 'order' | 'type' | 'range'
  readonly count: number
  /** Name of the first affected part. */
  readonly name: string
}

/** Describes the warning in English, for published pages and files. */
export const warningText = ({ warning, count, name }: ChartWarning): string => {
  if (warning === 'words')
    return count === 1 ? `1 cell is not a number and is left out: ${name}` : `${count} cells are not numbers and are left out: ${name}`
  if (warning === 'negative')
    return `${count} ${count === 1 ? 'value' : 'values'} below zero ${count === 1 ? 'has' : 'have'} no slice: ${name}`
  if (warning === 'series') return `Only the first column is shown. ${count} left out: ${name}`
  if (warning === 'legend') return `The legend ends after ${legendMax} names; ${count} more: ${name}`
  if (warning === 'type') return `${name} is not a chart type. Use one of these: ${chartTypes.join(', ')}`
  if (warning === 'range') return `The axis range ${name} is not valid`
  return count === 1
    ? `1 label is not a number, so its position is used instead: ${name}`
    : `${count} labels are not numbers, so their positions are used instead: ${name}`
}

/** Maximum number of names in the legend of a pie. */
export const legendMax = 50

export const isRound = ({ type }: Pick<Chart, 'type'>): boolean => type === 'pie' || type === 'donut'

/** Returns the label of a scatter chart as a number; undefined if it is not one. */
export const numberOfLabel = (label: string): number | undefined => {
  const number = Number(label.trim().replaceAll(',', ''))
  return label.trim() === '' || !Number.isFinite(number) ? undefined : number
}

const warningsOf = (chart: Chart, labels: readonly string[], series: readonly Series[], words: readonly string[]): ChartWarning[] => {
  const found: ChartWarning[] = []
  const add = (warning: ChartWarning['warning'], names: readonly string[]): void => {
    if (names[0] !== undefined) found.push({ warning, count: names.length, name: names[0] })
  }
  const type = valueOf(chart, 'type') ?? ''
  if (type !== '' && type.toLowerCase() !== chart.type) add('type', [type])
  const [min, max] = (['min', 'max'] as const).map((key) => numberIn(valueOf(chart, key)))
  if (min !== undefined && max !== undefined && min >= max) add('range', [`${min} to ${max}`])
  add('words', words)
  if (isRound(chart)) {
    const [first] = series
    add(
      'negative',
      labels.filter((_label, point) => (first?.values[point] ?? 0) < 0)
    )
    add(
      'series',
      series.slice(1).map(({ name }) => name)
    )
    add('legend', labels.slice(legendMax))
  }
  if (chart.type === 'scatter')
    add(
      'order',
      labels.filter((label) => numberOfLabel(label) === undefined)
    )
  return found
}

const numberIn = (text: string | undefined): number | undefined => numberOfText((text ?? '').replaceAll(/\s/g, ''))

const columnNamed = (heads: readonly string[], name: string): number =>
  heads.findIndex((head) => head.trim().toLowerCase() === name.trim().toLowerCase())

/**
 * Returns the part of the rows that a chart draws. The column `x` has the labels, and the columns `y` (separated by commas) are the series. By
 * default, the first column has the labels and all other columns are series.
 */
export const chartData = (chart: Chart, rows: Rows): ChartData | ChartProblem => {
  const [heads = [], ...below] = rows
  const [x, y] = [valueOf(chart, 'x'), valueOf(chart, 'y')]
  const labelAt = x === undefined ? 0 : columnNamed(heads, x)
  if (labelAt === -1) return { problem: 'column', name: x ?? '', line: lineOf(chart, 'x') }
  const named = y?.split(',').map((name) => [name.trim(), columnNamed(heads, name)] as const)
  const missing = named?.find(([, at]) => at === -1)
  if (missing !== undefined) return { problem: 'column', name: missing[0], line: lineOf(chart, 'y') }
  const wanted = named?.map(([, at]) => at) ?? heads.map((_head, at) => at).filter((at) => at !== labelAt)
  const filled = below.filter((row) => row.some((cell) => cell.trim() !== ''))
  const points = filled.slice(0, limits.chartPointsMax)
  const columns = wanted.slice(0, limits.chartSeriesMax)
  const series = columns.map((at) => ({ name: heads[at] ?? '', values: points.map((row) => numberIn(row[at])) }))
  if (!series.some(({ values }) => values.some((value) => value !== undefined)))
    return { problem: 'numbers', name: '', line: chart.fence.lines[chart.body] }
  const labels = points.map((row) => row[labelAt] ?? '')
  const words = columns.flatMap((at) =>
    points.map((row) => (row[at] ?? '').trim()).filter((text) => text !== '' && numberIn(text) === undefined)
  )
  return {
    axis: heads[labelAt] ?? '',
    labels,
    series,
    warnings: warningsOf(chart, labels, series, words),
    left: filled.length - points.length + wanted.length - columns.length
  }
}
