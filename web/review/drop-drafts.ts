/** Where this device keeps what somebody proposes and has not sent yet (kept-drafts.ts), and its removal. */
import { writeDevice } from '../device.ts'

export const prefixOf = (doc: string): string => `agmd.drafts.${doc}.`

export function namesOf(doc: string): readonly string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefixOf(doc)))
  } catch {
    return []
  }
}

/** Removes all that this device keeps of a document. */
export function dropDrafts(doc: string): void {
  for (const name of namesOf(doc)) writeDevice(name, null)
}
