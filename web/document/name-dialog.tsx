/** The dialog that changes the name next to a person's cursor. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { personName, setPersonName } from '../presence/person.ts'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import type { Page } from '../commands/page.ts'
import { NameField } from '../presence/name-field.tsx'

export function NameDialog({ view }: { view: Page }): JSX.Element {
  const close = (): void => {
    view.dialog.value = undefined
  }
  const [name, setName] = useState(personName.value)
  const submit = (event: Event): void => {
    event.preventDefault()
    setPersonName(name)
    close()
  }
  return (
    <Dialog
      title={t('Your name')}
      about={t('Others see your name at your cursor and on your comments and messages. This device remembers it.')}
      onClose={close}
    >
      <form onSubmit={submit}>
        <NameField label={t('Name')} autoFocus value={name} onInput={(event: Event) => setName((event.target as HTMLInputElement).value)} />
        <p class='actions end'>
          <button class='button primary'>{t('Save')}</button>
        </p>
      </form>
    </Dialog>
  )
}
