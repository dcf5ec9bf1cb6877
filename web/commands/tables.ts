/** Commands on the table that the cursor is in. */
import type { Command as TextCommand } from '@codemirror/view'
import {
  addColumn,
  addRow,
  alignColumn,
  alignColumnTo,
  deleteColumn,
  deleteRow,
  isInTable,
  lineUpTable,
  moveColumn,
  moveRow,
  sortRows
} from '../editor/tables.ts'
import type { View } from '../document/page.tsx'
import { term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { isWriting, type Command } from './command.ts'

const inTable = (page: View): boolean => isWriting(page) && page.editor.value !== undefined && isInTable(page.editor.value.view.state)

const command = (id: string, title: string, icon: IconName, run: TextCommand): Command => ({
  id: `table.${id}`,
  title,
  icon,
  group: 'table',
  when: inTable,
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

export const tableCommands: readonly Command[] = [
  command('row.above', term('Add row above'), 'row-above', addRow('above')),
  command('row.below', term('Add row below'), 'row-below', addRow('below')),
  command('row.up', term('Move row up'), 'arrow-up', moveRow(-1)),
  command('row.down', term('Move row down'), 'arrow-down', moveRow(1)),
  command('row.delete', term('Delete row'), 'row-delete', deleteRow),
  command('column.before', term('Add column before'), 'column-before', addColumn('before')),
  command('column.after', term('Add column after'), 'column-after', addColumn('after')),
  command('column.left', term('Move column left'), 'arrow-left', moveColumn(-1)),
  command('column.right', term('Move column right'), 'arrow-right', moveColumn(1)),
  command('column.delete', term('Delete column'), 'column-delete', deleteColumn),
  {
    id: 'table.menu',
    title: term('Rows and columns'),
    group: 'table',
    icon: 'ellipsis',
    when: inTable,
    run: (page) =>
      void page.parts.withExtras(({ openTableMenu }) => page.editor.value !== undefined && openTableMenu(page.editor.value.view))
  },
  command('sort', term('Sort A to Z'), 'arrow-down', sortRows(false)),
  command('sort.back', term('Sort Z to A'), 'arrow-up', sortRows(true)),
  command('align.left', term('Align column left'), 'align', alignColumnTo('left')),
  command('align.center', term('Align column center'), 'align', alignColumnTo('center')),
  command('align.right', term('Align column right'), 'align', alignColumnTo('right')),
  command('align', term('Column alignment'), 'align', alignColumn),
  command('tidy', term('Align columns in the source'), 'columns', lineUpTable)
]
