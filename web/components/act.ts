/** Turns interactions into changes of the editor: one transaction and one undo step each. */
import type { EditorView } from '@codemirror/view'
import { applyEdits, type Edit } from '../../shared/text/diff.ts'
import { endStep } from '../editor/binding.ts'

/** Joins the lines that the edits touch to one change, because people accept or reject an interaction as a whole. */
export const asOne = (source: string, edits: readonly Edit[]): Edit => {
  const [first, last] = [edits[0] as Edit, edits.at(-1) as Edit]
  const from = source.lastIndexOf('\n', first.from - 1) + 1
  const end = source.indexOf('\n', last.to)
  const to = end === -1 ? source.length : end
  const inside = edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
  return { from, to, insert: applyEdits(source.slice(from, to), inside) }
}

/** Returns false if the person may not write or there is nothing to change. */
export function actOn(view: EditorView, edits: readonly Edit[]): boolean {
  if (view.state.readOnly || edits.length === 0) return false
  const before = view.state.doc
  const end = view.state.facet(endStep)
  end()
  view.dispatch({
    changes: [...edits],
    userEvent: 'input.fence'
  })
  end()
  return view.state.doc !== before
}
