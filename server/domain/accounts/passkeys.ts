/** Passkeys, a second way to sign in to a local account. This file holds the records; auth/passkeys.ts checks signatures. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import { type Account, findAccount } from './accounts.ts'
import { commitFor } from '../rights/authority.ts'
import type { Caller } from '../rights/caller.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import { hashSecret } from '../secrets.ts'
import type { Service } from '../service.ts'

export interface Passkey {
  /** The id that the authenticator chose (base64url). */
  readonly id: string
  readonly account: string
  /** COSE public key (base64url). */
  readonly publicKey: string
  /** The authenticator's use counter; 0 if the authenticator does not count. */
  readonly counter: number
  /** The device or browser that created the passkey. It helps the owner recognize the passkey. */
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

// The key is a hash, because the authenticator chooses the id, which can be long.
const keyOf = (id: string) => keys.passkey(hashSecret(`passkey ${id}`))

/** Returns the passkeys of an account, newest first. */
export const listPasskeys = async ({ storage }: Service, account: string): Promise<Passkey[]> => {
  const entries = await storage.list(keys.accountPasskeys(account))
  const found = await Promise.all(entries.map(({ key }) => storage.get(keys.passkey(String(key.at(-1))))))
  return found
    .flatMap((entry) => (entry === undefined ? [] : [decodeRecord<Passkey>(entry.value)]))
    .toSorted((one, other) => other.createdAt - one.createdAt)
}

/** Adds a passkey to the caller's account. Throws `invalid_request` if the account has too many passkeys, or already has this one. */
export const addPasskey = async (service: Service, caller: Caller, passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<void> => {
  if ((await listPasskeys(service, passkey.account)).length >= limits.passkeysMax)
    throw new ServiceError('invalid_request', { message: term('You cannot add another passkey. Remove one first.') })
  const key = keyOf(passkey.id)
  const record: Passkey = { ...passkey, createdAt: service.clock.now(), lastUsedAt: null }
  const written = await commitFor(service, caller, {
    checks: [{ key, version: null }],
    puts: [
      { key, value: encodeRecord(record) },
      { key: keys.accountPasskey(passkey.account, String(key.at(-1))), value: encodeRecord(null) }
    ]
  })
  if (!written) throw new ServiceError('invalid_request', { message: term('You already added this passkey.') })
}

/** Removes a passkey. Throws `not_found` if the account has no such passkey. */
export const removePasskey = async (service: Service, account: string, id: string): Promise<void> => {
  const key = keyOf(id)
  const entry = await service.storage.get(key)
  if (entry === undefined || decodeRecord<Passkey>(entry.value).account !== account) throw new ServiceError('not_found')
  await service.storage.commit({ deletes: [key, keys.accountPasskey(account, String(key.at(-1)))] })
}

/** Removes all passkeys from an account. If the password was stolen, a stranger could have added them. */
export const removePasskeysOf = async (service: Service, account: string): Promise<void> => {
  for (const { id } of await listPasskeys(service, account)) await removePasskey(service, account, id)
}

export const findPasskey = async (service: Service, id: string): Promise<{ passkey: Passkey; account: Account } | undefined> => {
  const entry = await service.storage.get(keyOf(id))
  if (entry === undefined) return undefined
  const passkey = decodeRecord<Passkey>(entry.value)
  const account = await findAccount(service, passkey.account)
  return account && { passkey, account }
}

/** Records a use of a passkey. Returns false if the passkey has since been removed or used again. */
export const notePasskeyUse = async (service: Service, passkey: Passkey, counter: number): Promise<boolean> => {
  const key = keyOf(passkey.id)
  const entry = await service.storage.get(key)
  if (entry === undefined || decodeRecord<Passkey>(entry.value).counter !== passkey.counter) return false
  const used: Passkey = { ...passkey, counter, lastUsedAt: service.clock.now() }
  return service.storage.commit({ checks: [{ key, version: entry.version }], puts: [{ key, value: encodeRecord(used) }] })
}
