/**
 * Backspace and Delete at the edges of a code block, in the live view. They never join other text with a fence, because all code and text below would
 * then swap places. Ctrl+Enter leaves the block.
 */
import { EditorSelection, Prec, type EditorState, type Extension, type Line, type TransactionSpec } from '@codemirror/state'
import { keymap, type Command, type KeyBinding } from '@codemirror/view'
import { asOneStep } from './binding.ts'
import { isDrawn, leaveCode } from './commands-code.ts'
import { codeNode } from './in-code.ts'

/** A code block with its fences. */
interface Fenced {
  readonly from: number
  readonly to: number
  /** The line of the opening fence. */
  readonly first: Line
  /** The line of the closing fence. Undefined if the block has none. */
  readonly last: Line | undefined
  /** Whether there is nothing but spaces between the fences. */
  readonly isEmpty: boolean
}

const isBlank = (text: string): boolean => /^[ \t>]*$/.test(text)

function fencedAt(state: EditorState, position: number): Fenced | undefined {
  const node = codeNode(state, position)
  if (node?.name !== 'FencedCode') return undefined
  const { from, to } = node
  const [first, end] = [state.doc.lineAt(from), state.doc.lineAt(to)]
  const last = node.getChildren('CodeMark').length > 1 ? end : undefined
  const code = last === undefined ? state.sliceDoc(first.to, to) : state.sliceDoc(first.to, last.from)
  return { from, to, first, last, isEmpty: code.split('\n').every(isBlank) }
}

/** Returns the end of the last line of code. Undefined if the block has no such line. */
function endOfCode(state: EditorState, { first, last }: Fenced): number | undefined {
  if (last === undefined || last.number - first.number < 2) return undefined
  return state.doc.line(last.number - 1).to
}

const goTo = (anchor: number): TransactionSpec => ({ selection: EditorSelection.cursor(anchor), scrollIntoView: true, userEvent: 'select' })

/** Removes a block. The line break after it disappears too if the line below moves up. */
function without(state: EditorState, { from, to, first }: Fenced, isBelow: boolean): TransactionSpec {
  const end = isBelow && from === first.from ? Math.min(to + 1, state.doc.length) : to
  const anchor = isBelow && end === to ? from + 1 : from
  return { changes: { from, to: end }, selection: { anchor }, scrollIntoView: true, userEvent: 'delete.backward' }
}

/** The change that a key makes. `nothing` only keeps other commands from changing the text. Undefined leaves the key to the other commands. */
type Effect = TransactionSpec | 'nothing' | undefined

/** Returns the effect of Backspace within a block. */
function backspaceWithin(state: EditorState, line: Line, fenced: Fenced): Effect {
  const { head } = state.selection.main
  const { first, last } = fenced
  const lead = state.sliceDoc(line.from, head)
  if (line.number === first.number || lead.length > fenced.from - first.from || !isBlank(lead)) return undefined
  if (line.number === last?.number) {
    const end = endOfCode(state, fenced)
    return end === undefined ? without(state, fenced, false) : goTo(end)
  }
  if (line.number === first.number + 1) return fenced.isEmpty ? (last === undefined ? undefined : without(state, fenced, false)) : 'nothing'
  // The marks of a quote must not stay within the line of code.
  if (lead === '') return undefined
  return { changes: { from: line.from - 1, to: head }, scrollIntoView: true, userEvent: 'delete.backward' }
}

/** Returns the effect of Backspace at the start of the line below a block. */
function backspaceBelow(state: EditorState, line: Line, fenced: Fenced): Effect {
  const end = endOfCode(state, fenced)
  if (line.text.trim() === '') {
    const changes = { from: line.from - 1, to: line.to }
    return { changes, selection: { anchor: end ?? fenced.to }, scrollIntoView: true, userEvent: 'delete.backward' }
  }
  return fenced.isEmpty || end === undefined ? without(state, fenced, true) : goTo(end)
}

export function backspaceAtCode(state: EditorState, isHidden: (position: number) => boolean): Effect {
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  const within = fencedAt(state, head)
  if (within !== undefined) return backspaceWithin(state, line, within)
  const opened = fencedAt(state, line.to)
  // A line of a quote that loses its mark no longer belongs to the quoted block.
  if (opened?.from === head && state.sliceDoc(line.from, head).includes('>')) return 'nothing'
  if (head !== line.from || line.number === 1) return undefined
  const above = state.doc.line(line.number - 1)
  const fenced = fencedAt(state, above.to)
  if (fenced?.last?.number === above.number) {
    if (!isHidden(above.from)) return backspaceBelow(state, line, fenced)
    return line.text.trim() === '' ? undefined : 'nothing'
  }
  return opened?.first.number === line.number && above.text.trim() !== '' ? goTo(above.to) : undefined
}

export function deleteAtCode(state: EditorState): Effect {
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  if (head !== line.to || line.number === state.doc.lines) return undefined
  const below = state.doc.line(line.number + 1)
  const within = fencedAt(state, head)
  if (within === undefined) {
    if (fencedAt(state, below.to)?.first.number !== below.number) return undefined
    if (line.text.trim() !== '') return 'nothing'
    return { changes: { from: line.from, to: below.from }, scrollIntoView: true, userEvent: 'delete.forward' }
  }
  const { first, last } = within
  if (line.number === first.number || below.number === last?.number) return 'nothing'
  if (line.number === last?.number) return below.text.trim() === '' ? undefined : 'nothing'
  const lead = /^[ \t>]*/.exec(below.text.slice(0, within.from - first.from))?.[0] ?? ''
  if (lead === '') return undefined
  return { changes: { from: line.to, to: below.from + lead.length }, scrollIntoView: true, userEvent: 'delete.forward' }
}

const keyFor =
  (effectOf: (state: EditorState, isHidden: (position: number) => boolean) => Effect): Command =>
  (view) => {
    const { state } = view
    const { main, ranges } = state.selection
    if (state.readOnly || !main.empty || ranges.length > 1) return false
    const effect = effectOf(state, (position) => isDrawn(view, position))
    if (effect === undefined) return false
    if (effect !== 'nothing') asOneStep(view, () => view.dispatch(effect))
    return true
  }

/** Binds a command to a key, and to the same key with the modifiers that delete words and lines. */
const withModifiers = (key: 'Backspace' | 'Delete', run: Command): KeyBinding[] => [
  { key, run, shift: run },
  { key: `Mod-${key}`, run },
  { mac: `Alt-${key}`, run }
]

export const codeEdges: Extension = Prec.high(
  keymap.of([
    ...withModifiers('Backspace', keyFor(backspaceAtCode)),
    ...withModifiers('Delete', keyFor(deleteAtCode)),
    { key: 'Mod-Enter', run: leaveCode }
  ])
)
