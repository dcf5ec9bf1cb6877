/**
 * Draws charts as SVG text, without a DOM. Colors are classes (`series-0` …), so that the page's style sheet sets them for light and dark mode. The
 * SVG contains no styles and no scripts. Its title and description are for screen readers. The table of the data follows the drawing (html.ts).
 */
import { type Chart, type ChartData, isRound, legendMax, numberOfLabel, valueOf } from './chart.ts'
import { format } from './formula/format.ts'
import { Failure, textOf } from './formula/values.ts'
import { escapeHtml } from './html-text.ts'

/** Width of a drawing that its page scales, in pixels. */
const widthDefault = 640
const marginTop = 12
const marginRight = 16
const labelUnitsMax = 18

/** Formats a coordinate, rounded to a tenth of a pixel. */
const px = (number: number): string => String(Math.round(number * 10) / 10)

export interface Scale {
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

/** Returns a round step (1, 2 or 5 times a power of ten) that divides the span into about `count` steps. */
const stepOf = (span: number, count: number): number => {
  const raw = span / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(raw))
  const times = raw / power
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10)
}

/** Returns a linear scale from a range of values to a range of pixels. Both ends of the range of values are rounded. */
export const scaleOf = (least: number, most: number, from: number, to: number, count: number): Scale => {
  const [low, high] = least === most ? [least - 1, most + 1] : [least, most]
  // If the difference between the ends is too large for a number, there are no round steps.
  if (!Number.isFinite(high - low)) {
    const farthest = Math.min(Number.MAX_VALUE, Math.max(-low, high))
    return { at: (value) => from + (value / farthest / 2 + 0.5) * (to - from), ticks: [-farthest, 0, farthest] }
  }
  const step = stepOf(high - low, count)
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  const ticks = Array.from({ length: Math.min(last - first + 1, 50) }, (_tick, index) => Number(((first + index) * step).toPrecision(12)))
  const [begin, end] = [first * step, last * step]
  return { at: (value) => from + ((value - begin) / (end - begin)) * (to - from), ticks }
}

export const formatNumber = (chart: Chart, value: number | undefined): string => {
  if (value === undefined) return ''
  const written = chart.written ?? ((number) => number)
  const pattern = valueOf(chart, 'format')
  if (pattern === undefined || pattern === '') return written(textOf(Number(value.toPrecision(12))))
  try {
    // A date is not a number, so its points are not decimal separators.
    return /[ymd]/i.test(pattern) ? format(value, pattern) : written(format(value, pattern))
  } catch (error) {
    if (error instanceof Failure) return textOf(value)
    throw error
  }
}

const short = (text: string): string =>
  Array.from(text).length > labelUnitsMax
    ? `${Array.from(text)
        .slice(0, labelUnitsMax - 1)
        .join('')}…`
    : text

const isOn = (chart: Chart, key: 'stack' | 'horizontal'): boolean => /^(?:true|yes|on|1)$/i.test(valueOf(chart, key) ?? '')

const numberSetting = (chart: Chart, key: 'min' | 'max' | 'height'): number | undefined => {
  const text = valueOf(chart, key)
  const number = Number(text)
  return text === undefined || text === '' || !Number.isFinite(number) ? undefined : number
}

const heightOf = (chart: Chart): number => Math.min(Math.max(numberSetting(chart, 'height') ?? 320, 120), 800)

/** Returns the class of a series. A setting such as `color: 3` makes the classes begin with another number. */
const colourOf = (chart: Chart, series: number): string => {
  const first = Number(valueOf(chart, 'color') ?? 0)
  return `series-${((Number.isInteger(first) && first >= 0 ? first : 0) + series) % 10}`
}

