/**
 * Makes hyphens that a person types below a paragraph a horizontal line. Markdown would make the paragraph a heading, so Enter after the hyphens adds
 * a blank line above them.
 */
import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, Prec, StateField } from '@codemirror/state'
import { type Command, keymap } from '@codemirror/view'
import { asOneStep } from './binding.ts'
import { frontMatterEnd } from './front-matter.ts'

/** Hyphens that a person has typed one after another. The hyphens of a heading that was there before are not typed. */
interface Hyphens {
  readonly from: number
  readonly to: number
}

const typed = StateField.define<Hyphens | null>({
  create: () => null,
  update(value, transaction) {
    const { changes, docChanged } = transaction
    if (!docChanged) return value
    let now = value && { from: changes.mapPos(value.from, 1), to: changes.mapPos(value.to, -1) }
    if (transaction.isUserEvent('input.type'))
      changes.iterChanges((from, to, start, end, inserted) => {
        if (/^-+$/.test(inserted.toString())) now = { from: from === to && from === value?.to ? value.from : start, to: end }
      })
    return now
  }
})

/** Returns the beginning of the line of the caret if a person has typed it as hyphens below a paragraph. */
function typedBelow(state: EditorState): number | undefined {
  const { main } = state.selection
  const { from, to, text } = state.doc.lineAt(main.head)
  const hyphens = state.field(typed)
  if (state.readOnly || !main.empty || main.head !== to || hyphens?.from !== from || hyphens.to !== to || !/^-{3,}$/.test(text))
    return undefined
  const isHeading = syntaxTree(state).resolveInner(to, -1).parent?.name === 'SetextHeading2'
  return isHeading && from > frontMatterEnd(state.doc) ? from : undefined
}

const endRule: Command = (view) => {
  const from = typedBelow(view.state)
  if (from === undefined) return false
  view.dispatch({ ...view.state.replaceSelection('\n'), scrollIntoView: true, userEvent: 'input' })
  // Undo brings back the heading.
  asOneStep(view, () => view.dispatch({ changes: { from, insert: '\n' }, userEvent: 'input' }))
  return true
}

export const typedRule: Extension = [typed, Prec.high(keymap.of([{ key: 'Enter', run: endRule }]))]
