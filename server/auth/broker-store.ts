/**
 * Stores the embedded broker's records in the form that `oidc-provider` requires: each model has an adapter that uses our storage.
 *
 *   ['oidc', model, hash of id]            { expiresAt, account, consumed, sealed }
 *   ['oidc', 'uid', hash]                  session of a uid → hash of its id
 *   ['oidc', 'user-code', hash]            device code of a user code → hash of its id
 *   ['oidc', 'grant', hash, model, hash]   everything issued under a grant
 *   ['oidc', 'of', account, model, hash]   all records of an account: sessions, sign-ins in progress, grants and everything issued under them
 *
 * Ids are bearer secrets (codes, tokens, cookies). Records are therefore stored under the hash of their id, and their payloads are sealed.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors } from 'oidc-provider'
import { limits } from '../../shared/limits.ts'
import { findAccount, epochOf } from '../domain/accounts/accounts.ts'
import { type Expiring, expiring, findLive } from '../domain/records/expiry.ts'
import { encodeRecord, keys } from '../domain/records/keys.ts'
import type { Key, Put } from '../domain/ports.ts'
import { endProgramOfGrant, keepProgram } from '../domain/accounts/programs.ts'
import { hashSecret } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'

interface BrokerRecord extends Expiring {
  readonly account: string | null
  /** The epoch of the account when the record was first stored (domain/rights/authority.ts); 0 if absent. The record is valid only in this epoch. */
  readonly epoch?: number
  readonly sealed: string
  /** The time when the record was used, in seconds since 1970. Null if it has not been used. */
  readonly consumed: number | null
}

interface Index extends Expiring {
  readonly id: string
}

const dayMs = 24 * 3600 * 1000

/** Returns a record's lifetime. Only clients that registered themselves have a record without one. */
const lifetimeMs = (seconds: number | undefined): number => (seconds === undefined ? limits.brokerClientDays * dayMs : seconds * 1000)

/** Returns a record's account. An interaction has an account once somebody has signed in to it. */
const accountOf = ({ accountId, result, session }: AdapterPayload): string | null => {
  const { login } = (result ?? {}) as { login?: { accountId?: string } }
  return accountId ?? login?.accountId ?? session?.accountId ?? null
}

export interface BrokerStore {
  adapter(model: string): Adapter
  /** Ends an account's sessions at the broker, and the grants of its programs. */
  endSessions(account: string): Promise<void>
  /** Ends a browser's session, which is identified by the cookie's value. */
  endSession(id: string): Promise<void>
  /**
   * Returns the permanent name of a browser's session, which is identified by the cookie's value. Returns undefined if the session does not belong to
   * this account.
   */
  nameOfSession(id: string, account: string): Promise<string | undefined>
  /** Ends a grant, which is identified by the hash of its id, and everything that was issued under it. */
  endGrant(grant: string): Promise<void>
  /** Ends the session with this permanent name. */
  endNamedSession(name: string): Promise<void>
}