const text = (x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', more = ''): string =>
  `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}"${more}>${escapeHtml(content)}</text>`

const tooltip = (content: string): string => `<title>${escapeHtml(content)}</title>`

interface Frame {
  readonly chart: Chart
  readonly data: ChartData
  readonly width: number
  readonly left: number
  readonly bottom: number
  readonly height: number
  readonly values: Scale
}

/** Returns the least and greatest drawn value. Stacked values are added up, separately below and above zero. */
const extent = (chart: Chart, { labels, series }: ChartData, isStacked: boolean): [number, number] => {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  labels.forEach((_label, point) => {
    let [below, above] = [0, 0]
    for (const { values } of series) {
      const value = values[point]
      if (value === undefined) continue
      if (value < 0) below += value
      else above += value
      const [low, high] = isStacked ? [below, above] : [value, value]
      least = Math.min(least, low)
      most = Math.max(most, high)
    }
  })
  const isBar = chart.type === 'bar' || chart.type === 'area'
  const [low, high] = [
    numberSetting(chart, 'min') ?? (isBar ? Math.min(0, least) : least),
    numberSetting(chart, 'max') ?? (isBar ? Math.max(0, most) : most)
  ]
  return low < high ? [low, high] : [Math.min(low, high, least), Math.max(low, high, most)]
}

const valueAxis = ({ chart, values, left, width }: Frame): string =>
  values.ticks
    .map((tick) => {
      const y = values.at(tick)
      return `<path class="grid" d="M${px(left)} ${px(y)}H${width - marginRight}"/>${text(left - 8, y + 4, formatNumber(chart, tick), 'end')}`
    })
    .join('')

/** Draws the axis with as many labels as fit. */
const labelAxis = ({ data: { labels }, left, bottom, width }: Frame, at: (point: number) => number): string => {
  const longest = Math.max(1, ...labels.map((label) => short(label).length))
  const every = Math.max(1, Math.ceil((labels.length * (longest * 7 + 10)) / (width - marginRight - left)))
  return labels.map((label, point) => (point % every === 0 ? text(at(point), bottom + 18, short(label), 'middle') : '')).join('')
}

/** Bands for the labels, perpendicular to the value axis. `from` and `to` are in pixels. */
interface Bands {
  readonly from: number
  readonly to: number
  readonly isLying: boolean
}

const bandOf = ({ from, to }: Bands, count: number): number => (to - from) / Math.max(1, count)

/** Draws the bars of all series, side by side or stacked. */
const barShapes = (chart: Chart, { labels, series }: ChartData, values: Scale, bands: Bands): string => {
  const band = bandOf(bands, labels.length)
  const stacked = isOn(chart, 'stack')
  const thick = (band * 0.72) / (stacked ? 1 : series.length)
  const sums = labels.map(() => [0, 0])
  const [across, along, thickness, length] = bands.isLying ? ['y', 'x', 'height', 'width'] : ['x', 'y', 'width', 'height']
  const drawn = series.map(({ name, values: numbers }, index) => {
    const shapes = numbers.map((value, point) => {
      if (value === undefined) return ''
      const sum = sums[point] as [number, number]
      const side = value < 0 ? 0 : 1
      const from = stacked ? sum[side] : 0
      sum[side] += value
      const [one, other] = [values.at(from), values.at(from + value)]
      const begin = bands.from + band * point + band * 0.14 + (stacked ? 0 : thick * index)
      const shape = `${across}="${px(begin)}" ${along}="${px(Math.min(one, other))}" ${thickness}="${px(Math.max(thick - 1, 0.5))}" ${length}="${px(Math.abs(one - other))}"`
      return `<rect ${shape}>${tooltip(`${labels[point]}, ${name}: ${formatNumber(chart, value)}`)}</rect>`
    })
    return `<g class="${colourOf(chart, index)}">${shapes.join('')}</g>`
  })
  return drawn.join('')
}

const bars = (frame: Frame): string => {
  const { chart, data, left, bottom, values, width } = frame
  const bands = { from: left, to: width - marginRight, isLying: false }
  const zero = Math.min(Math.max(values.at(0), marginTop), bottom)
  const names = labelAxis(frame, (point) => left + bandOf(bands, data.labels.length) * (point + 0.5))
  return `${valueAxis(frame)}${barShapes(chart, data, values, bands)}<path class="axis" d="M${px(left)} ${px(zero)}H${width - marginRight}"/>${names}`
}

/** Draws horizontal bars, each with its label. */
const lyingBars = (chart: Chart, data: ChartData, width: number, height: number): string => {
  const { labels } = data
  const left = Math.min(180, width / 3, 16 + 7 * Math.max(1, ...labels.map((label) => short(label).length)))
  const bottom = height - 28
  const [least, most] = extent(chart, data, isOn(chart, 'stack'))
  const values = scaleOf(least, most, left, width - marginRight, Math.max(2, Math.round(width / 110)))
  const bands = { from: marginTop, to: bottom, isLying: true }
  const grid = values.ticks.map(
    (tick) =>
      `<path class="grid" d="M${px(values.at(tick))} ${marginTop}V${bottom}"/>${text(values.at(tick), bottom + 18, formatNumber(chart, tick), 'middle')}`
  )
  const band = bandOf(bands, labels.length)
  const every = Math.max(1, Math.ceil(16 / band))
  const names = labels.map((label, point) =>
    point % every === 0 ? text(left - 8, marginTop + band * (point + 0.5) + 4, short(label), 'end') : ''
  )
  const zero = Math.min(Math.max(values.at(0), left), width - marginRight)
  return `${grid.join('')}${barShapes(chart, data, values, bands)}<path class="axis" d="M${px(zero)} ${marginTop}V${bottom}"/>${names.join('')}`
}

/** Splits the points of a series where numbers are missing. */
const pieces = (points: readonly (readonly [number, number] | undefined)[]): (readonly [number, number])[][] => {
  const found: (readonly [number, number])[][] = [[]]
  for (const point of points) {
    if (point === undefined) found.push([])
    else found.at(-1)?.push(point)
  }
  return found.filter(({ length }) => length > 0)
}

const pathOf = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('')

const linesOrAreas = (frame: Frame): string => {
  const { chart, data, left, bottom, values, width } = frame
  const { labels, series } = data
  const stacked = chart.type === 'area' && isOn(chart, 'stack')
  const room = width - marginRight - left - 16
  const xAt = (point: number): number => left + 8 + (labels.length < 2 ? room / 2 : (room * point) / (labels.length - 1))
  const base = labels.map(() => 0)
  const drawn = series.map(({ name, values: numbers }, index) => {
    const lows: (readonly [number, number] | undefined)[] = []
    const points = numbers.map((value, point): readonly [number, number] | undefined => {
      if (value === undefined) return undefined
      const from = stacked ? (base[point] ?? 0) : 0
      base[point] = from + value
      lows[point] = [xAt(point), Math.min(Math.max(values.at(from), marginTop), bottom)]
      return [xAt(point), values.at(stacked ? from + value : value)]
    })
    const areas =
      chart.type === 'area'
        ? pieces(points.map((point, at) => (point === undefined ? undefined : ([at, 0] as const)))).map((piece) => {
            const at = piece.map(([each]) => each)
            const above = at.map((each) => points[each] as readonly [number, number])
            const below = at.map((each) => lows[each] as readonly [number, number]).toReversed()
            return `<path class="area" d="${pathOf(above)}${pathOf(below).replace('M', 'L')}Z"/>`
          })
        : []
    const lines = pieces(points).map((piece) => `<path class="line" d="${pathOf(piece)}"/>`)
    const dots = points.map((point, at) =>
      point === undefined
        ? ''
        : `<circle cx="${px(point[0])}" cy="${px(point[1])}" r="${labels.length > 60 ? 1.5 : 3}">${tooltip(`${labels[at]}, ${name}: ${formatNumber(chart, numbers[at])}`)}</circle>`
    )
    return `<g class="${colourOf(chart, index)}">${areas.join('')}${lines.join('')}${dots.join('')}</g>`
  })
  return `${valueAxis(frame)}${drawn.join('')}${labelAxis(frame, xAt)}`
}

/** Draws a scatter chart, which has numbers on both axes. A label that is not a number is replaced with its position. */
const scatter = (frame: Frame): string => {
  const { chart, data, left, bottom, values, width } = frame
  const numbers = data.labels.map((label, point) => {
    return numberOfLabel(label) ?? point + 1
  })
  const across = scaleOf(Math.min(...numbers), Math.max(...numbers), left + 8, width - marginRight - 8, Math.max(2, Math.round(width / 80)))
  const ticks = across.ticks.map((tick) => text(across.at(tick), bottom + 18, chart.written?.(textOf(tick)) ?? textOf(tick), 'middle'))
  const drawn = data.series.map(({ name, values: heights }, index) => {
    const dots = heights.map((value, point) =>
      value === undefined
        ? ''
        : `<circle cx="${px(across.at(numbers[point] ?? 0))}" cy="${px(values.at(value))}" r="4">${tooltip(`${data.labels[point]}, ${name}: ${formatNumber(chart, value)}`)}</circle>`
    )
    return `<g class="${colourOf(chart, index)}">${dots.join('')}</g>`
  })
  return `${valueAxis(frame)}${drawn.join('')}${ticks.join('')}`
}

const slices = (chart: Chart, { labels, series }: ChartData, width: number, height: number): string => {
  const numbers = (series[0]?.values ?? []).map((value) => Math.max(0, value ?? 0))
  const total = numbers.reduce((sum, value) => sum + value, 0)
  const [x, y, radius] = [width / 2, height / 2, Math.min(width, height) / 2 - 16]
  const inner = chart.type === 'donut' ? radius * 0.58 : 0
  let turned = 0
  const point = (turn: number, size: number): string =>
    `${px(x + size * Math.sin(turn * 2 * Math.PI))} ${px(y - size * Math.cos(turn * 2 * Math.PI))}`
  return numbers
    .map((value, index) => {
      if (value === 0) return ''
      const share = value / total
      // An arc cannot draw a full circle, because both ends would be the same point. It therefore draws slightly less.
      const [from, to] = [turned, turned + Math.min(share, 0.9999)]
      turned += share
      const large = share > 0.5 ? 1 : 0
      const hole = inner === 0 ? `L${px(x)} ${px(y)}` : `L${point(to, inner)}A${px(inner)} ${px(inner)} 0 ${large} 0 ${point(from, inner)}`
      const shape = `M${point(from, radius)}A${px(radius)} ${px(radius)} 0 ${large} 1 ${point(to, radius)}${hole}Z`
      const said = `${labels[index]}: ${formatNumber(chart, value)} (${Math.round(share * 100)} %)`
      return `<g class="${colourOf(chart, index)}"><path class="slice" d="${shape}">${tooltip(said)}</path></g>`
    })
    .join('')
}

/** Whether a point is drawn. A pie has slices only for values above zero. */
const isDrawn = (chart: Chart, { series }: ChartData, point: number): boolean => !isRound(chart) || (series[0]?.values[point] ?? 0) > 0

/** An entry of the legend. `isDrawn`: whether the chart has a slice in that color. */
export interface LegendEntry {
  readonly name: string
  readonly colour: string
  readonly isDrawn: boolean
}

/** Returns the entries of the legend: the series, or a pie's slices. */
export const legendOf = (chart: Chart, data: ChartData): readonly LegendEntry[] =>
  isRound(chart)
    ? data.labels.slice(0, legendMax).map((name, index) => ({ name, colour: colourOf(chart, index), isDrawn: isDrawn(chart, data, index) }))
    : data.series.map(({ name }, index) => ({ name, colour: colourOf(chart, index), isDrawn: true }))

const describe = (chart: Chart, { labels, series }: ChartData): string =>
  `${chart.type} chart of ${series.map(({ name }) => name).join(', ') || 'numbers'}, ${labels.length} ${labels.length === 1 ? 'point' : 'points'}${
    labels.length > 1 ? ` from ${labels[0]} to ${labels.at(-1)}` : ''
  }.`

const inner = (chart: Chart, data: ChartData, width: number, height: number): string => {
  if (isRound(chart)) return slices(chart, data, width, height)
  if (chart.type === 'bar' && isOn(chart, 'horizontal')) return lyingBars(chart, data, width, height)
  const [least, most] = extent(chart, data, isOn(chart, 'stack') && (chart.type === 'bar' || chart.type === 'area'))
  const bottom = height - 28
  const values = scaleOf(least, most, bottom, marginTop, Math.max(2, Math.round(height / 60)))
  const longest = Math.max(...values.ticks.map((tick) => formatNumber(chart, tick).length))
  const frame: Frame = { chart, data, width, left: Math.min(140, 20 + 7 * longest), bottom, height, values }
  if (chart.type === 'bar') return bars(frame)
  return chart.type === 'scatter' ? scatter(frame) : linesOrAreas(frame)
}

/** Returns the SVG of a chart. `id` is the prefix of the ids of its title and description, and must be unique on the page. `width` is in pixels. */
export const chartSvg = (chart: Chart, data: ChartData, id: string, width = widthDefault): string => {
  const height = heightOf(chart)
  const title = valueOf(chart, 'title') ?? 'Chart'
  const names = `<title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(describe(chart, data))}</desc>`
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc" xmlns="http://www.w3.org/2000/svg">${names}${inner(chart, data, width, height)}</svg>`
}

/** Label of a value without a slice. Published pages and files are in English. */
export const noSlice = 'no slice'

/** Returns the drawn data as a table for screen readers. `none` labels data that is not drawn. */
export const chartTable = (chart: Chart, data: ChartData, none = noSlice): string => {
  const { axis, labels, series } = data
  const head = [axis, ...series.map(({ name }) => name)].map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const body = labels.map((label, point) => {
    const cells = series.map(({ values }, index) => {
      const number = formatNumber(chart, values[point])
      return `<td>${escapeHtml(index > 0 || isDrawn(chart, data, point) ? number : `${number} (${none})`.trim())}</td>`
    })
    return `<tr><th scope="row">${escapeHtml(label)}</th>${cells.join('')}</tr>`
  })
  return `<div class="visually-hidden"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}
