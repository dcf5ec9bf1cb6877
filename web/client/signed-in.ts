/** The person who uses this browser, as far as the page has asked. */
import { signal } from '@preact/signals'
import { findUser } from './documents.ts'

/** Whether somebody is signed in in this browser; undefined until it was asked. */
export const signedIn = signal<boolean | undefined>(undefined)

/** Asks again: another page may have signed in or out. */
export async function askWho(): Promise<void> {
  try {
    signedIn.value = (await findUser()) !== null
  } catch {
    // It is asked again when the menu is opened the next time.
  }
}
