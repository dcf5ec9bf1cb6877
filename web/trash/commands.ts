/** The command that deletes the document. */
import { term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

export const trashCommands: readonly Command[] = [
  {
    id: 'document.delete',
    title: term('Delete'),
    group: 'document',
    icon: 'trash',
    words: term('remove trash'),
    when: ({ session }) => session.role.value === 'owner' && session.link.ended.value === undefined,
    run: ({ session: { id, key, title, link } }) =>
      void import('./trash.ts').then(({ moveToTrash }) => moveToTrash({ id, key, title: title.value }, () => undefined, link.resume))
  }
]
