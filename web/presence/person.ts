/** The name that others see next to this person's cursor. */
import { computed, signal } from '@preact/signals'
import { deviceValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { newId } from '../base/new-id.ts'

const storageKey = deviceValue('name')
const deviceKey = deviceValue('device')
const formerKey = deviceValue('name.former')
/** Maximum number of earlier names that the device remembers. */
const formerMax = 10
export const nameUnitsMax = 40

/** The name that this person chose on this device, or '' if there is none. */
export const ownName = signal(readDevice(storageKey) ?? '')

/** Names that this person chose earlier on this device, the latest first. Earlier entries of the person have them. */
export const formerOwnNames = signal<readonly string[]>((readDevice(formerKey) ?? '').split('\n').filter((name) => name !== ''))

/** The name that the link of this page was made for, or '' if there is none. It applies until the person chooses a name. */
export const givenName = signal('')

/** The name of the signed-in account, or '' if nobody is signed in. It takes precedence over the other names. */
export const accountName = signal('')

/** Earlier names of the signed-in account. Earlier entries of the person have them. */
export const formerNames = signal<readonly string[]>([])

export const personName = computed(() => accountName.value || ownName.value || givenName.value)

/** The number that the service gave this person, who is a guest without a name. */
export const guestNumber = signal<number | undefined>(undefined)

/**
 * The name under which this person acts: the person's name, or else "Guest" with the number. The service stores "Guest" in English, and each page
 * translates it (people.ts).
 */
export const signature = computed(() => personName.value || (guestNumber.value === undefined ? '' : `Guest ${guestNumber.value}`))

/** The number under which this person wrote in this document as a guest without a name. The device keeps it when the person chooses a name. */
export const ownNumber = signal<number | undefined>(undefined)

export function setPersonName(name: string): void {
  const before = ownName.peek()
  ownName.value = name.trim().slice(0, nameUnitsMax)
  writeDevice(storageKey, ownName.value || null)
  if (before === '' || before === ownName.value) return
  formerOwnNames.value = [before, ...formerOwnNames.peek().filter((each) => each !== before)].slice(0, formerMax)
  writeDevice(formerKey, formerOwnNames.value.join('\n'))
}

/** Updates the name when another tab changes it. Returns a function that stops the updates. */
export function followName(): () => void {
  const heard = ({ key }: StorageEvent): void => {
    if (key === storageKey) ownName.value = readDevice(storageKey) ?? ''
  }
  addEventListener('storage', heard)
  return () => removeEventListener('storage', heard)
}

/** Returns an id that all tabs of this browser share. Only the service receives it, and it treats the tabs as one person. */
export function deviceId(): string {
  const known = readDevice(deviceKey)
  if (known !== null && known !== '') return known
  const made = newId()
  writeDevice(deviceKey, made)
  return made
}

/** Returns the first character of a word as people count characters: an emoji sequence counts as one character. */
const first = (word: string): string => [...new Intl.Segmenter().segment(word)][0]?.segment ?? ''

/** Returns up to two letters for an avatar, or the number of an unnamed guest. */
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
