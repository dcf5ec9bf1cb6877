/** The account that is signed in in this browser, as far as the page has asked. */
import { signal } from '@preact/signals'
import { findUser } from './documents.ts'

/** Whether somebody is signed in in this browser; undefined until the page has asked. */
export const signedIn = signal<boolean | undefined>(undefined)

/** Asks again: another page may have signed in or out. */
export async function askWho(): Promise<void> {
  try {
    signedIn.value = (await findUser()) !== null
  } catch {
    // The next opening of the menu asks again.
  }
}
