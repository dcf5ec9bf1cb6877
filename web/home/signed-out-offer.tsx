/** Tells a person who has signed out which documents of the account are still on this device, and offers to remove them. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isAccountDeleted } from '../client/account-deleted.ts'
import { type RecentDocument, recentDocuments } from '../device/recent.ts'
import { t, tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { Library } from './library.ts'
import { keepAll, ofAccount, removeAll } from './signed-out.ts'

const busy = signal(false)
/** The documents that the last removal kept because they have unsent changes. */
const unsent = signal<readonly RecentDocument[]>([])

async function remove(documents: readonly RecentDocument[]): Promise<void> {
  busy.value = true
  try {
    unsent.value = await removeAll(documents)
    const removed = documents.length - unsent.value.length
    if (removed > 0) toast(tn(removed, '1 document removed from this device.', '{count} documents removed from this device.'))
  } finally {
    busy.value = false
  }
}

export function SignedOutOffer({ library }: { library: Library }): JSX.Element | null {
  const documents = ofAccount(recentDocuments.value)
  // After a person has signed out, the server redirects to this address. The page replaces the address, so that a reload shows the page as usual.
  const [isFresh] = useState(() => location.hash === '#signed-out')
  useEffect(() => {
    if (isFresh) history.replaceState(history.state, '', location.pathname)
  }, [])
  if (library.signedIn.value !== false) return null
  if (documents.length === 0)
    return isFresh ? (
      <p class='notice claim-offer' role='status'>
        {t('You are signed out. You can still open documents with their links.')}
      </p>
    ) : null
  const waiting = documents.filter(({ id }) => unsent.value.some((each) => each.id === id))
  const isDeleted = isAccountDeleted()
  return (
    <div class='notice claim-offer' role='group' aria-label={isDeleted ? t('Your account was deleted') : t('You are signed out')}>
      <div>
        <p>
          {isDeleted
            ? tn(
                documents.length,
                'Your account was deleted. A copy of 1 document from it stays on this device. Anyone who uses the device can open the copy.',
                'Your account was deleted. Copies of {count} documents from it stay on this device. Anyone who uses the device can open the copies.'
              )
            : tn(
                documents.length,
                'You are signed out. 1 document from your account stays on this device. Anyone who uses the device can open it.',
                'You are signed out. {count} documents from your account stay on this device. Anyone who uses the device can open them.'
              )}
        </p>
        {waiting.map(({ id, title }) => (
          <p key={id} role='status'>
            {t('“{title}” stays on this device until its changes are sent.', { title: title || t('Untitled') })}
          </p>
        ))}
      </div>
      <p class='actions'>
        <button type='button' class='button primary' disabled={busy.value} onClick={() => void remove(documents)}>
          {documents.length === 1 ? t('Remove it from this device') : t('Remove them from this device')}
        </button>
        <button type='button' class='button' disabled={busy.value} onClick={() => keepAll(documents)}>
          {t('Keep')}
        </button>
      </p>
    </div>
  )
}
