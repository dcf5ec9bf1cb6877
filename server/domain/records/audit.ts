/**
 * The audit log: sign-ins, links that were made, used, changed or revoked, deletions, and acts of administrators.
 *
 * A record is written in the same commit as the effect that it reports, so neither exists without the other. A record contains ids, but no names,
 * secrets or text. Names are looked up when the log is read, so the log contains nothing about a deleted account except its id. A failed sign-in
 * names the account only if the account exists, because people sometimes type their password into the email field.
 *
 * Records are kept for `AGMD_AUDIT_DAYS`, and there are at most `limits.auditRecordsMax`.
 */
import { limits } from '../../../shared/limits.ts'
import type { Role } from '../../../shared/roles.ts'
import type { Caller } from '../rights/caller.ts'
import { decodeRecord, encodeRecord, keys } from './keys.ts'
import type { Put, Storage } from '../ports.ts'
import { newId } from '../secrets.ts'
import type { Transaction } from './transaction.ts'
import type { Service } from '../service.ts'

/** The kinds of audit records. Acts of administrators begin with `admin.`. */
export const auditKinds = [
  'sign-in',
  'sign-in.failed',
  'sign-in.disabled',
  'account.created',
  'account.deleted',
  'password.set',
  'link.made',
  'link.used',
  'link.changed',
  'link.revoked',
  'token.made',
  'token.revoked',
  'node.made',
  'node.revoked',
  'document.deleted',
  'document.restored',
  'document.erased',
  'admin.invite',
  'admin.reset',
  'admin.sessions',
  'admin.disable',
  'admin.enable',
  'admin.delete',
  'admin.transfer',
  'admin.takedown',
  'admin.restore',
  'admin.forget',
  'admin.export',
  'admin.import'
] as const

export type AuditKind = (typeof auditKinds)[number]

/** The person or program that acted. `operator` stands for anybody who runs commands on the server. */
export interface AuditActor {
  readonly kind: 'account' | 'agent' | 'guest' | 'operator' | 'system'
  /** Id of the account or agent. */
  readonly id?: string
  /** Id of the link that a guest used. */
  readonly link?: string
}

export interface AuditRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: AuditKind
  readonly by: AuditActor
  /** Ids of the account, document, link, token or node that the act concerned. */
  readonly account?: string
  readonly doc?: string
  readonly link?: string
  readonly token?: string
  readonly node?: string
  /** The role of a new link, or of a link whose role or end has changed. */
  readonly role?: Role
  /** The client's address, in the form that rate limits use. Only sign-ins have it. */
  readonly address?: string
  /** The number of failed sign-ins that this record counts. Absent if it is one. */
  readonly count?: number
}

/** A record to which the log has not yet added the time. */
export type Audited = Omit<AuditRecord, 'at'>

export const systemAct: AuditActor = { kind: 'system' }

/** Returns the actor of a caller, as the log records it. */
export const auditActor = ({ identity, share }: Pick<Caller, 'identity' | 'share'>): AuditActor =>
  identity.kind === 'guest' ? { kind: 'guest', ...(share !== null && { link: share }) } : { kind: identity.kind, id: identity.id }

/** Returns the lower bound for the keys of records from this time on. */
const placeAt = (at: number): string => String(at).padStart(15, '0')

let made = 0

/** Returns a unique key part. Records that one process writes in the same millisecond keep their order. */
const placeFor = (now: number): string => `${placeAt(now)}-${(made++).toString(36).padStart(8, '0')}-${newId()}`

/** Returns the put for a record, for the commit that writes the reported effect. */
export const auditPut = (now: number, audited: Audited): Put => ({
  key: keys.audit(placeFor(now)),
  value: encodeRecord({ at: now, ...audited } satisfies AuditRecord)
})

/** Adds a record to a change to a document. */
export const audit = (tx: Transaction, audited: Audited): void => {
  const { key, value } = auditPut(tx.now, audited)
  tx.put(key, value)
}

// ——— Failed sign-ins ———

/** The failed sign-ins of the current minute. */
interface Minute {
  readonly number: number
  recorded: number
  dropped: number
}

const minutes = new WeakMap<Storage, Minute>()

const isFailure = { kind: 'sign-in.failed', by: { kind: 'guest' } } as const satisfies Audited

/** A sign-in that was refused: because the password was wrong, or because the account is disabled. */
type Failure = Extract<AuditKind, 'sign-in.failed' | 'sign-in.disabled'>

/** Returns the put for the record that counts the unrecorded failures of an earlier minute. */
const droppedOf = (now: number, minute: Minute | undefined): Put[] =>
  minute === undefined || minute.dropped === 0 ? [] : [auditPut(now, { ...isFailure, count: minute.dropped })]

/**
 * Records a failed sign-in. Anybody can cause failures, so only the first ones of each minute get their own records. The next failure or sweep after
 * that minute writes one record that counts the others. A failure that cannot be stored is not recorded.
 */
