/** Quotas for one document, for all documents of an account, and for the anonymous documents from a client address. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { decodeRecord, type Head, keys } from '../records/keys.ts'
import type { Key, Storage } from '../ports.ts'
import { type Payer, payerOf } from './usage.ts'

/** The allowed bytes; 0 means no limit. */
export interface QuotaSettings {
  readonly documentBytesMax: number
  readonly accountBytesMax: number
  readonly anonymousBytesMax: number
}

/** The fields of a document's head that quotas need. */
export type Held = Pick<Head, 'owner' | 'origin' | 'bytes' | 'usage'>

export interface Quotas {
  readonly settings: QuotaSettings
  /** Reads into memory how many bytes the payer uses. Call it before `require`, which is synchronous. */
  load(held: Pick<Held, 'owner' | 'origin'>): Promise<void>
  /**
   * Refuses a change that would add too many bytes to a document. `makesLess` is true if the change removes more text than it adds. The change can
   * then exceed the quota a little, because it still adds to the history. Throws `quota_exceeded`, with the quota, the used bytes and the allowed
   * bytes.
   */
  require(held: Held, bytes: number, makesLess?: boolean): void
  /** Reserves space for a new document. The caller calls the returned function once the record is written or has failed. Throws `quota_exceeded`. */
  reserve(held: Pick<Held, 'owner' | 'origin'>, bytes: number): Promise<() => void>
  /** Returns how many bytes the documents of an account or agent use, and how many they may use. */
  used(payer: Payer): Promise<number>
  /**
   * Returns how many accounts (including agents) and addresses have used more than nine tenths of their quota. Counts only those whose sums are in
   * memory.
   */
  nearlyUsed(): { readonly account: number; readonly address: number }
  stop(): void
}

type Kind = 'document' | 'account' | 'address'

const says: Readonly<Record<Kind, { readonly message: string; readonly hint: string }>> = {
  document: {
    message: 'This document and its history have used all their space.',
    hint: 'Delete comments that you no longer need, or continue in a new document. You can still delete text. The operator can raise AGMD_DOCUMENT_MEGABYTES.'
  },
  account: {
    message: 'The documents of the owner’s account have used all their space.',
    hint: 'To free space, the owner can permanently delete documents in the trash. The operator can raise AGMD_ACCOUNT_MEGABYTES.'
  },
  address: {
    message: 'The anonymous documents from one address have used all their space.',
    hint: 'Permanently delete documents in the trash, or sign in and choose "Add to your account" in their menu. The operator can raise AGMD_ANONYMOUS_MEGABYTES.'
  }
}

const exceeded = (quota: Kind, usedBytes: number, allowedBytes: number): ServiceError =>
  new ServiceError('quota_exceeded', { ...says[quota], quota, usedBytes, allowedBytes })

/** Returns how far a change that shortens the text may exceed a quota. */
const marginOf = (allowed: number): number => Math.max(limits.quotaMarginBytes, allowed / 16)

const refuseBeyond = (quota: Kind, used: number, allowed: number, bytes: number, makesLess: boolean): void => {
  if (allowed === 0 || used + bytes <= allowed + (makesLess ? marginOf(allowed) : 0)) return
  throw exceeded(quota, used, allowed)
}

/** The number of payers whose sums are kept in memory. */
const payersMax = 2000

/** The sizes of one payer's documents in bytes, by id, and their sum. */
export interface Sum {
  readonly documents: Map<string, number>
  total: number
}

/** Reads how many bytes each document of a payer uses. */
export const readSum = async (storage: Storage, payer: Payer): Promise<Sum> => {
  const documents = new Map<string, number>()
  let after: string | undefined
  for (;;) {
    const entries = await storage.list(keys.usages(...payer), after === undefined ? {} : { after })
    for (const { key, value } of entries) documents.set(String(key.at(-1)), decodeRecord<number>(value))
    if (entries.length < limits.listMax) break
    after = String(entries.at(-1)?.key.at(-1))
  }
  return { documents, total: [...documents.values()].reduce((one, other) => one + other, 0) }
}

