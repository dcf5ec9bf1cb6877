/** The menu items for accounts: signing in, adding a document that was opened by its link, and opening the list of the account's documents. */
import type { JSX } from 'preact'
import { claimDocument } from '../client/documents.ts'
import { remember } from '../device/recent.ts'
import { failureWords } from '../client/failure.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import type { Session } from '../session/session.ts'
import { signedIn } from '../client/signed-in.ts'

async function keepInAccount({ id, key, owned }: Session): Promise<void> {
  try {
    await claimDocument({ id, key })
    owned.value = true
    remember(id, { inAccount: true })
    toast(t('Added to your account.'))
  } catch (error) {
    toast(failureWords(error))
  }
}

export function AccountItems({ session, close }: { session: Session; close(): void }): JSX.Element | null {
  if (signedIn.value === undefined) return null
  if (!signedIn.value)
    return (
      <a class='menu-item' href={`/sign-in?return_to=${encodeURIComponent(`/d/${session.id}`)}`}>
        <Icon name='key' size={18} />
        {t('Sign in')}
      </a>
    )
  return (
    <>
      {session.role.value === 'owner' && !session.owned.value && (
        <button
          type='button'
          class='menu-item'
          onClick={() => {
            close()
            void keepInAccount(session)
          }}
        >
          <Icon name='key' size={18} />
          {t('Add to your account')}
        </button>
      )}
      <a class='menu-item' href='/account'>
        <Icon name='list' size={18} />
        {t('Your account')}
      </a>
    </>
  )
}
