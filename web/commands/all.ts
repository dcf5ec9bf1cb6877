/**
 * The commands of the first load, and those that the toolbar and the slash menu show, in order. If two commands have the same key, the page tries the
 * earlier one first. The commands that load with the menu and the palette are in later.ts.
 */
import { activityCommands } from '../activity/commands.ts'
import { exportCommands } from '../export/commands.ts'
import { historyCommands } from '../history/commands.ts'
import { mediaCommands } from '../media/commands.ts'
import { shareCommands } from '../sharing/commands.ts'
import { trashCommands } from '../trash/commands.ts'
import { kinds } from '../ui/component-kinds.ts'
import { asOneStep } from '../editor/binding.ts'
import type { Command } from '../view/command.ts'
import type { Page } from './page.ts'
import { editCommands } from './edit.ts'
import { findCommands } from './find.ts'
import { formatCommands } from './format.ts'
import { insertCommands } from './insert.ts'
import { reviewCommands } from './review.ts'
import { tableCommands } from './tables.ts'
import { nameCommands, viewCommands } from './view.ts'

const all: readonly Command<Page>[] = [
  ...formatCommands,
  ...insertCommands,
  ...mediaCommands,
  ...tableCommands,
  ...editCommands,
  ...findCommands,
  ...viewCommands,
  ...activityCommands,
  ...historyCommands,
  ...nameCommands,
  ...reviewCommands,
  ...shareCommands,
  ...exportCommands,
  ...trashCommands
]

const changing = /^(?:format|blocks|insert|table|edit)$/

/** Makes a command one undo step, separate from text typed just before or after it. */
const asStep = (command: Command<Page>): Command<Page> => ({
  ...command,
  run(page) {
    const view = page.editor.value?.view
    return view === undefined ? command.run(page) : asOneStep(view, () => command.run(page))
  }
})

export const commands = all.map((command) => (changing.test(command.group) ? asStep(command) : command))

const byId = new Map(commands.map((command) => [command.id, command]))

/** Returns the command with an id. Throws if there is none. */
export function commandOf(id: string): Command<Page> {
  const command = byId.get(id)
  if (command === undefined) throw new Error(`there is no command ${id}`)
  return command
}

/** The toolbar commands, in order. An empty entry is a gap. */
export const toolbar: readonly string[] = [
  'undo',
  'redo',
  '',
  'heading.next',
  'bold',
  'italic',
  'strikethrough',
  'code',
  'link',
  '',
  'list.bullet',
  'list.number',
  'list.task',
  'quote',
  'insert.code',
  'insert.table',
  'insert.file'
]

/** The slash menu commands, in order. */
export const slashMenu: readonly string[] = [
  'heading.1',
  'heading.2',
  'heading.3',
  'list.bullet',
  'list.number',
  'list.task',
  'quote',
  'link',
  'insert.table',
  ...Object.keys(kinds).map((kind) => `insert.${kind}`),
  'insert.code',
  'insert.callout',
  'insert.details',
  'insert.file',
  'insert.diagram',
  'insert.formula',
  'insert.footnote',
  'insert.emoji',
  'insert.date',
  'media.image',
  'media.transcription',
  'media.ocr',
  'insert.rule'
]

/** The commands that the toolbar adds while the caret is in a table. */
export const tableToolbar: readonly string[] = [
  'table.menu',
  'table.row.above',
  'table.row.below',
  'table.row.delete',
  'table.column.before',
  'table.column.after',
  'table.column.delete',
  'table.align'
]

/** The commands in the bar above a selection. */
export const bubble: readonly string[] = ['bold', 'italic', 'strikethrough', 'highlight', 'code', 'link', 'comment', 'media.speech']
