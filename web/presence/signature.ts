/** The name under which this person's comments and suggestions are sent. */
import { computed, effect } from '@preact/signals'
import { documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { guestNumber, ownNumber, personName } from './person.ts'

/** This person's name, or else "Guest" with a number. The service stores "Guest" in English, and each page translates it (people.ts). */
export const signature = computed(() => personName.value || (guestNumber.value === undefined ? '' : `Guest ${guestNumber.value}`))

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
