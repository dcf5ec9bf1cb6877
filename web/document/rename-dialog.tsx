/** The title that a document is given. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import { renameDocument } from '../client/documents.ts'
import { failureWords } from '../client/failure.ts'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import type { Page } from '../commands/page.ts'

export function RenameDialog({ view }: { view: Page }): JSX.Element {
  const { id, key, title, givenTitle } = view.session
  const [name, setName] = useState(title.peek())
  const close = (): void => {
    view.dialog.value = undefined
  }
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      const answer = await renameDocument({ id, key }, { title: name.trim() === '' ? null : name })
      givenTitle.value = answer.givenTitle
      close()
    } catch (error) {
      toast(failureWords(error))
    }
  }
  return (
    <Dialog title={t('Rename')} about={t('Leave it empty to use the first heading as the title.')} onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <label class='field'>
          <span>{t('Title')}</span>
          <input
            type='text'
            dir='auto'
            maxLength={limits.titleCharsMax}
            autoFocus
            value={name}
            onFocus={(event: Event) => (event.target as HTMLInputElement).select()}
            onInput={(event: Event) => setName((event.target as HTMLInputElement).value)}
          />
        </label>
        <p class='actions end'>
          <button class='button primary'>{t('Save')}</button>
        </p>
      </form>
    </Dialog>
  )
}
