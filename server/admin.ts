/** `npm start -- admin …`: links that an operator hands to people. Works beside the running server: a link needs nothing but the secret. */
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { normalEmail } from './domain/accounts.ts'
import { createLink, hoursOf, type LinkKind } from './domain/links.ts'
import { createVault } from './domain/secrets.ts'
import { readSecret } from './storage/data-folder.ts'

/** A command that cannot be run as it was given. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}

const usage = `usage: npm start -- admin COMMAND EMAIL
  invite EMAIL  print a link with which this person makes an account
  reset EMAIL   print a link with which this person sets a new password; all their sessions end`

const isKind = (word: string | undefined): word is LinkKind => word === 'invite' || word === 'reset'

/** What the command prints. Errors: `AdminError`, `DataFolderError`. */
export const admin = async ([kind, address, ...more]: readonly string[], config: Config): Promise<string> => {
  if (!isKind(kind) || address === undefined || more.length > 0) throw new AdminError(usage)
  const email = normalEmail(address)
  if (email === undefined) throw new AdminError(`${JSON.stringify(address)} is no address of mail.`)
  if (config.authUrl !== null) throw new AdminError(`Accounts are made at ${config.authUrl} (AGMD_AUTH_URL), not here.`)
  if (config.baseUrl === null) throw new AdminError('Set AGMD_BASE_URL: the link must say where the server is.')
  const secret = config.secret === null ? await readSecret(config.dataDir) : Buffer.from(config.secret)
  return `${createLink(createVault(secret), config.baseUrl, systemClock.now(), kind, email)}\nGood once, for ${hoursOf[kind]} hours.`
}
