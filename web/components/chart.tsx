/** Charts. A person can read their points with the pointer or the keyboard, hide series, and edit the data inside the fence as a table. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { type Chart as ChartShape, type ChartData, isProblem, isRound, parseChart } from '../../shared/fences/chart.ts'
import { chartTableOf } from '../../shared/fences/chart-data.ts'
import { legendOf } from '../../shared/fences/chart-svg.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Table } from '../../shared/fences/table.ts'
import { limits } from '../../shared/limits.ts'
import { locale, t, tn } from '../text/t.ts'
import { Drawing } from './chart-drawing.tsx'
import { ChartTools, Legend } from './chart-tools.tsx'
import { problemWords, warningWords } from './chart-words.ts'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { CellGrid } from './sheet.tsx'
import { shownNumber } from './shown-number.ts'
import { useChartData } from './use-chart-data.ts'

/** Returns a chart without the hidden series or slices. The others keep their colors. */
const without = (chart: ChartShape, data: ChartData, hidden: ReadonlySet<string>): ChartData => ({
  ...data,
  series: data.series.map((series) => ({
    ...series,
    values: series.values.map((value, point) => (hidden.has(isRound(chart) ? (data.labels[point] ?? '') : series.name) ? undefined : value))
  }))
})

interface FaultInput {
  readonly words: string
  readonly line: { readonly start: number } | undefined
  readonly input: ComponentInput
}

/** Shows an error of the source, with a link to the line. */
function Fault({ words, line, input }: FaultInput): JSX.Element {
  const { fence } = input
  const index = line === undefined ? -1 : fence.value.lines.findIndex(({ start }) => start === line.start)
  return (
    <p class='chart-fault'>
      {words}{' '}
      {index >= 0 && (
        <button type='button' class='link' onClick={() => input.openSource((fence.peek().lines[index]?.from ?? 0) - fence.peek().bodyFrom)}>
          {t('Line {number}', { number: index + 1 })}
        </button>
      )}
    </p>
  )
}

const tableOfChart = (fence: Fence): Table | undefined => chartTableOf(parseChart(fence))

/** Shows errors, and warnings about data that may be drawn in an unexpected way. */
function ChartWarnings({ data }: { readonly data: ChartData }): JSX.Element {
  return (
    <>
      {data.left > 0 && (
        <p class='component-rest'>
          {tn(data.left, '1 more point or series is not shown.', '{count} more points or series are not shown.')}
        </p>
      )}
      {data.warnings.map((warning) => (
        <p class='component-rest' key={warning.warning}>
          {warningWords(warning)}
        </p>
      ))}
    </>
  )
}

/** Edits the chart's own data in the grid that sheets use. */
const ChartGrid = ({ input, table }: { readonly input: ComponentInput; readonly table: Table }): JSX.Element => (
  <div class='chart-data'>
    <CellGrid input={input} tableOf={tableOfChart} label={t('Chart data')} takesFocus />
    {table.texts.length > limits.sheetRowsMax && (
      <p class='component-rest'>
        {tn(table.texts.length - limits.sheetRowsMax, '1 more row is in the source', '{count} more rows are in the source')}
      </p>
    )}
  </div>
)

export function Chart({ input }: { input: ComponentInput }): JSX.Element {
  const { fence, refusal } = input
  const chart = useComputed(() => ({ ...parseChart(fence.value), written: (number: string) => shownNumber(number, locale) }))
  const hidden = useSignal<ReadonlySet<string>>(new Set())
  const isEditing = useSignal(false)
  const { data, isWaiting, reason } = useChartData(input, chart)
  const drawn = useComputed(() => (isProblem(data.value) ? undefined : without(chart.value, data.value, hidden.value)))

  useSignalEffect(() => {
    if (!input.begins.value) return
    // The grid then opens its first cell.
    if (chartTableOf(chart.peek()) !== undefined && refusal.peek() === undefined) isEditing.value = true
    else {
      input.begins.value = false
      input.openSource()
    }
  })

  const { value: shape } = chart
  const { value: shown } = data
  const asked = shape.settings.findLast(({ key }) => key === 'type')
  const isOddType = asked !== undefined && asked.value.text !== '' && asked.value.text.toLowerCase() !== shape.type
  const legend = isProblem(shown) ? [] : legendOf(shape, shown)
  const table = chartTableOf(shape)
  return (
    <div class='chart-live'>
      {isOddType && (
        <Fault
          words={t('“{type}” is not a chart type. Showing bars instead.', { type: asked.value.text })}
          line={asked.line}
          input={input}
        />
      )}
      {isWaiting.value && <p class='component-note'>{t('Loading data…')}</p>}
      {!isWaiting.value && isProblem(shown) && <Fault words={reason.value ?? problemWords(shown)} line={shown.line} input={input} />}
      {drawn.value !== undefined && <Drawing chart={shape} data={drawn.value} input={input} />}
      {!isProblem(shown) && <ChartWarnings data={shown} />}
      {legend.length > 1 && <Legend legend={legend} hidden={hidden} />}
      {shape.notes.map((line) => (
        <p class='component-note' key={line.from}>
          {inline(line.text.trim())}
        </p>
      ))}
      <ChartTools
        input={input}
        chart={shape}
        hasTable={table !== undefined}
        isEditing={isEditing}
        onRefused={() => (hidden.value = new Set(hidden.value))}
      />
      {table !== undefined && isEditing.value && refusal.value === undefined && <ChartGrid input={input} table={table} />}
    </div>
  )
}