export const auditFailure = async (
  { storage, clock }: Service,
  address: string,
  account: string | undefined,
  kind: Failure = 'sign-in.failed'
): Promise<void> => {
  const now = clock.now()
  const number = Math.floor(now / 60_000)
  const known = minutes.get(storage)
  const minute = known?.number === number ? known : { number, recorded: 0, dropped: 0 }
  const dropped = minute === known ? [] : droppedOf(now, known)
  minutes.set(storage, minute)
  const isRecorded = minute.recorded < limits.auditFailuresPerMinute
  minute[isRecorded ? 'recorded' : 'dropped'] += 1
  const puts = [
    ...dropped,
    ...(isRecorded ? [auditPut(now, { ...isFailure, kind, address, ...(account !== undefined && { account }) })] : [])
  ]
  if (puts.length > 0) await storage.commit({ puts }).catch(() => undefined)
}

// ——— Reading ———

/** Selects records. A record must satisfy all conditions. */
export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  /** Selects records by an account or about it. */
  readonly account?: string | undefined
  readonly doc?: string | undefined
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[]
  /** The value of `before` for the next page; null at the end of the log. */
  readonly nextBefore: string | null
}

const matches = (record: AuditRecord, { kind, account, doc }: AuditFilter): boolean =>
  (kind === undefined || record.kind === kind) &&
  (account === undefined || record.account === account || record.by.id === account) &&
  (doc === undefined || record.doc === doc)

/** Returns a page of the log. With a filter, a page may end before it is full; `nextBefore` continues it. */
export const listAudit = async (
  { storage }: Pick<Service, 'storage'>,
  {
    before,
    limit = limits.auditPageDefault,
    ...filter
  }: AuditFilter & { readonly before?: string | undefined; readonly limit?: number } = {}
): Promise<AuditPage> => {
  const records: AuditRecord[] = []
  let place = before
  for (let looked = 0; looked < limits.auditScanMax;) {
    const entries = await storage.list(keys.audits(), { reverse: true, ...(place !== undefined && { before: place }) })
    for (const { key, value } of entries) {
      place = String(key.at(-1))
      looked += 1
      const record = decodeRecord<AuditRecord>(value)
      if (matches(record, filter)) records.push(record)
      if (records.length === limit) return { records, nextBefore: place }
    }
    if (entries.length < limits.listMax) return { records, nextBefore: null }
  }
  return { records, nextBefore: place ?? null }
}

// ——— Removing ———

/** The records that this process has counted: their number, and the key of the newest one. */
interface Counted {
  number: number
  last: string | undefined
}

const counts = new WeakMap<Storage, Counted>()

/** Brings the count up to date: adds the records that are newer than the last one counted. */
const count = async (storage: Storage): Promise<Counted> => {
  const counted = counts.get(storage) ?? { number: 0, last: undefined }
  counts.set(storage, counted)
  for (;;) {
    const page = await storage.list(keys.audits(), counted.last === undefined ? {} : { after: counted.last })
    counted.number += page.length
    counted.last = page.at(-1)?.key.at(-1)?.toString() ?? counted.last
    if (page.length < limits.listMax) return counted
  }
}

/** Removes the oldest records: at most `most`, and only those before `before`. */
const removeOldest = async (storage: Storage, counted: Counted, most: number, before?: number): Promise<void> => {
  for (let remaining = most; remaining > 0;) {
    const limit = Math.min(remaining, limits.sweepCommitRecords)
    const page = await storage.list(keys.audits(), { limit, ...(before !== undefined && { before: placeAt(before) }) })
    if (page.length > 0) await storage.commit({ deletes: page.map(({ key }) => key) })
    counted.number -= page.length
    remaining -= page.length
    if (page.length < limit) return
  }
}

type Swept = Pick<Service, 'storage' | 'clock' | 'auditDays'>

const sweepOnce = async ({ storage, clock, auditDays }: Swept): Promise<void> => {
  const now = clock.now()
  const minute = minutes.get(storage)
  if (minute !== undefined && minute.number < Math.floor(now / 60_000)) {
    minutes.delete(storage)
    const puts = droppedOf(now, minute)
    if (puts.length > 0) await storage.commit({ puts })
  }
  const counted = await count(storage)
  await removeOldest(storage, counted, Infinity, now - auditDays * 24 * 3600 * 1000)
  if (counted.number <= limits.auditRecordsMax) return
  // Another node may have removed records that this node has counted.
  if (storage.nodes !== undefined) counts.delete(storage)
  const sure = await count(storage)
  await removeOldest(storage, sure, sure.number - limits.auditRecordsMax)
}

const sweeps = new WeakMap<Storage, Promise<void>>()

/**
 * Removes records that are too old, and the oldest ones if there are too many. Called at startup, and periodically. Sweeps run one after another,
 * because they share the count.
 */
export const sweepAudit = (service: Swept): Promise<void> => {
  const sweep = (sweeps.get(service.storage) ?? Promise.resolve()).then(() => sweepOnce(service))
  sweeps.set(
    service.storage,
    sweep.catch(() => undefined)
  )
  return sweep
}
