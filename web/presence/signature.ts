/** Recognizes this person's own names and documents, and keeps the number of a guest on the device. */
import { effect } from '@preact/signals'
import { documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { accountName, formerNames, formerOwnNames, givenName, guestNumber, ownName, ownNumber } from './person.ts'

/**
 * Whether a stored name of an author is one of this person's: the account's name, a name chosen on this device, the name that the link was made
 * for, or the number in this document. Names are all that the history stores, so another guest who chose the same name counts as well.
 */
export const isOwnName = (stored: string): boolean =>
  stored !== '' &&
  (stored === accountName.value ||
    formerNames.value.includes(stored) ||
    stored === ownName.value ||
    formerOwnNames.value.includes(stored) ||
    stored === givenName.value ||
    (ownNumber.value !== undefined && stored === `Guest ${ownNumber.value}`))

/** Whether this device created a document. When a document is created, the service does not know the number of a guest without a name yet. */
export const isMadeHere = (id: string): boolean => readDevice(documentValue('made', id)) !== null

/**
 * Keeps this guest's number in a document on the device, so that comments have it when they are written offline after a reload. Returns a function that
 * stops this.
 */
export function keepNumber(id: string): () => void {
  const key = documentValue('number', id)
  ownNumber.value = Number(readDevice(key)) || undefined
  guestNumber.value ??= ownNumber.value
  return effect(() => {
    if (guestNumber.value === undefined) return
    ownNumber.value = guestNumber.value
    writeDevice(key, String(guestNumber.value))
  })
}
