/** Closes code fences automatically: Enter after an opening fence adds the closing fence. */
import { EditorSelection, type EditorState, type StateCommand } from '@codemirror/state'
import { isInCode } from './in-code.ts'

/** Matches an opening fence. Groups: quote marks and indentation; list marker; fence characters. */
const opening = /^((?:[ \t]{0,3}>)*[ \t]{0,12})((?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?(`{3,}|~{3,})/

interface OpeningFence {
  /** The prefix of every line in the code block. */
  readonly lead: string
  readonly run: string
}

function openingFence(text: string): OpeningFence | undefined {
  const [all = '', lead = '', marker = '', run] = opening.exec(text) ?? []
  return run === undefined || text.includes('`', all.length) ? undefined : { lead: lead + ' '.repeat(marker.length), run }
}

/** Maximum number of lines below a fence that are searched for an unpaired fence. */
const linesMax = 20_000

const runStart = /^[ \t>]*(`{3,}|~{3,})/

/** Whether every fence below a line is also closed. If so, none of them can close a fence opened on that line. */
function isBalancedBelow({ doc }: EditorState, line: number): boolean {
  let run: string | undefined
  for (let number = line + 1; number <= Math.min(doc.lines, line + linesMax); number++) {
    const { text } = doc.line(number)
    const [all = '', found] = runStart.exec(text) ?? []
    if (found === undefined) continue
    const rest = text.slice(all.length)
    if (run === undefined) run = found[0] === '`' && rest.includes('`') ? undefined : found
    else if (found.startsWith(run) && rest.trim() === '') run = undefined
  }
  return run === undefined
}

/** Handles Enter after an opening fence that is not closed: adds a line for the code, and the closing fence below it. */
export const closeFence: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection
  const line = state.doc.lineAt(main.head)
  const fence = openingFence(line.text)
  if (state.readOnly || !main.empty || main.head !== line.to || fence === undefined) return false
  // If the line is inside a code block that began above, it is code or a closing fence.
  if (isInCode(state, line.from + line.text.indexOf(fence.run)) || !isBalancedBelow(state, line.number)) return false
  const { lead, run } = fence
  const end = line.to + 1 + lead.length
  dispatch(
    state.update({
      changes: { from: line.to, insert: `\n${lead}\n${lead}${run}` },
      selection: EditorSelection.cursor(end),
      scrollIntoView: true,
      userEvent: 'input'
    })
  )
  return true
}
