/** Finds out whether this device has changes to a document that the service has not confirmed. */
import { documentValue } from './device.ts'
import { closingEntries } from './closing-entries.ts'
import { type StoredRecord, records } from './records.ts'
import { readDevice, valuesWith } from './values.ts'

/** Whether this device has unsent changes to a document. `entries` is the outbox of this device. */
export async function hasUnsent(
  id: string,
  entries: Pick<ReturnType<typeof records<StoredRecord>>, 'list'> = records('outbox')
): Promise<boolean> {
  if (Number(readDevice(documentValue('unsent', id))) > 0 || closingEntries(id).length > 0) return true
  if (valuesWith(`${documentValue('drafts', id)}.`).length > 0) return true
  return ((await entries.list(id)) ?? []).length > 0
}
