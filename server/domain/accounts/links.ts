/**
 * Links from an administrator: an invitation, or a password reset. A link is a sealed string that only this instance can open, so the command that
 * prints it stores nothing. The server records its use, so it works only once.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '../../../shared/limits.ts'
import { type Account, type ExtraWrites, findAccountByEmail } from './accounts.ts'
import { expiring } from '../records/expiry.ts'
import { keys } from '../records/keys.ts'
import { hashSecret, type Vault, openSealed } from '../secrets.ts'
import type { Service } from '../service.ts'

export type LinkKind = 'invite' | 'reset'

export interface Link {
  readonly kind: LinkKind
  readonly email: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** For a reset link: hash of the password record that the link replaces. A new password therefore invalidates every earlier reset link. */
  readonly replaces?: string
}

/** The person for whom a link is made. */
export type Invited = { readonly kind: 'invite'; readonly email: string } | { readonly kind: 'reset'; readonly account: Account }

const context = 'account link 1'

/** How long a link is valid, in hours. */
export const hoursOf: Readonly<Record<LinkKind, number>> = { invite: limits.inviteHours, reset: limits.resetHours }

export const linkPath: Readonly<Record<LinkKind, string>> = { invite: '/auth/invite', reset: '/auth/reset' }

const passwordOf = ({ password }: Account): string => hashSecret(`password ${password ?? ''}`)

/** Creates a link, and returns the address that the administrator sends to the person. */
export const createLink = (vault: Vault, baseUrl: string, now: number, whom: Invited): string => {
  const { kind } = whom
  const link: Link = {
    kind,
    expiresAt: now + hoursOf[kind] * 3600 * 1000,
    ...(whom.kind === 'invite' ? { email: whom.email } : { email: whom.account.email ?? '', replaces: passwordOf(whom.account) })
  }
  const once = randomBytes(9).toString('base64url')
  return `${baseUrl}${linkPath[kind]}?token=${vault.seal(JSON.stringify({ ...link, once }), context)}`
}

/**
 * Decodes a token. Returns undefined if it is invalid, is for another kind of link, has expired or was used. For a reset link, also returns undefined
 * if the account is gone or its password has changed since then.
 */
export const findLink = async (service: Service, kind: LinkKind, token: string): Promise<Link | undefined> => {
  const { vault, clock, storage } = service
  const link = openSealed<Link>(vault, token, context)
  if (link?.kind !== kind || link.expiresAt <= clock.now()) return undefined
  if ((await storage.get(keys.usedLink(hashSecret(token)))) !== undefined) return undefined
  if (kind === 'invite') return link
  const account = await findAccountByEmail(service, link.email)
  return account !== undefined && passwordOf(account) === link.replaces ? link : undefined
}

/** Returns the writes that mark the link as used. */
export const useOf = (token: string, link: Link): ExtraWrites => {
  const key = keys.usedLink(hashSecret(token))
  return { checks: [{ key, version: null }], puts: expiring(key, { expiresAt: link.expiresAt }) }
}
