/**
 * The chat messages that guests sent from this device, so that they remain the guest's after a reload, a change of name or a sign-in. The text names
 * only the author, and anybody may choose that name.
 */
import { documentValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

/** Maximum number of messages that are remembered for a document. The oldest ones are removed first. */
const sentMax = 200

const list = (id: string): readonly string[] => {
  try {
    const found: unknown = JSON.parse(readDevice(documentValue('sent', id)) ?? '[]')
    return Array.isArray(found) ? found.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

/** Returns the keys of a document's messages that were sent from this device (`sentKey`). */
export const sentHere = (id: string): ReadonlySet<string> => new Set(list(id))

export const noteSent = (id: string, key: string): void =>
  writeDevice(documentValue('sent', id), JSON.stringify([...list(id).filter((other) => other !== key), key].slice(-sentMax)))
