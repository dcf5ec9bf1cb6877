/** Inserts results into the text, at the place of the request and as one undo step. */
import { isolateHistory } from '@codemirror/commands'
import { EditorSelection, type Text } from '@codemirror/state'
import type { Editor } from '../editor/setup/editor.ts'
import { asOneStep, textMap } from '../editor/binding.ts'

/** Returns the line breaks that a separate paragraph still needs before and after it. */
function apart(doc: Text, at: number): { from: number; lead: string; trail: string } {
  const line = doc.lineAt(at)
  const isBlank = line.text.trim() === ''
  const before = isBlank ? (line.number > 1 ? doc.line(line.number - 1).text : '') : line.text
  const below = line.number < doc.lines ? doc.line(line.number + 1).text : ''
  const from = isBlank ? line.from : line.to
  return { from, lead: before.trim() === '' ? '' : isBlank ? '\n' : '\n\n', trail: below.trim() === '' ? '' : '\n' }
}

/** Returns the spaces that are needed between inserted and adjacent words. */
function among(doc: Text, at: number): { from: number; lead: string; trail: string } {
  const blank = (from: number, to: number, stops: RegExp): string => (stops.test(doc.sliceString(from, to)) ? ' ' : '')
  return { from: at, lead: blank(Math.max(0, at - 1), at, /[^\s([{"'„“‚‘«-]/), trail: blank(at, at + 1, /[\p{L}\p{N}]/u) }
}

/**
 * Inserts text at an offset of the document: a line of words within the existing text, and anything else as a separate paragraph. The caret is
 * placed after the text. Returns false if the person may not write or the document would be too large.
 */
export function insertResult(editor: Editor, stored: number, text: string, block: boolean): boolean {
  const { view } = editor
  if (view.state.readOnly) return false
  const { doc } = view.state
  const at = Math.min(view.state.facet(textMap).shown(stored), doc.length)
  const { from, lead, trail } = block || text.includes('\n') ? apart(doc, at) : among(doc, at)
  asOneStep(editor.view, () =>
    view.dispatch({
      changes: { from, insert: lead + text + trail },
      selection: EditorSelection.cursor(from + lead.length + text.length),
      scrollIntoView: true,
      annotations: isolateHistory.of('full'),
      userEvent: 'input.media'
    })
  )
  return view.state.doc !== doc
}
