/** The extras of the editor, with the commands of the page. A chunk of its own. */
import { bubble, commandOf, slashMenu } from '../commands/all.ts'
import { groups, isPossible } from '../commands/command.ts'
import { tooltip } from '../commands/keys.ts'
import { components } from '../components/blocks.ts'
import type { Extras } from '../editor/editor.ts'
import { createExtras } from '../editor/extras.ts'
import { openFind } from '../editor/find/panel.tsx'
import { t } from '../text/t.ts'
import { iconPath } from '../ui/icons.tsx'
import type { View } from './page.tsx'

export { openFind }

const runOf = (id: string, page: View) => (): void => {
  const command = commandOf(id)
  if (isPossible(command, page)) command.run(page)
}

const pathOf = (id: string): string => iconPath(commandOf(id).icon ?? 'pen')

export const extrasOf = (page: View): Extras =>
  createExtras({
    blocks: slashMenu.map((id) => {
      const { title, words = '', group } = commandOf(id)
      return { title: t(title), words: t(words), section: t(groups[group]), icon: pathOf(id), run: runOf(id, page) }
    }),
    bubble: bubble.map((id) => ({
      title: t(commandOf(id).title),
      about: tooltip(commandOf(id)),
      icon: pathOf(id),
      isPossible: () => isPossible(commandOf(id), page),
      run: runOf(id, page)
    })),
    components: components(page)
  })
