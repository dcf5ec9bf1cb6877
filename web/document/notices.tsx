/** Notices that a person needs while writing: access has ended, changes were refused, or nothing is stored on this device. */
import type { JSX } from 'preact'
import type { Page } from '../commands/page.ts'
import { t } from '../text/t.ts'
import type { Session } from '../session/session.ts'
import { Later } from '../view/later.tsx'
import { loadEnded, loadHeld } from './later-parts.ts'

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

function Current({ view }: { view: Page }): JSX.Element | null {
  const { session } = view
  if (session.link.ended.value !== undefined) return session.state.value === 'open' ? <Later load={loadEnded} view={view} /> : null
  return (
    <>
      {/* Only this component reads the number of unsent changes, because it changes with each key press. */}
      {(session.declined.value || (session.link.struggling.value && session.unsent.value > 0)) && <Later load={loadHeld} view={view} />}
      {session.hasMoreAccess.value !== false && <MoreAccessNotice session={session} isSure={session.hasMoreAccess.value === true} />}
      {session.keep.state.value === 'lost' && <KeepNotice />}
    </>
  )
}

export function Notices({ view }: { view: Page }): JSX.Element {
  return (
    <div class='notices' role='alert'>
      <Current view={view} />
    </div>
  )
}
