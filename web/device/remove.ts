/** Removes a document from this device. */
import { deviceValue, textDatabase } from './device.ts'
import { dropRecords } from './records.ts'
import { dropValues, readDevice, writeDevice } from './values.ts'

/**
 * Removes the text of a document and everything that the registry lists for it (device.ts). Resolves when everything is removed, or when nothing can
 * be removed.
 */
export async function removeFromDevice(id: string): Promise<void> {
  dropValues(id)
  const declined = readDevice(deviceValue('claim.declined'))
  if (declined !== null)
    writeDevice(
      deviceValue('claim.declined'),
      declined
        .split(' ')
        .filter((each) => each !== id)
        .join(' ') || null
    )
  await dropRecords(id)
  const { promise, resolve } = Promise.withResolvers<void>()
  try {
    const request = indexedDB.deleteDatabase(textDatabase(id))
    request.onsuccess = request.onerror = request.onblocked = () => resolve()
  } catch {
    resolve()
  }
  await promise
}
