/** The notice on a page whose access has ended. Few visits need it, so its code loads later. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isAccountDeleted } from '../client/account-deleted.ts'
import { refusalWords } from '../client/refusal-words.ts'
import type { Page } from '../commands/page.ts'
import type { Ended } from '../connection/retry.ts'
import type { Session } from '../session/session.ts'
import { t, term } from '../text/t.ts'
import { Download, lostWords } from './copy-of-text.tsx'

const endedWords: Readonly<Record<Ended, string>> = {
  credential_required: term('This document is private now. Ask its owner for a link.'),
  credential_ended: term('Ask the owner of the document for a new one.'),
  forbidden: term('Your link no longer opens this document.'),
  not_found: term('The server no longer has this document.'),
  deleted: term('The owner deleted this document.'),
  taken_down: refusalWords.taken_down.text,
  disabled: term('Your account is disabled. Ask the person who runs this server.'),
  bad_message: term('The server refused a change from this page and closed the connection.'),
  too_big: term('The document is too large for the server. Delete some text, and the rest will be sent automatically.'),
  full: term(
    'The storage of this document or its owner is full. Your text stays on this device and will be sent automatically once there is space. Delete old comments, or ask the owner to delete documents.'
  )
}

const endedLinks: readonly Ended[] = ['credential_ended', 'forbidden', 'not_found']

/** Whether another link on this device may still open the document. */
const mayUseOther = ({ hasOtherLink }: Session, reason: Ended): boolean => hasOtherLink && endedLinks.includes(reason)

/** Whether the person opened the document without a link, as the account that is no longer signed in. */
const isSignedOut = ({ key }: Session, reason: Ended): boolean =>
  key === '' && (reason === 'credential_ended' || reason === 'credential_required')

/**
 * Returns whether the account was deleted. The server closes the socket before another page receives the cookie about the deletion, so this page looks
 * again when the person returns to it.
 */
function useAccountDeleted(): boolean {
  const [isDeleted, setDeleted] = useState(isAccountDeleted)
  useEffect(() => {
    const look = (): void => setDeleted(isAccountDeleted())
    addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isDeleted
}

/** The clocks of the server and of this device may differ by this much, in milliseconds. */
const clockMs = 10_000

/** Says how the link ended, as far as this page knows. */
const linkWords = ({ linkEnd: { value: end } }: Session): string => {
  if (end === undefined) return t('Your link was revoked or has expired.')
  return end - clockMs <= Date.now() ? t('Your link has expired.') : t('Your link was revoked.')
}

const signedOutWords = (isDeleted: boolean): string =>
  isDeleted ? t('Your account was deleted, and with it your access to this document.') : t('You are signed out. Sign in again to continue.')

function ended(session: Session, reason: Ended, isDeleted: boolean): string {
  const unsent = session.unsent.value
  const until = reason === 'deleted' ? session.restorableUntil.value : undefined
  const hope = until === undefined ? '' : ` ${t('It can be restored until {day}.', { day: until })}`
  const lost = unsent === 0 ? t('You see the last text that this page received.') : lostWords()
  const words = mayUseOther(session, reason)
    ? `${linkWords(session)} ${t('This device has another link to the document.')}`
    : isSignedOut(session, reason)
      ? signedOutWords(isDeleted)
      : `${reason === 'credential_ended' ? `${linkWords(session)} ` : ''}${t(endedWords[reason])}`
  return `${words}${hope} ${lost}`
}

export function EndedNotice({ view: { session } }: { view: Page }): JSX.Element | null {
  const reason = session.link.ended.value
  const isDeleted = useAccountDeleted()
  if (reason === undefined) return null
  const remove = (): void => {
    void session.remove().then(() => location.assign('/'))
  }
  return (
    <div class='notice danger'>
      <p>{ended(session, reason, isDeleted)}</p>
      <p class='actions'>
        {isSignedOut(session, reason) && !isDeleted && (
          <a class='button primary' href={`/sign-in?return_to=${encodeURIComponent(`/d/${session.id}`)}`}>
            {t('Sign in')}
          </a>
        )}
        {mayUseOther(session, reason) && (
          <a class='button' href={`/d/${session.id}`}>
            {t('Use the other link')}
          </a>
        )}
        <Download session={session} />
        {!mayUseOther(session, reason) && (
          <button type='button' class='button' onClick={remove}>
            {t('Remove from this device')}
          </button>
        )}
      </p>
    </div>
  )
}
