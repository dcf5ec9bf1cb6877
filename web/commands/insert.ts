/** Commands that put something new into the text. */
import { insertCodeBlock } from '../editor/commands-block.ts'
import {
  insertBoard,
  insertCallout,
  insertChat,
  insertChart,
  insertDate,
  insertDiagram,
  insertFormula,
  insertRule,
  insertSheet,
  insertTable,
  insertWidget
} from '../editor/commands-insert.ts'
import type { View } from '../document/page.tsx'
import { editPicture, pictureAt } from '../editor/picture-at.ts'
import { chooseFiles } from '../editor/uploads.ts'
import { term } from '../text/t.ts'
import { isWriting, notInCodeBlock, onText, type Command } from './command.ts'

/** Whether the caret is in a picture that has a card. */
export const hasPicture = (page: View): boolean => {
  const state = page.editor.value?.view.state
  const mayBe = isWriting(page) && page.mode.value === 'live' && page.inCode.value === undefined && state?.selection.main.empty === true
  return mayBe && pictureAt(state, state.selection.main.head) !== undefined
}

export const insertCommands: readonly Command[] = [
  {
    id: 'insert.code',
    typed: '```',
    title: term('Code block'),
    words: term('fence program listing'),
    group: 'insert',
    icon: 'square-code',
    ...onText(insertCodeBlock),
    ...notInCodeBlock
  },
  {
    id: 'insert.callout',
    typed: '> [!NOTE]',
    title: term('Callout'),
    words: term('note tip warning box'),
    group: 'insert',
    icon: 'megaphone',
    ...onText(insertCallout),
    ...notInCodeBlock
  },
  {
    id: 'insert.table',
    typed: '| |',
    title: term('Table'),
    words: term('grid columns rows'),
    group: 'insert',
    icon: 'table',
    ...onText(insertTable),
    ...notInCodeBlock
  },
  {
    id: 'insert.board',
    typed: '```board',
    title: term('Board'),
    words: term('cards columns kanban tasks'),
    group: 'insert',
    icon: 'columns',
    ...onText(insertBoard),
    ...notInCodeBlock
  },
  {
    id: 'insert.chat',
    typed: '```chat',
    title: term('Chat'),
    words: term('messages talk discussion'),
    group: 'insert',
    icon: 'message',
    ...onText(insertChat),
    ...notInCodeBlock
  },
  {
    id: 'insert.sheet',
    typed: '```sheet',
    title: term('Sheet'),
    words: term('spreadsheet formulas cells'),
    group: 'insert',
    icon: 'table',
    ...onText(insertSheet),
    ...notInCodeBlock
  },
  {
    id: 'insert.chart',
    typed: '```chart',
    title: term('Chart'),
    words: term('bars lines pie numbers graph'),
    group: 'insert',
    icon: 'chart',
    ...onText(insertChart),
    ...notInCodeBlock
  },
  {
    id: 'insert.widget',
    typed: '```widget',
    title: term('Widget'),
    words: term('HTML script calculator program page'),
    group: 'insert',
    icon: 'code',
    ...onText(insertWidget),
    ...notInCodeBlock
  },
  {
    id: 'insert.file',
    typed: '![]()',
    title: term('Picture, sound or video'),
    words: term('image audio video upload file'),
    group: 'insert',
    icon: 'image',
    ...onText(chooseFiles),
    ...notInCodeBlock,
    when: (page) => isWriting(page) && page.session.uploads.allowed.value
  },
  {
    id: 'picture.edit',
    title: term('Picture size and caption'),
    words: term('width image alt title'),
    group: 'insert',
    icon: 'image',
    keys: ['Mod-k'],
    when: hasPicture,
    keysWhen: hasPicture,
    run: (page) => page.editor.value?.view.dispatch({ effects: editPicture.of(null) })
  },
  {
    id: 'insert.diagram',
    typed: '```mermaid',
    title: term('Diagram'),
    words: term('mermaid flowchart graph'),
    group: 'insert',
    icon: 'workflow',
    ...onText(insertDiagram),
    ...notInCodeBlock
  },
  {
    id: 'insert.formula',
    typed: '$$',
    title: term('Formula'),
    words: term('math equation TeX'),
    group: 'insert',
    icon: 'sigma',
    ...onText(insertFormula),
    ...notInCodeBlock
  },
  {
    id: 'insert.date',
    title: term('Today’s date'),
    words: term('now calendar'),
    group: 'insert',
    icon: 'calendar',
    ...onText(insertDate)
  },
  {
    id: 'insert.rule',
    typed: '---',
    title: term('Divider'),
    words: term('horizontal rule separator'),
    group: 'insert',
    icon: 'minus',
    ...onText(insertRule),
    ...notInCodeBlock
  }
]
