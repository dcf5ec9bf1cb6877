/** Commands on the table that the cursor is in. */
import type { Command as TextCommand } from '@codemirror/view'
import { addColumn, addRow, alignColumn, deleteColumn, deleteRow, isInTable, lineUpTable, moveColumn, moveRow } from '../editor/tables.ts'
import { term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { isWriting, type Command } from './command.ts'

const command = (id: string, title: string, icon: IconName, run: TextCommand): Command => ({
  id: `table.${id}`,
  title,
  icon,
  group: 'table',
  when: (page) => isWriting(page) && page.editor.value !== undefined && isInTable(page.editor.value.view.state),
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
  command('align', term('Column alignment'), 'align', alignColumn),
  command('tidy', term('Align columns in the source'), 'columns', lineUpTable)
]
