/** Commands that put something new into the text. */
import { insertCodeBlock, insertTable } from '../editor/commands-block.ts'
import { chooseFiles } from '../editor/uploads.ts'
import { term } from '../text/t.ts'
import { onText, type Command } from './command.ts'

export const insertCommands: readonly Command[] = [
  {
    id: 'insert.code',
    title: term('Code block'),
    words: term('fence program listing'),
    group: 'insert',
    icon: 'square-code',
    ...onText(insertCodeBlock)
  },
  { id: 'insert.table', title: term('Table'), words: term('grid columns rows'), group: 'insert', icon: 'table', ...onText(insertTable) },
  {
    id: 'insert.file',
    title: term('Picture, sound or film'),
    words: term('image audio video upload file'),
    group: 'insert',
    icon: 'image',
    ...onText(chooseFiles)
  }
]
