/** The command that opens the panel with the review assignments for people who cannot ask for a review. */
import { term } from '../../text/t.ts'
import type { Command } from '../../view/command.ts'
import type { View } from '../../view/view.ts'
import type { Store } from '../outbox/store.ts'

/** Returns the title of the panel, before its translation. The service reveals the link of an assignment to its holder and to owners. */
export function tasksTitle({ isOwner, tasks }: Pick<Store, 'isOwner' | 'tasks'>): string {
  if (isOwner.value) return term('Ask for a review')
  return tasks.value.some(({ share }) => share !== undefined) ? term('Your review') : term('Review assignments')
}

/** Returns the command, if there are assignments to see. Owners have `panel.tasks`. */
export function tasksCommands({ panel }: Pick<View, 'panel'>, store: Pick<Store, 'isOwner' | 'tasks'>): readonly Command[] {
  if (store.isOwner.value || store.tasks.value.length === 0) return []
  return [
    {
      id: 'panel.tasks.seen',
      title: tasksTitle(store),
      group: 'review',
      icon: 'list-todo',
      run: () => {
        panel.value = panel.value === 'tasks' ? undefined : 'tasks'
      }
    }
  ]
}
