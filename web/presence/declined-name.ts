/** Remembers on this device that a guest was asked for a name and gave none, so that no other field for text asks again. */
import { signal } from '@preact/signals'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'

const storageKey = deviceValue('name.declined')
const declined = signal(readDevice(storageKey) !== null)

export const isNameDeclined = (): boolean => declined.value

export function declineName(): void {
  declined.value = true
  writeDevice(storageKey, '1')
}
