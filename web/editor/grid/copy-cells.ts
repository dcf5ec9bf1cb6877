/** Copies and cuts the selected cells of a table. */
import { EditorView } from '@codemirror/view'
import { ownCopy } from '../own-copy.ts'
import { chosenCells, chosenRows } from '../chosen-cells.ts'
import { clearCells } from './grids.ts'

const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Copies the selected cells in the format that spreadsheets use. */
function take(event: ClipboardEvent, view: EditorView): boolean {
  const chosen = chosenCells(view.state)
  if (chosen === undefined || event.clipboardData === null) return false
  const rows = chosenRows(view.state, chosen).map((row) => row.map(({ from, to }) => view.state.sliceDoc(from, to).replaceAll('\\|', '|')))
  const quoted = (text: string): string => {
    const lines = text.replaceAll(/<br ?\/?>/gi, '\n')
    return /[\t\n"]/.test(lines) ? `"${lines.replaceAll('"', '""')}"` : lines
  }
  const html = (text: string): string =>
    `<td>${text.replaceAll(/[&<>]/g, (sign) => escaped[sign] ?? sign).replaceAll('&lt;br&gt;', '<br>')}</td>`
  event.clipboardData.setData('text/plain', rows.map((row) => row.map(quoted).join('\t')).join('\n'))
  event.clipboardData.setData(
    'text/html',
    `<table ${ownCopy}="">${rows.map((row) => `<tr>${row.map(html).join('')}</tr>`).join('')}</table>`
  )
  event.preventDefault()
  return true
}

export const copyCells = EditorView.domEventHandlers({
  copy: (event, view) => take(event, view),
  cut: (event, view) => take(event, view) && (clearCells(view) || true)
})
