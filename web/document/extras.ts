/** The extras of the editor, with the commands of the page. A chunk of its own. */
import type { Extension } from '@codemirror/state'
import { commandOf, slashMenu } from '../commands/all.ts'
import { groups, isPossible } from '../commands/command.ts'
import { createExtras } from '../editor/extras.ts'
import { t } from '../text/t.ts'
import { iconPath } from '../ui/icons.tsx'
import type { View } from './page.tsx'

export const extrasOf = (page: View): Extension =>
  createExtras({
    blocks: slashMenu.map((id) => {
      const command = commandOf(id)
      return {
        title: t(command.title),
        words: t(command.words ?? ''),
        section: t(groups[command.group]),
        icon: iconPath(command.icon ?? 'pen'),
        run: () => {
          if (isPossible(command, page)) command.run(page)
        }
      }
    })
  })
