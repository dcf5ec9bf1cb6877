/**
 * Records that expire. Each record has `expiresAt` and an entry in an index that is ordered by this time. A sweep therefore finds due records without
 * reading the rest. An expired record counts as absent, so the sweep only frees space.
 */
import { limits } from '../../../shared/limits.ts'
import { decodeRecord, encodeRecord, keys } from './keys.ts'
import type { Batch, Key, Put } from '../ports.ts'
import type { Service } from '../service.ts'

export interface Expiring {
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const nothing = encodeRecord(null)

/** Returns the entries to put for a record that expires. Putting them again with the same `expiresAt` adds no second index entry. */
export const expiring = (key: Key, record: Expiring): Put[] => [
  { key, value: encodeRecord(record) },
  { key: keys.due(record.expiresAt, key), value: nothing }
]

/** Returns the record at `key` with its version, unless it has expired. */
export const findLive = async <T extends Expiring>(
  { storage, clock }: Pick<Service, 'storage' | 'clock'>,
  key: Key
): Promise<{ record: T; version: number } | undefined> => {
  const entry = await storage.get(key)
  if (entry === undefined) return undefined
  const record = decodeRecord<T>(entry.value)
  return record.expiresAt > clock.now() ? { record, version: entry.version } : undefined
}

/** A live record, and the hash under which it is stored. */
export interface Live<T> {
  readonly hash: string
  readonly record: T
}

/** Returns the live records whose hashes an index lists, unless `isOver` says that they have ended. Removes the index entries of all others. */
export const listLive = async <T extends Expiring>(
  service: Pick<Service, 'storage' | 'clock'>,
  index: Key,
  keyOf: (hash: string) => Key,
  isOver: (record: T) => boolean = () => false
): Promise<Live<T>[]> => {
  const live: Live<T>[] = []
  const gone: Key[] = []
  for (const { key, value } of await service.storage.list(index)) {
    const hash = decodeRecord<string>(value)
    const found = await findLive<T>(service, keyOf(hash))
    if (found === undefined || isOver(found.record)) gone.push(key)
    else live.push({ hash, record: found.record })
  }
  if (gone.length > 0) await service.storage.commit({ deletes: gone })
  return live
}

/** Returns the batch that removes a due record and its index entry, or only the index entry if the record was renewed or is gone. */
const removalOf = async (
  { storage, clock }: Pick<Service, 'storage' | 'clock'>,
  key: Key
): Promise<Required<Pick<Batch, 'checks' | 'deletes'>>> => {
  const target = key.slice(2)
  const entry = await storage.get(target)
  // A record that was renewed has a later entry in the index.
  const over = entry !== undefined && decodeRecord<Expiring>(entry.value).expiresAt <= clock.now()
  return over ? { checks: [{ key: target, version: entry.version }], deletes: [key, target] } : { checks: [], deletes: [key] }
}

/** Removes records in one commit, or one by one if some have since been renewed. Returns whether all of them were removed. */
const removeAll = async (service: Pick<Service, 'storage' | 'clock'>, due: readonly Key[]): Promise<boolean> => {
  const removals = await Promise.all(due.map((key) => removalOf(service, key)))
  const together = { checks: removals.flatMap(({ checks }) => checks), deletes: removals.flatMap(({ deletes }) => deletes) }
  if (await service.storage.commit(together)) return true
  let all = true
  for (const removal of removals) all = (await service.storage.commit(removal)) && all
  return all
}

/** Removes due records, `limits.sweepRecordsMax` at a time, until none is left. */
export const sweep = async (service: Pick<Service, 'storage' | 'clock'>): Promise<void> => {
  const { storage, clock } = service
  let more = true
  while (more) {
    const due = await storage.list(keys.dues(), { before: clock.now(), limit: limits.sweepRecordsMax })
    more = due.length === limits.sweepRecordsMax
    for (let from = 0; from < due.length; from += limits.sweepCommitRecords) {
      const some = due.slice(from, from + limits.sweepCommitRecords).map(({ key }) => key)
      // The next sweep handles records that have since been renewed.
      if (!(await removeAll(service, some))) more = false
    }
  }
}
