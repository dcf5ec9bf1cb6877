/** The notice about changes that the server refused, because the person may no longer edit. Few visits need it, so its code loads later. */
import type { JSX } from 'preact'
import type { Page } from '../commands/page.ts'
import { t } from '../text/t.ts'
import { HeldNotice, lostWords } from './copy-of-text.tsx'

export function DeclinedNotice({ view: { session } }: { view: Page }): JSX.Element {
  const role = session.role.value
  const words =
    role === 'comment'
      ? t('You can comment on this document but no longer edit it.')
      : role === 'suggest'
        ? t('You can suggest changes to this document but no longer edit it.')
        : t('You can read this document but no longer edit it.')
  return <HeldNotice session={session} text={`${words} ${lostWords()}`} />
}
