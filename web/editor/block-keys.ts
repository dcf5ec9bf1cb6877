/** The keys for lists and paragraphs. They load later, because they are not needed before the text is visible. */
import { Prec, type Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { joinAbove, joinBelow } from './join-blocks.ts'
import { caretRests } from './resting.ts'
import { indentItem, outdentEmpty, outdentItem, outdentParagraph } from './list-levels.ts'

export const blockKeys: Extension = [
  Prec.high(
    keymap.of([
      { key: 'Enter', run: outdentEmpty },
      { key: 'Backspace', run: (view) => outdentEmpty(view) || outdentParagraph(view) || joinAbove(view) },
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
