/** The name that others see next to this person's cursor. */
import { computed, signal } from '@preact/signals'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { newId } from '../base/new-id.ts'

const storageKey = deviceValue('name')
const deviceKey = deviceValue('device')
export const nameCharsMax = 40

/** The name that this person gave, on this device; '' for none. */
export const ownName = signal(readDevice(storageKey) ?? '')

/** The name that the link of this page was made for; '' for none. It counts until the person gives one. */
export const givenName = signal('')

/** The name of the account that is signed in here; '' for none. It is the one that others see. */
export const accountName = signal('')

export const personName = computed(() => accountName.value || ownName.value || givenName.value)

export function setPersonName(name: string): void {
  ownName.value = name.trim().slice(0, nameCharsMax)
  writeDevice(storageKey, ownName.value || null)
}

/** Takes the name that is given in another tab. Returns its stop. */
export function followName(): () => void {
  const heard = ({ key }: StorageEvent): void => {
    if (key === storageKey) ownName.value = readDevice(storageKey) ?? ''
  }
  addEventListener('storage', heard)
  return () => removeEventListener('storage', heard)
}

/** Common to all tabs of this browser and told to the service alone, which makes one person of them. */
export function deviceId(): string {
  const known = readDevice(deviceKey)
  if (known !== null && known !== '') return known
  const made = newId()
  writeDevice(deviceKey, made)
  return made
}

/** First character as people count them: an emoji with its parts is one. */
const first = (word: string): string => [...new Intl.Segmenter().segment(word)][0]?.segment ?? ''

/** Up to two letters for an avatar; the number that tells guests apart. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u)
  const last = words.at(-1) ?? ''
  if (words.length > 1 && /^\d{1,3}$/.test(last)) return last
  const letters = words.length > 1 ? [words[0], last] : [words[0]]
  return (
    letters
      .map((word) => first(word ?? ''))
      .join('')
      .toUpperCase() || '?'
  )
}
