/** The widths of a grid's columns, computed from their texts: a long table has the same widths at every scroll position. */

/** Widths of texts in pixels, in the current typeface of the page. */
const known = new Map<string, number>()
const knownMax = 20_000
/** Only this much of a cell is measured, in UTF-16 units: longer texts wrap in any case. */
const measuredMax = 300

/** Padding on both sides of a cell, its border, and rounding, in pixels. */
const besides = 26
/** A column with texts of this width gets no narrower; one of long texts gets no wider than the second value. */
const wrapped = 150
const widest = 560
const narrowest = 52

/** Letters of another width than nine pixels in the typeface of the editor, bold or not: for the text that comes with the page. */
const unusual = [
  [/[frt ]/g, -2.25],
  [/[ijlI]/g, -4.5],
  [/[mwMW%]/g, 4.5]
] as const

const summed = (text: string): number =>
  unusual.reduce((sum, [letters, more]) => sum + more * (text.match(letters)?.length ?? 0), 9 * text.length)

const context = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d')
let typeface = ''

const forget = (): void => {
  known.clear()
  typeface = ''
}
if (typeof document !== 'undefined') document.fonts.addEventListener('loadingdone', forget)

function widthOf(text: string, bold: boolean): number {
  const key = bold ? `*${text}` : text
  const found = known.get(key)
  if (found !== undefined || context === null) return found ?? summed(text)
  if (known.size >= knownMax) known.clear()
  if (typeface === '') typeface = getComputedStyle(document.documentElement).getPropertyValue('--font-write')
  context.font = `${bold ? '650 ' : ''}15px ${typeface}`
  const { width } = context.measureText(text)
  known.set(key, width)
  return width
}

/** Returns the lines of a cell roughly as shown: without marks and addresses. */
const seen = (text: string): string[] =>
  text
    .slice(0, measuredMax)
    .replaceAll(/\]\([^()\s]*\)|[*`~[\]\\]/g, '')
    .split(/<br ?\/?>/)

/** Returns the columns of a grid (`grid-template-columns`) for rows of texts, the head first. */
export function columnsFor(rows: readonly (readonly string[])[]): string {
  const columns: number[] = []
  rows.forEach((row, at) => {
    row.forEach((text, column) => {
      for (const line of seen(text)) columns[column] = Math.max(columns[column] ?? 0, widthOf(line, at === 0))
    })
  })
  return columns
    .map((width) => {
      const most = Math.min(widest, Math.max(narrowest, Math.ceil(width) + besides))
      return `minmax(${Math.min(most, wrapped)}px,${most}px)`
    })
    .join(' ')
}
