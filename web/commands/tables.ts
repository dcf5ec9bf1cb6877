/** Commands on the table that the caret is in. */
import type { Command as TextCommand } from '@codemirror/view'
import { asOneStep } from '../editor/binding.ts'
import { addColumn, addRow, deleteColumn, isInTable } from '../editor/tables.ts'
import type { ExtrasPart, Page } from './page.ts'
import { term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { fetched, isWriting, type Command } from '../view/command.ts'

const inTable = (page: Page): boolean => isWriting(page) && page.editor.value !== undefined && isInTable(page.editor.value.view.state)

const command = (id: string, title: string, icon: IconName, run: TextCommand): Command<Page> => ({
  id: `table.${id}`,
  title,
  icon,
  group: 'table',
  when: inTable,
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

/** Creates a command whose code loads with the editor extras. */
const later = (id: string, title: string, icon: IconName, find: (part: ExtrasPart) => TextCommand): Command<Page> => ({
  ...command(id, title, icon, () => false),
  run: (page) => void page.parts.withExtras((part) => page.editor.value !== undefined && find(part)(page.editor.value.view))
})

export const tableCommands: readonly Command<Page>[] = [
  command('row.above', term('Add row above'), 'row-above', addRow('above')),
  command('row.below', term('Add row below'), 'row-below', addRow('below')),
  later('row.up', term('Move row up'), 'arrow-up', ({ moveRow }) => moveRow(-1)),
  later('row.down', term('Move row down'), 'arrow-down', ({ moveRow }) => moveRow(1)),
  later('row.delete', term('Delete row'), 'row-delete', ({ deleteRow }) => deleteRow),
  command('column.before', term('Add column before'), 'column-before', addColumn('before')),
  command('column.after', term('Add column after'), 'column-after', addColumn('after')),
  later('column.left', term('Move column left'), 'arrow-left', ({ moveColumn }) => moveColumn(-1)),
  later('column.right', term('Move column right'), 'arrow-right', ({ moveColumn }) => moveColumn(1)),
  command('column.delete', term('Delete column'), 'column-delete', deleteColumn),
  {
    id: 'table.menu',
    title: term('Rows and columns'),
    group: 'table',
    icon: 'columns',
    when: inTable,
    run: (page) =>
      void page.parts.withExtras(({ openTableMenu }) => page.editor.value !== undefined && openTableMenu(page.editor.value.view))
  },
  later('sort', term('Sort A to Z'), 'arrow-down', ({ sortRows }) => sortRows(false)),
  later('sort.back', term('Sort Z to A'), 'arrow-up', ({ sortRows }) => sortRows(true)),
  later('align.left', term('Align column left'), 'align', ({ alignColumnTo }) => alignColumnTo('left')),
  later('align.center', term('Align column center'), 'align', ({ alignColumnTo }) => alignColumnTo('center')),
  later('align.right', term('Align column right'), 'align', ({ alignColumnTo }) => alignColumnTo('right')),
  later('align', term('Column alignment'), 'align', ({ alignColumn }) => alignColumn),
  {
    ...command('tidy', term('Align columns in the Markdown'), 'columns', () => false),
    run: fetched(async ({ editor }) => {
      const { lineUpTable } = await import('../editor/line-up.ts')
      const view = editor.value?.view
      if (view !== undefined) asOneStep(view, () => lineUpTable(view))
    })
  }
]
