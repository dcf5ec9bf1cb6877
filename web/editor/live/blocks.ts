/** Live view of whole lines: headings, quotes, code, rules, tables. A line keeps its height when its markers show. */
import type { SyntaxNode } from '@lezer/common'
import { calloutMarker } from '../../../shared/markdown/callouts.ts'
import type { LiveContext } from './context.ts'
import { tableWrapper } from './wide-tables.ts'
import { CopyWidget, PadWidget } from './widgets.ts'

/** End of the spaces that follow a marker. */
function afterSpaces(live: LiveContext, position: number): number {
  const rest = live.text(position, Math.min(position + 8, live.state.doc.lineAt(position).to))
  return position + (/^[ \t]*/.exec(rest)?.[0].length ?? 0)
}

export function heading(node: SyntaxNode, live: LiveContext): void {
  const level = node.name.at(-1) ?? '1'
  const line = live.state.doc.lineAt(node.from)
  live.lineClass(line.from, 'md-heading', `md-h${level}`)
  const mark = node.firstChild
  if (mark?.name !== 'HeaderMark') return
  const end = afterSpaces(live, mark.to)
  if (live.touched(line.from, line.to)) live.mark(mark.from, end, 'md-hang')
  else live.hide(mark.from, end)
}

export function setextHeading(node: SyntaxNode, live: LiveContext): void {
  const level = node.name.at(-1) ?? '1'
  const mark = node.getChild('HeaderMark')
  for (const line of live.lines(node.from, node.to)) {
    if (mark === null || line.from < mark.from) live.lineClass(line.from, 'md-heading', `md-h${level}`)
  }
}

export function quote(node: SyntaxNode, live: LiveContext): void {
  const first = live.state.doc.lineAt(node.from)
  const start = node.from + (/^>[ \t]?/.exec(live.text(node.from, first.to))?.[0].length ?? 0)
  const [, kind, title] = calloutMarker.exec(live.text(start, first.to)) ?? []
  const callout = kind === undefined ? [] : ['md-callout', `md-callout-${kind.toLowerCase()}`]
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-quote', ...callout)
  if (kind === undefined) return
  const end = start + kind.length + 3
  live.mark(start, first.to, 'md-callout-title')
  if (live.touched(first.from, first.to)) return
  // Its own title takes the place of the kind, as where it is read.
  if (title !== undefined && title !== '') return live.hide(start, end + (/^[ \t]*/.exec(live.text(end, first.to))?.[0].length ?? 0))
  live.hide(start, start + 2)
  live.hide(end - 1, end)
}

export function quoteMark(node: SyntaxNode, live: LiveContext): void {
  const space = live.text(node.to, node.to + 1) === ' ' ? 1 : 0
  if (live.lineTouched(node.from)) live.mark(node.from, node.to + space, 'md-hang')
  else live.hide(node.from, node.to + space)
}

export function fencedCode(node: SyntaxNode, live: LiveContext): void {
  const first = live.state.doc.lineAt(node.from).from
  const last = live.state.doc.lineAt(node.to).from
  for (const line of live.lines(node.from, node.to)) {
    live.lineClass(line.from, 'md-code', ...(line.from === first ? ['md-code-first'] : []), ...(line.from === last ? ['md-code-last'] : []))
  }
  if (first >= live.visible.from) live.widget(live.state.doc.lineAt(first).to, new CopyWidget())
  if (live.touched(node.from, node.to)) return
  for (const mark of node.getChildren('CodeMark')) live.hide(mark.from, mark.to)
}

export function indentedCode(node: SyntaxNode, live: LiveContext): void {
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-code')
}

export function rule(node: SyntaxNode, live: LiveContext): void {
  if (live.lineTouched(node.from)) return
  live.lineClass(live.state.doc.lineAt(node.from).from, 'md-rule')
  live.hide(node.from, node.to)
}

export function html(node: SyntaxNode, live: LiveContext): void {
  for (const line of live.lines(node.from, node.to)) live.lineClass(line.from, 'md-html')
}

/** Largest table, in rows, whose columns are lined up: more would be measured again at every key. */
const tableRowsMax = 300
/** Widest table, in characters, whose columns are lined up: the lines of a wider one are broken, to be read at all. */
const tableCharsMax = 1000

interface Cell {
  /** End of the cell: where space is added. */
  readonly end: number
  readonly chars: number
}

/** The cells of a row: what stands between its bars, spaces included. */
function cells(row: SyntaxNode, live: LiveContext): Cell[] {
  const text = live.text(row.from, row.to)
  const found: Cell[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && (text[at] !== '|' || text[at - 1] === '\\')) continue
    // The bars at both edges are not between cells.
    if (at > start || found.length > 0) found.push({ end: row.from + at, chars: at - start })
    start = at + 1
  }
  if (found.at(-1)?.chars === 0) found.pop()
  return found
}

/** Columns line up on screen; the text is left as it was written. */
export function table(node: SyntaxNode, live: LiveContext): void {
  const head = live.state.doc.lineAt(node.from).number
  for (const line of live.lines(node.from, node.to)) {
    const name = line.number === head ? 'md-table-head' : line.number === head + 1 ? 'md-table-rule' : 'md-table-row'
    live.lineClass(line.from, 'md-table', name, ...(live.lineTouched(line.from) ? ['md-open'] : []))
  }
  const nodes: SyntaxNode[] = []
  for (let row = node.firstChild; row !== null && nodes.length <= tableRowsMax; row = row.nextSibling) nodes.push(row)
  if (nodes.length > tableRowsMax) return
  const rows = nodes.map((row) => cells(row, live))
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.chars)))
  if (widths.reduce((sum, width) => sum + width, 0) > tableCharsMax) return
  live.wrappers.push(tableWrapper(live.state.doc.lineAt(node.from).from, live.state.doc.lineAt(node.to).to))
  for (const row of rows) {
    row.forEach((cell, column) => {
      const missing = (widths[column] ?? 0) - cell.chars
      if (missing > 0) live.widget(cell.end, new PadWidget(missing))
    })
  }
}
