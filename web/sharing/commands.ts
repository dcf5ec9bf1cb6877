/** The commands that open the sharing dialog. */
import { includesRole } from '../../shared/roles.ts'
import type { DialogName, View } from '../view/view.ts'
import { term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

/** Whether the person may share the document. */
export const canShare = ({ session }: View): boolean => includesRole(session.role.value, 'edit') && session.link.ended.value === undefined

const opens = (dialog: DialogName): Pick<Command, 'when' | 'run'> => ({
  when: canShare,
  run: (page) => {
    page.dialog.value = dialog
  }
})

export const shareCommands: readonly Command[] = [
  { id: 'share', title: term('Share'), group: 'document', icon: 'users', words: term('link invite role revoke'), ...opens('share') },
  {
    id: 'share.agent',
    title: term('Invite an agent'),
    group: 'document',
    icon: 'bot',
    words: term('program prompt curl MCP'),
    ...opens('agent')
  },
  {
    id: 'share.publish',
    title: term('Publish'),
    group: 'document',
    icon: 'globe',
    words: term('page address readers'),
    ...opens('publish')
  }
]
