/** Writes the author of a published page into the front matter of the text. */
import { asOneStep } from '../editor/binding.ts'
import { beginsFrontMatter } from '../../shared/text/front-matter.ts'
import type { View } from '../view/view.ts'

/** Adds `author:` to the front matter, as one step that undo takes back. The text must not name an author yet. */
export function nameAuthor({ editor }: View, name: string): void {
  const view = editor.value?.view
  if (view === undefined) return
  const { doc } = view.state
  // Quotes within the name would end the value (shared/names.ts).
  const quote = name.includes('"') ? "'" : '"'
  const line = `author: ${quote}${name.replaceAll(quote, '’')}${quote}\n`
  const begins = doc.lines > 1 && beginsFrontMatter([doc.line(1).text, doc.line(2).text])
  const change = begins ? { from: doc.line(2).from, insert: line } : { from: 0, insert: `---\n${line}---\n\n` }
  asOneStep(view, () => view.dispatch({ changes: change, userEvent: 'input' }))
}
