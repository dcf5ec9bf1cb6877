/** How the parts of the account page bind their pages and forms. */
import type { Current } from './browser-session.ts'
import type { Context } from './context.ts'

/** Binds a form of the page; afterwards the browser goes back to where it was, or to the address that `act` answers. */
export type AccountAction = (
  path: string,
  act: (ctx: Context, current: Current, fields: Record<string, string>) => Promise<string | undefined>
) => void

/** Binds a page for somebody who is signed in; `sent` reads and checks its form. */
export type AccountPage = (path: string, method: 'get' | 'post', handle: (ctx: Context, current: Current) => Promise<void>) => void
export type SentForm = (ctx: Context) => Promise<{ fields: Record<string, string>; current: Current }>
