/** The words of notices about changes that the server does not have, and the button that downloads the text of the page. */
import type { JSX } from 'preact'
import type { Session } from '../session/session.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'

export const lostWords = (): string => t('Some of your changes did not reach the server.')

export function Download({ session }: { session: Session }): JSX.Element {
  return (
    <button type='button' class='button primary' onClick={() => session.download()}>
      <Icon name='download' size={18} />
      {t('Download my copy')}
    </button>
  )
}
