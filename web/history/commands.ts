/** The command that opens the version history. */
import { term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

export const historyCommands: readonly Command[] = [
  {
    id: 'history',
    title: term('History'),
    group: 'document',
    icon: 'history',
    keys: ['Mod-Alt-h'],
    scope: 'page',
    words: term('versions restore changes who wrote'),
    run: (page) => {
      page.dialog.value = 'history'
    }
  }
]
