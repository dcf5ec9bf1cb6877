/** People, as administrators see and manage them. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import { type DocumentsAfter, endAccount } from '../accounts/account-end.ts'
import { type Account, changeAccount, epochOf, findAccount, findAccountByEmail, normalEmail } from '../accounts/accounts.ts'
import { createLink } from '../accounts/links.ts'
import { programsOf } from '../accounts/programs.ts'
import { endAccess, removeAccess, sessionsOf } from '../accounts/sessions.ts'
import { readSum } from '../documents/quotas.ts'
import { nodesOf } from '../media/compute-nodes.ts'
import { decodeRecord, keys } from '../records/keys.ts'
import type { Service } from '../service.ts'
import { auditWrites, isAdmin, type Operator } from './operator.ts'

/** A person. All times are in ISO 8601. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly admin: boolean
  readonly createdAt: string
  /** The time when the account was disabled; null if it is not disabled. */
  readonly disabledAt: string | null
  /** The last use of a session, token or node, or the last sign-in; null if there is none. */
  readonly lastUsedAt: string | null
  readonly sessions: number
  readonly tokens: number
  readonly nodes: number
  /** The documents that the person owns, including those in the trash. */
  readonly documents: number
  /** The bytes of these documents, without assets. */
  readonly bytes: number
}

export interface PeoplePage {
  readonly people: readonly Person[]
  /** The value of `after` for the next page; null at the end. */
  readonly nextAfter: string | null
}

const instant = (ms: number): string => new Date(ms).toISOString()

const unknownAccount = (): ServiceError =>
  new ServiceError('not_found', { message: term('There is no such account.'), hint: 'A deleted account is only known by its id.' })

const present = async (service: Service, account: Account): Promise<Person> => {
  const { id, name, email, emailVerified, createdAt, disabledAt } = account
  const [sessions, programs, nodes, sum, seen] = await Promise.all([
    sessionsOf(service, id),
    programsOf(service, id),
    nodesOf(service, id),
    readSum(service.storage, ['account', id]),
    service.storage.get(keys.accountSeen(id))
  ])
  const used = [
    ...sessions.map(({ session }) => session.lastUsedAt),
    ...programs.map(({ program }) => program.lastUsedAt ?? 0),
    ...nodes.map(({ node }) => node.lastSeenAt ?? 0),
    seen === undefined ? 0 : decodeRecord<number>(seen.value)
  ]
  const last = Math.max(0, ...used)
  return {
    id,
    name,
    email,
    emailVerified,
    admin: isAdmin(service, account),
    createdAt: instant(createdAt),
    disabledAt: disabledAt === undefined ? null : instant(disabledAt),
    lastUsedAt: last === 0 ? null : instant(last),
    sessions: sessions.length,
    tokens: programs.length,
    nodes: nodes.length,
    documents: sum.documents.size,
    bytes: sum.total
  }
}

/** Returns the account with this id or email address. Throws `not_found`. */
export const accountNamed = async (service: Service, named: string): Promise<Account> => {
  const email = named.includes('@') ? normalEmail(named) : undefined
  const found =
    named === '' ? undefined : await (email === undefined ? findAccount(service, named.slice(0, 100)) : findAccountByEmail(service, email))
  // Some accounts of an external issuer have an address, but no index entry for it.
  if (found === undefined) throw unknownAccount()
  return found
}

export const readPerson = async (service: Service, named: string): Promise<Person> => present(service, await accountNamed(service, named))

/** Selects people. `query` is part of the name or the email address, or an id. */
export interface PeopleInput {
  readonly query?: string | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

const wantedBy = (query: string): ((account: Account) => boolean) => {
  const words = query.trim().toLowerCase()
  return ({ id, name, email }) => id === query.trim() || name.toLowerCase().includes(words) || (email ?? '').includes(words)
}

/** Returns a page of people. The pages are ordered by id, and the people on a page by name. A page may end before it is full. */
export const listPeople = async (
  service: Service,
  { query = '', after, limit = limits.adminPageDefault }: PeopleInput = {}
): Promise<PeoplePage> => {
  const wanted = wantedBy(query)
  const accounts: Account[] = []
  let last = after
  let nextAfter: string | null = null
  for (let looked = 0; ;) {
    const entries = await service.storage.list(keys.accounts(), last === undefined ? {} : { after: last })
    // Other records of an account follow its main record. `after` is the id of an account, so the next page skips the rest of these records.
    const found = entries.filter(({ key }) => key.length === 2).map(({ value }) => decodeRecord<Account>(value))
    const fitting = found.filter(wanted).slice(0, limit - accounts.length)
    accounts.push(...fitting)
    looked += entries.length
    const isFull = accounts.length === limit
    last = isFull ? fitting.at(-1)?.id : String(entries.at(-1)?.key[1] ?? '')
    if (!isFull && entries.length < limits.listMax) break
    if (isFull || looked >= limits.adminScanMax) {
      nextAfter = last ?? null
      break
    }
  }
  const people = await Promise.all(accounts.map((account) => present(service, account)))
  return { people: people.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { sensitivity: 'base' })), nextAfter }
}

