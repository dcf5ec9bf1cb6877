/** Commands on entire lines: headings, lists, quotes and code blocks. */
import { syntaxTree } from '@codemirror/language'
import type { ChangeSpec, EditorState, Line, StateCommand } from '@codemirror/state'
import { EditorSelection } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { isInTable } from './tables.ts'

/** Returns each line that the selection touches, once. */
function selectedLines(state: EditorState): Line[] {
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

function apply(view: EditorView, changes: ChangeSpec[]): boolean {
  if (view.state.readOnly) return false
  const made = view.state.changes(changes)
  // If a new mark is inserted at the caret, the caret is placed after the mark.
  if (!made.empty)
    view.dispatch({ changes: made, selection: view.state.selection.map(made, 1), scrollIntoView: true, userEvent: 'input.format' })
  return true
}

const headingMark = /^#{1,6}[ \t]+/

/** Matches the mark of a heading or an item. A line cannot be both. */
const blockMark = /^(?:#{1,6}[ \t]+|[ \t]*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+))/

/**
 * Makes the lines headings of a level (1–6), or plain text if they already are or if the level is 0. Table rows do not change, because a mark before a row would end the
 * table.
 */
export const setHeading =
  (level: number): Command =>
  (view) => {
    if (isInTable(view.state)) return true
    const lines = selectedLines(view.state)
    const prefix = level === 0 ? '' : `${'#'.repeat(level)} `
    const remove = lines.every((line) => line.text.startsWith(prefix))
    return apply(
      view,
      lines.map((line) => ({
        from: line.from,
        to: line.from + (blockMark.exec(line.text)?.[0].length ?? 0),
        insert: remove ? '' : prefix
      }))
    )
  }

/** Changes the line to the next level: text, 1, 2, 3, and text again. */
export const cycleHeading: Command = (view) => {
  const line = view.state.doc.lineAt(view.state.selection.main.head)
  const level = headingMark.exec(line.text)?.[0].trim().length ?? 0
  return level >= 3 ? setHeading(level)(view) : setHeading(level + 1)(view)
}

const listMark = /^([ \t]*)(?:#{1,6}[ \t]+|[-*+][ \t]+\[[ xX]\][ \t]+|[-*+][ \t]+|\d+[.)][ \t]+)?/

export type ListKind = 'bullet' | 'number' | 'task'

const isKind: Readonly<Record<ListKind, RegExp>> = {
  bullet: /^[ \t]*[-*+][ \t]+(?!\[[ xX]\][ \t])/,
  number: /^[ \t]*\d+[.)][ \t]+/,
  task: /^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+/
}

const listPrefix = (kind: ListKind, index: number): string => (kind === 'bullet' ? '- ' : kind === 'task' ? '- [ ] ' : `${index + 1}. `)

/**
 * Returns a line break if an empty item on a line would be part of the paragraph above. Markdown even reads `-` as the underline of a heading there.
 */
function gapAbove(state: EditorState, { number, text }: Line, kind: ListKind): string {
  if (kind === 'task' || number === 1 || text.trim() !== '') return ''
  const { to } = state.doc.line(number - 1)
  const above = syntaxTree(state).resolve(to, -1)
  return above.name === 'Paragraph' && above.parent?.name === 'Document' && above.to === to ? '\n' : ''
}

/** Makes the lines a list of one kind, or plain text if they already are one. */
export const toggleList =
  (kind: ListKind): Command =>
  (view) => {
    const { state } = view
    if (isInTable(state)) return true
    const all = selectedLines(state)
    const written = all.filter((line) => line.text.trim() !== '')
    const lines = written.length > 0 ? written : all
    const remove = lines.every((line) => isKind[kind].test(line.text))
    return apply(
      view,
      lines.map((line, index) => {
        const match = listMark.exec(line.text)
        const indent = match?.[1] ?? ''
        const insert = remove ? indent : `${gapAbove(state, line, kind)}${indent}${listPrefix(kind, index)}`
        return { from: line.from, to: line.from + (match?.[0].length ?? 0), insert }
      })
    )
  }

export const toggleQuote: Command = (view) => {
  const lines = selectedLines(view.state)
  const remove = lines.every((line) => /^> ?/.test(line.text))
  return apply(
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
  dispatch(
    state.update({
      changes: [
        { from: start, insert: `${fence}\n` },
        { from: end, insert: `\n${fence}` }
      ],
      selection: EditorSelection.cursor(head + fence.length + 1),
      scrollIntoView: true,
      userEvent: 'input.format'
    })
  )
  return true
}
