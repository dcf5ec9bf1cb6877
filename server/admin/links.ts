/** `npm start -- admin invite` and `reset`: create links that an operator sends to people. These commands only read the store. */
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Account, findAccountByEmail, normalEmail } from '../domain/accounts/accounts.ts'
import { createLink, hoursOf, type Invited, type LinkKind } from '../domain/accounts/links.ts'
import { createVault } from '../domain/secrets.ts'
import { readInstance, readSecret, refuseMovedStore } from '../storage/data-folder.ts'
import { openLmdbReader } from '../storage/lmdb.ts'
import { readPostgres } from '../storage/postgres/open.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'

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

/** Returns the link and how long it works. Throws `AdminError`, `DataFolderError` or `PostgresError`. */
const linkFor = async (kind: LinkKind, address: string, config: Config): Promise<string> => {
  const email = normalEmail(address)
  if (email === undefined) throw new AdminError(`${JSON.stringify(address)} is not an email address.`)
  if (config.authUrl !== null) throw new AdminError(`People create accounts at ${config.authUrl} (AGMD_AUTH_URL), not here.`)
  if (config.baseUrl === null) throw new AdminError('Set AGMD_BASE_URL, because the link must contain the address of the server.')
  if (kind === 'invite' && config.signUp === 'closed') throw new AdminError('AGMD_SIGN_UP is closed. To invite people, set it to invite.')
  const whom = whomOf(kind, email, await accountOf(config, email))
  const secret = config.secret === null ? await readSecret(config.dataDir) : Buffer.from(config.secret)
  return `${createLink(createVault(secret), config.baseUrl, systemClock.now(), whom)}\nThis link works once, within ${hoursOf[kind]} hours.`
}

const linkCommand = (kind: LinkKind, link: string): Command => {
  const help = `usage: npm start -- admin ${kind} EMAIL

Prints ${link}. Send the link to the person yourself. It works once, within ${hoursOf[kind]} hours.

  EMAIL  the email address of the person`
  return {
    usage: 'EMAIL',
    summary: `print ${link}`,
    help,
    async run(words, { settings }) {
      const [address] = parseWords(help, words, {}, 1).positionals
      if (address === undefined) throw new AdminError(help)
      return { output: await linkFor(kind, address, settings()) }
    }
  }
}

export const invite = linkCommand('invite', 'a link that lets this person create an account')
export const reset = linkCommand('reset', 'a link that lets this person set a new password and ends their sessions')
