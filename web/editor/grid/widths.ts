/** Computes the widths of a table's columns from their text, so that a long table has the same widths at every scroll position. */
import { pictureWords } from '../../../shared/markdown/pictures.ts'

/** Widths of strings in pixels, as measured, but at least as wide as in the editor's typeface. */
const known = new Map<string, number>()
const knownMax = 20_000
/** Longest part of a cell that is measured, in UTF-16 units. Longer text wraps anyway. */
const measuredMax = 300

/** Padding on both sides of a cell, its border, and a margin for rounding, in pixels. */
const besides = 26
/**
 * If the text of a column is at least this wide, the column does not become narrower than this, in pixels. The next value is the maximum width of a
 * column with long text.
 */
const wrapped = 150
const widest = 560
const narrowest = 52

/**
 * Letters that are not nine pixels wide in the editor's typeface, bold or not, each with the difference in pixels. They are used for the text that
 * comes with the page.
 */
const unusual = [
  [/[frt ]/g, -2.25],
  [/[ijlI]/g, -4.5],
  [/[mwMW%]/g, 4.5]
] as const

const summed = (text: string): number =>
  unusual.reduce((sum, [letters, more]) => sum + more * (text.match(letters)?.length ?? 0), 9 * text.length)

/** The letters that the editor's typeface contains. */
const latin = /^[ -ɏ]*$/

const context = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d')
let typeface = ''

function widthOf(text: string, bold: boolean): number {
  const key = bold ? `*${text}` : text
  const found = known.get(key)
  if (found !== undefined || context === null) return found ?? summed(text)
  if (known.size >= knownMax) known.clear()
  typeface ||= getComputedStyle(document.documentElement).getPropertyValue('--font-write')
  context.font = `${bold ? '650 ' : ''}15px ${typeface}`
  // While the typeface is still on its way, the browser measures its fallback. The letters may be wider once they are drawn.
  const width = Math.max(context.measureText(text).width, latin.test(text) ? summed(text) : 0)
  known.set(key, width)
  return width
}

/** Width of a picture in a cell if its Markdown has none, in pixels. The server does not know its natural width. */
const pictureWidth = 240

/** Returns how wide the picture in a cell is, in pixels. Returns 0 if the cell has no picture. */
function pictureIn(text: string): number {
  const [, words] = /!\[([^\][]*)\]\(/.exec(text) ?? []
  return words === undefined ? 0 : (pictureWords(words).width ?? pictureWidth)
}

/** Matches an address that is shortened if its column is narrow, with the part that gets space. */
const address = /(https?:\/\/[^\s<>]{24})[^\s<>]+/g

/** Returns the lines of a cell approximately as displayed, without marks, the addresses of links, and pictures. */
const seen = (text: string): string[] =>
  text
    .slice(0, measuredMax)
    .replaceAll(/!\[[^\][]*\]\([^()]*\)|\]\([^()\s]*\)|[*`~[\]\\]/g, '')
    .replaceAll(address, '$1…')
    .split(/<br ?\/?>/)

/** Width of a column without text below its head if the window has space for it, in pixels. A new table would otherwise be tiny. */
const emptyWidth = 120

/** Returns the value of `grid-template-columns` for rows of cells. The first row is the head. */
export function columnsFor(rows: readonly (readonly string[])[]): string {
  const columns: number[] = []
  const empty = new Set(rows.length > 1 ? rows[0]?.keys() : [])
  rows.forEach((row, at) => {
    row.forEach((text, column) => {
      if (at > 0 && text !== '') empty.delete(column)
      for (const line of seen(text)) columns[column] = Math.max(columns[column] ?? 0, pictureIn(text), widthOf(line, at === 0))
    })
  })
  return columns
    .map((width, column) => {
      const most = Math.min(widest, Math.max(narrowest, Math.ceil(width) + besides))
      return `minmax(${Math.min(most, wrapped)}px,${empty.has(column) ? Math.max(most, emptyWidth) : most}px)`
    })
    .join(' ')
}
