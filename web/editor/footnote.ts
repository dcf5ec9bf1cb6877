/** Inserts a footnote: its number at the caret, and an empty note at the end of the document, where the person continues to write. */
import type { Command } from '@codemirror/view'

/** Matches the numbers of footnotes. */
const numbered = /\[\^(\d{1,6})\]/g

/** Returns the first number after all existing ones, so that existing footnotes keep their numbers. */
function nextNumber(text: string): number {
  let most = 0
  for (const [, number] of text.matchAll(numbered)) most = Math.max(most, Number(number))
  return most + 1
}

export const footnote: Command = (view) => {
  const { state } = view
  if (state.readOnly) return false
  const { doc, selection } = state
  const { to } = selection.main
  const name = `[^${nextNumber(doc.toString())}]`
  const last = doc.lineAt(doc.length)
  const isBlank = last.text.trim() === '' && to < last.from
  const before = isBlank ? doc.lineAt(Math.max(0, last.from - 1)) : last
  // Footnotes follow each other without blank lines. A blank line separates them from any other text.
  const isBelowNote = /^\[\^[^\]]+\]:/.test(before.text)
  const lead = isBlank ? (before.text.trim() === '' || isBelowNote ? '' : '\n') : isBelowNote ? '\n' : '\n\n'
  const note = `${lead}${name}: `
  view.dispatch({
    changes: [
      { from: to, insert: name },
      { from: doc.length, insert: note }
    ],
    selection: { anchor: doc.length + name.length + note.length },
    scrollIntoView: true,
    userEvent: 'input.insert.note'
  })
  return true
}
