/** `npm start -- admin invite` and `reset`: create links that an operator sends to people. */
import type { Config } from '../config.ts'
import { type Account, findAccountByEmail, normalEmail } from '../domain/accounts/accounts.ts'
import { hoursOf, type LinkKind } from '../domain/accounts/links.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { operate } from './operate.ts'
import { withReader } from './stores.ts'

const accountOf = (config: Config, email: string): Promise<Account | undefined> =>
  withReader(config, (storage) => findAccountByEmail({ storage }, email))

const refuseUseless = (kind: LinkKind, email: string, account: Account | undefined): void => {
  if (kind === 'invite' && account !== undefined)
    throw new AdminError(`${email} already has an account. Use \`reset\` to set a new password.`)
  if (kind === 'reset' && account === undefined) throw new AdminError(`No account has the email address ${email}.`)
}

/** Returns the link and how long it works. Throws `AdminError`, `DataFolderError` or `PostgresError`. */
const linkFor = async (kind: LinkKind, address: string, config: Config, version: string): Promise<string> => {
  const email = normalEmail(address)
  if (email === undefined) throw new AdminError(`${JSON.stringify(address)} is not an email address.`)
  if (config.authUrl !== null) throw new AdminError(`People create accounts at ${config.authUrl} (AGMD_AUTH_URL), not here.`)
  if (config.baseUrl === null) throw new AdminError('Set AGMD_BASE_URL, because the link must contain the address of the server.')
  if (kind === 'invite' && config.signUp === 'closed') throw new AdminError('AGMD_SIGN_UP is closed. To invite people, set it to invite.')
  refuseUseless(kind, email, await accountOf(config, email))
  // The running server makes the link, so that its audit log contains the link.
  const made = await (kind === 'invite' ? operate(config, version, kind, { email }) : operate(config, version, kind, { account: email }))
  return `${made.link}\nThis link works once, within ${hoursOf[kind]} hours.`
}

const linkCommand = (kind: LinkKind, link: string): Command => {
  const help = `usage: npm start -- admin ${kind} EMAIL

Prints ${link}. Send the link to the person yourself. It works once, within ${hoursOf[kind]} hours.

  EMAIL  the email address of the person`
  return {
    usage: 'EMAIL',
    summary: `print ${link}`,
    help,
    async run(words, { settings, version }) {
      const [address] = parseWords(help, words, {}, 1).positionals
      if (address === undefined) throw new AdminError(help)
      return { output: await linkFor(kind, address, settings(), version) }
    }
  }
}

export const invite = linkCommand('invite', 'a link that lets this person create an account')
export const reset = linkCommand('reset', 'a link that lets this person set a new password and ends their sessions')
