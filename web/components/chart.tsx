/** Charts. A person reads their points with the pointer or the keyboard, hides series, and edits data inside the fence as a table. */
import { effect, type ReadonlySignal, type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  type Chart as ChartShape,
  type ChartData,
  chartData,
  type ChartProblem,
  type ChartWarning,
  chartRows,
  type ChartType,
  chartTypes,
  isProblem,
  isRound,
  parseChart,
  type Rows,
  setChart,
  valueOf
} from '../../shared/fences/chart.ts'
import { chartTableOf } from '../../shared/fences/chart-data.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Table } from '../../shared/fences/table.ts'
import { limits } from '../../shared/limits.ts'
import { chartSvg, chartTable, legendOf } from '../../shared/fences/chart-svg.ts'
import { nodesOf } from '../markdown/trusted.ts'
import { locale, t, tn } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { type AssetRows, rowsOfAsset } from './chart-asset.ts'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { CellGrid } from './sheet.tsx'
import { goToCells } from './sheets-around.ts'
import { toast } from '../ui/toast.tsx'
import { cellsOf, startPicking, wordsOfCells } from './chart-pick.ts'
import { shownNumber } from './shown-number.ts'

const typeName = (type: ChartType): string =>
  ({ bar: t('Bars'), line: t('Lines'), area: t('Areas'), scatter: t('Points'), pie: t('Pie'), donut: t('Donut') })[type]

const warningWords = ({ warning, count, name }: ChartWarning): string => {
  const values = { name }
  if (warning === 'words')
    return tn(count, '1 cell is not a number and is left out: {name}', '{count} cells are not numbers and are left out: {name} …', values)
  if (warning === 'negative')
    return tn(count, '1 value below zero has no slice: {name}', '{count} values below zero have no slice: {name} …', values)
  if (warning === 'series')
    return tn(
      count,
      'Only the first column is shown. {name} is left out.',
      'Only the first column is shown. {count} others are left out: {name} …',
      values
    )
  if (warning === 'legend')
    return tn(count, '1 slice is not in the legend: {name}', '{count} slices are not in the legend: {name} …', values)
  if (warning === 'type') return t('{name} is not a chart type. Use one of these: {types}.', { name, types: chartTypes.join(', ') })
  if (warning === 'range') return t('The axis range {name} is not valid.', { name })
  return tn(
    count,
    '1 label is not a number, so its position is used instead: {name}',
    '{count} labels are not numbers, so their positions are used instead: {name} …',
    values
  )
}

const problemWords = ({ problem, name, others = [] }: ChartProblem): string => {
  if (problem === 'none') return t('There is no data yet.')
  if (problem === 'elsewhere') return t('The data is in {name}, which is not a file on this server.', { name })
  if (problem === 'sheet' && others.length > 0)
    return t('There is no sheet {name}. The document has {others}.', { name, others: others.join(', ') })
  if (problem === 'sheet') return t('There is no sheet {name}.', { name })
  if (problem === 'cells') return t('The cells {name} do not exist. Pick the data again.', { name })
  if (problem === 'json') return t('The data is not a JSON list.')
  return problem === 'column' ? t('There is no column “{name}”.', { name }) : t('There are no numbers to show.')
}

/** Smallest and largest width of a drawing, in pixels. A chart outside this range is scaled. */
const widthMin = 240
const widthMax = 1200

/** Returns a chart without the hidden series or slices. The others keep their colors. */
const without = (chart: ChartShape, data: ChartData, hidden: ReadonlySet<string>): ChartData => ({
  ...data,
  series: data.series.map((series) => ({
    ...series,
    values: series.values.map((value, point) => (hidden.has(isRound(chart) ? (data.labels[point] ?? '') : series.name) ? undefined : value))
  }))
})

interface DrawingInput {
  readonly chart: ChartShape
  readonly data: ChartData
  readonly input: ComponentInput
}

const marks = 'rect, circle, .slice'

