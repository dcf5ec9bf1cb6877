/** Finds out whether this device has changes to a document that the service has not confirmed. */
import { documentValue } from './device.ts'
import { left } from './left.ts'
import { type Kept, records } from './records.ts'
import { readDevice, valuesWith } from './values.ts'

/** Whether this device has unsent changes to a document. `entries` is the outbox of this device. */
export async function hasUnsent(id: string, entries: Pick<ReturnType<typeof records<Kept>>, 'list'> = records('outbox')): Promise<boolean> {
  if (Number(readDevice(documentValue('unsent', id))) > 0 || left(id).length > 0) return true
  if (valuesWith(`${documentValue('drafts', id)}.`).length > 0) return true
  return ((await entries.list(id)) ?? []).length > 0
}
