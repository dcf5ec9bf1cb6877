/** The keys for lists and paragraphs. They load later, because they are not needed before the text is visible. */
import { Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { asOneStep } from './binding.ts'
import { joinAbove, joinBelow, removeEmptyItem } from './join-blocks.ts'
import { caretRests } from './resting.ts'
import { indentItem, otherMarker, outdentEmpty, outdentItem, outdentParagraph } from './list-levels.ts'

/** Changes the kind of an empty list item when a person types the other kind's marker and a space. Undo brings back the typed letters. */
const typedMarker = EditorView.inputHandler.of((view, from, to, text, insert) => {
  if (text !== ' ' || from !== to) return false
  const typed = insert()
  const spec = otherMarker(typed.state)
  if (spec === undefined) return false
  view.dispatch(typed)
  asOneStep(view, () => view.dispatch(spec))
  return true
})

export const blockKeys: Extension = [
  typedMarker,
  Prec.high(
    keymap.of([
      { key: 'Enter', run: outdentEmpty },
      { key: 'Backspace', run: (view) => outdentEmpty(view) || removeEmptyItem(view) || outdentParagraph(view) || joinAbove(view) },
      { key: 'Delete', run: joinBelow }
    ])
  ),
  // Tab moves the focus through the page until the person has begun to use the text.
  keymap.of([
    {
      key: 'Tab',
      run: (view) => !caretRests(view.state) && indentItem(view),
      shift: (view) => !caretRests(view.state) && outdentItem(view)
    }
  ])
]
