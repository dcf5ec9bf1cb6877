/** Offers to add the person's own documents on this device to the signed-in account. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { RequestError } from '../client/api.ts'
import { claimDocument } from '../client/documents.ts'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { remember } from '../device/recent.ts'
import { failureWords } from '../client/failure.ts'
import { t, tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { Entry, Library } from './library.ts'

/** Documents that the person declined to add. The page does not offer them again. */
const declinedKey = deviceValue('claim.declined')
const declined = signal<ReadonlySet<string>>(new Set((readDevice(declinedKey) ?? '').split(' ')))
const busy = signal(false)

const decline = (entries: readonly Entry[]): void => {
  declined.value = new Set([...declined.value, ...entries.map(({ id }) => id)])
  writeDevice(declinedKey, [...declined.value].join(' '))
}

/** Whether the document cannot be added: it belongs to somebody else, is in the trash, or has been deleted. */
const isOthers = (error: unknown): boolean => error instanceof RequestError && [401, 403, 404, 409, 410].includes(error.status)

async function claimAll(entries: readonly Entry[], library: Library): Promise<void> {
  busy.value = true
  const left: Entry[] = []
  let added = 0
  try {
    for (const entry of entries) {
      try {
        await claimDocument(entry)
        remember(entry.id, { inAccount: true })
        added += 1
      } catch (error) {
        if (!isOthers(error)) throw error
        if (error instanceof RequestError && error.status === 410) remember(entry.id, { trashedUntil: error.restorableUntil })
        left.push(entry)
      }
    }
    toast(
      tn(added, '1 document added to your account.', '{count} documents added to your account.') +
        (left.length === 0 ? '' : ` ${tn(left.length, '1 document could not be added.', '{count} documents could not be added.')}`)
    )
    decline(left)
  } catch (error) {
    toast(failureWords(error))
  } finally {
    busy.value = false
    await library.load()
  }
}

export function ClaimOffer({ library }: { library: Library }): JSX.Element | null {
  const entries = library.unclaimed.value.filter(({ id }) => !declined.value.has(id))
  if (entries.length === 0) return null
  return (
    <div class='notice claim-offer' role='group' aria-label={t('Add to your account')}>
      <p>
        {tn(
          entries.length,
          'Add the document on this device to your account?',
          'Add the {count} documents on this device to your account?'
        )}
      </p>
      <p class='actions'>
        <button type='button' class='button primary' disabled={busy.value} onClick={() => void claimAll(entries, library)}>
          {t('Add')}
        </button>
        <button type='button' class='button' disabled={busy.value} onClick={() => decline(entries)}>
          {t('Not now')}
        </button>
      </p>
    </div>
  )
}