// ——— Acts ———

/** Throws `invalid_request` if administrators would lock themselves out. */
const refuseSelf = ({ actor }: Operator, { id }: Account): void => {
  if (actor.kind === 'account' && actor.id === id)
    throw new ServiceError('invalid_request', { message: term('You cannot do this to your own account. Use the account page.') })
}

/** Disables an account. From then on, nobody can act as this account, but links still open its documents. Throws `not_found` or `invalid_request`. */
export const disablePerson = async (service: Service, operator: Operator, named: string): Promise<Person> => {
  const account = await accountNamed(service, named)
  refuseSelf(operator, account)
  const now = service.clock.now()
  const change = (each: Account): Account => ({ ...each, disabledAt: each.disabledAt ?? now, epoch: epochOf(each) + 1 })
  await changeAccount(service, account.id, change, () => auditWrites(service, operator, { kind: 'admin.disable', account: account.id }))
  await removeAccess(service, account.id, 'account_disabled')
  return readPerson(service, account.id)
}

/** Lets a disabled account sign in again. Throws `not_found`. */
export const enablePerson = async (service: Service, operator: Operator, named: string): Promise<Person> => {
  const { id } = await accountNamed(service, named)
  const change = ({ disabledAt: _, ...each }: Account): Account => each
  await changeAccount(service, id, change, () => auditWrites(service, operator, { kind: 'admin.enable', account: id }))
  return readPerson(service, id)
}

/** Ends all sessions, tokens and nodes of an account. Returns the number of sessions. Throws `not_found`. */
export const endSessionsOf = async (service: Service, operator: Operator, named: string): Promise<{ readonly ended: number }> => {
  const { id } = await accountNamed(service, named)
  return { ended: await endAccess(service, id, () => auditWrites(service, operator, { kind: 'admin.sessions', account: id })) }
}

/** Deletes an account. If another account should get its documents, transfer them first. Throws `not_found` or `invalid_request`. */
export const deletePerson = async (service: Service, operator: Operator, named: string, documents: DocumentsAfter): Promise<void> => {
  const account = await accountNamed(service, named)
  refuseSelf(operator, account)
  const told = { kind: 'admin.delete', by: operator.actor, account: account.id } as const
  const checks = async () => (await auditWrites(service, operator, told)).checks
  if (!(await endAccount(service, { account: account.id, documents }, checks, told))) throw unknownAccount()
}

const requireOwnBroker = ({ signInHost }: Service): void => {
  if (signInHost === null)
    throw new ServiceError('invalid_request', { message: term('An external issuer (AGMD_AUTH_URL) manages the accounts of this server.') })
}

/** A link that the administrator sends to a person. */
export interface PersonLink {
  readonly link: string
  readonly email: string
}

/** Returns a link that lets a person create an account. Throws `invalid_request`. */
export const invitePerson = async (service: Service, operator: Operator, given: string): Promise<PersonLink> => {
  requireOwnBroker(service)
  const email = normalEmail(given)
  if (email === undefined) throw new ServiceError('invalid_request', { message: term('Enter a valid email address.') })
  if (service.signUp === 'closed')
    throw new ServiceError('invalid_request', { message: term('This server does not accept new accounts (AGMD_SIGN_UP).') })
  if ((await findAccountByEmail(service, email)) !== undefined)
    throw new ServiceError('invalid_request', { message: term('This person already has an account.') })
  const audited = await auditWrites(service, operator, { kind: 'admin.invite' })
  if (!(await service.storage.commit(audited))) throw new ServiceError('credential_invalid')
  return { email, link: createLink(service.vault, service.baseUrl, service.clock.now(), { kind: 'invite', email }) }
}

/** Returns a link that lets a person set a new password. Throws `not_found` or `invalid_request`. */
export const resetPerson = async (service: Service, operator: Operator, named: string): Promise<PersonLink> => {
  requireOwnBroker(service)
  const account = await accountNamed(service, named)
  const { id, email } = account
  if (email === null) throw new ServiceError('invalid_request', { message: term('This account has no email address.') })
  const audited = await auditWrites(service, operator, { kind: 'admin.reset', account: id })
  if (!(await service.storage.commit(audited))) throw new ServiceError('credential_invalid')
  return { email, link: createLink(service.vault, service.baseUrl, service.clock.now(), { kind: 'reset', account }) }
}
