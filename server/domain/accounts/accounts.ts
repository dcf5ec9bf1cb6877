/**
 * Accounts of people, who sign in with an email address and a password, or through an external issuer.
 *
 * This folder contains the code for accounts and the ways to act as one: passwords, passkeys, sessions, programs, and links from an administrator.
 */
import { hash } from 'node:crypto'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import { auditPut } from '../records/audit.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import type { Check, Key, Put } from '../ports.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'

export interface Account {
  readonly id: string
  readonly name: string
  readonly email: string | null
  /** Whether the address was verified, either by an administrator's link or by the external issuer. */
  readonly emailVerified: boolean
  /** The password as a PHC string; null if the account signs in elsewhere. */
  readonly password: string | null
  readonly createdAt: number
  /** The number of times that access to the account was ended (`epochOf`). Absent if access has never been ended. */
  readonly epoch?: number
  /** Set if the person chose the name in this service. An external issuer then no longer changes the name. */
  readonly nameChosen?: true
  /** Earlier names, the latest first. Histories contain them, and the person's pages call their holder “You”. Absent if the account was never renamed. */
  readonly formerNames?: readonly string[]
  /**
   * Hash of issuer and subject, the lookup key of an external account. Absent for a local account, and for an account that has not signed in since
   * this field was introduced.
   */
  readonly identity?: string
  /** The time when an administrator disabled the account, in milliseconds since 1970. Absent if the account is not disabled. */
  readonly disabledAt?: number
}

/** Returns how many times access to an account was ended. A request that was admitted in an earlier epoch is no longer valid. */
export const epochOf = ({ epoch = 0 }: Pick<Account, 'epoch'>): number => epoch

/** Whether access that was granted in this epoch is still valid. Nobody can act as a disabled account. */
export const isCurrent = (account: Account | undefined, epoch: number): account is Account =>
  account !== undefined && account.disabledAt === undefined && epochOf(account) === epoch

/** Throws `account_disabled` if an administrator has disabled the account. */
export const requireEnabled = (account: Pick<Account, 'disabledAt'> | undefined): void => {
  if (account?.disabledAt !== undefined) throw new ServiceError('account_disabled')
}

/** Whether a setting names an account by its id or its email address. Only a verified address counts, because anyone may sign up with any address. */
export const isNamed = (
  accounts: readonly string[],
  { id, email, emailVerified }: Pick<Account, 'id' | 'email' | 'emailVerified'>
): boolean => accounts.includes(id) || (emailVerified && email !== null && accounts.includes(email))

const digest = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'base64url')

/** Normalizes an email address for comparison and storage. Returns undefined if the text is not an email address. */
export const normalEmail = (text: string): string | undefined => {
  const email = text.trim().normalize('NFC').toLowerCase()
  return email.length <= limits.emailUnitsMax && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : undefined
}

/** Returns the name that was given, or a name for an account without one. Other people see it, so it contains no part of the email address. */
const nameFor = (name: string | undefined): string => plainName(name ?? '', limits.authorUnitsMax) || 'Someone'

/** Returns the index key of an email address. */
export const emailKey = (email: string): Key => keys.email(digest(email))

/** Returns the write that records a person's action on their own account in the audit log. */
const audited = (now: number, kind: 'account.created' | 'password.set', id: string): Put =>
  auditPut(now, { kind, by: { kind: 'account', id }, account: id })

/** The source of accounts: a service, or a store that was opened separately. */
export interface Accounts {
  readonly storage: Pick<Service['storage'], 'get'>
}

export const findAccount = async ({ storage }: Accounts, id: string): Promise<Account | undefined> => {
  const entry = await storage.get(keys.account(id))
  return entry && decodeRecord<Account>(entry.value)
}

export const findAccountByEmail = async (service: Accounts, email: string): Promise<Account | undefined> => {
  const entry = await service.storage.get(emailKey(email))
  return entry && findAccount(service, decodeRecord<string>(entry.value))
}

export interface NewAccount {
  readonly email: string
  readonly name?: string | undefined
  readonly password: string
  readonly emailVerified?: boolean
}

/** Additional checks and writes for the commit that creates an account, such as the use of an invitation. */
export interface ExtraWrites {
  readonly checks?: readonly Check[]
  readonly puts?: readonly Put[]
}

/**
 * Creates an account. Returns undefined if the email address already has an account. The password is hashed in both cases, so that both take the
 * same time.
 */
export const createAccount = async (service: Service, input: NewAccount, extra: ExtraWrites = {}): Promise<Account | undefined> => {
  const account: Account = {
    id: newId(),
    name: nameFor(input.name),
    email: input.email,
    emailVerified: input.emailVerified ?? false,
    password: await hashPassword(input.password),
    createdAt: service.clock.now()
  }
  const index = emailKey(input.email)
  const written = await service.storage.commit({
    checks: [{ key: index, version: null }, ...(extra.checks ?? [])],
    puts: [
      { key: keys.account(account.id), value: encodeRecord(account) },
      { key: index, value: encodeRecord(account.id) },
      audited(account.createdAt, 'account.created', account.id),
      ...(extra.puts ?? [])
    ]
  })
  return written ? account : undefined
}

