/**
 * Links that an administrator hands out: an invitation, or the way to a new password. A link is a sealed text that only this instance
 * can open, so that the command that prints it needs nothing but the secret; its use is noted, so that it is good once.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '../../shared/limits.ts'
import { type Beside } from './accounts.ts'
import { expiring } from './expiry.ts'
import { keys } from './keys.ts'
import { hashSecret, type Vault } from './secrets.ts'
import type { Service } from './service.ts'

export type LinkKind = 'invite' | 'reset'

export interface Link {
  readonly kind: LinkKind
  readonly email: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const context = 'account link 1'

/** How long a link is good, in hours. */
export const hoursOf: Readonly<Record<LinkKind, number>> = { invite: limits.inviteHours, reset: limits.resetHours }

export const linkPath: Readonly<Record<LinkKind, string>> = { invite: '/auth/invite', reset: '/auth/reset' }

/** The address to hand to a person. */
export const createLink = (vault: Vault, baseUrl: string, now: number, kind: LinkKind, email: string): string => {
  const link = { kind, email, expiresAt: now + hoursOf[kind] * 3600 * 1000, once: randomBytes(9).toString('base64url') }
  return `${baseUrl}${linkPath[kind]}?token=${vault.seal(JSON.stringify(link), context)}`
}

/** The link of a token; undefined when it is none, is of another kind, has expired or was used. */
export const findLink = async ({ vault, clock, storage }: Service, kind: LinkKind, token: string): Promise<Link | undefined> => {
  let link: Link
  try {
    link = JSON.parse(vault.open(token, context)) as Link
  } catch {
    return undefined
  }
  if (link.kind !== kind || link.expiresAt <= clock.now()) return undefined
  return (await storage.get(keys.usedLink(hashSecret(token)))) === undefined ? link : undefined
}

/** What a commit adds to use the link up. */
export const useOf = (token: string, link: Link): Beside => {
  const key = keys.usedLink(hashSecret(token))
  return { checks: [{ key, version: null }], puts: expiring(key, { expiresAt: link.expiresAt }) }
}
