/**
 * Long tables in the reading view. A browser sets a table as one: of 20,000 rows each cell is measured before the first is seen. Here the
 * rows of a long one stand in groups, of which those that are far from the window wait; the columns have widths that come of their text.
 */
import rowRules from '../style/long-tables.css?inline'

/** Rows of a table that is set as on the published page: more are set in groups. */
const rowsMax = 500
const groupRows = 100
/** Narrowest and widest column that a text asks for, in characters. */
const columnCharsMin = 4
const columnCharsMax = 48

export const longTableRules = new CSSStyleSheet()
longTableRules.replaceSync(rowRules)

/** The longest text of each column, in characters. */
function columnChars(table: HTMLTableElement): number[] {
  const widths: number[] = []
  for (const row of table.rows) {
    let column = 0
    for (const cell of row.children) {
      widths[column] = Math.max(widths[column] ?? columnCharsMin, Math.min(columnCharsMax, cell.textContent.length + 3))
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

/** Sets the rows of long tables in groups, in nodes that are not in the page yet. */
export function groupLongTables(node: ChildNode): void {
  if (!(node instanceof Element)) return
  for (const table of node.querySelectorAll<HTMLTableElement>('.table > table')) {
    const [body] = table.tBodies
    if (body !== undefined && body.rows.length > rowsMax) group(table, body)
  }
}