/** Returns the account for an email address and password; undefined if they do not match. A failure takes the same time, regardless of its cause. */
export const findAccountByPassword = async (service: Service, email: string, password: string): Promise<Account | undefined> => {
  const account = await findAccountByEmail(service, email)
  return (await checkPassword(password, account?.password ?? undefined)) ? account : undefined
}

/** Changes an account record. Does nothing if there is no such account. `extra` returns more checks and writes for the same commit. */
export const changeAccount = async (
  { storage }: Pick<Service, 'storage'>,
  id: string,
  change: (account: Account) => Account,
  extra: () => Promise<ExtraWrites> = () => Promise.resolve({})
): Promise<void> => {
  const key = keys.account(id)
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const { checks = [], puts = [] } = await extra()
    const entry = await storage.get(key)
    if (entry === undefined) return
    const value = encodeRecord(change(decodeRecord<Account>(entry.value)))
    if (await storage.commit({ checks: [...checks, { key, version: entry.version }], puts: [{ key, value }, ...puts] })) return
  }
  throw new ServiceError('storage_unavailable')
}

/** Begins the next epoch of an account. This invalidates everything that was issued in the current epoch. */
export const nextEpoch = (service: Service, id: string, extra?: () => Promise<ExtraWrites>): Promise<void> =>
  changeAccount(service, id, (account) => ({ ...account, epoch: epochOf(account) + 1 }), extra)

/** Records that an account's address is verified. */
export const verifyEmail = (service: Service, id: string): Promise<void> =>
  changeAccount(service, id, (account) => ({ ...account, emailVerified: true }))

/**
 * Sets the password of an account and begins its next epoch. The address must not be verified here, because all access that was created with the
 * previous password must end first. Returns false if another commit came first.
 */
export const setPassword = async (service: Service, account: Account, password: string, extra: ExtraWrites = {}): Promise<boolean> => {
  const key = keys.account(account.id)
  const hashed = await hashPassword(password)
  const entry = await service.storage.get(key)
  const found = entry && decodeRecord<Account>(entry.value)
  // If two reset links are used at the same time, only the first one sets the password.
  if (found === undefined || found.password !== account.password) return false
  const next: Account = { ...found, password: hashed, epoch: epochOf(found) + 1 }
  return service.storage.commit({
    checks: [{ key, version: entry?.version ?? null }, ...(extra.checks ?? [])],
    puts: [{ key, value: encodeRecord(next) }, audited(service.clock.now(), 'password.set', account.id), ...(extra.puts ?? [])]
  })
}

/** An external issuer's claims about a person. */
export interface IssuedIdentity {
  readonly issuer: string
  readonly subject: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly emailVerified?: boolean
}

const fromIssuer = (id: string, { name, email, emailVerified }: IssuedIdentity, createdAt: number): Account => {
  const address = (email === undefined ? undefined : normalEmail(email)) ?? null
  return { id, name: nameFor(name), email: address, emailVerified: emailVerified ?? false, password: null, createdAt }
}

/**
 * Returns the account for an identity at an external issuer. Creates the account at the first sign-in, and updates it at each sign-in. Issuer and
 * subject together identify the account. The email address does not, because an issuer could claim any address.
 */
export const accountOfIdentity = async (service: Service, identity: IssuedIdentity): Promise<Account> => {
  const named = digest(identity.issuer, identity.subject)
  const index = keys.identity(named)
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const entry = await service.storage.get(index)
    const found = entry && (await findAccount(service, decodeRecord<string>(entry.value)))
    const made = fromIssuer(found?.id ?? newId(), identity, found?.createdAt ?? service.clock.now())
    const account: Account = {
      ...made,
      ...(found?.epoch === undefined ? {} : { epoch: found.epoch }),
      ...(found?.disabledAt === undefined ? {} : { disabledAt: found.disabledAt }),
      ...(found?.nameChosen === true && { name: found.name, nameChosen: true as const }),
      identity: named
    }
    if (found !== undefined && JSON.stringify(found) === JSON.stringify(account)) return found
    const written = await service.storage.commit({
      checks: [{ key: index, version: entry?.version ?? null }],
      puts: [
        { key: keys.account(account.id), value: encodeRecord(account) },
        { key: index, value: encodeRecord(account.id) },
        ...(found === undefined ? [audited(account.createdAt, 'account.created', account.id)] : [])
      ]
    })
    if (written) return account
  }
  throw new ServiceError('storage_unavailable')
}
