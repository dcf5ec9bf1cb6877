/** The keys for lists and paragraphs. They load later, because they are not needed before the text is visible. */
import { Prec, type Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { joinAbove, joinBelow } from './join-blocks.ts'
import { indentItem, outdentEmpty, outdentItem, outdentParagraph } from './list-levels.ts'

export const blockKeys: Extension = [
  Prec.high(
    keymap.of([
      { key: 'Enter', run: outdentEmpty },
      { key: 'Backspace', run: (view) => outdentEmpty(view) || outdentParagraph(view) || joinAbove(view) },
      { key: 'Delete', run: joinBelow }
    ])
  ),
  keymap.of([{ key: 'Tab', run: indentItem, shift: outdentItem }])
]
