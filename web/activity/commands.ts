/** The command that opens the activity panel. */
import { term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

export const activityCommands: readonly Command[] = [
  {
    id: 'panel.activity',
    title: term('Activity'),
    group: 'document',
    icon: 'bell',
    words: term('events feed who did what'),
    run: (page) => {
      page.panel.value = page.panel.value === 'activity' ? undefined : 'activity'
    }
  }
]
