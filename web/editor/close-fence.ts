/** Closes code fences automatically. Enter after an opening fence adds the closing fence, and typing a closing fence overwrites the added one. */
import { EditorSelection, StateEffect, StateField, type EditorState, type Extension, type StateCommand } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
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

/** Largest number of lines below a fence that are searched for a fence without a partner. */
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

/** Records that a closing fence was added automatically. The value is the position of its line. */
const added = StateEffect.define<number>()

const addedAt = StateField.define<number | null>({
  create: () => null,
  update(value, { changes, effects }) {
    const now = effects.find((effect) => effect.is(added))?.value
    return now ?? (value === null ? null : changes.mapPos(value, 1))
  }
})

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
      effects: added.of(end + 1),
      scrollIntoView: true,
      userEvent: 'input'
    })
  )
  return true
}

/** If a typed character completes a closing fence right above the added one, the caret moves to the end of the added one, and nothing is inserted. */
const writeOver = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view
  const at = state.field(addedAt)
  if (at === null || from !== to || !/^[`~]$/.test(text)) return false
  const line = state.doc.lineAt(from)
  if (from !== line.to || line.number === state.doc.lines) return false
  const below = state.doc.line(line.number + 1)
  if (below.from !== at || line.text + text !== below.text) return false
  const change = { from: line.from, to: below.from }
  view.dispatch({ changes: change, selection: { anchor: below.to - (change.to - change.from) }, scrollIntoView: true, userEvent: 'input' })
  return true
})

export const closingFences: Extension = [addedAt, writeOver]
