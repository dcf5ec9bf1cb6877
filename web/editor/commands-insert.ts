/** Inserts a block with only the blank lines that it needs around it. Most of the blocks are in `inserts.ts`. */
import { EditorSelection } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'

/** The part of a block that is selected, so that typing replaces it. Offsets count from the beginning of the block. */
interface Selected {
  readonly from: number
  readonly to: number
}

/** Matches a blank line and an empty list item. */
const blank = /^\s*(([-*+]|\d+[.)])\s+(\[[ x]\]\s*)?)?$/i

/** Inserts a block on the line of `place` if that line is blank or an empty list item, and otherwise below it. */
export function insertBlock(view: EditorView, block: string, { from, to }: Selected, place = view.state.selection.main.head): boolean {
  if (view.state.readOnly) return false
  const { doc } = view.state
  const line = doc.lineAt(place)
  const isBlank = blank.test(line.text)
  const at = isBlank ? line.from : line.to
  const above = isBlank ? (line.number > 1 ? doc.line(line.number - 1).text : '') : line.text
  const below = line.number < doc.lines ? doc.line(line.number + 1).text : ''
  const lead = isBlank ? (above.trim() === '' ? '' : '\n') : '\n\n'
  const trail = below.trim() === '' ? '' : '\n'
  const start = at + lead.length
  view.dispatch({
    changes: { from: at, to: isBlank ? line.to : at, insert: lead + block + trail },
    selection: EditorSelection.range(start + from, start + to),
    scrollIntoView: true,
    userEvent: 'input.insert'
  })
  return true
}

/** Creates a command that inserts a block in the page's language and selects its text between `‹` and `›`. */
export const block =
  (words: () => string): Command =>
  (view) => {
    const marked = words()
    const from = marked.indexOf('‹')
    return insertBlock(view, marked.replaceAll(/[‹›]/g, ''), { from, to: marked.indexOf('›') - 1 })
  }

/** The cells are empty, because a click into a cell with a placeholder would put the caret into its word. */
export const insertTable: Command = block(() => '| ‹› |  |\n| --- | --- |\n|  |  |\n')
