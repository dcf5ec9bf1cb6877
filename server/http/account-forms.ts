/** The functions that each part of the account page uses to bind its pages and forms. */
import type { Current } from './browser-session.ts'
import type { Context } from './context.ts'

/** Binds a form of the account page. After `act`, the browser goes to the address that `act` returns, or else back to the previous page. */
export type AccountAction = (
  path: string,
  act: (ctx: Context, current: Current, fields: Record<string, string>) => Promise<string | undefined>
) => void

/** Binds a page for a signed-in person. */
export type AccountPage = (path: string, method: 'get' | 'post', handle: (ctx: Context, current: Current) => Promise<void>) => void
/** Reads and checks a submitted form. */
export type SentForm = (ctx: Context) => Promise<{ fields: Record<string, string>; current: Current }>
