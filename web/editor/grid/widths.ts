/** How wide the columns of a grid are, by what is written in them: a long table has the same columns wherever one looks at it. */

/** Widths of texts in pixels, in the typeface that the page has now. */
const known = new Map<string, number>()
const knownMax = 20_000
/** So much of a cell is measured, in UTF-16 units: what is longer is broken in any case. */
const measuredMax = 300

/** Space on both sides of a cell, its line, and what rounding takes, in pixels. */
const besides = 26
/** A column is no narrower, if its texts are as wide; one of long texts does not grow beyond the second. */
const wrapped = 150
const widest = 560
const narrowest = 52

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
  if (found !== undefined || context === null) return found ?? 8 * text.length
  if (known.size >= knownMax) known.clear()
  if (typeface === '') typeface = getComputedStyle(document.documentElement).getPropertyValue('--font-write')
  context.font = `${bold ? '650 ' : ''}15px ${typeface}`
  const { width } = context.measureText(text)
  known.set(key, width)
  return width
}

/** The lines of a cell about as they are seen: without marks and addresses. */
const seen = (text: string): string[] =>
  text
    .slice(0, measuredMax)
    .replaceAll(/\]\([^()\s]*\)|[*`~[\]\\]/g, '')
    .split(/<br ?\/?>/)

/** The columns of a grid (`grid-template-columns`) for rows of texts, the head first. */
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
