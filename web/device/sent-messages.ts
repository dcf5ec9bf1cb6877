/**
 * The chat messages that guests have sent on this device, so that they stay theirs after a reload, under another name and with an account. The text
 * names an author by name only, which anybody may choose.
 */
import { documentValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

/** Most that are kept for a document: the latest. */
const sentMax = 200

const list = (id: string): readonly string[] => {
  try {
    const found: unknown = JSON.parse(readDevice(documentValue('sent', id)) ?? '[]')
    return Array.isArray(found) ? found.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

/** The keys of the messages (`sentKey`) of a document. */
export const sentHere = (id: string): ReadonlySet<string> => new Set(list(id))

export const noteSent = (id: string, key: string): void =>
  writeDevice(documentValue('sent', id), JSON.stringify([...list(id).filter((other) => other !== key), key].slice(-sentMax)))
