/** Whether the account of this browser was deleted. */
import { deletedAccountCookie } from '../../shared/deleted-account.ts'

/** Returns true after the account that was signed in here was deleted, until somebody signs in. The server sets and removes the cookie. */
export const isAccountDeleted = (): boolean => document.cookie.split('; ').includes(`${deletedAccountCookie}=${location.host}`)
