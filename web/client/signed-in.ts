/** Whether somebody is signed in in this browser, as of the last request. */
import { signal } from '@preact/signals'
import { findUser } from './documents.ts'

/** Whether somebody is signed in in this browser. Undefined until the page has asked the server. */
export const signedIn = signal<boolean | undefined>(undefined)

/** Asks the server again, because another tab may have signed in or out. */
export async function askWho(): Promise<void> {
  try {
    signedIn.value = (await findUser()) !== null
  } catch {
    // The menu asks again when it next opens.
  }
}