/** The drawing of a chart. The arrow keys go through its points in order. */
function Drawing({ chart, data, input }: DrawingInput): JSX.Element {
  const plot = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  const tip = useSignal<{ readonly text: string; readonly x: number; readonly y: number } | undefined>(undefined)
  const current = useRef(-1)

  useLayoutEffect(() => {
    const element = plot.current
    if (element === null) return undefined
    const measure = (): void => {
      if (element.clientWidth > 0) width.value = Math.round(Math.min(Math.max(element.clientWidth, widthMin), widthMax))
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    measure()
    return () => sizes.disconnect()
  }, [])

  useLayoutEffect(() => {
    if (width.value === 0) return
    canvas.current?.replaceChildren(...nodesOf(chartSvg(chart, data, 'chart', width.value) + chartTable(chart, data, t('no slice'))))
    // The page shows the label of a point immediately, so the browser's own tooltip is removed.
    for (const title of canvas.current?.querySelectorAll(':is(rect, circle, path) > title') ?? []) {
      title.parentElement?.setAttribute('data-says', title.textContent ?? '')
      title.remove()
    }
    current.current = -1
    tip.value = undefined
  }, [chart, data, width.value])

  const show = (mark: Element | null | undefined): void => {
    for (const other of canvas.current?.querySelectorAll('.pointed') ?? []) if (other !== mark) other.classList.remove('pointed')
    const text = mark?.getAttribute('data-says')
    const around = plot.current?.getBoundingClientRect()
    if (mark == null || text == null || around === undefined) {
      tip.value = undefined
      return
    }
    mark.classList.add('pointed')
    const box = mark.getBoundingClientRect()
    const x = box.left + box.width / 2 - around.left
    tip.value = { text, x: Math.min(Math.max(x, 70), Math.max(70, around.width - 70)), y: box.top - around.top }
  }
  const keyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const all = [...(canvas.current?.querySelectorAll(marks) ?? [])]
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: current.current + 1,
      ArrowLeft: current.current < 0 ? all.length - 1 : current.current - 1,
      Home: 0,
      End: all.length - 1
    }
    const next = steps[event.key]
    if (event.key === 'Escape' && tip.value !== undefined) {
      current.current = -1
      show(undefined)
    } else if (next === undefined || all.length === 0) return
    else {
      current.current = (next + all.length) % all.length
      show(all[current.current])
      input.said.value = tip.value?.text ?? ''
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      class='chart-plot'
      role='group'
      aria-label={t('Chart points. Use the arrow keys to move between them.')}
      tabIndex={0}
      ref={plot}
      onKeyDown={keyDown}
      onBlur={() => show(undefined)}
      onPointerMove={({ target }) => show(target instanceof Element ? target.closest(marks) : undefined)}
      onPointerLeave={() => show(undefined)}
    >
      <div class='component-chart' ref={canvas} />
      {tip.value !== undefined && (
        <div class='chart-tip' aria-hidden='true' dir='auto' style={{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>
          {tip.value.text}
        </div>
      )}
    </div>
  )
}

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

/** Whether the value of `data:` is the address of a file that the service stores. */
const isAsset = (name: string): boolean => /^\/f\/[\w-]+\.csv$/.test(name)

const tableOfChart = (fence: Fence): Table | undefined => chartTableOf(parseChart(fence))

interface ShownData {
  readonly data: ReadonlySignal<ChartData | ChartProblem>
  /** Whether the file is still loading. */
  readonly isWaiting: ReadonlySignal<boolean>
  /** The reason why the file could not be loaded. */
  readonly reason: ReadonlySignal<string | undefined>
}

/** Returns the data that a chart draws. The data is in the fence, in a sheet or in a file. */
function useChartData(input: ComponentInput, chart: ReadonlySignal<ChartShape>): ShownData {
  const asset = useSignal<{ readonly address: string; readonly found: AssetRows } | undefined>(undefined)
  const rows = useComputed(() => chartRows(chart.value, input.sheets.value))
  const wanted = useComputed(() => {
    const found = rows.value
    return isProblem(found) && found.problem === 'elsewhere' && isAsset(found.name) ? found.name : undefined
  })
  useSignalEffect(() => {
    const address = wanted.value
    if (address === undefined || asset.peek()?.address === address) return
    void rowsOfAsset(address, input.page.session.key).then((found) => {
      if (wanted.peek() === address) asset.value = { address, found }
    })
  })
  const fetched = useComputed(() => (asset.value?.address === wanted.value ? asset.value : undefined))
  return {
    data: useComputed((): ChartData | ChartProblem => {
      const found: Rows | ChartProblem = (wanted.value === undefined ? undefined : fetched.value?.found.rows) ?? rows.value
      return isProblem(found) ? found : chartData(chart.value, found)
    }),
    isWaiting: useComputed(() => wanted.value !== undefined && fetched.value === undefined),
    reason: useComputed(() => fetched.value?.found.reason)
  }
}

interface LegendInput {
  readonly legend: ReturnType<typeof legendOf>
  readonly hidden: Signal<ReadonlySet<string>>
}

function Legend({ legend, hidden }: LegendInput): JSX.Element {
  const toggle = (name: string): void => {
    const next = new Set(hidden.value)
    if (!next.delete(name)) next.add(name)
    // At least one series must stay visible.
    if (legend.every((each) => !each.isDrawn || next.has(each.name))) return
    hidden.value = next
  }
  return (
    <ul class='legend'>
      {legend.map(({ name, colour, isDrawn }, index) => {
        const words = name === '' ? t('Unnamed') : name
        return (
          <li key={index}>
            {isDrawn ? (
              <button type='button' class='legend-entry' aria-pressed={!hidden.value.has(name)} onClick={() => toggle(name)}>
                <span class={`swatch ${colour}`} />
                {words}
              </button>
            ) : (
              <span class='legend-entry'>
                <span class='swatch swatch-none' />
                {words} ({t('no slice')})
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

interface ToolsInput {
  readonly input: ComponentInput
  readonly chart: ChartShape
  readonly hasTable: boolean
  readonly isEditing: Signal<boolean>
  readonly onRefused: () => void
}

/** The actions on a chart as a whole. */
function ChartTools({ input, chart, hasTable, isEditing, onRefused }: ToolsInput): JSX.Element {
  const { around, sheets, said } = input
  const picking = useRef<HTMLButtonElement>(null)
  const mayChange = input.refusal.value === undefined
  const cells = cellsOf(input)
  const source = valueOf(chart, 'data') ?? ''
  const title = valueOf(chart, 'title') ?? ''
  const field = useRef<HTMLInputElement>(null)
  // A layout effect runs with the click, so that the field receives the next key press. `useSignalEffect` would run a frame later.
  useLayoutEffect(
    () =>
      effect(() => {
        if (!input.wantsTitle.value) return
        input.wantsTitle.value = false
        field.current?.focus()
        field.current?.select()
      }),
    []
  )
  const edit = (): void => {
    if (hasTable) isEditing.value = !isEditing.value
    else if (cells !== undefined && !goToCells(input, cells)) toast(t('Close the source of the sheet first.'))
  }
  return (
    <div class='chart-tools'>
      <label>
        {t('Title')}{' '}
        <input
          // If others change the title, the new title replaces the text of the field, unless the person has typed in the field.
          key={title}
          ref={field}
          class='field'
          type='text'
          dir='auto'
          maxLength={limits.titleUnitsMax}
          disabled={!mayChange}
          defaultValue={title}
          onChange={({ currentTarget: { value } }) => {
            if (value.trim() !== title && !input.act((now) => setChart(parseChart(now), 'title', value.trim()))) onRefused()
          }}
        />
      </label>
      <label>
        {t('Chart type')}{' '}
        <select
          class='field'
          disabled={!mayChange}
          value={chart.type}
          onChange={({ currentTarget: { value } }) => {
            if (input.act((now) => setChart(parseChart(now), 'type', value)) && !input.suggests()) said.value = typeName(value as ChartType)
            else onRefused()
          }}
        >
          {chartTypes.map((type) => (
            <option key={type} value={type} selected={type === chart.type}>
              {typeName(type)}
            </option>
          ))}
        </select>
      </label>
      {(hasTable || cells !== undefined) && (
        <button
          type='button'
          class='frame-button'
          disabled={!mayChange}
          {...(hasTable ? { 'aria-expanded': isEditing.value } : {})}
          onClick={edit}
        >
          <Icon name='table' size={16} />
          {t('Edit data')}
        </button>
      )}
      {sheets.value.sheets.length > 0 && (
        <button
          type='button'
          class='frame-button'
          ref={picking}
          disabled={!mayChange || around.picker.value !== undefined}
          onClick={() => startPicking(input, () => requestAnimationFrame(() => picking.current?.focus()))}
        >
          {t('Pick data')}
        </button>
      )}
      {!hasTable && source !== '' && (
        <span class='component-note'>
          {t('The data is in {name}.', { name: cells === undefined ? source : wordsOfCells(input, cells) })}
        </span>
      )}
    </div>
  )
}

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
