/** Lines up the columns of a table in its Markdown. Loaded when the command runs. */
import type { ChangeSpec, Text } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import { isDelimiter, type Row } from './table-rows.ts'
import { edit, inTable, rowsOf } from './tables.ts'

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u

/** Returns the estimated width of the text in columns. Ideographs and emoji take two columns. */
const width = (text: string): number => [...clusters.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)

/** Makes all cells of each column equally wide, by adding or removing spaces. This runs only on request, because it changes every row. */
export function lineUp(doc: Text, rows: readonly Row[]): ChangeSpec[] {
  const texts = rows.map((row) => row.cells.map((cell) => doc.sliceString(cell.from, cell.to).trim()))
  const widths: number[] = []
  rows.forEach((row, at) => {
    if (!isDelimiter(row.line.text)) texts[at]?.forEach((text, column) => (widths[column] = Math.max(widths[column] ?? 3, width(text))))
  })
  return rows.flatMap((row, at) => {
    const delimiter = isDelimiter(row.line.text)
    const cells = (texts[at] ?? []).map((text, column) => {
      const room = widths[column] ?? 3
      if (!delimiter) return ` ${text}${' '.repeat(Math.max(0, room - width(text)))} `
      const dashes = room - (text.startsWith(':') ? 1 : 0) - (text.endsWith(':') ? 1 : 0)
      return ` ${text.startsWith(':') ? ':' : ''}${'-'.repeat(Math.max(1, dashes))}${text.endsWith(':') ? ':' : ''} `
    })
    const insert = `${row.lead}|${cells.join('|')}|`
    return insert === row.line.text ? [] : [{ from: row.line.from, to: row.line.to, insert }]
  })
}

/** Maximum number of rows in a table whose columns are lined up on request. */
const lineUpRowsMax = 5000

export const lineUpTable: Command = inTable((view, place) => {
  if (place.last - place.first > lineUpRowsMax) return false
  return edit(view, { changes: lineUp(view.state.doc, [...rowsOf(view.state, place)]) })
})
