/** Notices that a person needs while writing: access has ended, changes were refused, or nothing is stored on this device. */
import type { JSX } from 'preact'
import { refusalWords } from '../client/refusals.ts'
import type { Ended } from '../connection/retry.ts'
import { t, term } from '../text/t.ts'
import { dayWords } from '../text/when.ts'
import { Icon } from '../ui/icons.tsx'
import type { Session } from '../session/session.ts'

const endedWords: Readonly<Record<Ended, string>> = {
  credential_required: term('This document is private now. Ask its owner for a link.'),
  credential_ended: term('Your link was revoked or has expired. Ask the owner of the document for a new one.'),
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

function ended(session: Session, reason: Ended): string {
  const unsent = session.unsent.value
  const until = reason === 'deleted' ? session.restorableUntil.value : undefined
  const hope = until === undefined ? '' : ` ${t('It can be restored until {day}.', { day: dayWords(until) })}`
  const lost = unsent === 0 ? t('You see the last text that this page received.') : lostWords()
  return `${t(endedWords[reason])}${hope} ${lost}`
}

const lostWords = (): string => t('Some of your changes did not reach the server.')

function Download({ session }: { session: Session }): JSX.Element {
  return (
    <button type='button' class='button primary' onClick={session.download}>
      <Icon name='download' size={18} />
      {t('Download my copy')}
    </button>
  )
}

function EndedNotice({ session, reason }: { session: Session; reason: Ended }): JSX.Element {
  const remove = (): void => {
    void session.remove().then(() => location.assign('/'))
  }
  return (
    <div class='notice danger'>
      <p>{ended(session, reason)}</p>
      <p class='actions'>
        <Download session={session} />
        <button type='button' class='button' onClick={remove}>
          {t('Remove from this device')}
        </button>
      </p>
    </div>
  )
}

/** Says where the changes that the server did not accept are stored. */
function HeldNotice({ session, text }: { session: Session; text: string }): JSX.Element {
  return (
    <div class='notice danger'>
      <p>{text}</p>
      <p class='actions'>
        <Download session={session} />
      </p>
    </div>
  )
}

/**
 * Says that another link on this device gives more access. The space for the notice is reserved before the page knows whether it is needed, so that
 * the text does not move.
 */
function MoreAccessNotice({ session, isSure }: { session: Session; isSure: boolean }): JSX.Element {
  return (
    <div class={isSure ? 'notice' : 'notice unsure'}>
      <p>{t('This link gives you less access than the one stored on this device.')}</p>
      <p class='actions'>
        <a class='button' href={`/d/${session.id}`}>
          {t('Use the other link')}
        </a>
      </p>
    </div>
  )
}

function KeepNotice(): JSX.Element {
  return (
    <div class='notice warn'>
      <p>
        <strong>{t('Not stored on this device.')}</strong>{' '}
        {t('This browser does not store the text, so it cannot be opened offline. While the page says Saved, everything is on the server.')}
      </p>
    </div>
  )
}

function Current({ session }: { session: Session }): JSX.Element | null {
  const reason = session.link.ended.value
  if (reason !== undefined) return session.state.value === 'open' ? <EndedNotice session={session} reason={reason} /> : null
  // Only this component reads the number of unsent changes, because it changes with each key press.
  const where =
    session.keep.state.value === 'kept' ? t('The text is stored on this device.') : t('This page keeps the text while it is open.')
  return (
    <>
      {session.declined.value && (
        <HeldNotice session={session} text={`${t('You can read this document but no longer edit it.')} ${lostWords()} ${where}`} />
      )}
      {session.link.struggling.value && session.unsent.value > 0 && (
        <HeldNotice
          session={session}
          text={`${t('The server cannot save your changes right now. It tries again automatically.')} ${where}`}
        />
      )}
      {session.hasMoreAccess.value !== false && <MoreAccessNotice session={session} isSure={session.hasMoreAccess.value === true} />}
      {session.keep.state.value === 'lost' && <KeepNotice />}
    </>
  )
}

export function Notices({ session }: { session: Session }): JSX.Element {
  return (
    <div class='notices' role='alert'>
      <Current session={session} />
    </div>
  )
}
