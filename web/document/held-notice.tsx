/** The notice about changes that the server refused or cannot save. Few visits need it, so its code loads later. */
import type { JSX } from 'preact'
import type { Page } from '../commands/page.ts'
import type { Session } from '../session/session.ts'
import { t } from '../text/t.ts'
import { Download, lostWords } from './copy-of-text.tsx'

function declinedWords({ role: { value: role } }: Session): string {
  if (role === 'comment') return t('You can comment on this document but no longer edit it.')
  return t('You can read this document but no longer edit it.')
}

/** Says why the server does not have the changes, and where they are stored. */
export function HeldNotice({ view: { session } }: { view: Page }): JSX.Element {
  const why = session.declined.value
    ? `${declinedWords(session)} ${lostWords()}`
    : t('The server cannot save your changes right now. It tries again automatically.')
  const where =
    session.keep.state.value === 'kept' ? t('The text is stored on this device.') : t('This page keeps the text while it is open.')
  return (
    <div class='notice danger'>
      <p>{`${why} ${where}`}</p>
      <p class='actions'>
        <Download session={session} />
      </p>
    </div>
  )
}
