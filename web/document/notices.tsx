/** What a person must know while writing: access ended, changes refused, nothing kept on this device. */
import type { JSX } from 'preact'
import type { Ended } from '../connection/link.ts'
import { Icon } from '../ui/icons.tsx'
import type { Session } from './session.ts'

const endedWords: Readonly<Record<Ended, string>> = {
  credential_required: 'This document is private now. Ask its owner for a link.',
  credential_ended: 'Your link was revoked or has expired. Ask the owner of the document for a new one.',
  forbidden: 'Your link no longer opens this document.',
  not_found: 'The server no longer has this document.',
  deleted: 'The owner deleted this document.',
  bad_message: 'The server refused a change of this page and closed the connection.',
  too_big: 'A change was larger than the server takes.'
}

function ended(session: Session, reason: Ended): string {
  const unsent = session.unsent.value
  const lost =
    unsent === 0
      ? 'The text you see is the last you received.'
      : `${unsent === 1 ? '1 change' : `${unsent} changes`} of yours did not reach the server.`
  return `${endedWords[reason]} ${lost}`
}

function EndedNotice({ session, reason }: { session: Session; reason: Ended }): JSX.Element {
  const remove = (): void => {
    void session.remove().then(() => location.assign('/'))
  }
  return (
    <div class='notice danger'>
      <p>{ended(session, reason)}</p>
      <p class='actions'>
        <button type='button' class='button primary' onClick={session.download}>
          <Icon name='download' size={18} />
          Download my copy
        </button>
        <button type='button' class='button' onClick={remove}>
          Remove from this device
        </button>
      </p>
    </div>
  )
}

export function Notices({ session }: { session: Session }): JSX.Element {
  const reason = session.link.ended.value
  return (
    <div class='notices' role='alert'>
      {reason !== undefined && session.state.value === 'open' && <EndedNotice session={session} reason={reason} />}
      {reason === undefined && session.declined.value && (
        <div class='notice danger'>
          <p>You can read this document but no longer edit it. Changes made on this device before were not accepted.</p>
          <p class='actions'>
            <button type='button' class='button primary' onClick={session.download}>
              <Icon name='download' size={18} />
              Download my copy
            </button>
          </p>
        </div>
      )}
      {reason === undefined && session.keep.state.value === 'lost' && (
        <div class='notice warn'>
          <p>
            <strong>Not kept on this device.</strong> This browser does not store the text, so it cannot be opened offline. While the page
            says Saved, everything is on the server.
          </p>
        </div>
      )}
    </div>
  )
}
