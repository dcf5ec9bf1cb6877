/** Whether somebody is signed in in this browser, as of the last request. */
import { signal } from '@preact/signals'
import { limits } from '../../shared/limits.ts'
import { signedInCookie } from '../../shared/signed-in-cookie.ts'
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

/** Whether somebody is probably signed in. The answer is immediate, but the session may have ended elsewhere. */
export const isProbablySignedIn = (): boolean => document.cookie.split('; ').includes(`${signedInCookie}=${location.host}`)

/** Remembers the server's answer for the next visit. The server sets the cookie too, when a session begins or ends in this browser. */
export const rememberSignedIn = (isSignedIn: boolean): void =>
  void (document.cookie = `${signedInCookie}=${location.host}; Path=/; SameSite=Lax; Max-Age=${isSignedIn ? limits.sessionDaysMax * 24 * 3600 : 0}`)
