/** The name that others see beside this person's cursor, while nobody is signed in. */
import { signal } from '@preact/signals'
import { readDevice, writeDevice } from './device.ts'

const storageKey = 'agmd.name'
const nameCharsMax = 40

export const personName = signal(readDevice(storageKey) ?? '')

export function setPersonName(name: string): void {
  personName.value = name.trim().slice(0, nameCharsMax)
  writeDevice(storageKey, personName.value || null)
}

/** First character as people count them: an emoji with its parts is one. */
const first = (word: string): string => [...new Intl.Segmenter().segment(word)][0]?.segment ?? ''

/** Up to two letters for an avatar. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/u)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return (
    letters
      .map((word) => first(word ?? ''))
      .join('')
      .toUpperCase() || '?'
  )
}
