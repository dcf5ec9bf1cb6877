/**
 * Shows tables in the live view as grids. Each line of the text is a row, its cells are marks around the text between the bars, and the bars are
 * hidden. The caret, compositions, the cursors of others, annotations and undo therefore work as in any text.
 */
import { Decoration, WidgetType } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { addedCells, addedText } from '../added-text.ts'
import type { LiveContext } from '../context.ts'
import { tableWrapper } from './wide-tables.ts'
import { alignmentOf, content, rowOf, type Cell, type Row } from '../table-rows.ts'
import { chosenCells, type Chosen } from '../chosen-cells.ts'
import { columnsFor } from './widths.ts'

/** Number of rows, including the head, that determine the widths of the columns. */
const measuredRows = 300
/** Maximum number of columns, and longest row in UTF-16 units, of a table that is shown as a grid. A larger table is shown as text. */
const columnsMax = 200
const rowUnitsMax = 8000

/** A line break in a cell, written as `<br>`. */
export class BreakWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    const end = document.createElement('span')
    end.append(document.createElement('br'))
    return end
  }
}

/** A cell that is missing at the end of a short row. */
export class LackingWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    const cell = document.createElement('span')
    cell.className = 'md-cell md-cell-lacking'
    return cell
  }

  override ignoreEvent(): boolean {
    return false
  }
}

const lacking = Decoration.widget({ widget: new LackingWidget(), side: 1 })

interface Columns {
  readonly count: number
  readonly style: string
  readonly classes: readonly string[]
}

function columnsOf(node: SyntaxNode, live: LiveContext): Columns | undefined {
  const { doc } = live.state
  const added = live.state.facet(addedText)
  const first = doc.lineAt(node.from).number
  const last = Math.min(doc.lineAt(Math.min(node.to, doc.length)).number, first + measuredRows)
  const sample: string[][] = []
  for (let number = first; number <= last; number++) {
    const line = doc.line(number)
    if (line.length > rowUnitsMax) return undefined
    if (number !== first + 1) sample.push(rowOf(line).cells.map(({ from, to }) => doc.sliceString(from, to).trim() + added(from, to)))
  }
  const count = sample[0]?.length ?? 0
  if (count > columnsMax) return undefined
  const classes = rowOf(doc.line(first + 1)).cells.map(({ from, to }) => {
    const alignment = alignmentOf(doc.sliceString(from, to).trim())
    return alignment === 'center' || alignment === 'right' ? ` md-${alignment}` : ''
  })
  return { count, style: `--columns:${columnsFor(live.state.facet(addedCells)(doc.line(first).from, sample))}`, classes }
}

/** Returns the visible part of a cell. It includes spaces before a caret in the cell, because the person is typing them. */
function shownOf(cell: Cell, live: LiveContext): Cell {
  const { from, to } = content(live.state.doc, cell)
  return { from, to: live.cursorIn(to, cell.to) ?? to }
}

function layOutRow(row: Row, live: LiveContext, { count, classes }: Columns, isChosen: (column: number) => boolean): void {
  const { line, cells, closed } = row
  let start = line.from
  cells.forEach((cell, column) => {
    const shown = shownOf(cell, live)
    // A cell includes the bar after it, so that no caret is at its very end, where the next cell begins.
    const end = column === cells.length - 1 && !closed ? line.to : cell.to + 1
    const name = `md-cell${classes[column] ?? ''}${column >= count ? ' md-cell-beyond' : ''}${isChosen(column) ? ' md-cell-chosen' : ''}`
    live.cell(start, end, name)
    live.fold(start, shown.from)
    live.fold(shown.to, end)
    for (const { 0: tag, index } of live.text(shown.from, shown.to).matchAll(/<br ?\/?>/gi))
      live.replace(shown.from + index, shown.from + index + tag.length, new BreakWidget())
    const before = cells[column - 1]
    live.step(before === undefined ? line.from : shownOf(before, live).to, shown.from)
    start = end
  })
  live.fold(start, line.to)
  // Text after the last cell extends to the end of the line.
  const last = cells.at(-1)
  if (last !== undefined) live.step(shownOf(last, live).to, Math.min(line.to + 1, live.state.doc.length))
  if (closed) for (let missing = cells.length; missing < count; missing++) live.decorations.push(lacking.range(line.to))
}

const isIn = (chosen: Chosen | undefined, line: number) => (column: number) =>
  chosen !== undefined && line >= chosen.top && line <= chosen.bottom && column >= chosen.left && column <= chosen.right

export function table(node: SyntaxNode, live: LiveContext): void {
  const { doc, selection } = live.state
  const columns = columnsOf(node, live)
  const first = doc.lineAt(node.from).number
  if (columns === undefined) {
    for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-table-plain')
    return
  }
  const chosen = chosenCells(live.state)
  for (const line of live.lines(node.from, node.to)) {
    if (line.number === first + 1) {
      // A person whose cursor is in the delimiter row sees its dashes.
      const { from, to } = selection.main
      const isOpen = from >= line.from && to <= line.to && live.touched(line.from, line.to)
      live.lineClass(line.from, isOpen ? 'md-grid-dashes' : 'md-grid-rule')
      if (!isOpen) live.step(line.from - 1, line.to + 1)
      continue
    }
    live.lineClass(line.from, 'md-grid-row', ...(line.number === first ? ['md-grid-head'] : []))
    live.lineStyle(line.from, columns.style)
    layOutRow(rowOf(line), live, columns, isIn(chosen, line.number))
  }
  live.wrappers.push(tableWrapper(doc.lineAt(node.from).from, doc.lineAt(Math.min(node.to, doc.length)).to))
}
