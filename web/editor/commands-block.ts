/** Commands on entire lines: headings, lists, quotes and code blocks. */
import type { ChangeSpec, EditorState, Line, StateCommand } from '@codemirror/state'
import { EditorSelection } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { asOneSuggestion } from './one-suggestion.ts'
import { isInTable } from './tables.ts'

/** Returns each line that the selection touches, once. */
function touchedLines(state: EditorState): Line[] {
  const lines = new Map<number, Line>()
  for (const range of state.selection.ranges) {
    for (let position = range.from; position <= range.to;) {
      const line = state.doc.lineAt(position)
      lines.set(line.number, line)
      position = line.to + 1
    }
  }
  return [...lines.values()]
}

/** Returns the selected lines with text. Blank lines count only if there are no others. */
export function selectedLines(state: EditorState): Line[] {
  const all = touchedLines(state)
  const written = all.filter(({ text }) => /[^ \t>]/.test(text))
  return written.length > 0 ? written : all
}

/** Applies the changes of a format. While edits are only suggested, they are one suggestion. */
export function applyFormat(view: EditorView, changes: ChangeSpec[]): boolean {
  if (view.state.readOnly) return false
  const made = view.state.changes(changes)
  // If a new mark is inserted at the caret, the caret is placed after the mark.
  if (!made.empty)
    view.dispatch({
      changes: asOneSuggestion(view.state, made),
      selection: view.state.selection.map(made, 1),
      scrollIntoView: true,
      userEvent: 'input.format'
    })
  return true
}

/** Matches quote marks, and the mark of a heading or an item. A line cannot be both. */
const blockMark = /^((?:[ \t]*>)*)[ \t]*(#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/

/**
 * Makes the lines headings of a level (1–6), or plain text if they already are or if the level is 0. Lines in a quote stay in it. Table rows do not change, because a mark before
 * a row would end the table.
 */
export const setHeading =
  (level: number): Command =>
  (view) => {
    if (isInTable(view.state)) return true
    const lines = selectedLines(view.state).map(({ from, text }) => {
      const [all = '', quote = '', mark = ''] = blockMark.exec(text) ?? []
      return { from, all, quote, mark }
    })
    const prefix = level === 0 ? '' : `${'#'.repeat(level)} `
    const remove = lines.every(({ mark }) => mark.trim() === prefix.trim())
    return applyFormat(
      view,
      lines.map(({ from, all, quote }) => ({
        from: from + quote.length,
        to: from + all.length,
        insert: (quote === '' ? '' : ' ') + (remove ? '' : prefix)
      }))
    )
  }

/** Changes the line to the next level: text, 1, 2, 3, and text again. */
export const cycleHeading: Command = (view) => {
  const line = view.state.doc.lineAt(view.state.selection.main.head)
  const level = /^[ \t>]*(#{1,6})[ \t]/.exec(line.text)?.[1]?.length ?? 0
  return level >= 3 ? setHeading(level)(view) : setHeading(level + 1)(view)
}

export const toggleQuote: Command = (view) => {
  const lines = touchedLines(view.state)
  const remove = lines.every((line) => /^> ?/.test(line.text))
  return applyFormat(
    view,
    lines.map((line) => ({
      from: line.from,
      to: line.from + (remove ? (/^> ?/.exec(line.text)?.[0].length ?? 0) : 0),
      insert: remove ? '' : '> '
    }))
  )
}

/** Puts fences around the selected lines. The caret stays in the code. */
export const insertCodeBlock: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const { from, to, head } = state.selection.main
  const start = state.doc.lineAt(from).from
  const end = state.doc.lineAt(to).to
  // A fence must be longer than any fence in the code.
  const inner = state.doc.sliceString(start, end).match(/^`{3,}/gm) ?? []
  const fence = '`'.repeat(Math.max(3, ...inner.map((run) => run.length + 1)))
  const made = state.changes([
    { from: start, insert: `${fence}\n` },
    { from: end, insert: `\n${fence}` }
  ])
  dispatch(
    state.update({
      changes: asOneSuggestion(state, made),
      selection: EditorSelection.cursor(head + fence.length + 1),
      scrollIntoView: true,
      userEvent: 'input.format'
    })
  )
  return true
}
