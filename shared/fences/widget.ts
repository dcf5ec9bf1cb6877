/**
 * The `widget` fence: a small page that runs in a separate frame, and its state.
 *
 *     widget = html NL* ["<!-- state" json "-->" NL]         attributes of the info string: height (px), title
 *
 * The state is the last line of this form. It is always replaced as a unit.
 */
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { breaksLine } from '../text/scan.ts'
import { insertLines, replace, within } from './edits.ts'
import type { Fence, Line, Range } from './fences.ts'

export interface Widget {
  readonly fence: Fence
  /** The code that runs: all lines except the state. */
  readonly html: string
  readonly title: string
  /** The height in CSS pixels, within the limits. */
  readonly height: number
  /** The state as JSON and its range; undefined if there is no state or it cannot be parsed. */
  readonly state: (Range & { readonly json: string }) | undefined
}

const stateStart = /^\s*<!--\s*state\s+/

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export const heightOf = (text: string | undefined): number => {
  const asked = Math.round(Number(text))
  if (text === undefined || text === '' || !Number.isFinite(asked)) return limits.widgetHeightDefault
  return Math.min(Math.max(asked, limits.widgetHeightMin), limits.widgetHeightMax)
}

const stateOf = (line: Line | undefined): (Range & { json: string }) | undefined => {
  const [before = ''] = stateStart.exec(line?.text ?? '') ?? []
  const rest = line?.text.slice(before.length).trimEnd() ?? ''
  if (line === undefined || before === '' || !rest.endsWith('-->')) return undefined
  const json = rest.slice(0, -3).trimEnd()
  if (breaksLine(json)) return undefined
  return { from: line.from + before.length, to: line.from + before.length + json.length, json }
}

export const parseWidget = (fence: Fence): Widget => {
  const { lines, attributes } = fence
  const index = lines.findLastIndex(({ text }) => text.trim() !== '')
  const found = stateOf(lines[index])
  return {
    fence,
    html: (found === undefined ? lines : lines.toSpliced(index, 1)).map(({ text }) => text).join('\n'),
    title: attributes.get('title') ?? '',
    height: heightOf(attributes.get('height')),
    state: found !== undefined && found.json.length <= limits.widgetStateBytesMax && isJson(found.json) ? found : undefined
  }
}

/** Returns JSON on one line that cannot end an HTML comment; undefined if the value has no JSON form or is too long. */
const written = (value: unknown): string | undefined => {
  const json = JSON.stringify(value) as string | undefined
  const safe = json?.replaceAll('>', '\\u003e').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return safe !== undefined && new TextEncoder().encode(safe).length <= limits.widgetStateBytesMax ? safe : undefined
}

/** Whether a value can be stored as the state. */
export const fitsState = (value: unknown): boolean => written(value) !== undefined

/** Writes the state to its line, or adds that line. A state that has no JSON form or is too long changes nothing. */
export const setWidgetState = ({ fence }: Widget, value: unknown): readonly Edit[] => {
  const json = written(value)
  if (json === undefined) return []
  const index = fence.lines.findLastIndex(({ text }) => text.trim() !== '')
  const found = stateOf(fence.lines[index])
  return within(
    fence,
    found === undefined ? insertLines(fence, fence.lines.length, [`<!-- state ${json} -->`]) : replace(fence, found, json)
  )
}
