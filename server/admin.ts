/** `npm start -- admin …`: creates links that an operator sends to people. The command can run while the server runs, because it only reads. */
import { AdminError } from './admin-error.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Account, findAccountByEmail, normalEmail } from './domain/accounts/accounts.ts'
import { createLink, hoursOf, type Invited, type LinkKind } from './domain/accounts/links.ts'
import { createVault } from './domain/secrets.ts'
import { readInstance, readSecret, refuseMovedStore } from './storage/data-folder.ts'
import { openLmdbReader } from './storage/lmdb.ts'
import { readPostgres } from './storage/postgres/open.ts'

const usage = `usage: npm start -- admin COMMAND EMAIL
  invite EMAIL  print a link that lets this person create an account
  reset EMAIL   print a link that lets this person set a new password and ends their sessions

usage: npm start -- admin migrate --help
  move all documents between LMDB and PostgreSQL`

const isKind = (word: string | undefined): word is LinkKind => word === 'invite' || word === 'reset'

const accountOf = async ({ dataDir: folder, storage: url }: Config, email: string): Promise<Account | undefined> => {
  const instance = await readInstance(folder)
  const started = url === null ? instance?.initialised : instance?.store === 'postgres'
  if (instance === undefined || started !== true)
    throw new AdminError(`There is no data in ${folder} yet. Start the server once (npm start), or set AGMD_DATA_DIR to its data folder.`)
  if (url !== null) return readPostgres(url, (storage) => findAccountByEmail({ storage }, email))
  refuseMovedStore(folder, instance)
  const storage = await openLmdbReader(folder, instance)
  try {
    return await findAccountByEmail({ storage }, email)
  } finally {
    await storage.close()
  }
}

const whomOf = (kind: LinkKind, email: string, account: Account | undefined): Invited => {
  if (kind === 'invite' && account !== undefined)
    throw new AdminError(`${email} already has an account. Use \`reset\` to set a new password.`)
  if (kind === 'invite') return { kind, email }
  if (account === undefined) throw new AdminError(`No account has the email address ${email}.`)
  return { kind, account }
}

/** Runs one command and returns its output. Throws `AdminError`, `DataFolderError` or `PostgresError`. */
export const admin = async ([kind, address, ...more]: readonly string[], config: Config): Promise<string> => {
  if (!isKind(kind) || address === undefined || more.length > 0) throw new AdminError(usage)
  const email = normalEmail(address)
  if (email === undefined) throw new AdminError(`${JSON.stringify(address)} is not an email address.`)
  if (config.authUrl !== null) throw new AdminError(`People create accounts at ${config.authUrl} (AGMD_AUTH_URL), not here.`)
  if (config.baseUrl === null) throw new AdminError('Set AGMD_BASE_URL, because the link must contain the address of the server.')
  if (kind === 'invite' && config.signUp === 'closed') throw new AdminError('AGMD_SIGN_UP is closed. To invite people, set it to invite.')
  const whom = whomOf(kind, email, await accountOf(config, email))
  const secret = config.secret === null ? await readSecret(config.dataDir) : Buffer.from(config.secret)
  return `${createLink(createVault(secret), config.baseUrl, systemClock.now(), whom)}\nThis link works once, within ${hoursOf[kind]} hours.`
}
