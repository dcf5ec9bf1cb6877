/** A footnote: its number where the caret is, and its words at the end of the text, where one goes on writing. */
import type { Command } from '@codemirror/view'

/** Numbers of footnotes that stand in a text. */
const numbered = /\[\^(\d{1,6})\]/g

/** The first number after all that are there: footnotes of others keep theirs. */
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
  // Footnotes stand below each other; anything else is parted from them by a blank line.
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
    userEvent: 'input.insert'
  })
  return true
}
