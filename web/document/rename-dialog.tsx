/** The dialog that changes the title of the open document. */
import type { JSX } from 'preact'
import type { Page } from '../commands/page.ts'
import { RenameDialog } from '../home/rename-dialog.tsx'

export function OpenRenameDialog({ view }: { view: Page }): JSX.Element {
  const { id, key, title, givenTitle } = view.session
  return (
    <RenameDialog
      document={{ id, key }}
      title={title.peek()}
      onRenamed={(answer) => (givenTitle.value = answer.givenTitle)}
      onClose={() => (view.dialog.value = undefined)}
    />
  )
}
