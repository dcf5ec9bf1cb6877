/** Small charts of one value over time, drawn by the server as SVG. */
import { html, type Markup } from '../html.ts'

export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly value: number
}

export interface Chart {
  readonly title: string
  readonly points: readonly Point[]
  /** The time at the left and right edge, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Points further apart than this, in milliseconds, are not connected: the server was not running in between. */
  readonly gapMs: number
  /** Returns a value in words. */
  readonly words: (value: number) => string
  /** Returns the text alternative. */
  readonly about: (last: string, most: string) => string
  /** The text for a chart without points. */
  readonly empty: string
}

const width = 320
const height = 72

/** Maximum number of points that are drawn. More points would not fit in the width. */
const pointsMax = width

/** Returns at most `pointsMax` points. Each stands for its neighbors and has their largest value. */
const thinned = (points: readonly Point[]): Point[] => {
  const each = Math.ceil(points.length / pointsMax)
  const kept: Point[] = []
  for (let from = 0; from < points.length; from += each) {
    const some = points.slice(from, from + each)
    const { at } = some[0] as Point
    kept.push({ at, value: Math.max(...some.map(({ value }) => value)) })
  }
  return kept
}

const runsOf = (points: readonly Point[], gapMs: number): Point[][] => {
  const runs: Point[][] = []
  for (const point of points) {
    const before = runs.at(-1)?.at(-1)
    if (before === undefined || point.at - before.at > gapMs) runs.push([point])
    else runs.at(-1)?.push(point)
  }
  return runs
}

/** Draws a chart. Its color comes from the style sheet. */
export const chart = ({ title, points, from, to, gapMs, words, about, empty }: Chart): Markup => {
  const last = points.at(-1)
  if (last === undefined) return html`<figure class="stat"><figcaption>${title}</figcaption><p class="muted">${empty}</p></figure>`
  const most = Math.max(...points.map(({ value }) => value))
  const x = (at: number): string => (((at - from) / Math.max(1, to - from)) * width).toFixed(1)
  const y = (value: number): string => (height - 2 - (value / Math.max(1, most)) * (height - 8)).toFixed(1)
  const shown = thinned(points)
  const apart = Math.ceil(points.length / pointsMax) * gapMs
  const paths = runsOf(shown, apart).map((run) => {
    const line = run.map(({ at, value }) => `${x(at)} ${y(value)}`)
    const [start, end] = [x(run[0]?.at ?? from), x(run.at(-1)?.at ?? to)]
    return html`<path class="stat-area" d="M${start} ${height} L${line.join(' L')} L${end} ${height} Z"/><path class="stat-line" d="M${line.join(' L')}${run.length === 1 ? ` h1` : ''}"/>`
  })
  return html`<figure class="stat"><figcaption>${title} <strong>${words(last.value)}</strong></figcaption>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${about(words(last.value), words(most))}">${paths}</svg></figure>`
}
