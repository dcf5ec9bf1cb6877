/** The dialog that asks for a new title and renames a document. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import { renameDocument } from '../client/documents.ts'
import { failureWords } from '../client/failure.ts'
import type { Access } from '../client/operation.ts'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'

interface RenameInput {
  readonly document: Access
  readonly title: string
  readonly onRenamed: (answer: Awaited<ReturnType<typeof renameDocument>>) => void
  readonly onClose: () => void
}

export function RenameDialog({ document, title, onRenamed, onClose }: RenameInput): JSX.Element {
  const [name, setName] = useState(title)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      onRenamed(await renameDocument(document, { title: name.trim() === '' ? null : name }))
      onClose()
    } catch (error) {
      toast(failureWords(error))
    }
  }
  return (
    <Dialog title={t('Rename')} about={t('Leave the title empty to use the first heading or line.')} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label class='field'>
          <span>{t('Title')}</span>
          <input
            type='text'
            dir='auto'
            maxLength={limits.titleUnitsMax}
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
