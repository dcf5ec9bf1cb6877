/** The commands without keys that no bar shows. Their code loads with the document menu and the palette. */
import { homeCommands } from '../home/commands.ts'
import { term } from '../text/t.ts'
import type { Command } from '../view/command.ts'
import { commandOf } from './all.ts'
import type { Page } from './page.ts'
import { settingCommands } from './settings.ts'

/** Opens the figures of the status line (document/status-line.tsx). */
const countCommand: Command = {
  id: 'words.count',
  title: term('Word count'),
  group: 'view',
  words: term('count words characters lines reading time'),
  run: () => document.getElementById('count')?.showPopover()
}

export const laterCommands: readonly Command<Page>[] = [countCommand, ...homeCommands, ...settingCommands]

/** Returns the command with an id, even if its code loads later. Throws if no command has this id. */
export const anyCommandOf = (id: string): Command<Page> => laterCommands.find((command) => command.id === id) ?? commandOf(id)
