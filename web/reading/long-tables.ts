/**
 * Speeds up long tables in the reading view. A browser lays out a table as a whole: for 20,000 rows, it measures every cell before it shows the first
 * one. This module divides the rows of a long table into groups. Groups far from the window are not laid out yet, and the column widths come from the
 * text.
 */
import rowRules from '../style/long-tables.css?inline'

/** Maximum number of rows in a table that is not divided. Such a table looks the same as on the published page. */
const rowsMax = 500
const groupRows = 100
/** Width of the narrowest column, in characters. The next value is the width of the widest column. */
const columnWidthMin = 4
const columnWidthMax = 48

export const longTableRules = new CSSStyleSheet()
longTableRules.replaceSync(rowRules)

/** Returns the length of the longest text in each column, in characters. */
function columnChars(table: HTMLTableElement): number[] {
  const widths: number[] = []
  for (const row of table.rows) {
    let column = 0
    for (const cell of row.children) {
      widths[column] = Math.max(widths[column] ?? columnWidthMin, Math.min(columnWidthMax, cell.textContent.length + 3))
      column++
    }
  }
  return widths
}

function group(table: HTMLTableElement, body: HTMLTableSectionElement): void {
  const widths = columnChars(table)
  table.classList.add('long-table')
  table.style.setProperty('--columns', widths.map((chars) => `minmax(${Math.min(chars, 12)}ch, ${chars}fr)`).join(' '))
  table.style.setProperty('--width', `${widths.reduce((sum, chars) => sum + chars, 0)}ch`)
  const rows = [...body.rows]
  for (let at = 0; at < rows.length; at += groupRows) {
    const part = document.createElement('tbody')
    part.append(...rows.slice(at, at + groupRows))
    body.before(part)
  }
  body.remove()
}

/** Divides the rows of long tables into groups. Call it before the nodes become part of the page. */
export function groupLongTables(node: ChildNode): void {
  if (!(node instanceof Element)) return
  for (const table of node.querySelectorAll<HTMLTableElement>('.table > table')) {
    const [body] = table.tBodies
    if (body !== undefined && body.rows.length > rowsMax) group(table, body)
  }
}
