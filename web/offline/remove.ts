/** Removes a document from this device. */
import { writeDevice } from '../device.ts'
import { keptJobs } from '../media/kept.ts'
import { dropDrafts } from '../review/drop-drafts.ts'
import { keptLists } from '../review/kept.ts'
import { waiting as deeds } from '../review/waiting.ts'
import { waiting as files } from '../uploads/waiting.ts'

/** Name of the database that keeps a document on this device. */
export const databaseName = (id: string): string => `agmd:${id}`

/** Values of a document on this device, `agmd.NAME.ID` each: `last` and `deeds` hold text. */
const valueNames = ['unsent', 'last', 'deeds', 'own', 'margin', 'media']

/** Removes the text of a document, what is noted of it, its remarks, and files, remarks and media jobs that wait for it, from this device. Resolves when it is gone, or when nothing can be removed. */
export async function removeKeptDatabase(id: string): Promise<void> {
  for (const name of valueNames) writeDevice(`agmd.${name}.${id}`, null)
  dropDrafts(id)
  await Promise.all([files.dropAll(id), deeds.dropAll(id), keptJobs.dropAll(id), keptLists.dropAll(id)])
  const { promise, resolve } = Promise.withResolvers<void>()
  try {
    const request = indexedDB.deleteDatabase(databaseName(id))
    request.onsuccess = () => resolve()
    request.onerror = () => resolve()
    request.onblocked = () => resolve()
  } catch {
    resolve()
  }
  await promise
}
