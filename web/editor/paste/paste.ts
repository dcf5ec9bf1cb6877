/**
 * Pasting. Formatted text becomes Markdown, cells become a table, and an address pasted over a selection makes the selection a link. With Shift, a
 * paste inserts the plain text.
 */
import { EditorSelection, type Extension, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { cleanText } from '../../base/clean-text.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { endStep } from '../binding.ts'
import { isAddress } from '../commands-inline.ts'
import { linkTo } from '../completions.ts'
import { isInCode } from '../in-code.ts'
import { areOwnCells, isOwnCopy } from '../own-copy.ts'
import { tableAt } from '../tables.ts'
import { fillCells } from './fill-cells.ts'
import { htmlToMarkdown, markdownIn } from './html-to-markdown.ts'
import { inertDocument } from './inert.ts'
import { placedBlocks, placedFormatted, placedText } from './placed.ts'
import { escapeCell, markdownTable, tabbedRows, tableRows } from './table-text.ts'
import { knownDocuments } from './known-documents.ts'

/** Longest text that is searched for cells, in UTF-16 units. */
const cellsUnitsMax = 2_000_000

function change(view: EditorView, ...specs: TransactionSpec[]): true {
  view.dispatch(...specs)
  return true
}

const replacing = (view: EditorView, text: string): TransactionSpec => ({
  ...view.state.replaceSelection(text),
  scrollIntoView: true,
  userEvent: 'input.paste'
})

const replace = (view: EditorView, text: string): true => change(view, replacing(view, text))

/** Pastes Markdown or plain text, so that it stays in the list or the quote around the caret. CodeMirror pastes any other text. */
function replaceByText(view: EditorView, text: string): boolean {
  const made = placedText(view.state, text)
  return made !== undefined && change(view, made)
}

function linkSelection(view: EditorView, url: string): boolean {
  const { main } = view.state.selection
  const selected = view.state.sliceDoc(main.from, main.to)
  const text = selected.trim()
  if (text === '' || /[[\]\n]/.test(text) || isAddress(text)) return false
  const from = main.from + selected.indexOf(text)
  const insert = `[${text}](${url})`
  view.dispatch({
    changes: { from, to: from + text.length, insert },
    selection: EditorSelection.cursor(from + insert.length),
    scrollIntoView: true,
    userEvent: 'input.paste'
  })
  return true
}

/** Pastes an address. That of a known document becomes a link with its title, as `[[` makes it. */
function pasteAddress(view: EditorView, text: string): boolean {
  const known = view.state.facet(knownDocuments)(text)
  const address = known?.address ?? text
  return linkSelection(view, address) || (known !== undefined && replace(view, known.title === '' ? address : linkTo(known)))
}

/** Returns the cells in plain text. Only own cells can be in a single column. */
const cellsOf = (text: string, areOwn: boolean): string[][] | undefined =>
  text.length > cellsUnitsMax ? undefined : tabbedRows(text, areOwn)

/** Pastes cells over the cells of a table. Only the HTML has formats and a single column, and only the plain text has empty rows. */
function pasteCells(view: EditorView, text: string, html: string, areOwn: boolean): boolean {
  const [plain, formatted] = [cellsOf(text, areOwn), tableRows(cleanText(htmlToMarkdown(html) ?? ''))]
  const rows = (formatted?.length === (plain ?? formatted)?.length ? formatted : plain) ?? tableRows(text)
  return rows !== undefined && fillCells(view, rows)
}

/** Pastes HTML that contains pictures as data. The code that takes them out of it is loaded first. */
function pastePictures(view: EditorView, html: string, text: string): true {
  const { body } = inertDocument(html)
  import('./data-pictures.ts').then(
    ({ insertWith, takePictures }) => {
      const files = takePictures(body)
      const markdown = cleanText(markdownIn(body))
      const insert = (spec: TransactionSpec): void => insertWith(view, spec, files)
      if (tableAt(view.state) === undefined) return insert(placedFormatted(view.state, markdown, text))
      const rows = tableRows(markdown)
      if (rows === undefined) insert(replacing(view, escapeCell(markdown)))
      else fillCells(view, rows, insert)
    },
    () => toast(t('This part of the page could not be loaded. It loads when you are back online.'))
  )
  return true
}

function paste(view: EditorView, data: DataTransfer): boolean {
  const text = cleanText(data.getData('text/plain'))
  const { from } = view.state.selection.main
  if (isInCode(view.state, from)) return false
  const formatted = data.getData('text/html')
  const isOwn = isOwnCopy(formatted)
  const areOwn = areOwnCells(formatted)
  const html = isOwn || areOwn || data.types.includes('vscode-editor-data') ? '' : formatted
  const hasPictures = html.includes('data:image/')
  // A line break or a bar would end the cell.
  if (!hasPictures && tableAt(view.state, from) !== undefined)
    return pasteCells(view, text, html, areOwn) || (/[|\n\t]/.test(text) && replace(view, escapeCell(text)))
  if (isAddress(text.trim())) return pasteAddress(view, text.trim())
  // The plain text is Markdown.
  if (isOwn) return replaceByText(view, text)
  if (hasPictures) return pastePictures(view, html, text)
  const markdown = html === '' ? undefined : htmlToMarkdown(html)
  if (markdown !== undefined) return change(view, placedFormatted(view.state, cleanText(markdown), text))
  const rows = cellsOf(text, areOwn)
  return rows === undefined ? replaceByText(view, text) : change(view, placedBlocks(view.state, markdownTable(rows)))
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