export const createBrokerStore = (service: Service): BrokerStore => {
  const { storage, clock, vault } = service
  const recordKey = (model: string, hash: string): Key => keys.broker(model, hash)
  const context = (model: string, hash: string): string => `oidc ${model} ${hash}`

  const open = (model: string, hash: string, record: BrokerRecord): AdapterPayload => {
    const payload = JSON.parse(vault.open(record.sealed, context(model, hash))) as AdapterPayload
    return record.consumed === null ? payload : { ...payload, consumed: record.consumed }
  }

  const findByHash = async (model: string, hash: string): Promise<AdapterPayload | undefined> => {
    const found = await findLive<BrokerRecord>(service, recordKey(model, hash))
    return found !== undefined && (await counts(found.record)) ? open(model, hash, found.record) : undefined
  }

  /** Whether a record is still valid. It is valid unless access to its account has ended since the record was stored. */
  const counts = async ({ account, epoch = 0 }: BrokerRecord): Promise<boolean> => account === null || (await epochNow(account)) === epoch

  const epochNow = async (account: string): Promise<number> => epochOf((await findAccount(service, account)) ?? {})

  /**
   * Returns the epoch to store with a record. A record that is stored again keeps its epoch. Otherwise, a request that read the record before all
   * access ended could make it valid again.
   */
  const epochFor = async (key: Key, account: string): Promise<number> => {
    const known = await findLive<BrokerRecord>(service, key)
    return known?.record.account === account ? (known.record.epoch ?? 0) : epochNow(account)
  }

  const findByIndex = async (model: string, index: Key): Promise<AdapterPayload | undefined> => {
    const found = await findLive<Index>(service, index)
    return found && findByHash(model, found.record.id)
  }

  const indexesOf = (model: string, hash: string, payload: AdapterPayload, expiresAt: number): Put[] => {
    const index = { id: hash, expiresAt }
    const account = accountOf(payload)
    return [
      ...(payload.uid !== undefined && model === 'Session' ? expiring(keys.broker('uid', hashSecret(payload.uid)), index) : []),
      ...(payload.userCode === undefined ? [] : expiring(keys.broker('user-code', hashSecret(payload.userCode)), index)),
      ...(payload.grantId === undefined ? [] : expiring(keys.broker('grant', hashSecret(payload.grantId), model, hash), index)),
      ...(account === null ? [] : expiring(keys.broker('of', account, model, hash), index))
    ]
  }

  /** Renews a client's lifetime from time to time, so that a client in use is not removed. */
  const renewClient = async (hash: string): Promise<void> => {
    const found = await findLive<BrokerRecord>(service, recordKey('Client', hash))
    if (found === undefined || found.record.expiresAt - clock.now() > lifetimeMs(undefined) / 2) return
    const key = recordKey('Client', hash)
    const expiresAt = clock.now() + lifetimeMs(undefined)
    await storage.commit({ checks: [{ key, version: found.version }], puts: expiring(key, { ...found.record, expiresAt }) })
  }

  const endIssued = async (grant: string): Promise<void> => {
    const entries = await storage.list(keys.broker('grant', grant))
    const issued = entries.map(({ key }) => recordKey(String(key.at(-2)), String(key.at(-1))))
    await storage.commit({ deletes: [...entries.map(({ key }) => key), ...issued] })
  }

  const adapter = (model: string): Adapter => ({
    async upsert(id, payload, seconds) {
      const hash = hashSecret(id)
      const expiresAt = clock.now() + lifetimeMs(seconds)
      const { consumed, ...rest } = payload
      const account = accountOf(payload)
      const record: BrokerRecord = {
        expiresAt,
        account,
        ...(account === null ? {} : { epoch: await epochFor(recordKey(model, hash), account) }),
        consumed: typeof consumed === 'number' ? consumed : null,
        sealed: vault.seal(JSON.stringify(rest), context(model, hash))
      }
      await storage.commit({ puts: [...expiring(recordKey(model, hash), record), ...indexesOf(model, hash, payload, expiresAt)] })
      if (model === 'AccessToken' && payload.grantId !== undefined) await keepProgram(service, hashSecret(payload.grantId))
    },
    async find(id) {
      const hash = hashSecret(id)
      if (model === 'Client') await renewClient(hash)
      return findByHash(model, hash)
    },
    findByUid: (uid) => findByIndex(model, keys.broker('uid', hashSecret(uid))),
    findByUserCode: (userCode) => findByIndex(model, keys.broker('user-code', hashSecret(userCode))),
    async consume(id) {
      const key = recordKey(model, hashSecret(id))
      const found = await findLive<BrokerRecord>(service, key)
      const consumed = found && { ...found.record, consumed: Math.floor(clock.now() / 1000) }
      const first =
        found?.record.consumed === null &&
        consumed !== undefined &&
        (await storage.commit({ checks: [{ key, version: found.version }], puts: [{ key, value: encodeRecord(consumed) }] }))
      // If two requests redeem a code at the same moment, both have read the code as unused. The second request fails here.
      if (!first) throw new errors.InvalidGrant('it has already been used')
    },
    async destroy(id) {
      await storage.commit({ deletes: [recordKey(model, hashSecret(id))] })
      // A grant is destroyed if one of its tokens was revoked or used twice. All connections under it are closed immediately.
      if (model === 'Grant') await endProgramOfGrant(service, hashSecret(id))
    },
    revokeByGrantId: (grantId) => endIssued(hashSecret(grantId))
  })

  return {
    adapter,
    async endSessions(account) {
      for (;;) {
        const entries = await storage.list(keys.broker('of', account))
        if (entries.length === 0) return
        const ended = entries.map(({ key }) => recordKey(String(key.at(-2)), String(key.at(-1))))
        await storage.commit({ deletes: [...entries.map(({ key }) => key), ...ended] })
      }
    },
    async endGrant(grant) {
      await storage.commit({ deletes: [recordKey('Grant', grant)] })
      await endIssued(grant)
    },
    async endSession(id) {
      await storage.commit({ deletes: [recordKey('Session', hashSecret(id))] })
    },
    async nameOfSession(id, account) {
      const session = await findByHash('Session', hashSecret(id))
      return session?.uid === undefined || session.accountId !== account ? undefined : hashSecret(session.uid)
    },
    async endNamedSession(name) {
      const index = keys.broker('uid', name)
      const found = await findLive<Index>(service, index)
      if (found !== undefined) await storage.commit({ deletes: [index, recordKey('Session', found.record.id)] })
    }
  }
}
