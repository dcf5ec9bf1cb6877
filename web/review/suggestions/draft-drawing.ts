/** Draws the changes that a person types while suggesting, and the text that they delete. */
import type { EditorState, Extension, Range } from '@codemirror/state'
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view'
import { addedText } from '../../editor/added-text.ts'
import { deletedCells } from './deleted-cells.ts'
import { draftField } from './draft-field.ts'
import { hunksOf } from './hunks.ts'
import { areRows } from './proposed-nodes.ts'
import { ProposedText } from './proposed-text.ts'

const drafts = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    constructor({ state }: EditorView) {
      this.decorations = this.#build(state)
    }

    update({ state, startState }: ViewUpdate): void {
      if (state.field(draftField) !== startState.field(draftField)) this.decorations = this.#build(state)
    }

    #build(state: EditorState): DecorationSet {
      const { base, changes } = state.field(draftField)
      const found = hunksOf(base, changes).flatMap(({ original, text, fromShown, toShown }): Range<Decoration>[] => {
        // The caret stays before text that it deletes, and after text that is typed instead.
        const side = text === '' ? 1 : -1
        const deleted = deletedCells(state, fromShown, original)
        const struck = Decoration.widget({ widget: new ProposedText('del', deleted.text, '', '', true), side })
        const typed = Decoration.mark({ tagName: 'ins', class: 'rm-ins rm-own' })
        return [...(original === '' ? [] : [struck.range(deleted.at)]), ...(text === '' ? [] : [typed.range(fromShown, toShown)])]
      })
      return Decoration.set(found, true)
    }
  },
  { decorations: (value) => value.decorations }
)

/** The text that is drawn as struck out, for which the columns of a table need space. */
const struckText = addedText.compute([draftField], (state) => {
  const { base, changes } = state.field(draftField)
  const struck = hunksOf(base, changes).filter(({ original }) => original !== '' && !areRows(original))
  return (from, to) => struck.flatMap(({ fromShown, original }) => (fromShown >= from && fromShown <= to ? [original] : [])).join('')
})

export const draftDrawing: Extension = [drafts, struckText]