const set = (sum: Sum, doc: string, bytes: number | undefined): void => {
  sum.total += (bytes ?? 0) - (sum.documents.get(doc) ?? 0)
  if (bytes === undefined) sum.documents.delete(doc)
  else sum.documents.set(doc, bytes)
}

export const createQuotas = (storage: Storage, settings: QuotaSettings): Quotas => {
  const sums = new Map<string, Promise<Sum>>()
  /** The results of `sums` that have already been read, for synchronous use. */
  const known = new Map<string, Sum>()
  const nameOf = ([kind, id]: readonly unknown[]): string => `${String(kind)} ${String(id)}`

  const read = (payer: Payer): Promise<Sum> => {
    const name = nameOf(payer)
    const found = sums.get(name) ?? readSum(storage, payer)
    if (!sums.has(name)) {
      sums.set(name, found)
      found.then(
        (sum) => sums.get(name) === found && known.set(name, sum),
        () => sums.delete(name)
      )
      for (const oldest of sums.keys()) {
        if (sums.size <= payersMax) break
        sums.delete(oldest)
        known.delete(oldest)
      }
    }
    return found
  }

  /** Reads a sum again after a commit by any process has changed it. */
  const refresh = async (key: Key): Promise<void> => {
    const sum = await sums.get(nameOf(key.slice(1)))
    if (sum === undefined) return
    const entry = await storage.get(key)
    set(sum, String(key.at(-1)), entry && decodeRecord<number>(entry.value))
  }
  /** Reads the sums of all known payers again. The old values stay valid until the new ones are read. */
  const refreshAll = (): void => {
    for (const name of known.keys()) {
      const [kind = '', ...id] = name.split(' ')
      sums.delete(name)
      read([kind, id.join(' ')] as Payer).catch(() => known.delete(name))
    }
  }
  const stop = storage.watch(['usage'], (touched) => {
    if (touched.length === 0) refreshAll()
    for (const key of touched) if (key[0] === 'usage') refresh(key).catch(() => sums.delete(nameOf(key.slice(1))))
  })

  const allowedOf = ([kind]: Payer): number => (kind === 'address' ? settings.anonymousBytesMax : settings.accountBytesMax)

  return {
    settings,
    async load(held) {
      const payer = payerOf(held)
      if (payer !== undefined && allowedOf(payer) > 0) await read(payer)
    },
    require(held, bytes, makesLess = false) {
      const { bytes: stored = 0, usage = 0 } = held
      refuseBeyond('document', stored, settings.documentBytesMax, bytes, makesLess)
      const payer = payerOf(held)
      const sum = payer && known.get(nameOf(payer))
      if (payer === undefined || sum === undefined) return
      // Bytes that this document added since its usage record was written also count.
      const used = sum.total + Math.max(0, stored - usage)
      refuseBeyond(payer[0] === 'address' ? 'address' : 'account', used, allowedOf(payer), bytes, makesLess)
    },
    async reserve(held, bytes) {
      const payer = payerOf(held)
      refuseBeyond('document', 0, settings.documentBytesMax, bytes, false)
      if (payer === undefined || allowedOf(payer) === 0) return () => undefined
      const sum = await read(payer)
      refuseBeyond(payer[0] === 'address' ? 'address' : 'account', sum.total, allowedOf(payer), bytes, false)
      sum.total += bytes
      return () => void (sum.total -= bytes)
    },
    nearlyUsed() {
      const isNear = (allowed: number, used: number): boolean => allowed > 0 && used > 0.9 * allowed
      const found = { account: 0, address: 0 }
      for (const [name, { total }] of known) {
        const isAddress = name.startsWith('address ')
        if (isNear(isAddress ? settings.anonymousBytesMax : settings.accountBytesMax, total)) found[isAddress ? 'address' : 'account'] += 1
      }
      return found
    },
    used: async (payer) => (await read(payer)).total,
    stop
  }
}
