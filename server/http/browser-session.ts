/** Opens browser sessions, and finds the account of a session. */
import { limits } from '../../shared/limits.ts'
import { deletedAccountCookie } from '../../shared/deleted-account.ts'
import { signedInCookie } from '../../shared/signed-in-cookie.ts'
import { readCookie, writeCookie } from '../auth/cookies.ts'
import { type Account, epochOf } from '../domain/accounts/accounts.ts'
import { findSession, openSession } from '../domain/accounts/sessions.ts'
import { freshCookie } from './bind.ts'
import type { Context, Http } from './context.ts'
import { browserName } from './user-agent.ts'

/** A browser session, and its account. */
export type Current = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** Returns the session of the browser that sent the request. */
export const browserSession = async (
  { service, cookies }: Pick<Http, 'service' | 'cookies'>,
  ctx: Context
): Promise<Current | undefined> => {
  const token = readCookie(ctx.req.headers, cookies.session)
  const found = token === undefined ? undefined : await findSession(service, 'browser', token)
  if (token !== undefined && found !== undefined) await freshCookie({ service, cookies }, ctx, token, found.session.expiresAt)
  return found
}

/**
 * Opens a session for the browser that sent the request, in place of its current session. `atHost` is the browser's session at the broker. `provedAt`
 * is the time when the person proved who they are; undefined if it is not known.
 */
export const openBrowserSession = async (
  { service, cookies }: Pick<Http, 'service' | 'cookies'>,
  ctx: Context,
  account: Account,
  { atHost, provedAt }: { readonly atHost?: string | undefined; readonly provedAt?: number | undefined } = {}
): Promise<void> => {
  const replaces = readCookie(ctx.req.headers, cookies.session)
  const { token } = await openSession(service, account.id, 'browser', browserName(ctx.get('User-Agent')), {
    replaces,
    atHost,
    provedAt,
    address: ctx.state.address,
    epoch: epochOf(account)
  })
  const seconds = limits.sessionDaysMax * 24 * 3600
  writeCookie(ctx.res, cookies, cookies.session, token, seconds)
  writeCookie(ctx.res, cookies, signedInCookie, new URL(service.baseUrl).host, seconds, { forScripts: true })
  if (readCookie(ctx.req.headers, deletedAccountCookie) !== undefined) writeCookie(ctx.res, cookies, deletedAccountCookie, '', 0)
}
