/**
 * Pasting. Formatted text becomes Markdown, cells become a table, and an address pasted over a selection makes the selection a link. With Shift, a
 * paste inserts the plain text.
 */
import { EditorSelection, Facet, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { cleanText } from '../../base/clean-text.ts'
import { endStep } from '../binding.ts'
import { isAddress } from '../commands-inline.ts'
import { linkTo } from '../completions.ts'
import { isInCode } from '../in-code.ts'
import { isOwnCopy } from '../own-copy.ts'
import { isInTable } from '../tables.ts'
import { fillCells } from './fill-cells.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { escapeCell, markdownTable, tabbedRows, tableRows } from './table-text.ts'

/** Longest text that is searched for cells, in UTF-16 units. */
const cellsUnitsMax = 2_000_000

function replace(view: EditorView, text: string): true {
  view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: 'input.paste' })
  return true
}

/** Replaces the selection. Blank lines separate pasted blocks from the text around them. */
function replaceByBlocks(view: EditorView, markdown: string): true {
  const { doc, selection } = view.state
  const { from, to } = selection.main
  const line = doc.lineAt(from)
  const before = doc.sliceString(line.from, from).trim()
  const after = doc.sliceString(to, doc.lineAt(to).to).trim()
  const isBlock = markdown.includes('\n') || /^([#>|]|[-*+] |\d+\. |```|---)/.test(markdown)
  if (!isBlock) return replace(view, markdown)
  const lead = before === '' ? '' : '\n\n'
  return replace(view, `${lead}${markdown}${after === '' ? '' : '\n\n'}`)
}

function linkSelection(view: EditorView, url: string): boolean {
  const { main } = view.state.selection
  const text = view.state.sliceDoc(main.from, main.to)
  if (main.empty || text.includes('\n') || /[[\]]/.test(text) || isAddress(text.trim())) return false
  const insert = `[${text}](${url})`
  view.dispatch({
    changes: { from: main.from, to: main.to, insert },
    selection: EditorSelection.cursor(main.from + insert.length),
    scrollIntoView: true,
    userEvent: 'input.paste'
  })
  return true
}

/** Returns the title of the document at an address. Undefined for any other address. */
export const titles = Facet.define<(address: string) => string | undefined, (address: string) => string | undefined>({
  combine: ([find]) => find ?? (() => undefined)
})

/** Turns a pasted address of a known document into a link with the document's title, as `[[` does. The address does not change. */
function linkDocument(view: EditorView, address: string): boolean {
  const title = view.state.facet(titles)(address)
  return title !== undefined && replace(view, linkTo({ title, address }))
}

const cellsOf = (text: string): string[][] | undefined => (text.length > cellsUnitsMax ? undefined : tabbedRows(text))

/** Pastes cells over the cells of a table. Only the plain text includes empty rows, and only the HTML includes a single column. */
function pasteCells(view: EditorView, text: string, html: string): boolean {
  const rows = cellsOf(text) ?? tableRows(cleanText(htmlToMarkdown(html) ?? ''))
  return rows !== undefined && fillCells(view, rows)
}

function paste(view: EditorView, data: DataTransfer): boolean {
  const text = cleanText(data.getData('text/plain'))
  const { from } = view.state.selection.main
  if (isInCode(view.state, from)) return false
  const formatted = data.getData('text/html')
  const isOwn = isOwnCopy(formatted)
  const html = isOwn || data.types.includes('vscode-editor-data') ? '' : formatted
  // A line break or a bar would end the cell.
  if (isInTable(view.state)) return pasteCells(view, text, html) || (/[|\n\t]/.test(text) && replace(view, escapeCell(text)))
  if (isAddress(text.trim())) return linkSelection(view, text.trim()) || linkDocument(view, text.trim())
  // The plain text is Markdown, so CodeMirror can paste it.
  if (isOwn) return false
  const markdown = html === '' ? undefined : htmlToMarkdown(html)
  if (markdown !== undefined) return replaceByBlocks(view, cleanText(markdown))
  const rows = cellsOf(text)
  return rows !== undefined && replaceByBlocks(view, `${markdownTable(rows)}\n`)
}

/** Whether the last key press asked for plain text. */
let plain = false

export const smartPaste: Extension = EditorView.domEventHandlers({
  keydown(event) {
    plain = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v'
  },
  paste(event, view) {
    const asked = plain
    plain = false
    // A paste is always a separate undo step, even if CodeMirror handles it.
    const end = view.state.facet(endStep)
    end(view)
    queueMicrotask(() => end(view))
    if (asked || view.state.readOnly || event.clipboardData === null || !paste(view, event.clipboardData)) return false
    event.preventDefault()
    return true
  }
})
